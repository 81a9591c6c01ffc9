internal import CSQift

extension Connection {
    /// Decides whether to interrupt the running statements.
    public typealias ProgressHandler = () -> Bool

    /// Sets a closure that SQLite calls again and again while it compiles and runs statements; nil
    /// removes it.
    ///
    /// If it returns true, they throw `SQLITE_INTERRUPT`. A write that is interrupted is undone,
    /// and its transaction with it.
    ///
    /// ```swift
    /// let deadline = ContinuousClock.now + .seconds(2)
    /// connection.progressHandler { ContinuousClock.now > deadline }
    /// ```
    ///
    /// The closure is called in the middle of a statement, on its thread, and must not use the
    /// connection. The connection keeps it until it is replaced or removed, or until it is closed.
    /// Set in a closure of a queue, a pool or a `Database`, it ends with that closure's access.
    ///
    /// - Parameters:
    ///   - instructionCount: Roughly how many instructions of SQLite's virtual machine lie between
    ///     two calls; a thousand take about 10 to 100 µs.
    ///   - handler: Returns whether to stop; nil removes the closure that is set.
    ///
    /// SQLite: [sqlite3_progress_handler](https://sqlite.org/c3ref/progress_handler.html)
    public func progressHandler(every instructionCount: Int = 1000, _ handler: ProgressHandler?) {
        guard handle != nil else { return }
        let attachment = attachment(ProgressAttachment.self)
        restoringAfterAccess { [interval = attachment.interval, old = attachment.handler] in
            $0.progressHandler(every: interval, old)
        }
        attachment.handler = handler
        attachment.interval = handler == nil ? 1000 : max(instructionCount, 1)
        installProgressHandler()
    }

    /// Makes SQLite call the user's closure and look at the cancellation.
    func installProgressHandler() {
        let attachment = attachment(ProgressAttachment.self)
        // "The progress handler callback must not do anything that will modify the database
        // connection that invoked the progress handler.":
        // https://sqlite.org/c3ref/progress_handler.html
        sqlite3_progress_handler(
            handle,
            Int32(clamping: attachment.interval),
            { ProgressAttachment.at($0)?.isToInterrupt() == true ? 1 : 0 },
            attachment.pointer
        )
    }
}

private final class ProgressAttachment: ConnectionAttachment {
    var handler: Connection.ProgressHandler?
    var interval = 1000

    func isToInterrupt() -> Bool {
        if connection.isUninterrupted {
            return false
        }
        return connection.isCancelled || handler.map { connection.callingClosure($0) } ?? false
    }

    override func detach(from handle: OpaquePointer) {
        sqlite3_progress_handler(handle, 0, nil, nil)
    }
}
