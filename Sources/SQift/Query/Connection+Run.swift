// Statements by their SQL. `run` takes its statement from the connection's cache, as `query` does;
// `prepare` makes a new one. The forms and their order are those of Connection+Query.swift.
extension Connection {
    // MARK: run

    /// Runs one statement to its end, with one value for each parameter. Its rows are skipped.
    ///
    /// - Throws: `SQLiteError`, and what a value's conversion throws.
    @inlinable @inline(__always)
    public func run<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws {
        try withCachedStatement(sql, first, repeat each rest) { _ = try $0.run() }
    }

    /// The form without parameters, with a literal `nil`, or with values of type `any Bindable`.
    @_disfavoredOverload
    public func run(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws {
        try withCachedStatement(sql, parameters) { _ = try $0.run() }
    }

    /// The form with an array of parameters.
    public func run(
        _ sql: SQL,
        _ parameters: [(any Bindable)?]
    ) throws {
        try withCachedStatement(sql, parameters) { _ = try $0.run() }
    }

    /// The form with parameters by name.
    public func run(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?]
    ) throws {
        try withCachedStatement(sql, parameters) { _ = try $0.run() }
    }

    /// The form with parameters by name, and the label that SQift 5.1 documents.
    public func run(
        _ sql: SQL,
        parameters: [String: (any Bindable)?]
    ) throws {
        try run(sql, parameters)
    }

    // MARK: prepare

    /// Prepares one statement, to be bound and run as often as needed. Without parameters, `bind`
    /// sets them later.
    ///
    /// - Throws: As `Statement.init(connection:sql:)`; with parameters, as `Statement.bind(_:_:)`.
    public func prepare<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(first, repeat each rest)
    }

    /// The form without parameters, with a literal `nil`, or with values of type `any Bindable`.
    @_disfavoredOverload
    public func prepare(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Statement {
        let statement = try Statement(connection: self, sql: sql)
        return parameters.isEmpty ? statement : try statement.bind(parameters)
    }

    /// The form with an array of parameters.
    public func prepare(
        _ sql: SQL,
        _ parameters: [(any Bindable)?]
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(parameters)
    }

    /// The form with parameters by name.
    public func prepare(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?]
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(parameters)
    }
}
