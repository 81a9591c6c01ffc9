import Foundation
import SQift
import Testing

/// A WAL file with a table `t(x)` of three rows, a connection that writes to it, and pools that
/// read it.
package struct PoolFixture {
    package let folder: TemporaryFolder
    package let writer: Connection
    package let opened = OpenedConnections()

    package init() throws {
        folder = try TemporaryFolder()
        writer = try Connection(path: folder.path())
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
        try writer.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2), (3)")
    }

    package func makePool(
        maximum: Int = 2,
        timeout: TimeInterval? = nil,
        drainDelay: TimeInterval = 100 * patience,
        preparation: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) -> ConnectionPool {
        ConnectionPool(
            storageLocation: .onDisk(folder.path()),
            availableConnectionDrainDelay: drainDelay,
            maximumConnectionCount: maximum,
            acquisitionTimeout: timeout,
            connectionPreparation: { [opened] connection in
                opened.note(connection)
                try preparation(connection)
            }
        )
    }
}

/// Uses all of a pool's connections at once. That fails if the pool has lost one.
package func expectAllConnections(
    _ pool: ConnectionPool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let (inside, allInside, identities) = (SharedCount(), Gate(), SharedNotes<ObjectIdentifier>())
    let maximum = pool.maximumConnectionCount
    let workers = (0..<maximum).map { _ in
        Worker {
            try pool.read { connection in
                identities.note(ObjectIdentifier(connection))
                if inside.add(1) == maximum {
                    allInside.open()
                }
                allInside.wait(sourceLocation: sourceLocation)
                let one: Int = try connection.query("SELECT 1")
                #expect(one == 1, sourceLocation: sourceLocation)
            }
        }
    }
    for worker in workers {
        try await worker.finalValue(sourceLocation: sourceLocation)
    }
    #expect(Set(identities.all).count == maximum, sourceLocation: sourceLocation)
}
