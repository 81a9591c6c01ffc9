import CSQiftFaults

/// The disk fails: every call of the file system layer in its turn, once and from then on, and a
/// second time while the next run recovers from the first.
enum DiskTechnique: Technique {
    static let name = "disk"
    static let summary = "each call of the file system layer fails, once more in the recovery"

    private static let kinds = [
        kind("open", SQIFT_FAULT_OPEN),
        kind("read", SQIFT_FAULT_READ),
        kind("write", SQIFT_FAULT_WRITE),
        kind("full", SQIFT_FAULT_FULL),
        kind("sync", SQIFT_FAULT_SYNC),
        kind("truncate", SQIFT_FAULT_TRUNCATE),
        kind("size", SQIFT_FAULT_SIZE),
        kind("lock", SQIFT_FAULT_LOCK),
        kind("delete", SQIFT_FAULT_DELETE),
        kind("access", SQIFT_FAULT_ACCESS),
        kind("shared-map", SQIFT_FAULT_SHARED_MAP),
        kind("shared-lock", SQIFT_FAULT_SHARED_LOCK),
    ]

    /// All of them but the full disk: writing can fail in one way at a time only.
    private static let anything = FaultKind(
        name: "any",
        bits: kinds.filter { $0.name != "full" }.reduce(0) { $0 | $1.bits }
    )

    private static func kind(_ name: String, _ bit: sqift_fault) -> FaultKind {
        FaultKind(name: name, bits: bit.rawValue)
    }

    static func run(_ faultRun: FaultRun) throws {
        let code = sqift_faults_install_disk()
        try expect(code == 0, "SQLite doesn't take the file system layer: \(code)")
        // SQLite3 Multiple Ciphers encrypts in a layer of its own, which this one would hide.
        let scenarios = Scenario.all.filter { $0.keys.isEmpty || Keys.areSQLCiphers }
        if scenarios.count < Scenario.all.count {
            faultRun.note("encrypted databases left out")
        }
        var sweep = Sweep(faultRun: faultRun, kinds: kinds + [anything], sampleCount: 3)
        sweep.scenarios = scenarios
        try sweep.run()
        guard faultRun.options.point == nil else { return }
        var pairs = Sweep(faultRun: faultRun, kinds: [anything], sampleCount: 4)
        pairs.scenarios = scenarios
        try sweepPairs(pairs)
    }

    /// The disk is gone from some call on, comes back, and fails again in the next run.
    private static func sweepPairs(_ sweep: Sweep) throws {
        let faultRun = sweep.faultRun
        for scenario in sweep.scenarios where faultRun.options.isMeant(scenario.name) {
            faultRun.showProgress("\(scenario.name), two faults")
            let trial = try Trial(scenario, in: faultRun.folder)
            let count = try trial.countCalls(of: anything)
            var generator = faultRun.generator(for: "\(scenario.name), two faults")
            // In the long run every first fault, with some second ones each.
            for first in faultRun.sample(count, atMost: sweep.sampleCount, using: &generator) {
                for _ in 0..<(faultRun.options.isLong ? 4 : 2) {
                    let second = Int.random(in: 0..<max(count, 1), using: &generator)
                    let faults = [
                        Fault(anything, isForever: true, call: first),
                        Fault(anything, isForever: .random(using: &generator), call: second),
                    ]
                    try sweep.attempt(trial, faults)
                }
            }
        }
    }
}
