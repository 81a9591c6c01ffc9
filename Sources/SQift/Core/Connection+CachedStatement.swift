// What every `run` and `query` by SQL does: it borrows a statement from the cache, binds it, uses
// it and gives it back.
extension Connection {
    /// Calls `body` with the cached statement for the SQL, bound to values of known types.
    @inlinable @inline(__always)
    func withCachedStatement<T, First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest,
        body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        try statement.bindValues(first, repeat each rest)
        return try body(statement)
    }

    /// Calls `body` with the cached statement for the SQL, bound to an array's values.
    @inlinable func withCachedStatement<T>(
        _ sql: SQL,
        _ parameters: [(any Bindable)?],
        body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        if !parameters.isEmpty || statement.parameterCount > 0 {
            try statement.bind(parameters)
        }
        return try body(statement)
    }

    /// Calls `body` with the cached statement for the SQL, bound to values by name.
    @inlinable func withCachedStatement<T>(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?],
        body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        return try body(statement.bind(parameters))
    }

    @usableFromInline func borrow(_ sql: SQL) throws -> Statement {
        try statementCache.borrow(sql, on: self)
    }

    @usableFromInline func giveBack(_ statement: Statement) {
        statementCache.giveBack(statement)
    }

    // MARK: For the core's own statements, which have no parameters

    /// Runs the cached statement for the SQL to its end.
    func runCached(_ sql: SQL) throws {
        try withCachedStatement(sql, []) { _ = try $0.run() }
    }

    /// Reads one integer with the cached statement for the SQL.
    ///
    /// - Throws: `SQLiteError`; `ExtractionError` if there is no row or no integer in it.
    func cachedInteger(_ sql: SQL) throws -> Int64 {
        try withCachedStatement(sql, []) { statement in
            try statement.begin()
            defer { statement.finish() }
            guard try statement.step() else {
                throw ExtractionError(.noRow, expected: Int64.self, sql: sql)
            }
            return try statement.currentRow.get(0)
        }
    }
}
