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
        guard let value = pragmaValue(name) else { throw SQLiteError(code: .interrupt) }
        let wasOn = value != 0

        // This runs in plain C: a cancellation would stop one of our statements. `body` may have
        // changed the switch too.
        defer {
            if wasOn != isOn || pragmaValue(name).map({ $0 != 0 }) != wasOn {
                restore("PRAGMA \(name) = \(wasOn)")
            }
        }
        try check(sqlite3_exec(handle, "PRAGMA \(name) = \(isOn)", nil, nil, nil))
        return try body()
    }

    /// The value of a pragma. A cached statement isn't used: it may return the value from the time
    /// when it was compiled.
    ///
    /// - Returns: 0 if the pragma has no value; nil if interrupts kept SQLite from reading it.
    func pragmaValue(_ name: String) -> Int32? {
        // An interrupt is over when the next statement starts, unless one is in the middle of its
        // rows.
        for _ in 0..<10 {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            var code = sqlite3_prepare_v2(handle, "PRAGMA \(name)", -1, &statement, nil)
            if code == SQLITE_OK {
                code = sqlite3_step(statement)
            }
            if code == SQLITE_ROW {
                return sqlite3_column_int(statement, 0)
            }
            guard code & 0xff == SQLITE_INTERRUPT else { return 0 }
        }
        return nil
    }

    /// Sets a switch back. An interrupt can stop this too, and it lasts while a statement is in the
    /// middle of its rows. A transaction that couldn't be undone yet may also prevent it.
    private func restore(_ sql: SQL) {
        guard handle != nil else { return }
        shielded {
            if state.transactions.hasPendingUndo {
                resetStatements()
            }
            undoFailedTransaction()
            while sqlite3_exec(handle, sql, nil, nil, nil) & 0xff == SQLITE_INTERRUPT {
                resetStatements()
            }
        }
    }
}
