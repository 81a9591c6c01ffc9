import Foundation

/// One state of a database, for as long as the snapshot lives, whatever is written meanwhile.
///
/// ```swift
/// let snapshot = try database.snapshot()
/// let count: Int = try snapshot.read { try $0.query("SELECT count(*) FROM cars") }
/// let names: [String] = try snapshot.read { try $0.query("SELECT name FROM cars") }  // as many
/// ```
///
/// It has a connection of its own, which its closures use one after the other, from any thread. The
/// database may be used inside them, but a snapshot not inside the database's closures, where it
/// may be taken only: else two threads could wait for each other, as with two snapshots that are
/// read inside each other's closures. While it lives, the WAL can't start anew and grows with each
/// write: close it soon.
///
/// https://sqlite.org/isolation.html
public final class DatabaseSnapshot: Sendable {
    private let queue: ConnectionQueue
    private let label: String

    init(beside pool: ConnectionPool) throws {
        let source = pool.source
        let connection = try source.open()
        try source.laterPreparations.apply(to: connection)
        let journalMode: String = try connection.query("PRAGMA journal_mode")
        guard journalMode == "wal" else {
            let message =
                "a snapshot needs a WAL; with the journal mode \(journalMode) it would block every write"
            throw AccessError(.notShareable, source.label, message)
        }
        try connection.execute("BEGIN")
        // BEGIN alone pins nothing: https://sqlite.org/lang_transaction.html
        let _: Int? = try connection.query("SELECT 1 FROM sqlite_schema LIMIT 1")
        label = source.label
        queue = ConnectionQueue(
            connection,
            label: source.label + " (snapshot)",
            readers: pool,
            laterPreparations: source.laterPreparations
        )
    }

    /// Calls `body` with the snapshot's connection. A `transaction` in it is a savepoint.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, and `AccessError`.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @discardableResult
    public func read<T>(
        _ body: (Connection) throws -> T
    ) throws -> T { try queue.execute { try read($0, body) } }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await queue.asyncAccess(.raw) { try self.read($0, body) }
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await queue.asyncAccess(.raw) { try self.read($0, body) }
    }

    private func read<T>(_ connection: Connection, _ body: (Connection) throws -> T) throws -> T {
        try check(connection)
        let result = try body(connection)
        try check(connection)
        return result
    }

    private func check(_ connection: Connection) throws {
        guard connection.isInsideTransaction else {
            throw AccessError(
                .closed,
                label,
                "the snapshot is over: one of its closures ended its transaction"
            )
        }
    }

    /// Ends the snapshot once its running closure has returned, for which it waits, and lets the
    /// WAL start anew. Later reads throw. It may be called again.
    ///
    /// - Throws: `AccessError.Reason.reentrant` in one of its own closures, and as
    ///   `Connection.close()`.
    public func close() throws {
        try checkReentry()
        try queue.close()
    }

    /// Throws in one of its own closures.
    func checkReentry() throws {
        try queue.checkOwner()
    }

    /// Interrupts what runs; with a reason, for good.
    func interrupt(_ reason: Cancellation.Reason?) {
        if reason != nil {
            queue.stop(.closed)
        }
        queue.interrupt(reason)
    }
}

/// A snapshot that may be gone.
struct WeakSnapshot { weak var snapshot: DatabaseSnapshot? }
