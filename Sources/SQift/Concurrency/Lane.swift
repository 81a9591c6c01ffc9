import Foundation

/// One connection for many threads: it is opened when needed, lent to one closure at a time,
/// interrupted, replaced when it can't be used any more, and closed.
///
/// A lane on its own is a line as well: its dispatch queue has the accesses in their order. In a
/// pool, whose tickets are the line, the dispatch queue is only where asynchronous accesses run.
final class Lane: ConnectionLender {
    /// Opens a connection. Another thread can use the cancellation to end what it waits for.
    typealias Opening = @Sendable (_ cancellation: Cancellation) throws -> Connection

    /// What is done around each access of a connection.
    struct Observer: Sendable {
        let beforeAccess: @Sendable (Connection) -> Void
        /// Also called after an access that has failed.
        let afterAccess: @Sendable (Connection) -> Void
    }

    private struct State {
        // Lent to one closure at a time.
        var connection: Connection?
        var availability = Availability.open
        var isRunning = false
    }

    /// The name for errors.
    let label: String
    let queue: DispatchQueue
    private let state: Locked<State>
    /// Ends the statement that runs on the connection, or the opening of the connection.
    private let cancellation: Cancellation
    private let registrations: Registrations
    let reentryGuard: ReentryGuard
    /// The guard's number for the connection.
    private let number: Int
    /// Knows the threads that may not use the connection either.
    private let outerGuard: ReentryGuard?
    private let observer: Observer?
    /// Opens the connection if there is none.
    private let openConnection: Opening?
    /// Whether another connection is opened if it can't be used any more. False if that would see
    /// another database, or another state.
    private let isReplaceable: Bool

    init(
        _ connection: sending Connection? = nil,
        number: Int = 0,
        label: String,
        registrations: Registrations,
        reentryGuard: ReentryGuard,
        outerGuard: ReentryGuard? = nil,
        observer: Observer? = nil,
        isReplaceable: Bool = false,
        opening: Opening? = nil
    ) {
        cancellation = connection?.cancellation ?? Cancellation()
        state = Locked(State(connection: connection))
        self.number = number
        self.label = label
        self.registrations = registrations
        self.reentryGuard = reentryGuard
        self.outerGuard = outerGuard
        self.observer = observer
        self.isReplaceable = isReplaceable
        openConnection = opening
        queue = DispatchQueue(label: "SQift \(label) \(number)")
    }

    // MARK: As a line

    func access(_ mode: AccessMode, _ body: (Connection) throws -> Void) throws {
        try checkReentry()
        var failure: (any Error)?
        // The form of sync without a result: the generic one looks its type up at run time.
        queue.sync {
            do {
                try lend(as: mode, to: nil, body)
            } catch {
                failure = error
            }
        }
        if let failure {
            throw failure
        }
    }

    func enqueue(_ access: AsyncAccess) {
        queue.async { access.begin() }
    }

    /// Throws if this thread is in a closure that keeps it from waiting for the lane.
    func checkReentry() throws {
        try outerGuard?.check(label)
        try reentryGuard.check(label)
    }

    /// Calls `body` with the connection once it isn't in use. It returns immediately.
    func whenIdle(_ body: @escaping @Sendable (Connection) -> Void) {
        queue.async { self.withConnection(body) }
    }

    /// Blocks until no closure runs, and rolls back what the last one left open.
    func waitUntilIdle() {
        queue.sync {
            _ = connection?.rollBackLeftovers()
        }
    }

    /// Closes the connection, if there is one, once it isn't in use. It may be called again.
    func close() throws {
        try queue.sync {
            guard let connection else { return }
            stop(.closed)
            // Even if it can't be closed, it holds no lock any more.
            connection.rollBackLeftovers()
            try connection.close()
        }
    }

    // MARK: From any thread

    /// The connection, if it is open, or has been.
    var connection: Connection? { state.withLock { $0.connection } }

    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Throws unless accesses may begin.
    func checkAvailability() throws {
        try state.withLock { $0.availability }.check(label)
    }

    /// Interrupts the running statements. With a reason, their access can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        state.withLock { state in
            if state.isRunning {
                cancellation.interrupt(reason)
            }
        }
    }

    /// Refuses accesses from now on, also those in line. An access that runs continues.
    func stop(_ availability: Availability) {
        state.withLock { $0.availability.stop(availability) }
    }

    /// Ends a suspension.
    func resume() {
        state.withLock { $0.availability.resume() }
    }

    // MARK: For who has the lane

    func lend(
        _ slot: Int = 0,
        as mode: AccessMode,
        to access: AsyncAccess?,
        _ body: (Connection) throws -> Void
    ) throws {
        let present = try claim()
        defer { giveBack() }
        access?.use(cancellation)
        do {
            let connection = try usable(present)
            observer?.beforeAccess(connection)
            defer { observer?.afterAccess(connection) }
            try connection.runAccess(
                as: mode,
                to: access,
                label: label,
                registrations: registrations,
                body
            )
        } catch {
            if access?.end() == true {
                throw CancellationError()
            }
            throw AccessError.stopped(by: cancellation.reason, label: label) ?? error
        }
    }

    /// Calls `body` with the connection, if there is one.
    func withConnection(_ body: (Connection) -> Void) {
        guard let present = try? claim() else { return }
        defer { giveBack() }
        if let connection = try? usable(present) {
            body(connection)
        }
    }

    /// Whether there is a connection for the next access.
    var isReady: Bool {
        guard let connection else { return false }
        return !connection.isBroken && !connection.isClosed && !connection.isLent
    }

    /// Closes the connection. The next access opens another one.
    func discardConnection() throws {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            return state.connection
        }
        try connection?.close()
    }

    private func claim() throws -> Connection? {
        try state.withLock { state in
            try state.availability.check(label)
            state.isRunning = true
            reentryGuard.enter(number)
            return state.connection
        }
    }

    private func giveBack() {
        state.withLock { state in
            reentryGuard.leave(number)
            state.isRunning = false
            cancellation.clear()
        }
    }

    /// Returns the connection that was claimed, or another one that replaces it.
    private func usable(_ present: Connection?) throws -> Connection {
        if let present {
            guard isReplaceable, !present.isUsable() else { return present }
            present.resetStatements()
            try present.close()
        }
        guard let replacement = try openConnection?(cancellation) else {
            throw SQLiteError.connectionIsClosed
        }
        state.withLock { $0.connection = replacement }
        return replacement
    }
}
