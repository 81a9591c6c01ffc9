#if compiler(>=6.2)
    /// Keeps a conformance from being bound to an actor.
    ///
    /// In a module whose code is on the main actor by default, conformances would be bound to it
    /// too. But a value is bound and read on the thread that uses the connection, whichever thread
    /// that is. In such a module, state the conformance where the type is declared, or mark the
    /// extension that states it `nonisolated`.
    public typealias NonisolatedConformance = SendableMetatype
#else
    /// Before Swift 6.2 no conformance was bound to an actor.
    public typealias NonisolatedConformance = Any
#endif
