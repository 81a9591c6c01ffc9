internal import CSQift

extension Connection {
    /// Sets the closure that receives what SQLite reports about errors anywhere in the process; nil
    /// silences it.
    ///
    /// ```swift
    /// try Connection.setErrorLog { code, message in
    ///     print("SQLite:", code, message)
    /// }
    /// ```
    ///
    /// The first call belongs before the first connection, and before anything else in the process
    /// uses SQLite, as frameworks may: since SQLite 3.42 it may come later, but while no other
    /// thread uses SQLite. Later calls replace the closure, at any time. It is called on any
    /// thread, in the middle of what SQLite does there, and must not use SQLite. Not all it hears
    /// is an error: a journal that is recovered is a `.notice`. SQL in a message has its
    /// placeholders, never the bound values.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_MISUSE`) where SQLite is in use already, before 3.42.
    ///
    /// https://sqlite.org/errlog.html
    public static func setErrorLog(_ log: (@Sendable (ResultCode, String) -> Void)?) throws {
        let replaced = try errorLog.withLock { current in
            if !current.isInstalled, log != nil {
                let code = sqift_config_log { _, code, message in
                    let log = Connection.errorLog.withLock { $0.log }
                    log?(ResultCode(rawValue: code), message.map { String(cString: $0) } ?? "")
                }
                guard code == SQLITE_OK else {
                    throw SQLiteError.misuse(
                        "this SQLite takes an error log only before the first connection of the process"
                    )
                }
                current.isInstalled = true
            }
            defer { current.log = log }
            return current.log
        }
        // What it held is let go without the lock, since that may log.
        withExtendedLifetime(replaced) {}
    }

    private static let errorLog = Locked(ErrorLog())
}

private struct ErrorLog {
    var log: (@Sendable (ResultCode, String) -> Void)?
    var isInstalled = false
}
