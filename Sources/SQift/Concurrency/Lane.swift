import Foundation

/// One connection for many threads: it is opened when needed, lent to one closure at a time,
/// interrupted, replaced when it can't be used any more, and closed.
///
/// A lane on its own is where accesses wait: its line has them in their order. In a pool, which has
/// a line of its own, the lane's is only where asynchronous accesses run.
final class Lane: AccessRunner {
    /// Opens a connection. Another thread can use the cancellation to end what it waits for.
    typealias Opening = @Sendable (_ cancellation: Cancellation) throws -> Connection

    /// What is done around each access of a connection.
    struct Observer: Sendable {
        let beforeAccess: @Sendable (Connection) -> Void
        /// Also called after an access that has failed.
        let afterAccess: @Sendable (Connection) -> Void
    }

    let line = SerialLine()
    /// The connection if there is one, lent to one closure at a time.
    private let stored: OpenLanes.StoredConnection
    /// Ends the statement that runs on the connection, or the opening of the connection.
    private let cancellation: Cancellation
    let preparations: Preparations
    let gate: AccessGate
    /// The gate's number for the connection.
    private let number: Int
    private let observer: Observer?
    /// Opens the connection if there is none.
    private let openConnection: Opening?
    /// Whether another connection is opened if it can't be used any more. False if that would see
    /// another database, or another state.
    private let isReplaceable: Bool
    /// Counts the lane until its connection is closed.
    private let openLanes: OpenLanes?

    init(
        _ connection: sending Connection? = nil,
        number: Int = 0,
        gate: AccessGate,
        preparations: Preparations,
        observer: Observer? = nil,
        isReplaceable: Bool = false,
        openLanes: OpenLanes? = nil,
        opening: Opening? = nil
    ) {
        cancellation = connection?.cancellation ?? Cancellation()
        stored = Locked(UncheckedSendable(value: connection))
        self.number = number
        self.gate = gate
        self.preparations = preparations
        self.observer = observer
        self.isReplaceable = isReplaceable
        self.openLanes = openLanes
        openConnection = opening
        if opening != nil {
            connection?.give(to: .lender)
        }
        openLanes?.add(self, stored)
    }

    deinit {
        openLanes?.remove(stored)
    }

    // MARK: As a line

    func access(_ kind: AccessKind, _ body: AccessBody) throws {
        try gate.outer?.checkReentry()
        try gate.checkReentry()
        try line.sync { try run(as: kind, body) }
    }

    func enqueue(_ access: AsyncAccess) {
        let ticket = line.async { access.begin() }
        if let ticket {
            access.leavesLine { [line] in line.leave(ticket) }
        }
    }

    /// Blocks until no closure runs, and rolls back what the last one left open.
    func waitUntilIdle() {
        line.sync {
            withKeptConnection { _ = $0.rollBackLeftovers() }
        }
    }

    /// Closes the connection, if there is one, once it isn't in use. It may be called again.
    func close() throws {
        try line.sync {
            try withKeptConnection { connection in
                gate.stop(for: .closing)
                // Even if it can't be closed, it holds no lock any more.
                connection.rollBackLeftovers()
                try connection.close()
            }
        }
    }

    // MARK: From any thread

    /// The connection, if it is open, or has been.
    var connection: Connection? { stored.value.value }

    /// Whether a closure uses the connection, or is about to.
    var isInUse: Bool { gate.isInUse(number) }

    /// Interrupts the running statements. With a reason, their access can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        stored.withLock { _ in
            if isInUse {
                cancellation.interrupt(reason)
            }
        }
    }

    // MARK: For who has the lane

    func run(
        _ slot: Int = 0,
        as kind: AccessKind,
        for access: AsyncAccess? = nil,
        _ body: AccessBody
    ) throws {
        let present = try claim()
        defer { giveBack() }
        access?.use(cancellation)
        do {
            let connection = try usable(present)
            defer { keep(connection) }
            observer?.beforeAccess(connection)
            defer { observer?.afterAccess(connection) }
            try connection.runAccess(
                as: kind,
                for: access,
                label: gate.label,
                preparations: preparations,
                body
            )
        } catch {
            if access?.end() == true {
                throw CancellationError()
            }
            throw AccessError.stopped(by: cancellation.reason, label: gate.label) ?? error
        }
    }

    /// Calls `body` with the connection, if there is one.
    func withConnection(_ body: (Connection) -> Void) {
        guard let present = try? claim() else { return }
        defer { giveBack() }
        if let connection = try? usable(present) {
            defer { keep(connection) }
            body(connection)
        }
    }

    /// Whether there is a connection for the next access, and may be one.
    var isReady: Bool {
        guard let connection, !gate.isClosed else { return false }
        return connection.isOpen && !connection.isBroken
    }

    /// Closes the connection. The next access opens another one. One that can't be closed stays.
    func discardConnection() throws {
        try withKeptConnection { try $0.close() }
        stored.withLock { $0.value = nil }
    }

    private func claim() throws -> Connection? {
        try stored.withLock { stored in
            try gate.check()
            gate.enter(number)
            return stored
        }.value
    }

    private func giveBack() {
        stored.withLock { _ in
            gate.leave(number)
            cancellation.clear()
        }
    }

    /// Returns the connection that was claimed, or another one that replaces it.
    private func usable(_ present: Connection?) throws -> Connection {
        if let present {
            present.give(to: .program)
            guard isReplaceable, !present.isUsable() else { return present }
            keep(present)
            try discardConnection()
        }
        guard let replacement = try openConnection?(cancellation) else {
            throw SQLiteError.connectionIsClosed
        }
        stored.withLock { $0.value = replacement }
        return replacement
    }

    /// Takes the connection back from what ran with it, so that nothing else can use it until the
    /// next access. One that the program opened itself stays usable.
    private func keep(_ connection: Connection) {
        if openConnection != nil {
            connection.give(to: .lender)
        }
    }

    /// Calls `body` with the connection, if there is one, while no access has it.
    private func withKeptConnection(_ body: (Connection) throws -> Void) rethrows {
        guard let connection else { return }
        connection.give(to: .program)
        defer { keep(connection) }
        try body(connection)
    }
}
