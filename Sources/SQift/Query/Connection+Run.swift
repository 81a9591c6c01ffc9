// Statements by their SQL. `run` and `query` take theirs from the connection's cache; `prepare`
// makes a new one.
extension Connection {
    // MARK: prepare

    /// Prepares one statement, to be bound and run as often as needed.
    ///
    /// - Throws: As `Statement.init(connection:sql:)`; with parameters, as `Statement.bind(_:_:)`.
    public func prepare<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(first, repeat each rest)
    }

    /// Prepares one statement; without parameters, `bind` sets them later.
    @_disfavoredOverload public func prepare(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Statement {
        let statement = try Statement(connection: self, sql: sql)
        return parameters.isEmpty ? statement : try statement.bind(parameters)
    }

    /// Prepares one statement and binds an array's values to its parameters.
    public func prepare(_ sql: SQL, _ parameters: [(any Bindable)?]) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(parameters)
    }

    /// Prepares one statement and binds values to its parameters by name.
    public func prepare(_ sql: SQL, _ parameters: [String: (any Bindable)?]) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(parameters)
    }

    /// Prepares one statement and binds values to its parameters by name.
    public func prepare(_ sql: SQL, parameters: [String: (any Bindable)?]) throws -> Statement {
        try prepare(sql, parameters)
    }

    // MARK: run

    /// Runs one statement to its end, with one value for each parameter. Rows that it gives are
    /// passed over.
    ///
    /// - Throws: `SQLiteError`, and what a value's conversion throws.
    @inlinable @inline(__always) public func run<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws { try withCachedStatement(sql, first, repeat each rest) { _ = try $0.run() } }

    /// Runs one statement, without parameters, with a literal `nil`, or with values of types known
    /// at run time only.
    @_disfavoredOverload public func run(_ sql: SQL, _ parameters: (any Bindable)?...) throws {
        try run(sql, parameters)
    }

    /// Runs one statement with an array's values for its parameters.
    public func run(_ sql: SQL, _ parameters: [(any Bindable)?]) throws {
        try withCachedStatement(sql, parameters) { _ = try $0.run() }
    }

    /// Runs one statement with values for its parameters by name.
    public func run(_ sql: SQL, _ parameters: [String: (any Bindable)?]) throws {
        try withCachedStatement(sql, parameters) { _ = try $0.run() }
    }

    /// Runs one statement with values for its parameters by name.
    public func run(_ sql: SQL, parameters: [String: (any Bindable)?]) throws {
        try run(sql, parameters)
    }
}
