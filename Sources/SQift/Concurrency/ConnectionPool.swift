import Foundation

/// Read-only connections to one database, opened when needed, lent to one closure at a time.
///
/// ```swift
/// let pool = ConnectionPool(storageLocation: .onDisk(path))
/// let count: Int = try pool.read { connection in try connection.query("SELECT count(*) FROM cars") }
/// let names: [String] = try await pool.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// A synchronous closure runs on the calling thread. When all connections are in use, callers wait
/// in line, first come, first served, whether they block or await; awaiting holds no thread. The
/// connection always comes back, rolled back and reset; one that can't be used any more is
/// replaced.
///
/// Inside a closure the pool can't be used again from the same thread: that throws
/// `AccessError.Reason.reentrant`. A closure that waits for another thread, or task, that uses the
/// pool can wait for ever, which nothing can detect.
///
/// A database in memory or a temporary one is private to its connection: every access to such a
/// pool throws. A read-only connection to a WAL database can make its `-shm` file if it lacks, for
/// which it needs write access to the folder.
///
/// https://sqlite.org/isolation.html
public final class ConnectionPool: Sendable {
    struct Contents {
        var state: PoolState
        var connections: [Connection?]
        /// What ends what runs on each slot's connection, from before it is open.
        let cancellations: [Cancellation]
        /// Which thread has the slot's connection, 0 where none does or a task waits for its turn
        /// on a thread.
        var owners: [UInt]
        var waiters: [PoolState.Ticket: Waiter] = [:]
        var isDrainPlanned = false
        /// Who waits for the last connection to come back.
        var idleObservers: [@Sendable () -> Void] = []
    }

    /// One in line, told on the thread that gives a connection back.
    typealias Waiter = @Sendable (Result<PoolState.Slot, any Error>) -> Void

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
    let isShareable: Bool
    /// Which thread is in a closure of the queue that belongs to the same database.
    let writer: AtomicWord?
    /// How many connections are lent, for those who needn't know exactly.
    let lentCount = AtomicWord()
    /// For each slot a queue of its own: what is granted a connection must not wait for a thread
    /// behind those who block for one.
    let queues: [DispatchQueue]
    let timerQueue: DispatchQueue

    /// Creates a pool, and opens nothing yet: what can't be opened is thrown by the first access.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do about a locked table; it matters with a shared cache only.
    ///   - availableConnectionDrainDelay: After how many seconds a connection that wasn't needed is
    ///     closed; one stays.
    ///   - maximumConnectionCount: How many connections may be open; at least 1. Each holds two or
    ///     three file descriptors and up to 2 MB of cache.
    ///   - acquisitionTimeout: How many seconds to wait for a connection before
    ///     `AccessError.Reason.poolExhausted` is thrown; nil waits as long as it takes.
    ///   - sharedCache: Whether the connections share one cache, which SQLite discourages.
    ///   - connectionPreparation: Called with each connection when it has been opened, with a busy
    ///     timeout of 5 seconds set. What it throws is thrown by the access.
    @preconcurrency public convenience init(
        storageLocation: StorageLocation,
        tableLockPolicy: TableLockPolicy = .fastFail,
        availableConnectionDrainDelay: TimeInterval = 1.0,
        maximumConnectionCount: Int = ConnectionPool.defaultMaximumConnectionCount,
        acquisitionTimeout: TimeInterval? = nil,
        sharedCache: Bool = false,
        connectionPreparation: (@Sendable (Connection) throws -> Void)? = nil
    ) {
        var configuration = Connection.Configuration(
            tableLockPolicy: tableLockPolicy,
            readOnly: true,
            multiThreaded: true,
            sharedCache: sharedCache
        )
        configuration.busyTimeout = 5
        let prepare = reportingErrors(in: "connectionPreparation", connectionPreparation)
        let source = ConnectionSource(
            storageLocation: storageLocation,
            configuration: configuration,
            label: storageLocation.path,
            preparations: prepare.map { [$0] } ?? []
        )
        self.init(
            source,
            availableConnectionDrainDelay,
            maximumConnectionCount,
            acquisitionTimeout,
            isShareable: storageLocation != .inMemory && storageLocation != .temporary
        )
    }

    init(
        _ source: ConnectionSource,
        _ drainDelay: TimeInterval,
        _ maximumConnectionCount: Int,
        _ acquisitionTimeout: TimeInterval?,
        isShareable: Bool,
        beside writer: AtomicWord? = nil
    ) {
        let count = max(maximumConnectionCount, 1)
        var source = source
        source.storageLocation = source.storageLocation.forReading
        source.isForReading = true
        (self.source, self.drainDelay, self.isShareable) = (source, drainDelay, isShareable)
        (self.maximumConnectionCount, self.acquisitionTimeout, self.writer) = (
            count, acquisitionTimeout, writer
        )
        contents = Locked(
            Contents(
                state: PoolState(maximum: count),
                connections: Array(repeating: nil, count: count),
                cancellations: (0..<count).map { _ in Cancellation() },
                owners: Array(repeating: 0, count: count)
            )
        )
        timerQueue = DispatchQueue(label: "SQift.ConnectionPool \(source.label)")
        queues = (0..<count).map {
            DispatchQueue(label: "SQift.ConnectionPool \(source.label) \($0)")
        }
    }

    // MARK: Access

    /// Calls `closure` with a connection, outside any transaction.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: `AccessError`, SQLite's error if opening fails, and what the closure throws.
    @inlinable @discardableResult public func execute<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try access(.plain) { result = try closure($0) }
        return try returned(result)
    }

    /// Calls `body` with a connection in a deferred transaction: all it reads is of one state of
    /// the database.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: As `execute(closure:)`.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        var result: T?
        try access(.read) { result = try body($0) }
        return try returned(result)
    }

    /// Calls `body` on another thread with a connection in a deferred transaction.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As `execute(closure:)`; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(.read, body)
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess(.read, body)
    }

    @usableFromInline func access(_ kind: AccessKind, _ body: (Connection) throws -> Void) throws {
        let (slot, connection) = try borrow()
        defer { giveBack(slot, connection) }
        try connection.perform(
            kind,
            nil,
            label: source.label,
            preparations: source.laterPreparations,
            body
        )
    }

    func asyncAccess<T: Sendable>(
        _ kind: AccessKind,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        let access = Access()
        let (label, preparations) = (source.label, source.laterPreparations)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(access) {
                    continuation.resume(throwing: $0)
                } run: { connection in
                    let result = Result {
                        var result: T?
                        try connection.perform(
                            kind,
                            access,
                            label: label,
                            preparations: preparations
                        ) {
                            result = try body($0)
                        }
                        return try returned(result)
                    }
                    return { continuation.resume(with: result) }
                }
            }
        } onCancel: {
            access.cancel()
        }
    }
}
