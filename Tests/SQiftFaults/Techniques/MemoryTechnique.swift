import CSQiftFaults

/// SQLite gets no memory: every allocation fails in its turn, once and from then on.
enum MemoryTechnique: Technique {
    static let name = "memory"
    static let summary = "each allocation of SQLite fails"

    static func run(_ faultRun: FaultRun) throws {
        let code = sqift_faults_install_memory()
        try expect(code == 0, "SQLite doesn't take the allocator: \(code)")
        let kind = FaultKind(name: "memory", bits: SQIFT_FAULT_MEMORY.rawValue)
        try Sweep(faultRun: faultRun, kinds: [kind], sampleCount: 16).run()
    }
}
