import Foundation

/// One state of a database, for as long as the snapshot lives, whatever is written meanwhile.
///
/// ```swift
/// let snapshot = try database.snapshot()
/// let count: Int = try snapshot.read { try $0.query("SELECT count(*) FROM cars") }
/// let names: [String] = try snapshot.read { try $0.query("SELECT name FROM cars") }  // as many
/// ```
///
/// It has its own connection, which its closures use one after the other, from any thread. The
/// database may be used inside them. Inside the database's closures a snapshot may be taken, but
/// not read: two threads could wait for each other. The same can happen if two snapshots are read
/// inside each other's closures, and nothing detects that. As long as the snapshot lives, SQLite
/// can't start the WAL from its beginning again, and it grows with each write: close the snapshot
/// soon.
///
/// <https://sqlite.org/isolation.html>
public final class DatabaseSnapshot: Sendable {
    private let queue: ConnectionQueue
    private let databaseLabel: String
    private let databaseGuard: ReentryGuard
    private let reentryGuard = ReentryGuard(connectionCount: 1)

    /// - Parameters:
    ///   - source: Opens a connection that reads.
    ///   - databaseGuard: Knows the threads inside the database's closures.
    init(source: ConnectionSource, guard databaseGuard: ReentryGuard) throws {
        let connection = try source.open()
        try source.registrations.apply(to: connection)
        let journalMode: String = try connection.query("PRAGMA journal_mode")
        guard journalMode == "wal" else {
            let problem = "with the journal mode \(journalMode) it would block every write"
            throw AccessError(
                .notShareable,
                label: source.label,
                "a snapshot needs a WAL; \(problem)"
            )
        }
        try connection.execute("BEGIN")
        // BEGIN alone pins no state: https://sqlite.org/lang_transaction.html
        let _: Int? = try connection.query("SELECT 1 FROM sqlite_schema LIMIT 1")
        databaseLabel = source.label
        self.databaseGuard = databaseGuard
        queue = ConnectionQueue(
            connection: connection,
            label: source.label + " (snapshot)",
            registrations: source.registrations,
            reentryGuard: reentryGuard
        )
    }

    /// Calls `body` with the snapshot's connection. A `transaction` in it is a savepoint.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and `AccessError`.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @discardableResult
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try databaseGuard.check(queue.label)
        return try queue.execute { connection in
            try checkingTransaction(of: connection) { try body(connection) }
        }
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess { connection, _ in try body(connection) }
    }

    /// The asynchronous form for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess { connection, _ in try body(connection) }
    }

    /// Calls `body` on another thread, with the access that it is in.
    func asyncAccess<T: Sendable>(
        _ body: @escaping @Sendable (Connection, CancellableAccess) throws -> T
    ) async throws -> T {
        try await queue.asyncAccess(.raw) { connection, access in
            try self.checkingTransaction(of: connection) { try body(connection, access) }
        }
    }

    /// Throws if the snapshot's transaction isn't open before or after `body`.
    private func checkingTransaction<T>(
        of connection: Connection,
        _ body: () throws -> T
    ) throws -> T {
        try checkTransaction(of: connection)
        let result = try body()
        try checkTransaction(of: connection)
        return result
    }

    private func checkTransaction(of connection: Connection) throws {
        guard connection.isInsideTransaction else {
            throw AccessError(
                .closed,
                label: databaseLabel,
                "the snapshot is over: one of its closures ended its transaction"
            )
        }
    }

    /// Closes the snapshot, so that SQLite can start the WAL from its beginning again. It waits for
    /// the closure that runs. Later reads throw. It may be called again.
    ///
    /// - Throws: ``AccessError/Reason/reentrant`` in one of its own closures, and as
    ///   ``Connection/close()``.
    public func close() throws {
        try checkReentry()
        try queue.close()
    }

    /// Throws in one of its own closures.
    func checkReentry() throws {
        try reentryGuard.check(queue.label)
    }

    /// Interrupts the running statements. With a reason, their accesses can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        if reason != nil {
            queue.stop(.closed)
        }
        queue.interrupt(reason)
    }
}
