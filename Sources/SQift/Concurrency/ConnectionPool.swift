import Foundation

/// Read-only connections to one database, opened when needed, lent to one closure at a time.
///
/// ```swift
/// let pool = ConnectionPool(storageLocation: .onDisk(path))
/// let count: Int = try await pool.read { try $0.query("SELECT count(*) FROM cars") }
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
/// SQLite: [Isolation In SQLite](https://sqlite.org/isolation.html)
public final class ConnectionPool: DatabaseReader, AccessRunner {
    struct Contents {
        var state: PoolState<Waiter>
        var isDrainPlanned = false
        /// Whether a thread will look at the front of the line when that is to give up.
        var isLookPlanned = false
        /// Signalled once when no connection is lent any more.
        var idleObservers: [DispatchSemaphore] = []
    }

    /// The default number of connections: one for each core, but at least 4 and at most 8.
    public static let defaultMaximumConnectionCount = min(
        max(ProcessInfo.processInfo.activeProcessorCount, 4),
        8
    )

    /// How many connections it opens at most.
    public let maximumConnectionCount: Int
    let contents: Locked<Contents>
    /// A connection for each slot. An access that has one never waits for a thread held by callers
    /// that are blocked on the pool.
    let lanes: [Lane]
    let acquisitionTimeout: TimeInterval?
    let drainDelay: TimeInterval
    /// Knows the connections from 1 on. A database's connection that writes is 0.
    let gate: AccessGate
    let timerQueue: DispatchQueue

    /// Creates a pool. It opens nothing yet: if the database can't be opened, the first access
    /// throws.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do about a locked table; it matters with a shared cache only.
    ///   - availableConnectionDrainDelay: After how many seconds a connection that isn't needed is
    ///     closed; one stays open.
    ///   - maximumConnectionCount: How many connections may be open; at least 1, at most 1000. Each
    ///     holds two or three file descriptors and up to 2 MB of cache.
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
        connectionPreparation: Connection.Preparation? = nil
    ) {
        var configuration = Connection.Configuration(readOnly: true, sharedCache: sharedCache)
        configuration.tableLockPolicy = tableLockPolicy
        configuration.busyTimeout = 5
        configuration.key = key
        configuration.cipherSettings = cipherSettings
        let preparations = Preparations()
        preparations.append("connectionPreparation", connectionPreparation)
        let source = ConnectionSource(
            storageLocation: storageLocation.forReading,
            configuration: configuration,
            label: storageLocation.path,
            isForReading: true,
            preparations: preparations
        )
        self.init(
            source: source,
            drainDelay: availableConnectionDrainDelay,
            maximumConnectionCount: maximumConnectionCount,
            acquisitionTimeout: acquisitionTimeout
        )
    }

    init(
        source: ConnectionSource,
        drainDelay: TimeInterval,
        maximumConnectionCount: Int,
        acquisitionTimeout: TimeInterval?
    ) {
        let count = min(max(maximumConnectionCount, 1), 1000)
        self.drainDelay = drainDelay
        self.maximumConnectionCount = count
        self.acquisitionTimeout = acquisitionTimeout
        gate = AccessGate(label: source.label, connectionCount: 1 + count)
        contents = Locked(Contents(state: PoolState(maximum: count)))
        timerQueue = DispatchQueue(label: "SQift.ConnectionPool \(source.label)")
        lanes = (1...count).map { [gate] number in
            Lane(
                number: number,
                gate: gate,
                preparations: source.preparations,
                isReplaceable: true,
                opening: source.open
            )
        }
    }

    /// Where reads wait for one of the connections.
    public var readers: AccessLine { AccessLine(runner: self) }

    /// Calls `closure` with a connection, outside any transaction.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: ``AccessError``, SQLite's error if opening fails, and what the closure throws.
    @inlinable @discardableResult public func execute<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        try readers.access(.autocommitRead, returning: closure)
    }

    // MARK: As a line

    func access(_ kind: AccessKind, _ body: AccessBody) throws {
        try gate.checkReentry()
        let slot = try requestAtOnce() ?? waitInLine()
        try run(slot, as: kind, body)
    }

    func run(
        _ slot: Slot,
        as kind: AccessKind,
        for access: AsyncAccess? = nil,
        _ body: AccessBody
    ) throws {
        defer { giveBack(slot) }
        try lanes[slot].run(as: kind, for: access, body)
    }

    /// Takes a slot back. If its connection doesn't stay, it is closed first: when the pool counts
    /// as idle, its connections are closed, which lets the one that writes be the last one to the
    /// file.
    ///
    /// - Returns: The error of a connection that can't be closed, which stays.
    @discardableResult func giveBack(_ slot: Slot, closing: Bool = false) -> (any Error)? {
        var isStaying = !closing && lanes[slot].isReady
        var failure: (any Error)?
        if !isStaying {
            do {
                try lanes[slot].discardConnection()
            } catch {
                failure = error
                isStaying = true
            }
        }
        let next = contents.withLock { contents in
            let next = contents.state.giveBack(slot, isUsable: isStaying)
            if !contents.isDrainPlanned, contents.state.hasSurplus {
                contents.isDrainPlanned = true
                contents.state.beginDrainPeriod()
                planDrain()
            }
            while contents.state.lentCount == 0, let observer = contents.idleObservers.popLast() {
                observer.signal()
            }
            return next
        }
        next?(.success(slot))
        return failure
    }
}
