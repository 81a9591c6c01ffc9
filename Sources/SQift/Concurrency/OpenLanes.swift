/// The lanes of a database's snapshots whose connections may be open.
///
/// A lane is counted until its connection is closed. When a snapshot was released, that may not be
/// done yet: the thread of its last access may still hold the lane.
final class OpenLanes: Sendable {
    /// What a lane keeps its connection in.
    typealias StoredConnection = Locked<UncheckedSendable<Connection?>>

    private struct Entry {
        /// Nil as soon as the lane is being released, a little before the connection is closed.
        weak var lane: Lane?
        let connection: StoredConnection
    }

    private let entries = Locked<[Entry]>([])

    /// The lanes that are held.
    var living: [Lane] {
        entries.withLock { $0.compactMap(\.lane) }
    }

    func add(_ lane: Lane, _ connection: StoredConnection) {
        entries.withLock { $0.append(Entry(lane: lane, connection: connection)) }
    }

    /// Closes the connection of a lane that is being released. One whose statement is alive stays,
    /// without a lock, until the database is closed.
    func remove(_ connection: StoredConnection) {
        guard (try? close(connection)) != nil else { return }
        entries.withLock { entries in
            entries.removeAll { $0.connection === connection }
        }
    }

    /// Closes the connections, also those that are being opened, and waits for those that are being
    /// closed.
    func closeConnections() -> [Result<Void, any Error>] {
        let all = entries.withLock { $0.map { (lane: $0.lane, connection: $0.connection) } }
        return all.map { entry in
            Result { try entry.lane?.close() ?? close(entry.connection) }
        }
    }

    private func close(_ connection: StoredConnection) throws {
        try connection.withLock { stored in
            guard let connection = stored.value else { return }
            connection.give(to: .program)
            defer { connection.give(to: .lender) }
            connection.rollBackLeftovers()
            try connection.close()
        }
    }
}
