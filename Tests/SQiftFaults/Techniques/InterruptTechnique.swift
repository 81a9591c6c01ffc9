import CSQiftFaults

/// The work is interrupted at each instruction of SQLite's virtual machine, in each way there is.
enum InterruptTechnique: Technique {
    static let name = "interrupts"
    static let summary = "each progress call stops the work, by handler, interrupt, task or close"

    static func run(_ faultRun: FaultRun) throws {
        let kinds = Interruption.Action.allCases.map { action in
            FaultKind(
                name: action.rawValue,
                bits: SQIFT_FAULT_PROGRESS.rawValue,
                action: action,
                mayLast: [.handler, .interrupt].contains(action)
            )
        }
        var sweep = Sweep(faultRun: faultRun, kinds: kinds, sampleCount: 12)
        sweep.isApplicable = { scenario, kind in
            switch kind.action {
            case .cancel: scenario.traits.contains(.isAsynchronous)
            case .close: scenario.traits.contains(.usesDatabase)
            default: true
            }
        }
        try sweep.run()
    }
}
