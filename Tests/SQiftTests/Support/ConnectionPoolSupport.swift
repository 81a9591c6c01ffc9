import Foundation
import Testing

@testable import SQift

/// The connections that a pool has opened, and how many of them still exist.
final class OpenedConnections: @unchecked Sendable {
    private struct Reference {
        weak var connection: Connection?
    }

    private let lock = NSLock()
    private var references: [Reference] = []

    func note(_ connection: Connection) {
        lock.withLock { references.append(Reference(connection: connection)) }
    }

    /// How many were opened in all.
    var count: Int { lock.withLock { references.count } }
    /// How many are open.
    var openCount: Int { lock.withLock { references.filter { $0.connection != nil }.count } }
}

/// A WAL file with a table `t(x)` of three rows, a connection that writes, and pools over it.
struct PoolFixture {
    let folder: TemporaryFolder
    let writer: Connection
    let opened = OpenedConnections()

    init() throws {
        folder = try TemporaryFolder()
        writer = try Connection(path: folder.path())
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
        try writer.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2), (3)")
    }

    func makePool(
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

/// Uses all of a pool's connections at once, which fails if one was lost.
func expectWhole(
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

/// The ways to use a pool from a thread that waits for it.
enum BlockingPoolForm: CaseIterable, Sendable {
    case execute, read

    @discardableResult
    func callAsFunction<T>(_ pool: ConnectionPool, _ body: (Connection) throws -> T) throws -> T {
        switch self {
        case .execute: try pool.execute(closure: body)
        case .read: try pool.read(body)
        }
    }
}

extension Holder {
    /// Holds one connection.
    convenience init(of pool: ConnectionPool) {
        self.init { hold in try pool.execute { _ in hold() } }
    }
}
