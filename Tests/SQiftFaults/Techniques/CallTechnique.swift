import CSQiftFaults

/// The system refuses: each call of the process that changes a file fails, SQLite's and SQift's own,
/// with a damaged disk and with a full one, once and from then on.
enum CallTechnique: Technique {
    static let name = "calls"
    static let summary = "each open, write, truncate, sync, unlink, rename of the process fails"

    private static let calls = [
        ("open", SQIFT_FAULT_CALL_OPEN),
        ("write", SQIFT_FAULT_CALL_WRITE),
        ("truncate", SQIFT_FAULT_CALL_TRUNCATE),
        ("sync", SQIFT_FAULT_CALL_SYNC),
        ("unlink", SQIFT_FAULT_CALL_UNLINK),
        ("rename", SQIFT_FAULT_CALL_RENAME),
    ]

    private static let kinds = calls.flatMap { name, bit in
        [
            FaultKind(name: "\(name)-damaged", bits: bit.rawValue),
            FaultKind(name: "\(name)-full", bits: bit.rawValue | SQIFT_FAULT_NO_SPACE.rawValue),
        ]
    }

    static func run(_ faultRun: FaultRun) throws {
        guard try seesSystemCalls(faultRun) else { return }
        sqift_faults_watch(Trial.folder(in: faultRun.folder))
        defer { sqift_faults_watch(nil) }
        var sweep = Sweep(faultRun: faultRun, kinds: kinds, sampleCount: 2)
        // In the short run chance decides how a call fails.
        sweep.isApplicable = { scenario, kind in
            let call = kind.name.prefix { $0 != "-" }
            var generator = faultRun.generator(for: "\(scenario.name), \(call)")
            let isFull = Bool.random(using: &generator)
            return faultRun.options.isLong || isFull == kind.name.hasSuffix("full")
        }
        try sweep.run()
    }
}
