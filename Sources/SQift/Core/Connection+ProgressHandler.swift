internal import CSQift

extension Connection {
    /// Answers whether to interrupt what runs.
    public typealias ProgressHandler = () -> Bool

    /// Sets the closure that is asked again and again while statements are compiled and run, and
    /// whose true makes them throw `SQLITE_INTERRUPT`; nil removes it. A write is then undone, and
    /// with it its transaction.
    ///
    /// ```swift
    /// let deadline = ContinuousClock.now + .seconds(2)
    /// connection.progressHandler { ContinuousClock.now > deadline }
    /// ```
    ///
    /// It is called in the middle of a statement, on its thread, and must not use the connection,
    /// which keeps it until it is replaced, removed, or the connection is closed.
    ///
    /// - Parameter instructionCount: How many of SQLite's virtual machine instructions lie between
    ///   two calls, roughly; a thousand take some 10 to 100 µs.
    ///
    /// https://sqlite.org/c3ref/progress_handler.html
    public func progressHandler(every instructionCount: Int = 1000, _ handler: ProgressHandler?) {
        guard handle != nil, handler != nil || hasCallbacks else { return }
        callbacks.progressHandler = handler
        installProgressHandler(every: handler == nil ? 1000 : max(instructionCount, 1))
    }

    /// Lets SQLite ask the user's closure, and look for a cancellation.
    func installProgressHandler(every instructionCount: Int = 1000) {
        guard callbacks.progressHandler != nil || callbacks.cancellation != nil else {
            return sqlite3_progress_handler(handle, 0, nil, nil)
        }
        sqlite3_progress_handler(
            handle,
            Int32(clamping: instructionCount),
            { callbacks in
                guard let callbacks = Callbacks.at(callbacks), !callbacks.isShielded else {
                    return 0
                }
                if callbacks.cancellation?.value ?? 0 != 0 {
                    return 1
                }
                guard let handler = callbacks.progressHandler else { return 0 }
                return callbacks.callingBack(handler) ? 1 : 0
            },
            callbacks.pointer
        )
    }
}
