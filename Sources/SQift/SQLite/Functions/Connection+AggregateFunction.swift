extension Connection {
    /// Adds an aggregate function, or replaces the one with that name and number of arguments.
    ///
    /// - Parameters:
    ///   - name: The name, of at most 255 bytes of UTF-8.
    ///   - argumentCount: The number of arguments, negative for any number.
    ///   - deterministic: Whether equal arguments always give the same result.
    ///   - directOnly: Whether it may be used in statements only, not in the schema's triggers and
    ///     views.
    ///   - type: The type that computes the result.
    /// - Throws: ``SQLiteError``: `SQLITE_MISUSE` for a bad name, `SQLITE_BUSY` if statements are
    ///   running while one is replaced.
    ///
    /// SQLite: [sqlite3_create_function](https://sqlite.org/c3ref/create_function.html)
    public func addAggregateFunction<Aggregate: AggregateFunction>(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ type: Aggregate.Type
    ) throws {
        try addFunction(
            FunctionBox(name: name, type),
            argumentCount: argumentCount,
            deterministic: deterministic,
            directOnly: directOnly
        )
    }

    /// Adds a window function, which is an aggregate function too, or replaces the one with that
    /// name and number of arguments.
    ///
    /// - Throws: The same as `addAggregateFunction`; also `SQLITE_MISUSE` if SQLite was built
    ///   without window functions.
    ///
    /// SQLite: [sqlite3_create_function](https://sqlite.org/c3ref/create_function.html)
    public func addWindowFunction<Window: WindowFunction>(
        named name: String,
        argumentCount: Int8,
        deterministic: Bool = false,
        directOnly: Bool = false,
        _ type: Window.Type
    ) throws {
        try addFunction(
            FunctionBox(name: name, window: type),
            argumentCount: argumentCount,
            deterministic: deterministic,
            directOnly: directOnly
        )
    }
}
