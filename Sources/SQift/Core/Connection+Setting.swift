internal import CSQift

extension Connection {
    /// A switch of SQLite's that the library changes for a while.
    enum Setting: String {
        /// Keeps statements from writing.
        case queryOnly = "query_only"
        /// Enforces foreign keys. It can't change in a transaction.
        case foreignKeys = "foreign_keys"
        /// Renames a table without looking at anything else.
        case legacyAlterTable = "legacy_alter_table"
        /// Leaves CHECK constraints out.
        case ignoreCheckConstraints = "ignore_check_constraints"
    }

    /// Runs `body` with a switch on or off, and restores the switch whatever happens.
    @discardableResult func setting<T>(
        _ setting: Setting,
        to isOn: Bool,
        during body: () throws -> T
    ) throws -> T {
        try checkObstacles()
        let name = setting.rawValue
        let wasOn = try pragmaValue(name) != 0

        // This runs in plain C: a cancellation would stop one of our statements. `body` may have
        // changed the switch too.
        defer {
            if wasOn != isOn || (try? pragmaValue(name) != 0) != wasOn {
                restore("PRAGMA \(name) = \(wasOn);")
            }
        }
        try check(sqlite3_exec(handle, "PRAGMA \(name) = \(isOn)", nil, nil, nil))
        return try body()
    }

    /// The value of a pragma, or 0 if it has none. A cached statement isn't used: it may return the
    /// value from the time when it was compiled.
    func pragmaValue(_ name: String) throws -> Int32 {
        // An interrupt is over when the next statement starts, unless one is in the middle of its
        // rows.
        var code = SQLITE_INTERRUPT
        for _ in 0..<10 where code & 0xff == SQLITE_INTERRUPT {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            code = sqlite3_prepare_v2(handle, "PRAGMA \(name)", -1, &statement, nil)
            if code == SQLITE_OK {
                code = sqlite3_step(statement)
            }
            if code == SQLITE_ROW || code == SQLITE_DONE {
                return sqlite3_column_int(statement, 0)
            }
        }
        throw error(code)
    }

    /// Sets a switch back. An interrupt can stop this too. If it fails, the next statement tries it
    /// again before it runs.
    private func restore(_ sql: SQL) {
        guard handle != nil else { return }
        state.unrestoredSettings = (state.unrestoredSettings ?? "") + sql
        shielded(undoFailedTransaction)
        // One interrupt may hit the statement itself.
        for _ in 0..<2 {
            restoreSettings()
        }
    }

    /// Sets back the switches that `setting` couldn't set back, if there are any. A failed
    /// transaction has to be undone before: inside one, some switches don't change.
    ///
    /// - Returns: SQLite's result code.
    @discardableResult func restoreSettings() -> Int32 {
        guard let sql = state.unrestoredSettings, !state.transactions.hasPendingUndo else {
            return SQLITE_OK
        }
        let code = shielded { sqlite3_exec(handle, sql, nil, nil, nil) }
        if code == SQLITE_OK {
            state.unrestoredSettings = nil
        }
        return code
    }
}
