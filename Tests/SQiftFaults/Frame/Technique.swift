/// One way to attack the library. Each is a file in Techniques, and an element of the list below.
protocol Technique {
    /// Its name as an argument.
    static var name: String { get }

    /// What it does, in one line.
    static var summary: String { get }

    /// Tries the points that the run asks for, and reports to it. It has a process of its own.
    ///
    /// - Throws: What keeps it from working at all. A broken promise is reported instead.
    static func run(_ faultRun: FaultRun) throws
}

/// The techniques. Several run at a time, so the longest begin first.
var allTechniques: [any Technique.Type] {
    [
        KillTechnique.self,
        DiskTechnique.self,
        InterruptTechnique.self,
        MemoryTechnique.self,
        PowerTechnique.self,
        CallTechnique.self,
        SourcesTechnique.self,
        HostileTechnique.self,
        PairsTechnique.self,
        LeakTechnique.self,
        SoakTechnique.self,
        CorpusTechnique.self,
    ]
}
