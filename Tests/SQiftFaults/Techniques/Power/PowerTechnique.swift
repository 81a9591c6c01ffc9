import Foundation

/// The power fails after each change that a process makes to its files. What the disk may hold then
/// is built, opened, and compared with what was promised.
enum PowerTechnique: Technique {
    static let name = "power"
    static let summary =
        "the power fails after each change of a file, and unsynced changes are lost"

    static func run(_ faultRun: FaultRun) throws {
        guard try seesSystemCalls(faultRun) else { return }
        if let point = faultRun.options.point {
            return try replay(point, faultRun)
        }
        let scenarios = PowerScenario.all
        var imageCount = 0
        var lossCount = 0
        for scenario in scenarios {
            faultRun.showProgress("\(scenario.name), its recording")
            let trial = try PowerTrial(scenario, in: faultRun.folder)
            var losses = 0
            for order in FolderOrder.allCases {
                losses += try failPower(in: trial, of: scenario, order, faultRun)
            }
            imageCount += trial.imageCount
            guard scenario.loss == .anything else { continue }
            lossCount += losses
            if losses == 0 {
                faultRun.fail(scenario.name, ["nothing is synced, and no loss was found"])
            }
        }
        faultRun.note("\(scenarios.count) scenarios")
        faultRun.note("\(imageCount) different disks")
        faultRun.note("\(lossCount) losses found where nothing is synced")
        if !Keys.areSupported {
            faultRun.note("encrypted databases left out")
        }
    }

    /// Lets the power fail after each change or after a sample of them. Returns how many losses were
    /// found where nothing is promised.
    private static func failPower(
        in trial: PowerTrial,
        of scenario: PowerScenario,
        _ order: FolderOrder,
        _ faultRun: FaultRun
    ) throws -> Int {
        let changes = trial.recording.changes
        var generator = faultRun.generator(for: "\(scenario.name)/\(order)")
        let moments = moments(in: changes, order, faultRun, using: &generator)
        var disk = SimulatedDisk(trial.recording, order: order)
        var losses = 0
        for count in 0...changes.count {
            if count > 0 {
                disk.take(changes[count - 1])
            }
            let points = points(of: scenario, disk, order, count, faultRun)
            faultRun.addAvailable(points.count)
            guard moments.contains(count) else { continue }
            for point in points {
                faultRun.begin("\(point)")
                guard let problems = try problems(point, trial, disk, faultRun) else { continue }
                losses += 1
                if scenario.loss != .anything {
                    faultRun.fail("\(point)", problems)
                }
            }
        }
        return losses
    }

    /// After how many changes the power fails.
    private static func moments(
        in changes: [Recording.Change],
        _ order: FolderOrder,
        _ faultRun: FaultRun,
        using generator: inout SeededGenerator
    ) -> Set<Int> {
        let all = 0...changes.count
        let promises = all.dropFirst().filter { changes[$0 - 1].isPromise }
        // The two orders only differ in names.
        let isShort = order == .lost && !faultRun.options.isLong
        let moments = all.filter { $0 == 0 || !isShort || changes[$0 - 1].isOfNames }
        let limit = order == .lost ? 16 : 8
        let sample = faultRun.sample(moments.count, atMost: limit, using: &generator)
        return Set(sample.map { moments[$0] } + promises)
    }

    private static func points(
        of scenario: PowerScenario,
        _ disk: SimulatedDisk,
        _ order: FolderOrder,
        _ count: Int,
        _ faultRun: FaultRun
    ) -> [PowerPoint] {
        PowerCut.allCases.flatMap { cut in
            cut.numbers(
                nameCount: disk.pendingNameCount,
                sampleCount: faultRun.options.isLong ? 4 : 1
            ).map { number in
                PowerPoint(
                    scenario: scenario.name,
                    order: order,
                    count: count,
                    cut: cut,
                    number: number
                )
            }
        }
    }

    /// What is wrong on the disk after one cut, or nil.
    private static func problems(
        _ point: PowerPoint,
        _ trial: PowerTrial,
        _ disk: SimulatedDisk,
        _ faultRun: FaultRun
    ) throws -> [String]? {
        var generator = faultRun.generator(for: "\(point)")
        let image = disk.image(after: point.cut, number: point.number, using: &generator)
        let count = point.count
        guard let problem = try trial.problem(of: image, afterChanges: count) else { return nil }
        let last = count > 0 ? "\(trial.recording.changes[count - 1])" : "nothing"
        return [problem, "after \(last)", "disk: \(image)"]
    }

    /// Tries one point again, and lists the changes until then.
    private static func replay(_ text: String, _ faultRun: FaultRun) throws {
        guard let point = PowerPoint(text),
            let scenario = PowerScenario.all.first(where: { $0.name == point.scenario })
        else { throw UsageError() }
        let trial = try PowerTrial(scenario, in: faultRun.folder)
        let changes = trial.recording.changes
        guard point.count <= changes.count else { throw UsageError() }
        var disk = SimulatedDisk(trial.recording, order: point.order)
        for change in changes.prefix(point.count) {
            disk.take(change)
            say("\(change)")
        }
        faultRun.begin(text)
        if let problems = try problems(point, trial, disk, faultRun) {
            faultRun.fail(text, problems)
        }
    }
}
