import SQift
import Testing

/// Every blocking way to use a database, its queue or its pool.
package enum DatabaseAccess: String, CaseIterable, Sendable {
    case read, write, writeWithoutTransaction, executeRead, executeWrite
    case queueRead, queueWrite, queueWithoutTransaction, queueExecute, queueTransaction,
        queueSavepoint
    case poolRead, poolExecute

    package func run<T>(on database: Database, _ body: (Connection) throws -> T) throws -> T {
        let queue = database.writerConnectionQueue
        let pool = database.readerConnectionPool
        return switch self {
        case .read: try database.read(body)
        case .write: try database.write(body)
        case .writeWithoutTransaction: try database.writeWithoutTransaction(body)
        case .executeRead: try database.executeRead(closure: body)
        case .executeWrite: try database.executeWrite(closure: body)
        case .queueRead: try queue.read(body)
        case .queueWrite: try queue.write(body)
        case .queueWithoutTransaction: try queue.writeWithoutTransaction(body)
        case .queueExecute: try queue.execute(closure: body)
        case .queueTransaction: try queue.executeInTransaction(closure: body)
        case .queueSavepoint: try queue.executeInSavepoint(named: "s", closure: body)
        case .poolRead: try pool.read(body)
        case .poolExecute: try pool.execute(closure: body)
        }
    }

    /// The methods of the database itself.
    package static let own: [DatabaseAccess] = [
        .read, .write, .writeWithoutTransaction, .executeRead, .executeWrite,
    ]
}

/// Calls `body` with the writing connection, and then with several reading ones at the same time.
package func onEveryConnection<T: Sendable>(
    of database: Database,
    readerCount: Int = 3,
    _ body: @escaping @Sendable (Connection) throws -> T
) throws -> [T] {
    let barrier = Barrier(of: readerCount)
    let readers = (0..<readerCount).map { _ in
        Worker {
            try database.executeRead { connection in
                barrier.wait()
                return try body(connection)
            }
        }
    }
    return try [database.executeWrite(closure: body)] + readers.map { try $0.value() }
}
