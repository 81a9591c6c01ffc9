import Foundation

/// One connection, used by one closure at a time, in the order in which they arrive.
///
/// ```swift
/// let queue = ConnectionQueue(connection: try Connection(path: path))
/// try queue.executeInTransaction { try $0.run("INSERT INTO cars(name) VALUES(?)", "Audi") }
/// let names: [String] = try await queue.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// A synchronous closure runs on the calling thread, an asynchronous one on another, never on one
/// of Swift's own. Inside a closure the queue can't be used again from the same thread, at any
/// depth and through whatever other queue: that throws `AccessError.Reason.reentrant`. A closure
/// that waits for another thread, or task, that uses the queue waits for ever, which nothing can
/// detect.
public final class ConnectionQueue: Sendable {
    private struct State {
        // The dispatch queue hands it to one closure at a time.
        var connection: Connection
        var phase = PoolState.Phase.open
        var isRunning = false
    }

    private let state: Locked<State>
    /// Which thread is in a closure, 0 if none is.
    private let owner: AtomicWord
    /// The pool of the same database.
    private let readers: ConnectionPool?
    private let label: String
    private let laterPreparations: Preparations
    /// What each access ends with, unless a transaction is open.
    private let afterAccess: (@Sendable (Connection) -> Void)?
    /// Opens another connection in the place of one that can't be used any more.
    private let openAnother: (@Sendable (_ cancellation: Cancellation) throws -> Connection)?
    private let queue: DispatchQueue

    /// Takes over a connection, which must not be used beside the queue any more.
    ///
    /// Where SQLite was built for one thread only, each access throws an `SQLiteError` that says
    /// so.
    public convenience init(connection: sending Connection) {
        connection.makeCancellable(by: Cancellation())
        let name = connection.fileName
        let checks = Preparations()
        checks.append { _ in try SQLiteLibrary.checkThreadSafety() }
        self.init(
            connection,
            label: name.isEmpty ? "connection queue" : name,
            laterPreparations: checks
        )
    }

    init(
        _ connection: sending Connection,
        label: String,
        owner: AtomicWord = AtomicWord(),
        readers: ConnectionPool? = nil,
        laterPreparations: Preparations = Preparations(),
        openAnother: (@Sendable (_ cancellation: Cancellation) throws -> Connection)? = nil,
        afterAccess: (@Sendable (Connection) -> Void)? = nil
    ) {
        self.openAnother = openAnother
        state = Locked(State(connection: connection))
        (self.label, self.owner, self.readers) = (label, owner, readers)
        (self.laterPreparations, self.afterAccess) = (laterPreparations, afterAccess)
        queue = DispatchQueue(label: "SQift.ConnectionQueue \(label)")
    }

    /// The connection. Use it in this queue's closures only, where it is the argument.
    @available(*, deprecated, message: "use execute, whose closure receives the connection") public
        var connection: Connection
    { state.withLock { $0.connection } }

    // MARK: SQift 5.1's names

    /// Calls `closure` with the connection, as it is: a transaction may stay open from one closure
    /// to the next.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, and `AccessError`.
    @inlinable @discardableResult public func execute<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try access(.raw) { result = try closure($0) }
        return try returned(result)
    }

    /// Calls `closure` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// - Throws: As `Connection.transaction`, and `AccessError`.
    @discardableResult public func executeInTransaction<T>(
        transactionType: Connection.TransactionType = .deferred,
        closure: (Connection) throws -> T
    ) throws -> T {
        try execute { connection in
            try connection.transaction(transactionType: transactionType) { try closure(connection) }
        }
    }

    /// Calls `closure` in a savepoint: released when it returns, rolled back when it throws.
    ///
    /// - Throws: As `Connection.savepoint`, and `AccessError`.
    @discardableResult public func executeInSavepoint<T>(
        named name: String,
        closure: (Connection) throws -> T
    ) throws -> T {
        try execute { connection in
            try connection.savepoint(named: name) { try closure(connection) }
        }
    }

    /// Calls `closure` in a savepoint of this name.
    @discardableResult public func executeInSavepoint<T>(
        _ name: String,
        closure: (Connection) throws -> T
    ) throws -> T { try executeInSavepoint(named: name, closure: closure) }

    // MARK: Synchronous

    /// Calls `body` in a deferred transaction that can't write (`PRAGMA query_only`).
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, SQLite's errors, and `AccessError`.
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
        try access(.queryOnly) { result = try body($0) }
        return try returned(result)
    }

    /// Calls `body` in an immediate transaction: committed when it returns, rolled back when it
    /// throws.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, SQLite's errors, and `AccessError`.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func write<T>(_ body: (Connection) throws -> T) throws -> T {
        var result: T?
        try access(.write) { result = try body($0) }
        return try returned(result)
    }

    /// Calls `body` outside any transaction, where each statement commits by itself, and VACUUM and
    /// some pragmas work.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, and `AccessError`, also for a transaction that the
    ///   closure left open, which is rolled back.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func writeWithoutTransaction<T>(_ body: (Connection) throws -> T) throws -> T {
        var result: T?
        try access(.plain) { result = try body($0) }
        return try returned(result)
    }

    // MARK: Asynchronous

    /// Calls `body` on another thread in a deferred transaction that can't write (`PRAGMA
    /// query_only`).
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(.queryOnly, body)
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess(.queryOnly, body)
    }

    /// Calls `body` on another thread in an immediate transaction: committed when it returns,
    /// rolled back when it throws.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   commit begins, in which case nothing was written.
    @discardableResult public func write<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(.write, body)
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await asyncAccess(.write, body)
    }

    /// Calls `body` on another thread outside any transaction.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned: what its statements have committed by then stays.
    @discardableResult public func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T { try await asyncAccess(.plain, body) }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func writeWithoutTransaction(
        _ body: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await asyncAccess(.plain, body)
    }

    // MARK: Access

    @usableFromInline func access(_ kind: AccessKind, _ body: (Connection) throws -> Void) throws {
        try checkReentry()
        var failure: (any Error)?
        // The form without a result: the generic one looks its type up at run time.
        queue.sync {
            do {
                let connection = try begin()
                defer { end(connection) }
                try run(kind, nil, connection, body)
            } catch {
                failure = error
            }
        }
        if let failure {
            throw failure
        }
    }

    func asyncAccess<T: Sendable>(
        _ kind: AccessKind,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        let access = Access()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard access.wait(answer: { continuation.resume(throwing: $0) }) else { return }
                queue.async {
                    do {
                        let connection = try self.begin()
                        guard access.start(connection.cancellation) else {
                            return self.end(connection)
                        }
                        let result = Result {
                            var result: T?
                            try self.run(kind, access, connection) { result = try body($0) }
                            return try returned(result)
                        }
                        self.end(connection)
                        continuation.resume(with: result)
                    } catch {
                        access.refuse(error)
                    }
                }
            }
        } onCancel: {
            access.cancel()
        }
    }

    @inline(__always) private func run(
        _ kind: AccessKind,
        _ access: Access?,
        _ connection: Connection,
        _ body: (Connection) throws -> Void
    ) throws {
        try connection.perform(kind, access, label: label, preparations: laterPreparations, body)
        afterAccess?(connection)
    }

    /// Throws where waiting for the queue would be waiting for oneself.
    func checkReentry() throws {
        try checkOwner()
        if let readers, readers.isUsed(by: currentThread) {
            throw AccessError.reentrant(label)
        }
    }

    /// Throws in one of the queue's own closures.
    func checkOwner() throws {
        if owner.value == currentThread {
            throw AccessError.reentrant(label)
        }
    }

    /// Throws if accesses are refused.
    func checkOpen() throws {
        let phase = state.withLock { $0.phase }
        if phase != .open {
            throw AccessError.stopped(phase, label)
        }
    }

    /// Takes the connection for a closure, on the queue. One that is closed, or whose transaction
    /// can't be rolled back, is replaced where that is possible.
    private func begin() throws -> Connection {
        let connection = try claimConnection()
        guard let openAnother, connection.mustBeReplaced() else { return connection }

        do {
            connection.resetStatements()
            try connection.close()
            let replacement = try openAnother(connection.cancellation ?? Cancellation())
            state.withLock { $0.connection = replacement }
            return replacement
        } catch {
            end(connection)
            throw error
        }
    }

    private func claimConnection() throws -> Connection {
        try state.withLock { state in
            guard state.phase == .open else { throw AccessError.stopped(state.phase, label) }
            state.isRunning = true
            owner.value = currentThread
            return state.connection
        }
    }

    private func end(_ connection: Connection) {
        state.withLock { state in
            owner.value = 0
            state.isRunning = false
            connection.cancellation?.clear()
        }
    }

    // MARK: What a database asks of its queue

    /// Interrupts what runs; with a reason, for good.
    func interrupt(_ reason: Cancellation.Reason?) {
        state.withLock { state in
            if state.isRunning {
                state.connection.cancellation?.interrupt(reason)
            }
        }
    }

    /// Refuses accesses from now on, also those in line. What runs goes on.
    func stop(_ phase: PoolState.Phase) {
        state.withLock { state in if state.phase != .closed { state.phase = phase } }
    }

    func resume() {
        state.withLock { state in if state.phase == .suspended { state.phase = .open } }
    }

    /// Blocks until no closure runs, and rolls back what the last one has left open.
    func waitUntilAtRest() {
        queue.sync {
            let connection = state.withLock { $0.connection }
            connection.rollBackLeftovers()
        }
    }

    /// Closes the connection once it isn't in use.
    func close() throws {
        stop(.closed)
        try queue.sync {
            let connection = state.withLock { $0.connection }
            // Whether it can be closed or not, it holds no lock any more.
            connection.rollBackLeftovers()
            try connection.close()
        }
    }

    /// Calls `body` with the connection once nobody uses it, without waiting for that.
    func whenIdle(_ body: @escaping @Sendable (Connection) -> Void) {
        queue.async {
            guard let connection = try? self.begin() else { return }
            body(connection)
            self.end(connection)
        }
    }
}

extension ConnectionQueue: Hashable {
    /// Whether they are the same queue.
    public static func == (one: ConnectionQueue, other: ConnectionQueue) -> Bool {
        one === other
    }

    /// Hashes the queue's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
