import Foundation
import Testing

@testable import SQift

/// A queue over a WAL file with an empty table `t(x)`, and what tests ask of it.
struct QueueFixture {
    let folder: TemporaryFolder
    let queue: ConnectionQueue

    init(busyTimeout: TimeInterval = 0, journalMode: String = "WAL") throws {
        folder = try TemporaryFolder()
        queue = try Self.makeQueue(
            folder.path(),
            busyTimeout: busyTimeout,
            journalMode: journalMode
        )
    }

    static func makeQueue(
        _ path: String,
        busyTimeout: TimeInterval = 0,
        journalMode: String = "WAL"
    ) throws -> ConnectionQueue {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = busyTimeout
        let connection = try Connection(path: path, configuration: configuration)
        try connection.execute("PRAGMA journal_mode = \(journalMode); PRAGMA synchronous = OFF")
        try connection.execute("CREATE TABLE IF NOT EXISTS t(x)")
        return ConnectionQueue(connection: connection)
    }

    /// What another connection sees, which is what was committed.
    func values() throws -> [Int] {
        try Connection(path: folder.path()).query("SELECT x FROM t ORDER BY rowid")
    }

    /// Expects that the queue reads and writes, and that its connection is as it was at first.
    func expectUsable(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try queue.execute { connection in
            #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
            let queryOnly: Int = try connection.query("PRAGMA query_only")
            #expect(queryOnly == 0, sourceLocation: sourceLocation)
        }
        let before = try queue.read { try count("t", on: $0) }
        try queue.write { try $0.run("INSERT INTO t VALUES(-1)") }
        let after = try queue.read { try count("t", on: $0) }
        #expect(after == before + 1, sourceLocation: sourceLocation)
        try queue.writeWithoutTransaction { try $0.run("DELETE FROM t WHERE x = -1") }
    }
}

/// The ways to use a queue from a thread that waits for it.
enum BlockingForm: CaseIterable, Sendable {
    case execute, executeInTransaction, executeInSavepoint, executeInUnlabelledSavepoint
    case read, write, writeWithoutTransaction

    static let writingInTransactions: [Self] = [
        .executeInTransaction, .executeInSavepoint, .executeInUnlabelledSavepoint, .write,
    ]

    @discardableResult
    func callAsFunction<T>(_ queue: ConnectionQueue, _ body: (Connection) throws -> T) throws -> T {
        switch self {
        case .execute: try queue.execute(closure: body)
        case .executeInTransaction: try queue.executeInTransaction(closure: body)
        case .executeInSavepoint: try queue.executeInSavepoint(named: "it's one", closure: body)
        case .executeInUnlabelledSavepoint: try queue.executeInSavepoint("another", closure: body)
        case .read: try queue.read(body)
        case .write: try queue.write(body)
        case .writeWithoutTransaction: try queue.writeWithoutTransaction(body)
        }
    }
}

/// The ways to use a queue from a task.
enum AwaitingForm: CaseIterable, Sendable {
    case read, write, writeWithoutTransaction

    @discardableResult
    func callAsFunction<T: Sendable>(
        _ queue: ConnectionQueue,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        switch self {
        case .read: try await queue.read(body)
        case .write: try await queue.write(body)
        case .writeWithoutTransaction: try await queue.writeWithoutTransaction(body)
        }
    }
}

/// A thread that uses a queue, or a pool, until it is told to stop.
final class Holder: Sendable {
    private let end = Gate()
    private let worker: Worker<Void>

    /// Returns when `use` has called its closure.
    init(_ use: @escaping @Sendable (_ hold: () -> Void) throws -> Void) {
        let (begin, end) = (Gate(), end)
        worker = Worker {
            try use {
                begin.open()
                end.wait()
            }
        }
        begin.wait()
    }

    convenience init(of queue: ConnectionQueue) {
        self.init { hold in try queue.execute { _ in hold() } }
    }

    var isReleased: Bool { end.isOpen }

    func release() throws {
        end.open()
        try worker.value()
    }
}
