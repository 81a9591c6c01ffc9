// Queries on a statement whose parameters are bound. Each one leaves the statement reset when it
// returns or throws.
extension Statement {
    /// Runs the statement and reads its result as the type that is asked for; see ``QueryResult``.
    ///
    /// `T?` is nil for no row and for NULL. `T` throws for both. `[T]` throws for a NULL and names
    /// the row. If the row of an INSERT … RETURNING can't be read, it stays in the table, unless
    /// a transaction around the statement is rolled back.
    ///
    /// - Throws: ``SQLiteError``, ``ExtractionError``, and what the type's own conversion throws.
    @inlinable public func query<Result: QueryResult>() throws -> Result {
        try reading { try Result.collect(from: self) }
    }

    /// Returns the first row, which owns its values, or nil if there is none.
    public func query() throws -> Row? {
        try reading { try Row?.collect(from: self) }
    }

    /// Returns the result of `body` for the first row, or nil if there is no row.
    @inlinable public func query<T>(_ body: (Row) throws -> T) throws -> T? {
        try reading { try first(body) }
    }

    /// Returns the results of `body` for all rows.
    @inlinable public func query<T>(_ body: (Row) throws -> T) throws -> [T] {
        var elements: [T] = []
        try forEachRow { elements.append(try body($0)) }
        return elements
    }

    /// Returns the keys and values that `body` returns for the rows. If a key is repeated, its last
    /// row counts.
    @inlinable public func query<Key: Hashable, Value>(
        _ body: (Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        var elements: [Key: Value] = [:]
        try forEachRow { row in
            let (key, value) = try body(row)
            elements[key] = value
        }
        return elements
    }

    /// Calls `body` with each row in turn, for results that are too large to keep in memory. Throw
    /// from `body` to stop.
    ///
    /// - Throws: `SQLiteError`, and what `body` throws. An `ExtractionError` gets the number of its
    ///   row.
    @inlinable public func forEachRow(_ body: (Row) throws -> Void) throws {
        try reading { try forEach(body) }
    }
}
