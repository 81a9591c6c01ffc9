// Queries by SQL. Every shape of result comes in the same parameter forms: none or a variadic list
// (which may hold a literal `nil`), a list of values whose types the compiler knows (the fast one),
// an array, and a dictionary by name with and without the label `parameters:`.
//
// Where two of them fit equally well, the compiler needs to be told: the variadic forms give way to
// the ones that know their types (an optional variable fits both), and those that answer a `Row?`
// give way to the generic ones (which answer it too, where the type is written down).
extension Connection {
    // MARK: The result's own type

    /// Runs one statement and reads its result as the type that is asked for; see `QueryResult`.
    ///
    /// `T?` is nil for no row and for NULL, `T` throws for both, `[T]` throws for a NULL and names
    /// the row.
    ///
    /// ```swift
    /// let names: [String] = try connection.query("SELECT name FROM cars WHERE price < ?", 60_000)
    /// ```
    ///
    /// - Throws: `SQLiteError`, `ExtractionError`, and what a type's own conversion throws.
    @inlinable @inline(__always)
    public func query<Result: QueryResult, First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws -> Result { try withCachedStatement(sql, first, repeat each rest) { try $0.query() } }

    /// Runs one statement and reads its result as the type that is asked for; see `QueryResult`.
    /// Without parameters, with a literal `nil`, or with values known at run time only.
    @_disfavoredOverload @inlinable public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Result {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    /// Runs one statement and reads its result as the type that is asked for; see `QueryResult`.
    /// Parameters from an array.
    @inlinable public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: [(any Bindable)?]
    ) throws -> Result {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    /// Runs one statement and reads its result as the type that is asked for; see `QueryResult`.
    /// Parameters by name.
    @inlinable public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?]
    ) throws -> Result {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    /// Runs one statement and reads its result as the type that is asked for; see `QueryResult`.
    /// Parameters by name.
    @inlinable public func query<Result: QueryResult>(
        _ sql: SQL,
        parameters: [String: (any Bindable)?]
    ) throws -> Result {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    // MARK: One row

    /// Runs one statement and answers its first row, which owns its values, or nil if there is
    /// none.
    ///
    /// - Throws: `SQLiteError`, and what a value's conversion throws.
    @_disfavoredOverload @inlinable @inline(__always)
    public func query<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws -> Row? { try withCachedStatement(sql, first, repeat each rest) { try $0.query() } }

    /// Runs one statement and answers its first row, which owns its values, or nil if there is
    /// none. Without parameters, with a literal `nil`, or with values known at run time only.
    @_disfavoredOverload @inlinable public func query(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Row? {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    /// Runs one statement and answers its first row, which owns its values, or nil if there is
    /// none. Parameters from an array.
    @_disfavoredOverload @inlinable public func query(
        _ sql: SQL,
        _ parameters: [(any Bindable)?]
    ) throws -> Row? {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    /// Runs one statement and answers its first row, which owns its values, or nil if there is
    /// none. Parameters by name.
    @_disfavoredOverload @inlinable public func query(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?]
    ) throws -> Row? {
        try withCachedStatement(sql, parameters) { try $0.query() }
    }

    /// Runs one statement and answers its first row, which owns its values, or nil if there is
    /// none. Parameters by name.
    @_disfavoredOverload @inlinable public func query(
        _ sql: SQL,
        parameters: [String: (any Bindable)?]
    ) throws -> Row? { try withCachedStatement(sql, parameters) { try $0.query() } }
}
