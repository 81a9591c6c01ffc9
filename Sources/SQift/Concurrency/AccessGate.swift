/// What the connections of a queue, a pool or a database have in common: whether accesses may
/// begin, and which threads are inside a closure.
///
/// Each access asks, so it has no lock: a thread looks for its own number only, which no other
/// thread stores or removes.
final class AccessGate: Sendable {
    /// The database's name for errors.
    let label: String
    /// The gate of the database that a snapshot belongs to.
    let outer: AccessGate?
    /// For each reason 1 while no access may begin for it.
    private let stops = AtomicNumbers(count: 4)
    /// For each connection the thread that uses it; 0 if none does, or if the access hasn't reached
    /// its thread yet.
    private let threads: AtomicNumbers

    /// - Parameter connectionCount: How many connections can be in use at the same time.
    init(label: String, connectionCount: Int = 1, outer: AccessGate? = nil) {
        self.label = label
        self.outer = outer
        threads = AtomicNumbers(count: connectionCount)
    }

    // MARK: Whether accesses may begin

    /// Refuses accesses from now on: until `resume()`, or for good if it is being closed. Those
    /// that run continue.
    func stop(for reason: Cancellation.Reason) {
        stops[Int(reason.rawValue)] = 1
    }

    /// Ends a suspension.
    func resume() {
        stops[Int(Cancellation.Reason.suspension.rawValue)] = 0
    }

    private func isStopped(for reason: Cancellation.Reason) -> Bool {
        stops[Int(reason.rawValue)] != 0
    }

    var isClosed: Bool { isStopped(for: .closing) }

    /// The error of an access that would begin now; nil if it may.
    var refusal: AccessError? {
        let stop: Cancellation.Reason? =
            isClosed ? .closing : isStopped(for: .suspension) ? .suspension : nil
        return AccessError.stopped(by: stop, label: label) ?? outer?.refusal
    }

    /// Throws unless accesses may begin.
    @inline(__always) func check() throws {
        if let refusal {
            throw refusal
        }
    }

    // MARK: The threads inside

    /// Throws if this thread is inside a closure.
    func checkReentry() throws {
        let thread = currentThread
        for connection in 0..<threads.count where threads[connection] == thread {
            throw AccessError(
                .reentrant,
                label: label,
                """
                this thread is in one of its closures already: use the closure's connection, \
                whose transactions nest as savepoints
                """
            )
        }
    }

    /// Notes that this thread uses a connection from now on.
    func enter(_ connection: Int) {
        assert(threads[connection] == 0, "a connection is lent to one closure at a time")
        threads[connection] = currentThread
    }

    /// Notes that no thread uses a connection any more.
    func leave(_ connection: Int) {
        assert(threads[connection] == currentThread, "the thread that has it gives it back")
        threads[connection] = 0
    }

    /// Whether a thread uses a connection.
    func isInUse(_ connection: Int) -> Bool {
        threads[connection] != 0
    }
}
