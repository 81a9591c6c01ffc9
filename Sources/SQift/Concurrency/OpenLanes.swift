import Foundation

/// The lanes of a database's snapshots whose connections may be open.
///
/// A snapshot that was released isn't closed yet: a thread that ran its last access may still hold
/// its lane. So a lane is counted until its connection is closed.
final class OpenLanes: Sendable {
    private struct Entry {
        weak var lane: Lane?
        /// Left once the lane is gone, and its connection closed.
        let life: DispatchGroup
    }

    private struct Leftover {
        /// Its lane couldn't close it, since a statement of it is alive.
        weak var connection: Connection?
    }

    private struct Contents {
        var entries: [ObjectIdentifier: Entry] = [:]
        var leftovers: [Leftover] = []
    }

    private let contents = Locked(Contents())

    /// The lanes that somebody holds.
    var living: [Lane] {
        contents.withLock { $0.entries.values.compactMap(\.lane) }
    }

    func add(_ lane: Lane) {
        let life = DispatchGroup()
        life.enter()
        contents.withLock { $0.entries[ObjectIdentifier(lane)] = Entry(lane: lane, life: life) }
    }

    /// Notes that a lane is gone.
    ///
    /// - Parameter connection: Its connection, if that couldn't be closed.
    func remove(_ lane: ObjectIdentifier, leaving connection: Connection?) {
        let life = contents.withLock { contents in
            contents.leftovers.removeAll { $0.connection == nil }
            if let connection {
                contents.leftovers.append(Leftover(connection: connection))
            }
            return contents.entries.removeValue(forKey: lane)?.life
        }
        life?.leave()
    }

    /// Closes the connections, also those that are being opened, and waits for those that are being
    /// closed.
    func closeConnections() -> [Result<Void, any Error>] {
        let closings = living.map { lane in Result { try lane.close() } }
        let dying = contents.withLock { $0.entries.values.filter { $0.lane == nil } }
        dying.forEach { $0.life.wait() }

        let leftovers = contents.withLock { $0.leftovers.compactMap(\.connection) }
        return closings + leftovers.map { connection in Result { try connection.close() } }
    }
}
