internal import CSQift

extension Connection {
    /// Runs `body` with one of SQLite's switches on or off, and restores it whatever happens. If
    /// that fails, the connection is broken.
    ///
    /// - Parameter name: The name of the switch's pragma.
    @discardableResult func withPragma<T>(
        _ name: String,
        isOn: Bool,
        _ body: () throws -> T
    ) throws -> T {
        try checkObstacles()
        let wasOn = try pragmaValue(name) != 0

        defer {
            if handle != nil, runShielded("PRAGMA \(name) = \(wasOn)") != SQLITE_OK {
                noteBreakage("\(name) can't be restored")
            }
            state.observer?.reportEndOfTransaction()
        }
        try check(runShielded("PRAGMA \(name) = \(isOn)"))
        // Listeners may write, and wait until the switch is as they know it.
        return try callingClosure(body)
    }

    /// The number that a pragma returns, or 0 if it returns nothing. Neither a cancellation nor a
    /// listener to changes hears of it.
    func pragmaValue(_ name: String) throws -> Int32 {
        try number("PRAGMA \(name)")
    }

    /// Whether a pragma returns anything. One that SQLite doesn't know returns nothing.
    func hasPragma(_ name: String) throws -> Bool {
        try firstRow("PRAGMA \(name)") { _ in true } ?? false
    }

    /// The number that a statement of the library's own returns, or 0.
    func number(_ sql: SQL) throws -> Int32 {
        try firstRow(sql) { sqlite3_column_int($0, 0) } ?? 0
    }

    private func firstRow<T>(_ sql: SQL, _ read: (OpaquePointer?) -> T) throws -> T? {
        try shielded {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
            switch sqlite3_step(statement) {
            case SQLITE_ROW: return read(statement)
            case SQLITE_DONE: return nil
            case let code: throw error(code)
            }
        }
    }
}
