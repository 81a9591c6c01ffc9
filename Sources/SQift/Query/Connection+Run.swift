// Statements by their SQL. `run` takes its statement from the connection's cache, as `query` does;
// `prepare` makes a new one. The forms and their order are those of Connection+Query.swift.
extension Connection {
    // MARK: run

    /// Runs one statement to its end, with one value for each parameter. Its rows are skipped.
    ///
    /// ```swift
    /// try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
    /// try connection.run("INSERT INTO cars VALUES(:name, :price)", ["name": "Polo", "price": nil])
    /// let count = try connection.run("DELETE FROM cars WHERE price IS NULL")  // 1
    /// ```
    ///
    /// - Returns: How many rows an INSERT, UPDATE or DELETE changed, not counting changes by
    ///   triggers and foreign keys; 0 for a statement that changes no rows. SQLite also counts the
    ///   rows that CREATE VIRTUAL TABLE and, with foreign keys, DROP TABLE change inside.
    /// - Throws: ``SQLiteError``, and what a value's conversion throws.
    ///
    /// SQLite: [sqlite3_changes](https://sqlite.org/c3ref/changes.html)
    @discardableResult @inlinable @inline(__always)
    public func run<each Parameter: Bindable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter
    ) throws -> Int {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).runCountingChanges() }
    }

    /// Runs one statement to its end and returns how many rows it changed.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload @discardableResult
    public func run(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Int {
        try run(sql, parameters)
    }

    /// Runs one statement to its end and returns how many rows it changed.
    ///
    /// Takes the parameters as an array.
    @discardableResult
    public func run(
        _ sql: SQL,
        _ parameters: BindableArray
    ) throws -> Int {
        try withCachedStatement(sql) { try $0.bind(parameters).runCountingChanges() }
    }

    /// Runs one statement to its end and returns how many rows it changed.
    ///
    /// Takes the parameters by name.
    @discardableResult
    public func run(
        _ sql: SQL,
        _ parameters: BindableDictionary
    ) throws -> Int {
        try withCachedStatement(sql) { try $0.bind(parameters).runCountingChanges() }
    }

    /// Runs one statement to its end and returns how many rows it changed.
    ///
    /// Takes the parameters by name, with the label that SQift 5.1 documents.
    @discardableResult
    public func run(
        _ sql: SQL,
        parameters: BindableDictionary
    ) throws -> Int {
        try run(sql, parameters)
    }

    // MARK: prepare

    /// Prepares one statement, to be bound and run as often as needed. Without parameters, `bind`
    /// sets them later.
    ///
    /// ```swift
    /// let update = try connection.prepare("UPDATE cars SET price = ? WHERE name = ?")
    /// for (name, price) in prices {
    ///     try update.bind(price, name).run()
    /// }
    /// ```
    ///
    /// - Throws: As `Statement.init(connection:sql:)`; with parameters, as `Statement.bind(_:_:)`.
    public func prepare<First: Bindable, each Rest: Bindable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(first, repeat each rest)
    }

    /// Prepares one statement, to be bound and run as often as needed.
    ///
    /// For a statement without parameters, for a literal `nil`, and for values of type `any
    /// Bindable`.
    @_disfavoredOverload
    public func prepare(
        _ sql: SQL,
        _ parameters: (any Bindable)?...
    ) throws -> Statement {
        let statement = try Statement(connection: self, sql: sql)
        return parameters.isEmpty ? statement : try statement.bind(parameters)
    }

    /// Prepares one statement, to be bound and run as often as needed.
    ///
    /// Takes the parameters as an array.
    public func prepare(
        _ sql: SQL,
        _ parameters: BindableArray
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(parameters)
    }

    /// Prepares one statement, to be bound and run as often as needed.
    ///
    /// Takes the parameters by name.
    public func prepare(
        _ sql: SQL,
        _ parameters: BindableDictionary
    ) throws -> Statement {
        try Statement(connection: self, sql: sql).bind(parameters)
    }
}
