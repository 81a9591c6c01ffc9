internal import CSQift

extension Connection {
    /// Answers whether to interrupt what runs.
    public typealias ProgressHandler = () -> Bool

    /// Sets the closure that is asked again and again while statements are compiled and run, and whose true makes them throw
    /// `SQLITE_INTERRUPT`; nil removes it. A write is then undone, and with it its transaction.
    ///
    /// ```swift
    /// let deadline = ContinuousClock.now + .seconds(2)
    /// connection.progressHandler { ContinuousClock.now > deadline }
    /// ```
    ///
    /// It is called in the middle of a statement, on its thread, and must not use the connection, which keeps it until it is
    /// replaced, removed, or the connection is closed.
    ///
    /// - Parameter instructionCount: How many of SQLite's virtual machine instructions lie between two calls, roughly; a thousand
    ///   take some 10 to 100 µs.
    ///
    /// https://sqlite.org/c3ref/progress_handler.html
    public func progressHandler(every instructionCount: Int = 1000, _ handler: ProgressHandler?) {
        guard let handle else { return }
        guard let handler else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            if hasCallbacks { callbacks.progressHandler = nil }
            return
        }
        callbacks.progressHandler = handler
        sqlite3_progress_handler(
            handle,
            Int32(clamping: max(instructionCount, 1)),
            { Callbacks.at($0)?.progressHandler?() == true ? 1 : 0 },
            callbacks.pointer
        )
    }
}
