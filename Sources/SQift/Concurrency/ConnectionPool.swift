import Foundation

/// Read-only connections to one database, opened when needed, lent to one closure at a time.
///
/// ```swift
/// let pool = ConnectionPool(storageLocation: .onDisk(path))
/// let count: Int = try pool.read { try $0.query("SELECT count(*) FROM cars") }
/// let names: [String] = try await pool.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// A synchronous closure runs on the calling thread. When all connections are in use, callers wait
/// in line, first come, first served, whether they block or await; awaiting holds no thread. The
/// pool always gets the connection back, and rolls back and resets what was left open. A connection
/// that can't be used any more is replaced.
///
/// Inside a closure the pool can't be used again from the same thread: that throws
/// ``AccessError/Reason/reentrant``. If a closure waits for another thread or task that uses the
/// pool, it can wait forever. Nothing can detect that.
///
/// A database in memory and a temporary one are private to their connection: every access to such a
/// pool throws. A read-only connection to a WAL database creates its `-shm` file if that is
/// missing, for which it needs write access to the folder.
///
/// <https://sqlite.org/isolation.html>
public final class ConnectionPool: Sendable, ConnectionLender {
    struct SlotContent {
        var connection: Connection?
        /// Ends the statement that runs on the connection, or the opening of the connection.
        let cancellation = Cancellation()
    }

    struct Contents {
        var state: PoolState
        var slots: [SlotContent]
        var waiters: [PoolState.Ticket: Waiter] = [:]
        var isDrainPlanned = false
        /// Signalled once when no connection is lent any more.
        var idleObservers: [DispatchSemaphore] = []

        init(count: Int) {
            state = PoolState(maximum: count)
            slots = (0..<count).map { _ in SlotContent() }
        }
    }

    /// The default number of connections: one for each core, but at least 4 and at most 8.
    public static let defaultMaximumConnectionCount = min(
        max(ProcessInfo.processInfo.activeProcessorCount, 4),
        8
    )

    /// How many connections it opens at most.
    public let maximumConnectionCount: Int
    let source: ConnectionSource
    let contents: Locked<Contents>
    let acquisitionTimeout: TimeInterval?
    let drainDelay: TimeInterval
    /// It knows the connections by the numbers from 1; a database's queue has the number 0.
    let reentryGuard: ReentryGuard
    /// One dispatch queue for each slot, so that a granted access never waits for a thread held by
    /// callers that are blocked on the pool.
    let queues: [DispatchQueue]
    let timerQueue: DispatchQueue

    /// Creates a pool. It opens nothing yet: if the database can't be opened, the first access
    /// throws.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do about a locked table; it matters with a shared cache only.
    ///   - availableConnectionDrainDelay: After how many seconds a connection that isn't needed is
    ///     closed; one stays open.
    ///   - maximumConnectionCount: How many connections may be open; at least 1. Each holds two or
    ///     three file descriptors and up to 2 MB of cache.
    ///   - acquisitionTimeout: How many seconds to wait for a connection before
    ///     ``AccessError/Reason/poolExhausted`` is thrown; nil waits as long as it takes.
    ///   - sharedCache: Whether the connections share one cache, which SQLite discourages.
    ///   - key: The key of an encrypted database.
    ///   - cipherSettings: The pragmas that belong to the key, as in ``Connection/Configuration``.
    ///   - connectionPreparation: Called with each new connection, which has a busy timeout of
    ///     5 seconds. The access that needs the connection throws its error.
    @preconcurrency public convenience init(
        storageLocation: StorageLocation,
        tableLockPolicy: TableLockPolicy = .fastFail,
        availableConnectionDrainDelay: TimeInterval = 1.0,
        maximumConnectionCount: Int = ConnectionPool.defaultMaximumConnectionCount,
        acquisitionTimeout: TimeInterval? = nil,
        sharedCache: Bool = false,
        key: Data? = nil,
        cipherSettings: SQL = "",
        connectionPreparation: (@Sendable (Connection) throws -> Void)? = nil
    ) {
        var configuration = Connection.Configuration(
            tableLockPolicy: tableLockPolicy,
            readOnly: true,
            multiThreaded: true,
            sharedCache: sharedCache
        )
        configuration.busyTimeout = 5
        configuration.key = key
        configuration.cipherSettings = cipherSettings
        let prepare = reportingErrors(in: "connectionPreparation", connectionPreparation)
        let source = ConnectionSource(
            storageLocation: storageLocation,
            configuration: configuration,
            label: storageLocation.path,
            preparations: prepare.map { [$0] } ?? []
        )
        self.init(
            source: source.forReading,
            drainDelay: availableConnectionDrainDelay,
            maximumConnectionCount: maximumConnectionCount,
            acquisitionTimeout: acquisitionTimeout
        )
    }

    /// - Parameter reentryGuard: Shared with the database's queue; nil for a pool on its own.
    init(
        source: ConnectionSource,
        drainDelay: TimeInterval,
        maximumConnectionCount: Int,
        acquisitionTimeout: TimeInterval?,
        reentryGuard: ReentryGuard? = nil
    ) {
        let count = max(maximumConnectionCount, 1)
        self.source = source
        self.drainDelay = drainDelay
        self.maximumConnectionCount = count
        self.acquisitionTimeout = acquisitionTimeout
        self.reentryGuard = reentryGuard ?? ReentryGuard(connectionCount: 1 + count)
        contents = Locked(Contents(count: count))
        timerQueue = DispatchQueue(label: "SQift.ConnectionPool \(source.label)")
        queues = (0..<count).map {
            DispatchQueue(label: "SQift.ConnectionPool \(source.label) \($0)")
        }
    }

    // MARK: Access

    /// Calls `closure` with a connection, outside any transaction.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: ``AccessError``, SQLite's error if opening fails, and what the closure throws.
    @inlinable @discardableResult public func execute<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        try access(.plainRead, returning: closure)
    }

    /// Calls `body` with a connection in a deferred transaction: everything it reads belongs to one
    /// state of the database.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: As `execute(closure:)`.
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

    /// Calls `body` on another thread with a connection in a deferred transaction.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As ``execute(closure:)``; `CancellationError` if the task is cancelled before the
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

    @inlinable @inline(__always) func access<T>(
        _ mode: AccessMode,
        returning body: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try access(mode) { result = try body($0) }
        return try returned(result)
    }

    @usableFromInline func access(_ mode: AccessMode, _ body: (Connection) throws -> Void) throws {
        let loan = try borrow()
        defer { giveBack(loan) }
        try lend(loan.connection, as: mode, to: nil, body)
    }

    @inline(__always) func lend(
        _ connection: Connection,
        as mode: AccessMode,
        to access: CancellableAccess?,
        _ body: (Connection) throws -> Void
    ) throws {
        try connection.runAccess(
            as: mode,
            to: access,
            label: source.label,
            registrations: source.registrations,
            body
        )
    }

    var notShareable: AccessError {
        let remedy = "use a ConnectionQueue, or .uri(\"file:/name?vfs=memdb\")"
        return AccessError(
            .notShareable,
            label: source.label,
            "each connection would see an empty database of its own: \(remedy)"
        )
    }
}
