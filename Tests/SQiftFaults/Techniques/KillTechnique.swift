import Foundation

/// Processes are killed at random moments of their work: what they had said is done is there.
enum KillTechnique: Technique {
    static let name = "kill"
    static let summary =
        "processes are killed while they write, migrate, back up, restore, change keys"

    static func run(_ faultRun: FaultRun) throws {
        if let point = faultRun.options.point {
            return try replay(point, faultRun)
        }
        let rounds = faultRun.options.isLong ? 1000 : 100
        var kindCount = 0
        var left = 0
        for victim in Victim.all
        where victim.isPossible() && faultRun.options.isMeant(victim.name) {
            kindCount += 1
            let folder = faultRun.folder + "/" + victim.name
            try prepare(victim, in: folder)
            for number in 0..<rounds {
                let hasLeftFiles = try round(number, victim, folder, faultRun)
                left += hasLeftFiles ? 1 : 0
            }
            faultRun.addAvailable(rounds)
        }
        faultRun.note("\(kindCount) kinds of process")
        faultRun.note("\(left) with something to recover or remove")
    }

    private static func prepare(_ victim: Victim, in folder: String) throws {
        try makeEmptyFolder(folder)
        try victim.prepare(folder)
    }

    /// Lets a process work, and kills it. Returns whether it has left a file to take in.
    private static func round(
        _ number: Int,
        _ victim: Victim,
        _ folder: String,
        _ faultRun: FaultRun
    ) throws -> Bool {
        let point = "\(victim.name)/\(number)"
        faultRun.begin(point)
        var generator = faultRun.generator(for: point)
        let child = try ChildProcess(WorkerTask.arguments(victim.name, in: folder, number: number))
        // Once in a while it is killed while it still opens the database.
        let isEarly = Int.random(in: 0..<4, using: &generator) == 0
        let first = isEarly ? nil : child.readLine()
        // The moment is random: that is what is tested.
        usleep(.random(in: 0..<60_000, using: &generator))
        child.kill()
        let said = child.readRest(after: first)
        let files = try fileNames(in: folder)
        do {
            try expect(isEarly || first != nil, "the process ended by itself")
            try victim.check(folder, said)
        } catch {
            faultRun.fail(point, ["\(error)", "said \(said.last ?? "nothing")", "\(files)"])
            try prepare(victim, in: folder)
        }
        return files.contains {
            $0.hasSuffix("-wal") || $0.hasSuffix("-journal") || $0.first == "."
        }
    }

    /// A moment can't be repeated: the same kind of process is killed a hundred times.
    private static func replay(_ point: String, _ faultRun: FaultRun) throws {
        guard let victim = Victim.all.first(where: { point.hasPrefix($0.name + "/") }) else {
            throw UsageError()
        }
        let folder = faultRun.folder + "/" + victim.name
        try prepare(victim, in: folder)
        for number in 0..<100 {
            _ = try round(number, victim, folder, faultRun)
        }
    }
}
