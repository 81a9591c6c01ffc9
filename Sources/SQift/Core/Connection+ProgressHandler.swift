internal import CSQift

extension Connection {
    /// Decides whether to interrupt the running statements.
    public typealias ProgressHandler = () -> Bool

    /// Sets a closure that SQLite calls again and again while it compiles and runs statements. If
    /// it returns true, they throw `SQLITE_INTERRUPT`; nil removes it. A write that is interrupted
    /// is undone, and its transaction with it.
    ///
    /// ```swift
    /// let deadline = ContinuousClock.now + .seconds(2)
    /// connection.progressHandler { ContinuousClock.now > deadline }
    /// ```
    ///
    /// The closure is called in the middle of a statement, on its thread, and must not use the
    /// connection. The connection keeps it until it is replaced or removed, or until it is closed.
    ///
    /// - Parameters:
    ///   - instructionCount: Roughly how many instructions of SQLite's virtual machine lie between
    ///     two calls; a thousand take some 10 to 100 µs.
    ///   - handler: Returns whether to stop; nil removes the closure that is set.
    ///
    /// <https://sqlite.org/c3ref/progress_handler.html>
    public func progressHandler(every instructionCount: Int = 1000, _ handler: ProgressHandler?) {
        let isNeeded = handler != nil || existingAttachment(ProgressAttachment.self) != nil
        guard handle != nil, isNeeded else { return }
        attachment(ProgressAttachment.self).handler = handler
        installProgressHandler(every: handler == nil ? 1000 : max(instructionCount, 1))
    }

    /// Makes SQLite call the user's closure and look at the cancellation, if there is either.
    func installProgressHandler(every instructionCount: Int = 1000) {
        let attachment = attachment(ProgressAttachment.self)
        guard attachment.handler != nil || cancellation != nil else {
            return sqlite3_progress_handler(handle, 0, nil, nil)
        }
        sqlite3_progress_handler(
            handle,
            Int32(clamping: instructionCount),
            { ProgressAttachment.at($0)?.isToInterrupt() == true ? 1 : 0 },
            attachment.pointer
        )
    }
}

private final class ProgressAttachment: ConnectionAttachment {
    var handler: Connection.ProgressHandler?

    func isToInterrupt() -> Bool {
        if connection.isShielded {
            return false
        }
        return connection.isCancelled || handler.map { connection.callingClosure($0) } ?? false
    }

    override func detach(from handle: OpaquePointer) {
        sqlite3_progress_handler(handle, 0, nil, nil)
    }
}
