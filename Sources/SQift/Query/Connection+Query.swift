// Queries by SQL. Each shape of result comes in the same four forms of parameters, in this order:
// 1. values whose types the compiler knows, which is the fast form;
// 2. none, or a variadic list of `any Bindable` values, which may hold a literal `nil`;
// 3. an array;
// 4. a dictionary by name, which `run` alone also takes with the label `parameters:`.
//
// Forms, and shapes with a closure, are overloads, not generics, although generics would be
// shorter. With generic shapes, `query(…) { … }?.name` and `for name in query(…) { … }`
// don't compile. With generic forms, literals of variables of different types, such as
// `[name, price]`, don't. All of these need concrete types in the declaration.
//
// If two overloads fit equally well, `@_disfavoredOverload` marks the one that gives way. Form 2
// gives way to form 1, since an optional variable fits both. The shape that returns `Row?` gives
// way to the generic one, which returns it too if the type is written down.
extension Connection {
    // MARK: The type that is asked for

    /// Runs one statement and reads its result as the type that is asked for; see ``QueryResult``.
    ///
    /// `T?` is nil for no row and for NULL. `T` throws for both. `[T]` throws for a NULL and names
    /// the row. `[Key: Value]` is made from two columns.
    ///
    /// ```swift
    /// let names: [String] = try connection.query("SELECT name FROM cars WHERE price < ?", 60_000)
    /// let price: Int? = try connection.query("SELECT price FROM cars WHERE name = ?", "Audi")
    /// let prices: [String: Int?] = try connection.query("SELECT name, price FROM cars")
    /// ```
    ///
    /// - Throws: ``SQLiteError``, ``ExtractionError``, and what a type's own conversion throws.
    @inlinable @inline(__always)
    public func query<Result: QueryResult, each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter
    ) throws -> Result {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).query() }
    }

    /// Runs one statement and reads its result as the type that is asked for.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload @inlinable
    public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Result {
        try query(sql, parameters)
    }

    /// Runs one statement and reads its result as the type that is asked for.
    ///
    /// Takes the parameters as an array.
    @inlinable
    public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: BindableArray
    ) throws -> Result {
        try withCachedStatement(sql) { try $0.bind(parameters).query() }
    }

    /// Runs one statement and reads its result as the type that is asked for.
    ///
    /// Takes the parameters by name.
    @inlinable
    public func query<Result: QueryResult>(
        _ sql: SQL,
        _ parameters: BindableDictionary
    ) throws -> Result {
        try withCachedStatement(sql) { try $0.bind(parameters).query() }
    }

    // MARK: One row

    /// Returns the first row, which owns its values, or nil if there is none.
    ///
    /// - Throws: ``SQLiteError``, and what a value's conversion throws.
    @_disfavoredOverload @inlinable @inline(__always)
    public func query<each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter
    ) throws -> Row? {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).query() }
    }

    /// Returns the first row, which owns its values, or nil if there is none.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload
    public func query(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Row? {
        try query(sql, parameters)
    }

    /// Returns the first row, which owns its values, or nil if there is none.
    ///
    /// Takes the parameters as an array.
    @_disfavoredOverload
    public func query(
        _ sql: SQL,
        _ parameters: BindableArray
    ) throws -> Row? {
        try withCachedStatement(sql) { try $0.bind(parameters).query() }
    }

    /// Returns the first row, which owns its values, or nil if there is none.
    ///
    /// Takes the parameters by name.
    @_disfavoredOverload
    public func query(
        _ sql: SQL,
        _ parameters: BindableDictionary
    ) throws -> Row? {
        try withCachedStatement(sql) { try $0.bind(parameters).query() }
    }
}
