import Foundation
import SQift
import SQiftTestSupport
import Testing

/// An awaited access of everything that lends connections.
enum CancelledAccess: String, CaseIterable, Sendable {
    case queueRead, queueWrite, queueWithoutTransaction
    case poolRead
    case databaseRead, databaseWrite, databaseWithoutTransaction
    case snapshotRead

    static let writing: [Self] = [
        .queueWrite, .queueWithoutTransaction, .databaseWrite, .databaseWithoutTransaction,
    ]

    typealias Body = @Sendable (Connection) throws -> Void

    /// Opens the file at the path, and returns the access to it.
    func open(_ path: String) throws -> @Sendable (@escaping Body) async throws -> Void {
        switch self {
        case .queueRead, .queueWrite, .queueWithoutTransaction:
            let queue = ConnectionQueue(connection: try Connection(path: path))
            return switch self {
            case .queueRead: { try await queue.read($0) }
            case .queueWrite: { try await queue.write($0) }
            default: { try await queue.writeWithoutTransaction($0) }
            }
        case .poolRead:
            let pool = ConnectionPool(storageLocation: .onDisk(path), maximumConnectionCount: 1)
            return { try await pool.read($0) }
        case .databaseRead, .databaseWrite, .databaseWithoutTransaction, .snapshotRead:
            let database = try Database(path: path)
            switch self {
            case .databaseRead: return { try await database.read($0) }
            case .databaseWrite: return { try await database.write($0) }
            case .databaseWithoutTransaction:
                return { try await database.writeWithoutTransaction($0) }
            default:
                let snapshot = try database.snapshot()
                return { body in
                    try await snapshot.read(body)
                    withExtendedLifetime(database) {}
                }
            }
        }
    }
}

extension ConcurrencySuites {
    /// What cancelling does in every awaited access.
    struct AccessCancellationTests {
        private let folder = TemporaryFolder.fresh
        private let other: Connection

        init() throws {
            other = try folder.connection()
            try other.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        }

        /// Cancels an access when its closure has opened the first gate, then opens the second one,
        /// and expects that it left these rows, holds no lock, and that the connection works.
        private func expectCancelled(
            _ access: CancelledAccess,
            rows: [Int] = [],
            sourceLocation: SourceLocation = #_sourceLocation,
            _ body:
                @escaping @Sendable (
                    Connection, _ isRunning: Gate, _ isCancelled: Gate
                ) throws -> Void
        ) async throws {
            let run = try access.open(folder.path())
            let (isRunning, isCancelled) = (Gate(), Gate())
            let task = Task.detached { try await run { try body($0, isRunning, isCancelled) } }
            await isRunning.opened(sourceLocation: sourceLocation)
            // `Task.isCancelled` is true a moment before the access is cancelled.
            task.cancel()
            isCancelled.open()
            await SQiftTestSupport.expectCancelled(task, sourceLocation: sourceLocation)

            try #expect(values(on: other) == rows, sourceLocation: sourceLocation)
            try #expect(canWrite(toFileAt: folder.path()), sourceLocation: sourceLocation)
            let found = SharedNotes<Int>()
            try await run { found.note(try count("t", on: $0)) }
            #expect(found.all.count == 1, sourceLocation: sourceLocation)
        }

        @Test(arguments: CancelledAccess.allCases)
        func beforeItsStartTheClosureIsNotCalled(access: CancelledAccess) async throws {
            let run = try access.open(folder.path())
            let task = Task.detached {
                withUnsafeCurrentTask { $0?.cancel() }
                try await run { _ in recordCall() }
            }
            await SQiftTestSupport.expectCancelled(task)
            try await run { _ = try count("t", on: $0) }
        }

        @Test(arguments: CancelledAccess.allCases)
        func betweenStatementsTheNextOneFails(access: CancelledAccess) async throws {
            let writes = CancelledAccess.writing.contains(access)
            let isCommitted = access.rawValue.hasSuffix("WithoutTransaction")
            try await expectCancelled(access, rows: isCommitted ? [1] : []) {
                connection,
                isRunning,
                isCancelled in
                if writes {
                    try add(1, on: connection)
                }
                isRunning.open()
                isCancelled.wait()
                _ = try count("t", on: connection)
                Issue.record("a statement ran after the cancellation")
            }
        }

        @Test(arguments: CancelledAccess.allCases)
        func aLongQueryEnds(access: CancelledAccess) async throws {
            try await expectCancelled(access) { connection, isRunning, _ in
                try runEndlessQuery(on: connection, opening: isRunning)
            }
        }

        @Test(arguments: CancelledAccess.writing)
        func aLongWriteEndsAndIsUndone(access: CancelledAccess) async throws {
            try await expectCancelled(access) { connection, isRunning, _ in
                try addCallback("report", to: connection) { _ in isRunning.open() }
                let number = "CASE WHEN n = 1000 THEN report(n) ELSE n END"
                try connection.execute("INSERT INTO t " + numbers(to: Int.max, selecting: number))
            }
        }

        @Test(arguments: CancelledAccess.allCases)
        func aClosureThatSwallowsTheErrorIsCancelledAllTheSame(
            access: CancelledAccess
        ) async throws {
            try await expectCancelled(access) { connection, isRunning, _ in
                try? runEndlessQuery(on: connection, opening: isRunning)
                try? add(2, on: connection)
            }
        }

        @Test(arguments: CancelledAccess.allCases.filter { !$0.rawValue.hasSuffix("Transaction") })
        func aClosureThatUsesSQLiteNoMoreIsCancelledToo(access: CancelledAccess) async throws {
            let writes = CancelledAccess.writing.contains(access)
            try await expectCancelled(access) { connection, isRunning, isCancelled in
                if writes {
                    try add(1, on: connection)
                }
                isRunning.open()
                isCancelled.wait()
            }
        }
    }
}
