/// The closure of an access.
@usableFromInline typealias AccessBody = (Connection) throws -> Void

/// Runs accesses on connections, one at a time on each: a lane, or a pool of them.
protocol AccessRunner: Sendable {
    /// Calls `body` as one access on this thread, when its turn comes.
    func access(_ kind: AccessKind, _ body: AccessBody) throws

    /// Puts an asynchronous access in line. It begins on another thread, when its turn comes.
    func enqueue(_ access: AsyncAccess)

    /// Calls `body` as an access whose turn has come.
    ///
    /// - Parameters:
    ///   - slot: What the access was given when it began.
    ///   - access: Nil for a synchronous access, which can't be cancelled.
    func run(
        _ slot: Int,
        as kind: AccessKind,
        for access: AsyncAccess?,
        _ body: AccessBody
    ) throws
}
