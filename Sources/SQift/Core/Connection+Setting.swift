internal import CSQift

extension Connection {
    /// A switch of SQLite's that the library changes for a while.
    enum Setting: String {
        /// Enforces foreign keys. It can't change in a transaction.
        case foreignKeys = "foreign_keys"
        /// Renames a table without looking at anything else.
        case legacyAlterTable = "legacy_alter_table"
        /// Leaves CHECK constraints out.
        case ignoreCheckConstraints = "ignore_check_constraints"
    }

    /// Runs `body` with a switch on or off, and restores the switch whatever happens. If that
    /// fails, the connection is broken.
    @discardableResult func setting<T>(
        _ setting: Setting,
        to isOn: Bool,
        during body: () throws -> T
    ) throws -> T {
        try checkObstacles()
        let name = setting.rawValue
        let wasOn = try pragmaValue(name) != 0

        defer {
            if handle != nil, cleanUp("PRAGMA \(name) = \(wasOn)") != SQLITE_OK {
                noteBreakage("\(name) can't be restored")
            }
        }
        try check(sqlite3_exec(handle, "PRAGMA \(name) = \(isOn)", nil, nil, nil))
        return try body()
    }

    /// The number that a pragma returns, or 0 if it returns nothing. Neither a cancellation nor a
    /// listener to changes hears of it.
    func pragmaValue(_ name: String) throws -> Int32 {
        try shielded {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            try check(sqlite3_prepare_v2(handle, "PRAGMA \(name)", -1, &statement, nil))
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW || code == SQLITE_DONE else { throw error(code) }
            return sqlite3_column_int(statement, 0)
        }
    }
}
