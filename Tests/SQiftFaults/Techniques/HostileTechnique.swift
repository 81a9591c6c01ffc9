import Foundation

/// Files that somebody has damaged or forged: using them ends with results or with errors.
enum HostileTechnique: Technique {
    static let name = "hostile"
    static let summary = "databases, WALs and journals with changed bytes are opened and used"

    /// How long a mutant may take with a debug build on a busy machine.
    private static let longestTime = Duration.seconds(20)

    static func run(_ faultRun: FaultRun) throws {
        let folder = faultRun.folder + "/seeds"
        try makeEmptyFolder(folder)
        faultRun.showProgress("the databases that mutants are made of")
        let seeds = try SeedDatabase.makeAll(in: folder)
        if let point = faultRun.options.point {
            guard let number = Int(point) else { throw UsageError() }
            return try attempt(number, of: seeds, faultRun)
        }
        for number in 0..<(faultRun.options.isLong ? 20_000 : 1_500) {
            try attempt(number, of: seeds, faultRun)
        }
        faultRun.note("\(seeds.count) databases")
    }

    /// Makes the mutant of this number, and uses it.
    private static func attempt(
        _ number: Int,
        of seeds: [DatabaseImage],
        _ faultRun: FaultRun
    ) throws {
        let point = "\(number)"
        faultRun.begin(point)
        var generator = faultRun.generator(for: point)
        let folder = faultRun.folder + "/mutant"
        try makeEmptyFolder(folder)
        var mutator = Mutator(pick(from: seeds, using: &generator), using: generator)
        if mutator.image.parts == [.main], mutator.number(below: 4) == 0 {
            try mutator.editSchema(at: folder + "/edited.db")
        }
        // Some files have a forged schema only, and some nothing at all: those have to work.
        if mutator.number(below: 10) > 0 || mutator.changes.isEmpty {
            mutator.mutate()
        }
        if faultRun.options.point != nil {
            say("\(mutator.image.name): \(mutator.changes.joined(separator: "; "))")
        }

        let start = ContinuousClock.now
        let use = ProcessUse()
        let mutant = MutantUse(mutator.image, in: folder) { faultRun.count($0) }
        // The short run spreads what takes long over the mutants.
        let isWhole = faultRun.options.isLong || faultRun.options.point != nil
        try mutant.run(share: isWhole ? nil : number)
        var problems = mutant.problems + use.leaks()
        if ContinuousClock.now - start > longestTime {
            problems.append("it took \(ContinuousClock.now - start)")
        }
        if !problems.isEmpty {
            faultRun.fail(point, problems + [mutator.image.name] + mutator.changes)
        }
    }

    /// Large files are used less often: they take longer.
    private static func pick(
        from seeds: [DatabaseImage],
        using generator: inout SeededGenerator
    ) -> DatabaseImage {
        let small = seeds.filter { $0[.main].count < 300_000 }
        let isAny = Int.random(in: 0..<16, using: &generator) == 0
        let candidates = isAny ? seeds : small
        return candidates[Int.random(in: 0..<candidates.count, using: &generator)]
    }
}
