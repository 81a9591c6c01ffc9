// Every `run` and `query` by SQL borrows a statement from the cache, binds it, uses it and gives it
// back.
extension Connection {
    /// Calls `body` with the cached statement for the SQL, which it binds and uses.
    @inlinable @inline(__always) func withCachedStatement<T>(
        _ sql: SQL,
        _ body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        return try body(statement)
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
