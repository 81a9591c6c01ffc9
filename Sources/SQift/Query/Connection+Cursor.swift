// Cursors by SQL. The forms and their order are those of Connection+Query.swift.
extension Connection {
    /// Begins a query whose rows are read one at a time; see ``Cursor``.
    ///
    /// - Throws: ``SQLiteError``, also `SQLITE_MISUSE` for a statement that writes, and what a
    ///   value's conversion throws.
    public func cursor<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws -> Cursor {
        try cursor(sql) { try $0.bind(first, repeat each rest) }
    }

    /// The form without parameters, with a literal `nil`, or with values of type `any Bindable`.
    @_disfavoredOverload
    public func cursor(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Cursor {
        try cursor(sql, parameters)
    }

    /// The form with an array of parameters.
    public func cursor(
        _ sql: SQL,
        _ parameters: [(any Bindable)?]
    ) throws -> Cursor {
        try cursor(sql) { try $0.bind(parameters) }
    }

    /// The form with parameters by name.
    public func cursor(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?]
    ) throws -> Cursor {
        try cursor(sql) { try $0.bind(parameters) }
    }

    private func cursor(_ sql: SQL, binding: (Statement) throws -> Statement) throws -> Cursor {
        let statement = try borrow(sql)
        do {
            return try Cursor(binding(statement), isCached: true)
        } catch {
            giveBack(statement)
            throw error
        }
    }
}

extension Statement {
    /// Begins the query, whose rows are then read one at a time; see `Cursor`. Until the cursor has
    /// ended, the statement can't be bound or run. The cursor keeps the statement, and with it the
    /// connection open, until it is released.
    ///
    /// - Throws: ``SQLiteError``, also if its parameters were never bound, and if it writes.
    public func cursor() throws -> Cursor {
        try Cursor(self, isCached: false)
    }
}
