internal import CSQift

// Every `run` and `query` by SQL borrows a statement from the cache, binds it, uses it and gives it
// back.
extension Connection {
    /// Calls `body` with the cached statement for the SQL, which it binds and uses.
    @inlinable @inline(__always) func withCachedStatement<T>(
        _ sql: SQL,
        _ body: (Statement) throws -> T
    ) throws -> T {
        let entry = try borrow(sql)
        defer { giveBack(entry) }
        return try entry.uncountedStatement._withUnsafeGuaranteedRef { try body($0) }
    }

    @usableFromInline func borrow(_ sql: SQL) throws -> StatementCache.Entry {
        // A property that chose the cache would cost a retain for each call.
        try isShielded
            ? shieldedStatements.borrow(sql, on: self)
            : statements.borrow(sql, on: self)
    }

    @usableFromInline func giveBack(_ entry: StatementCache.Entry) {
        isShielded
            ? shieldedStatements.giveBack(entry)
            : statements.giveBack(entry)
    }

    /// Frees as much memory as possible: the cached statements, and the pages that SQLite doesn't
    /// need now.
    ///
    /// SQLite: [sqlite3_db_release_memory](https://sqlite.org/c3ref/db_release_memory.html)
    public func releaseMemory() {
        removeCachedStatements()
        if let handle {
            sqlite3_db_release_memory(handle)
        }
    }
}
