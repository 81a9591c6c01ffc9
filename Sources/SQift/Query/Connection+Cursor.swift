// Cursors by SQL.
extension Connection {
    /// Begins a query whose rows are read one at a time; see ``Cursor``.
    ///
    /// ```swift
    /// let cursor = try connection.cursor("SELECT name FROM cars WHERE price < ?", 60_000)
    /// while let name = try cursor.next(as: String.self) {
    ///     print(name)
    /// }
    /// ```
    ///
    /// - Throws: ``SQLiteError``, also `SQLITE_MISUSE` for a statement that writes, and what a
    ///   value's conversion throws.
    public func cursor<each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter
    ) throws -> Cursor {
        try cursor(sql) { try $0.bind(repeat each parameters) }
    }

    /// Begins a query whose rows are read one at a time.
    ///
    /// Takes the parameters as an array or a dictionary.
    public func cursor(_ sql: SQL, _ parameters: Statement.Parameters) throws -> Cursor {
        try cursor(sql) { try $0.bind(all: parameters) }
    }

    private func cursor(_ sql: SQL, binding: (Statement) throws -> Statement) throws -> Cursor {
        let entry = try borrow(sql)
        do {
            return try Cursor(binding(entry.statement), from: entry)
        } catch {
            giveBack(entry)
            throw error
        }
    }
}

extension Statement {
    /// Begins the query, whose rows are then read one at a time; see `Cursor`.
    ///
    /// Until the cursor has ended, the statement can't be bound or run. The cursor keeps the
    /// statement, and with it the connection open, until it is released.
    ///
    /// - Throws: ``SQLiteError``, for example if its parameters were never bound, or if it writes.
    public func cursor() throws -> Cursor {
        try Cursor(self)
    }
}
