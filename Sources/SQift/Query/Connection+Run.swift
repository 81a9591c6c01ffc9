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
    ) throws { try withBound(sql, first, repeat each rest) { _ = try $0.run() } }

    /// Runs one statement, without parameters, with a literal `nil`, or with values of types known
    /// at run time only.
    @_disfavoredOverload public func run(_ sql: SQL, _ parameters: (any Bindable)?...) throws {
        try run(sql, parameters)
    }

    /// Runs one statement with an array's values for its parameters.
    public func run(_ sql: SQL, _ parameters: [(any Bindable)?]) throws {
        try withStatement(sql, parameters) { _ = try $0.run() }
    }

    /// Runs one statement with values for its parameters by name.
    public func run(_ sql: SQL, _ parameters: [String: (any Bindable)?]) throws {
        try withStatement(sql, parameters) { _ = try $0.run() }
    }

    /// Runs one statement with values for its parameters by name.
    public func run(_ sql: SQL, parameters: [String: (any Bindable)?]) throws {
        try run(sql, parameters)
    }

    // MARK: The cache

    @usableFromInline func borrow(_ sql: SQL) throws -> Statement {
        try statementCache.borrow(sql, on: self)
    }

    @usableFromInline func giveBack(_ statement: Statement) {
        statementCache.giveBack(statement)
    }

    @inlinable @inline(__always) func withBound<T, First: Bindable, each Rest: Bindable>(
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

    @inlinable func withStatement<T>(
        _ sql: SQL,
        _ parameters: [(any Bindable)?],
        _ body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        if !parameters.isEmpty || statement.parameterCount > 0 {
            try statement.bind(parameters)
        }
        return try body(statement)
    }

    @inlinable func withStatement<T>(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?],
        _ body: (Statement) throws -> T
    ) throws -> T {
        let statement = try borrow(sql)
        defer { giveBack(statement) }
        return try body(statement.bind(parameters))
    }
}
