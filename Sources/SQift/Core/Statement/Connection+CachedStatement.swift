// Every `run` and `query` by SQL borrows a statement from the cache, binds it, uses it and gives it
// back.
extension Connection {
    /// Calls `body` with the cached statement for the SQL, bound to values of known types.
    @inlinable @inline(__always)
    func withCachedStatement<T, each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter,
        body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        try statement.bind(repeat each parameters)
        return try body(statement)
    }

    /// Calls `body` with the cached statement for the SQL, bound in order or by name.
    @inlinable func withCachedStatement<T>(
        _ sql: SQL,
        _ parameters: Statement.Parameters,
        body: (Statement) throws -> T
    ) throws -> T {
        try withCachedStatement(sql, binding: { try $0.bind(all: parameters) }, body: body)
    }

    /// Calls `body` with the cached statement for the SQL after `binding` has bound it.
    @inlinable func withCachedStatement<T>(
        _ sql: SQL,
        binding: (Statement) throws -> Statement,
        body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        return try body(binding(statement))
    }

    @usableFromInline func borrow(_ sql: SQL) throws -> Statement {
        // A property that chose the cache would cost a retain for each call.
        try isShielded
            ? shieldedStatements.borrow(sql, on: self)
            : statements.borrow(sql, on: self)
    }

    @usableFromInline func giveBack(_ statement: Statement) {
        isShielded
            ? shieldedStatements.giveBack(statement)
            : statements.giveBack(statement)
    }
}
