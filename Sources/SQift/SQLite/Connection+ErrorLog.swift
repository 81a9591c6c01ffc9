internal import CSQift

extension Connection {
    /// Sets the closure that receives SQLite's reports about errors anywhere in the process; nil
    /// ends the reports.
    ///
    /// ```swift
    /// try Connection.setErrorLog { code, message in
    ///     print("SQLite:", code, message)
    /// }
    /// ```
    ///
    /// Make the first call before the first connection, and before anything else in the process
    /// uses SQLite, as frameworks may. Since SQLite 3.42 you can make it later, but only while no
    /// other thread uses SQLite. Later calls replace the closure, at any time.
    ///
    /// The closure is called on any thread, in the middle of SQLite's work there, and must not use
    /// SQLite. Not every report is an error: the recovery of a journal is a `.notice`. SQL in a
    /// message has its placeholders, never the bound values.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) before SQLite 3.42 if SQLite is in use already.
    ///
    /// <https://sqlite.org/errlog.html>
    public static func setErrorLog(_ log: (@Sendable (ResultCode, String) -> Void)?) throws {
        let replaced = try errorLog.withLock { current in
            if !current.isInstalled, log != nil {
                try installErrorLog()
                current.isInstalled = true
            }
            let replaced = current.closure
            current.closure = log
            return replaced
        }
        // The old closure is released here, without the lock: what it holds may log.
        withExtendedLifetime(replaced) {}
    }

    private static func installErrorLog() throws {
        let code = sqift_config_log { _, code, message in
            let log = Connection.errorLog.withLock { $0.closure }
            log?(ResultCode(code), message.map(String.init) ?? "")
        }
        guard code == SQLITE_OK else {
            throw SQLiteError.misuse(
                "this SQLite takes an error log only before the first connection of the process"
            )
        }
    }

    private static let errorLog = Locked(ErrorLog())
}

private struct ErrorLog {
    var closure: (@Sendable (ResultCode, String) -> Void)?
    var isInstalled = false
}
