import Foundation

/// Read-only connections to one database, opened when needed, lent to one closure at a time.
///
/// ```swift
/// let pool = ConnectionPool(storageLocation: .onDisk(path))
/// let count: Int = try pool.read { connection in try connection.query("SELECT count(*) FROM cars") }
/// let names: [String] = try await pool.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// A synchronous closure runs on the calling thread. When all connections are in use, callers wait in line, first come, first
/// served, whether they block or await; awaiting holds no thread. The connection always comes back, rolled back and reset; one
/// that can't be used any more is replaced.
///
/// Inside a closure the pool can't be used again from the same thread: that throws `AccessError.Reason.reentrant`. A closure that
/// waits for another thread, or task, that uses the pool can wait for ever, which nothing can detect.
///
/// A database in memory or a temporary one is private to its connection: every access to such a pool throws. A read-only
/// connection to a WAL database can make its `-shm` file if it lacks, for which it needs write access to the folder.
///
/// https://sqlite.org/isolation.html
public final class ConnectionPool: Sendable {
    private struct Contents {
        var state: PoolState
        var connections: [Connection?]
        /// Which thread has the slot's connection, 0 where none does or a task waits for its turn on a thread.
        var owners: [UInt]
        var waiters: [PoolState.Ticket: Waiter] = [:]
        var isDrainPlanned = false
        /// Who waits for the last connection to come back.
        var idleObservers: [@Sendable () -> Void] = []
    }

    /// One in line, told on the thread that gives a connection back.
    private typealias Waiter = @Sendable (Result<PoolState.Grant, any Error>) -> Void

    /// The default number of connections: one for each core, but at least 4 and at most 8.
    public static let defaultMaximumConnectionCount = min(max(ProcessInfo.processInfo.activeProcessorCount, 4), 8)

    /// How many connections it opens at most.
    public let maximumConnectionCount: Int
    let source: ConnectionSource
    private let contents: Locked<Contents>
    private let acquisitionTimeout: TimeInterval?
    private let drainDelay: TimeInterval
    private let isShareable: Bool
    /// Which thread is in a closure of the queue that belongs to the same database.
    private let writer: AtomicWord?
    private let queue: DispatchQueue

    /// Creates a pool, and opens nothing yet: what can't be opened is thrown by the first access.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do about a locked table; it matters with a shared cache only.
    ///   - availableConnectionDrainDelay: After how many seconds a connection that wasn't needed is closed; one stays.
    ///   - maximumConnectionCount: How many connections may be open; at least 1. Each holds two or three file descriptors and up to
    ///     2 MB of cache.
    ///   - acquisitionTimeout: How many seconds to wait for a connection before `AccessError.Reason.poolExhausted` is thrown; nil
    ///     waits as long as it takes.
    ///   - sharedCache: Whether the connections share one cache, which SQLite discourages.
    ///   - connectionPreparation: Called with each connection when it has been opened, with a busy timeout of 5 seconds set. What
    ///     it throws is thrown by the access.
    @preconcurrency
    public convenience init(
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
        let source = ConnectionSource(
            storageLocation: storageLocation,
            configuration: configuration,
            label: storageLocation.path,
            preparations: connectionPreparation.map { [$0] } ?? []
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
        self.source = source
        self.drainDelay = drainDelay
        self.maximumConnectionCount = count
        self.acquisitionTimeout = acquisitionTimeout
        self.writer = writer
        self.isShareable = isShareable
        contents = Locked(
            Contents(
                state: PoolState(maximum: count),
                connections: Array(repeating: nil, count: count),
                owners: Array(repeating: 0, count: count)
            )
        )
        queue = DispatchQueue(label: "SQift.ConnectionPool \(source.label)", attributes: .concurrent)
    }

    // MARK: Access

    /// Calls `closure` with a connection, outside any transaction.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: `AccessError`, SQLite's error if opening fails, and what the closure throws.
    @inlinable
    @discardableResult
    public func execute<T>(closure: (Connection) throws -> T) throws -> T {
        var result: T?
        try access(.plain) { result = try closure($0) }
        return try returned(result)
    }

    /// Calls `body` with a connection in a deferred transaction: all it reads is of one state of the database.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: As `execute(closure:)`.
    @available(*, noasync, message: "use await: this blocks the thread")
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
    /// - Throws: As `execute(closure:)`; `CancellationError` if the task is cancelled before the closure has returned.
    @discardableResult
    public func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await asyncAccess(.read, body)
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess(.read, body)
    }

    @usableFromInline
    func access(_ kind: AccessKind, _ body: (Connection) throws -> Void) throws {
        let (slot, connection) = try borrow()
        defer { giveBack(slot, connection) }
        try source.laterPreparations.apply(to: connection)
        try connection.perform(kind, nil, label: source.label, body)
    }

    func asyncAccess<T: Sendable>(
        _ kind: AccessKind,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        let access = Access()
        let label = source.label
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(access) {
                    continuation.resume(throwing: $0)
                } run: { connection in
                    let result = Result {
                        var result: T?
                        try connection.perform(kind, access, label: label) { result = try body($0) }
                        return try returned(result)
                    }
                    return { continuation.resume(with: result) }
                }
            }
        } onCancel: {
            access.cancel()
        }
    }

    // MARK: Lending

    private func borrow() throws -> (PoolState.Slot, Connection) {
        let thread = currentThread
        guard isShareable else { throw notShareable }
        if writer?.value == thread { throw AccessError.reentrant(source.label) }
        let (grant, connection) = try contents.withLock { contents -> (PoolState.Grant?, Connection?) in
            if contents.owners.contains(thread) { throw AccessError.reentrant(source.label) }
            guard let grant = contents.state.requestAtOnce() else { return (nil, nil) }
            contents.owners[grant.slot] = thread
            return (grant, contents.connections[grant.slot])
        }
        if let grant, let connection { return (grant.slot, connection) }
        return try take(grant ?? waitInLine(), thread)
    }

    /// Blocks until it is the caller's turn.
    private func waitInLine() throws -> PoolState.Grant {
        // A hand-over to a thread that sleeps costs about 5 µs, more than most reads. Nobody is overtaken: who is in line has
        // what comes back.
        for _ in 0..<4 {
            sched_yield()
            if let grant = contents.withLock({ $0.state.requestAtOnce() }) { return grant }
        }
        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Result<PoolState.Grant, any Error>?>(nil)
        let reply = request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        switch reply {
        case .grant(let grant): return grant
        case .refusal(let phase): throw AccessError.stopped(phase, source.label)
        case .wait(let ticket):
            let deadline: DispatchTime = acquisitionTimeout.map { .now() + $0 } ?? .distantFuture
            if semaphore.wait(timeout: deadline) == .timedOut {
                if withdraw(ticket) { throw exhausted }
                semaphore.wait()
            }
            return try turn.withLock { try $0?.get() } ?? waitInLine()
        }
    }

    /// Runs an asynchronous access when its turn comes. `run` answers with what remains to be done once the connection is back.
    private func enqueue(
        _ access: Access,
        answer: @escaping @Sendable (any Error) -> Void,
        run: @escaping @Sendable (Connection) -> @Sendable () -> Void
    ) {
        let ticket = Locked<PoolState.Ticket?>(nil)
        let isWaiting = access.wait { error in
            // Otherwise its turn would come, and pass.
            if let ticket = ticket.withLock({ $0 }) { _ = self.withdraw(ticket) }
            answer(error)
        }
        guard isWaiting else { return }
        guard isShareable else { return access.refuse(notShareable) }
        let reply = request { result in
            switch result {
            case .success(let grant): self.start(access, grant, run)
            case .failure(let error): access.refuse(error)
            }
        }
        switch reply {
        case .grant(let grant): start(access, grant, run)
        case .refusal(let phase): access.refuse(AccessError.stopped(phase, source.label))
        case .wait(let number):
            ticket.withLock { $0 = number }
            if let acquisitionTimeout {
                queue.asyncAfter(deadline: .now() + acquisitionTimeout) { access.refuse(self.exhausted) }
            }
        }
    }

    private func start(
        _ access: Access,
        _ grant: PoolState.Grant,
        _ run: @escaping @Sendable (Connection) -> @Sendable () -> Void
    ) {
        queue.async {
            do {
                let (slot, connection) = try self.take(grant, currentThread)
                do {
                    try self.source.laterPreparations.apply(to: connection)
                } catch {
                    self.giveBack(slot, connection)
                    throw error
                }
                guard access.start(connection.interruptor) else { return self.giveBack(slot, connection) }
                let finish = run(connection)
                self.giveBack(slot, connection)
                finish()
            } catch {
                access.refuse(error)
            }
        }
    }

    /// Asks for a connection, and gets in line where there is none.
    private func request(_ waiter: @escaping Waiter) -> PoolState.Reply {
        contents.withLock { contents in
            let reply = contents.state.request()
            if case .wait(let ticket) = reply { contents.waiters[ticket] = waiter }
            return reply
        }
    }

    private func withdraw(_ ticket: PoolState.Ticket) -> Bool {
        contents.withLock { contents in
            contents.waiters[ticket] = nil
            return contents.state.withdraw(ticket)
        }
    }

    /// The connection that was granted, opened if need be.
    private func take(_ grant: PoolState.Grant, _ thread: UInt) throws -> (PoolState.Slot, Connection) {
        let slot = grant.slot
        let present = contents.withLock { contents -> Connection? in
            contents.owners[slot] = thread
            return contents.connections[slot]
        }
        if let present { return (slot, present) }
        do {
            let connection = try source.open()
            try contents.withLock { contents in
                guard contents.state.phase == .open else {
                    throw AccessError.stopped(contents.state.phase, source.label)
                }
                contents.connections[slot] = connection
            }
            return (slot, connection)
        } catch {
            settle(slot, isUsable: false)
            throw error
        }
    }

    private func giveBack(_ slot: PoolState.Slot, _ connection: Connection) {
        if settle(slot, isUsable: connection.isAtRest, connection) { return }
        // Closed before the pool counts as idle, so that the last connection to the file can be another's.
        contents.withLock { $0.connections[slot] = nil }
        try? connection.close()
        settle(slot, isUsable: false)
    }

    /// Ends a loan. Answers false, and does nothing, if the connection has to be closed first.
    @discardableResult
    private func settle(_ slot: PoolState.Slot, isUsable: Bool, _ connection: Connection? = nil) -> Bool {
        let (isDone, waiter, turn, observers) = contents.withLock {
            contents -> (Bool, Waiter?, PoolState.Turn?, [@Sendable () -> Void]) in
            if connection != nil, !isUsable || contents.state.phase == .closed { return (false, nil, nil, []) }
            contents.owners[slot] = 0
            connection?.clearCancellation()
            if case .passedOn(let turn) = contents.state.giveBack(slot, isUsable: isUsable) {
                return (true, contents.waiters.removeValue(forKey: turn.ticket), turn, [])
            }
            if !contents.isDrainPlanned, contents.state.hasSurplus {
                contents.isDrainPlanned = true
                contents.state.beginDrainPeriod()
                planDrain()
            }
            guard contents.state.lentCount == 0, !contents.idleObservers.isEmpty else { return (true, nil, nil, []) }
            defer { contents.idleObservers = [] }
            return (true, nil, nil, contents.idleObservers)
        }
        if let waiter, let turn { waiter(.success(turn.grant)) }
        for observer in observers { observer() }
        return isDone
    }

    // MARK: Draining

    private func planDrain() {
        queue.asyncAfter(deadline: .now() + max(drainDelay, 0)) { [weak self] in self?.drain() }
    }

    private func drain() {
        // Closed outside the lock, when the array goes.
        _ = contents.withLock { contents -> [Connection?] in
            let slots = contents.state.drain()
            defer { for slot in slots { contents.connections[slot] = nil } }
            contents.isDrainPlanned = contents.state.hasSurplus
            if contents.isDrainPlanned { planDrain() }
            return slots.map { contents.connections[$0] }
        }
    }

    // MARK: What a database asks of its pool

    /// Whether this thread is in one of the pool's closures.
    func isUsed(by thread: UInt) -> Bool {
        contents.withLock { $0.owners.contains(thread) }
    }

    /// Interrupts what runs; with a reason, for good.
    func interrupt(_ reason: Interruptor.Reason? = nil) {
        contents.withLock { contents in
            for (slot, connection) in contents.connections.enumerated() {
                guard let interruptor = connection?.interruptor, !contents.state.idle.contains(slot) else { continue }
                if let reason { interruptor.interrupt(reason) } else { interruptor.interrupt() }
            }
        }
    }

    /// Refuses accesses from now on, also those in line. Those that run go on.
    func stop(_ phase: PoolState.Phase) {
        let refused = contents.withLock { contents in
            contents.state.stop(phase).compactMap { contents.waiters.removeValue(forKey: $0) }
        }
        for waiter in refused { waiter(.failure(AccessError.stopped(phase, source.label))) }
    }

    func resume() {
        contents.withLock { $0.state.resume() }
    }

    /// Blocks until no connection is lent.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        contents.withLock { contents in
            if contents.state.lentCount == 0 { return _ = semaphore.signal() }
            contents.idleObservers.append { semaphore.signal() }
        }
        semaphore.wait()
    }

    /// Calls `body` with each connection that nobody uses, and with none that somebody wants; false closes the connection.
    func withIdleConnections(_ body: (Connection) -> Bool) {
        let slots = contents.withLock { $0.state.takeIdle() }
        for slot in slots {
            guard let connection = contents.withLock({ $0.connections[slot] }) else { continue }
            if body(connection) {
                giveBack(slot, connection)
            } else {
                contents.withLock { $0.connections[slot] = nil }
                try? connection.close()
                settle(slot, isUsable: false)
            }
        }
    }

    // MARK: Errors

    private var notShareable: AccessError {
        AccessError(
            .notShareable,
            source.label,
            "each connection would see an empty database of its own: use a ConnectionQueue, or .uri(\"file:/name?vfs=memdb\")"
        )
    }

    private var exhausted: AccessError {
        AccessError(
            .poolExhausted,
            source.label,
            "all \(maximumConnectionCount) connections stayed in use for \(acquisitionTimeout ?? 0) s"
        )
    }
}
