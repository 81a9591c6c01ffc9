/// Knows which threads are inside closures of one database, so that an access inside another access
/// throws instead of waiting for itself.
///
/// A database hands one guard to its queue and its pool, which don't know each other. There is one
/// number for each connection and no lock: a thread looks for its own number only, which no other
/// thread stores or removes.
final class ReentryGuard: Sendable {
    /// For each connection the thread that uses it; 0 if none does, or if the access hasn't reached
    /// its thread yet.
    private let threads: AtomicWords

    /// - Parameter connectionCount: How many connections can be in use at the same time.
    init(connectionCount: Int) {
        threads = AtomicWords(count: connectionCount)
    }

    /// Throws if this thread is inside a closure.
    ///
    /// - Parameter label: The database's name for the error.
    func check(_ label: String) throws {
        let thread = currentThread
        for connection in 0..<threads.count where threads[connection] == thread {
            let remedy = "use the closure's connection, whose transactions nest as savepoints"
            throw AccessError(
                .reentrant,
                label: label,
                "this thread is in one of its closures already: \(remedy)"
            )
        }
    }

    /// Notes that this thread uses a connection from now on.
    func enter(_ connection: Int) {
        threads[connection] = currentThread
    }

    /// Notes that no thread uses a connection any more.
    func leave(_ connection: Int) {
        threads[connection] = 0
    }
}
