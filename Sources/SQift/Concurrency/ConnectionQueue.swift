import Foundation

/// One connection, used by one closure at a time, in the order in which they arrive.
///
/// ```swift
/// let queue = ConnectionQueue(connection: try Connection(path: path))
/// try queue.write { try $0.run("INSERT INTO cars(name) VALUES(?)", "Audi") }
/// let names: [String] = try await queue.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// A synchronous closure runs on the calling thread. An asynchronous one runs on another thread,
/// never on one of Swift's own. Inside a closure the queue can't be used again from the same
/// thread, at any depth and through any other queue: that throws ``AccessError/Reason/reentrant``.
/// If a closure waits for another thread or task that uses the queue, it waits forever. Nothing can
/// detect that.
public final class ConnectionQueue: Sendable, ConnectionLender {
    /// Opens a connection. Another thread can use the cancellation to end what it waits for.
    typealias Opening = @Sendable (_ cancellation: Cancellation) throws -> Connection

    struct State {
        // The dispatch queue hands it to one closure at a time.
        var connection: Connection
        var availability = Availability.open
        var isRunning = false
    }

    let state: Locked<State>
    /// The name for errors.
    let label: String
    let queue: DispatchQueue
    let registrations: Registrations
    /// It knows the queue's connection by the number 0.
    let reentryGuard: ReentryGuard
    /// Opens a connection that replaces one that can't be used any more; nil if it would be
    /// connected to another database.
    let openReplacement: Opening?
    /// Called before each access.
    let beforeAccess: (@Sendable (Connection) -> Void)?
    /// Called after each access, also after one that has failed.
    let afterAccess: (@Sendable (Connection) -> Void)?

    /// Takes over a connection. From now on, use it only through the queue.
    ///
    /// If SQLite was built for one thread only, each access throws an ``SQLiteError`` that says so.
    public convenience init(connection: sending Connection) {
        connection.makeCancellable(by: Cancellation())
        let name = connection.fileName
        let registrations = Registrations()
        registrations.append { _ in try SQLiteLibrary.checkThreadSafety() }
        self.init(
            connection: connection,
            label: name.isEmpty ? "connection queue" : name,
            registrations: registrations,
            reentryGuard: ReentryGuard(connectionCount: 1)
        )
    }

    init(
        connection: sending Connection,
        label: String,
        registrations: Registrations,
        reentryGuard: ReentryGuard,
        openReplacement: Opening? = nil,
        beforeAccess: (@Sendable (Connection) -> Void)? = nil,
        afterAccess: (@Sendable (Connection) -> Void)? = nil
    ) {
        state = Locked(State(connection: connection))
        self.label = label
        self.registrations = registrations
        self.reentryGuard = reentryGuard
        self.openReplacement = openReplacement
        self.beforeAccess = beforeAccess
        self.afterAccess = afterAccess
        queue = DispatchQueue(label: "SQift.ConnectionQueue \(label)")
    }

    // MARK: Synchronous

    /// Calls `closure` with the connection as it is: a transaction may stay open from one closure
    /// to the next.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and ``AccessError``.
    @inlinable @discardableResult public func execute<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        try access(.raw, returning: closure)
    }

    /// Calls `body` in a deferred transaction that can't write (`PRAGMA query_only`).
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, SQLite's errors, and `AccessError`.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try access(.read, returning: body)
    }

    /// Calls `body` in an immediate transaction: committed when it returns, rolled back when it
    /// throws.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, SQLite's errors, and `AccessError`.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func write<T>(_ body: (Connection) throws -> T) throws -> T {
        try access(.write, returning: body)
    }

    /// Calls `body` outside any transaction, where each statement commits by itself, and VACUUM and
    /// some pragmas work.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and `AccessError`, also for a transaction that the closure
    ///   left open, which is rolled back.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func writeWithoutTransaction<T>(_ body: (Connection) throws -> T) throws -> T {
        try access(.plain, returning: body)
    }

    // MARK: Asynchronous

    /// Calls `body` on another thread in a deferred transaction that can't write (`PRAGMA
    /// query_only`).
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(.read, body)
    }

    /// The asynchronous form for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess(.read, body)
    }

    /// Calls `body` on another thread in an immediate transaction: committed when it returns,
    /// rolled back when it throws.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   commit begins, in which case nothing was written.
    @discardableResult public func write<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(.write, body)
    }

    /// The asynchronous form for a closure without a result.
    public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess(.write, body)
    }

    /// Calls `body` on another thread outside any transaction.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned: what its statements have committed by then stays.
    @discardableResult public func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(.plain, body)
    }

    /// The asynchronous form for a closure without a result.
    public func writeWithoutTransaction(
        _ body: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await asyncAccess(.plain, body)
    }
}

extension ConnectionQueue: Hashable {
    /// Whether they are the same queue.
    public static func == (one: ConnectionQueue, other: ConnectionQueue) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
