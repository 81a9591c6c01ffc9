/// What reads and writes a database: a ``ConnectionQueue`` or a ``Database``.
public protocol DatabaseWriter: DatabaseReader {
    /// Where writes wait. A type of your own hands on that of the writer that it uses.
    var writer: AccessLine { get }
}

extension DatabaseWriter {
    /// Calls `body` with the connection that writes, in an immediate transaction: committed when it
    /// returns, rolled back when it throws.
    ///
    /// ```swift
    /// let left: Int = try database.write { connection in
    ///     try connection.run("DELETE FROM cars WHERE price IS NULL")
    ///     return try connection.query("SELECT count(*) FROM cars")
    /// }
    /// ```
    ///
    /// If a write depends on a read, do both in the same `write`; otherwise another write can
    /// happen in between.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, SQLite's errors, and ``AccessError``.
    ///
    /// SQLite: [Transaction](https://sqlite.org/lang_transaction.html)
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    @inlinable
    @discardableResult
    public func write<T>(_ body: (Connection) throws -> T) throws -> T {
        try writer.access(.write, returning: body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// ```swift
    /// let left: Int = try await database.write { connection in
    ///     try connection.run("DELETE FROM cars WHERE price IS NULL")
    ///     return try connection.query("SELECT count(*) FROM cars")
    /// }
    /// ```
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   commit begins, in which case nothing was written.
    @discardableResult public func write<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await writer.asyncAccess(.write, body)
    }

    /// Calls a `body` without a result as the synchronous form does, on another thread.
    public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await writer.asyncAccess(.write, body)
    }

    /// Calls `body` with the connection that writes, outside any transaction, where each statement
    /// commits by itself, and VACUUM and some pragmas work.
    ///
    /// ```swift
    /// try database.writeWithoutTransaction { try $0.execute("VACUUM") }
    /// ```
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and ``AccessError``, also for a transaction that the closure
    ///   left open, which is rolled back.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    @inlinable
    @discardableResult
    public func writeWithoutTransaction<T>(_ body: (Connection) throws -> T) throws -> T {
        try writer.access(.autocommit, returning: body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// ```swift
    /// try await database.writeWithoutTransaction { try $0.execute("VACUUM") }
    /// ```
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned: what its statements have committed by then stays.
    @discardableResult public func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await writer.asyncAccess(.autocommit, body)
    }

    /// Calls a `body` without a result as the synchronous form does, on another thread.
    public func writeWithoutTransaction(
        _ body: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await writer.asyncAccess(.autocommit, body)
    }
}
