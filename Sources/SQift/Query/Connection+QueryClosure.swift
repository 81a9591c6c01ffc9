// Queries whose rows go through a closure. The row is valid inside the closure only. The forms and
// their order are those of Connection+Query.swift.
extension Connection {
    // MARK: The first row

    /// Returns the result of `body` for the first row, or nil if there is no row.
    ///
    /// - Throws: ``SQLiteError``, and what `body` throws; as do all forms with a closure.
    @inlinable @inline(__always)
    public func query<T, each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter,
        body: (Row) throws -> T
    ) throws -> T? {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).query(body) }
    }

    /// Returns the result of `body` for the first row, or nil if there is no row.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload @inlinable
    public func query<T>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        body: (Row) throws -> T
    ) throws -> T? {
        try query(sql, parameters, body: body)
    }

    /// Returns the result of `body` for the first row, or nil if there is no row.
    ///
    /// Takes the parameters as an array.
    @inlinable
    public func query<T>(
        _ sql: SQL,
        _ parameters: BindableArray,
        body: (Row) throws -> T
    ) throws -> T? {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    /// Returns the result of `body` for the first row, or nil if there is no row.
    ///
    /// Takes the parameters by name.
    @inlinable
    public func query<T>(
        _ sql: SQL,
        _ parameters: BindableDictionary,
        body: (Row) throws -> T
    ) throws -> T? {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    // MARK: An array

    /// Returns the results of `body` for all rows.
    @inlinable @inline(__always)
    public func query<T, each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter,
        body: (Row) throws -> T
    ) throws -> [T] {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).query(body) }
    }

    /// Returns the results of `body` for all rows.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload @inlinable
    public func query<T>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        body: (Row) throws -> T
    ) throws -> [T] {
        try query(sql, parameters, body: body)
    }

    /// Returns the results of `body` for all rows.
    ///
    /// Takes the parameters as an array.
    @inlinable
    public func query<T>(
        _ sql: SQL,
        _ parameters: BindableArray,
        body: (Row) throws -> T
    ) throws -> [T] {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    /// Returns the results of `body` for all rows.
    ///
    /// Takes the parameters by name.
    @inlinable
    public func query<T>(
        _ sql: SQL,
        _ parameters: BindableDictionary,
        body: (Row) throws -> T
    ) throws -> [T] {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    // MARK: A dictionary

    /// Returns the keys and values that `body` returns for the rows. If a key is repeated, its last
    /// row counts.
    ///
    /// ```swift
    /// let prices: [String: Int] = try connection.query("SELECT name, price FROM cars") { row in
    ///     (try row.get(0), try row.get(1))
    /// }
    /// ```
    @inlinable @inline(__always)
    public func query<Key: Hashable, Value, each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter,
        body: (Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).query(body) }
    }

    /// Returns the keys and values that `body` returns for the rows.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload @inlinable
    public func query<Key: Hashable, Value>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        body: (Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try query(sql, parameters, body: body)
    }

    /// Returns the keys and values that `body` returns for the rows.
    ///
    /// Takes the parameters as an array.
    @inlinable
    public func query<Key: Hashable, Value>(
        _ sql: SQL,
        _ parameters: BindableArray,
        body: (Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    /// Returns the keys and values that `body` returns for the rows.
    ///
    /// Takes the parameters by name.
    @inlinable
    public func query<Key: Hashable, Value>(
        _ sql: SQL,
        _ parameters: BindableDictionary,
        body: (Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    // MARK: Row by row

    /// Calls `body` with each row in turn, for results that are too large to keep in memory. Throw
    /// from `body` to stop.
    ///
    /// ```swift
    /// var total = 0
    /// try connection.forEachRow("SELECT price FROM cars WHERE price < ?", 60_000) { row in
    ///     total += try row.get(0)
    /// }
    /// ```
    @inlinable @inline(__always)
    public func forEachRow<each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter,
        body: (Row) throws -> Void
    ) throws {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).forEachRow(body) }
    }

    /// Calls `body` with each row in turn.
    ///
    /// Takes the parameters as an array or a dictionary.
    @inlinable
    public func forEachRow(
        _ sql: SQL,
        _ parameters: Statement.Parameters,
        body: (Row) throws -> Void
    ) throws {
        try withCachedStatement(sql) { try $0.bind(all: parameters).forEachRow(body) }
    }
}
