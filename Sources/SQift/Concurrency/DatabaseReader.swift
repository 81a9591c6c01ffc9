/// What reads a database: a ``ConnectionQueue``, a ``ConnectionPool``, a ``Database`` or a
/// ``DatabaseSnapshot``.
///
/// A function that takes one doesn't care where the database is, so a test can hand it a queue in
/// memory:
///
/// ```swift
/// func carNames(in reader: any DatabaseReader) throws -> [String] {
///     try reader.read { try $0.query("SELECT name FROM cars") }
/// }
/// ```
public protocol DatabaseReader: Sendable {
    /// Where reads wait. A type of your own hands on that of the reader that it uses.
    var readers: AccessLine { get }
}

extension DatabaseReader {
    /// Calls `body` with a connection that can only read, in a deferred transaction: everything it
    /// reads belongs to one state of the database.
    ///
    /// ```swift
    /// let cars: [Car] = try database.read { connection in
    ///     try connection.query("SELECT name, price FROM cars")
    /// }
    /// ```
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, SQLite's errors, and ``AccessError``.
    ///
    /// SQLite: [Isolation In SQLite](https://sqlite.org/isolation.html)
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    @inlinable
    @discardableResult
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try readers.access(.read, returning: body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// ```swift
    /// let cars: [Car] = try await database.read { connection in
    ///     try connection.query("SELECT name, price FROM cars")
    /// }
    /// ```
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await readers.asyncAccess(.read, body)
    }

    /// Calls a `body` without a result as the synchronous form does, on another thread.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await readers.asyncAccess(.read, body)
    }
}
