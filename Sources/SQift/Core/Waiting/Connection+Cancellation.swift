// How other threads end what a connection does.
extension Connection {
    /// Makes the statements that run now throw `SQLITE_INTERRUPT`. It may be called from any
    /// thread. Another thread should hold the ``interruptHandle``, which does the same, rather than
    /// the connection.
    ///
    /// SQLite: [sqlite3_interrupt](https://sqlite.org/c3ref/interrupt.html)
    public func interrupt() {
        interruptHandle.interrupt()
    }

    /// Lets other threads end the connection's work. Does nothing if the connection is closed or
    /// has a cancellation already.
    func makeCancellable(by newCancellation: Cancellation) {
        guard handle != nil, cancellation == nil else { return }
        newCancellation.use(interruptHandle)
        let ownWaiting = waiting
        state.cancellation = newCancellation
        installProgressHandler()
        // SQLite's own way to wait doesn't look at the cancellation.
        waiting = ownWaiting
    }

    /// How other threads end the connection's work; nil if none can.
    var cancellation: Cancellation? { state.cancellation }

    /// Whether no further statement may start.
    var isCancelled: Bool { state.isCancelled }
}
