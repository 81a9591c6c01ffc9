/// Tries the faults of some kinds at every call, or at a sample of them, in every scenario.
struct Sweep {
    let faultRun: FaultRun
    let kinds: [FaultKind]
    /// How many calls are tried of each kind and scenario.
    let sampleCount: Int
    var scenarios = Scenario.all
    /// Whether a scenario has anything to do with a kind.
    var isApplicable: (Scenario, FaultKind) -> Bool = { _, _ in true }

    /// Runs the sweep, or the one point that the run asks for.
    func run() throws {
        if let point = faultRun.options.point {
            return try replay(point)
        }
        var scenarioCount = 0
        for scenario in scenarios where faultRun.options.isMeant(scenario.name) {
            let kinds = kinds.filter { isApplicable(scenario, $0) }
            guard !kinds.isEmpty else { continue }
            scenarioCount += 1
            faultRun.showProgress("\(scenario.name), its preparation")
            let trial = try Trial(scenario, in: faultRun.folder)
            for kind in kinds {
                try sweep(trial, kind)
            }
        }
        faultRun.note("\(scenarioCount) scenarios")
    }

    private func sweep(_ trial: Trial, _ kind: FaultKind) throws {
        let name = trial.scenario.name
        faultRun.showProgress("\(name), counting \(kind.name)")
        let count = try trial.countCalls(of: kind)
        for isForever in kind.mayLast ? [false, true] : [false] {
            faultRun.addAvailable(count)
            var generator = faultRun.generator(for: "\(name)\(kind.name)\(isForever)")
            for call in faultRun.sample(count, atMost: sampleCount, using: &generator) {
                try attempt(trial, [Fault(kind, isForever: isForever, call: call)])
            }
        }
    }

    func attempt(_ trial: Trial, _ faults: [Fault]) throws {
        let point = "\(trial.scenario.name)/" + faults.map(\.description).joined(separator: "+")
        faultRun.begin(point)
        let outcome = try trial.attempt(faults)
        if let error = outcome.error {
            faultRun.count(error)
        }
        if !outcome.problems.isEmpty {
            let error = outcome.error.map { "threw \($0)" } ?? "threw nothing"
            faultRun.fail(point, outcome.problems + [error])
        }
    }

    /// Tries one point again: `SCENARIO/KIND/once/3`, or with a second fault after a `+`.
    private func replay(_ point: String) throws {
        guard let slash = point.firstIndex(of: "/"),
            let scenario = Scenario.all.first(where: { $0.name == point[..<slash] })
        else { throw UsageError() }
        let texts = point[slash...].dropFirst().split(separator: "+")
        let faults = texts.compactMap { Fault($0, among: kinds) }
        guard faults.count == texts.count, !faults.isEmpty else { throw UsageError() }
        let trial = try Trial(scenario, in: faultRun.folder)
        faultRun.begin(point)
        let outcome = try trial.attempt(faults)
        let error = outcome.error.map { "threw \($0)" } ?? "threw nothing"
        say("\(outcome.failures) of \(outcome.calls) calls failed; it \(error)")
        if !outcome.problems.isEmpty {
            faultRun.fail(point, outcome.problems)
        }
    }
}
