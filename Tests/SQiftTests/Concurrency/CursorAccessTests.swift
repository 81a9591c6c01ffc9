import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Cursors in the accesses of queues, pools and databases.
extension ConcurrencySuites {
    struct CursorAccessTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        private func openDatabase() throws -> Database {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.busyTimeout = 0.2
            }
            try database.write { try $0.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2)") }
            return database
        }

        @Test(arguments: DatabaseAccess.allCases)
        func aCursorThatLeftItsAccessHasEnded(access: DatabaseAccess) throws {
            let database = try openDatabase()
            let cursor = try access.run(on: database, openCursor)
            #expect(sqliteError { _ = try cursor.next() }?.resultCode == .misuse)

            try database.write { try add(3, on: $0) }
            let rows = try access.run(on: database) { try count("t", on: $0) }
            #expect(rows == 3)
            try #expect(database.checkpoint(mode: .truncate).isComplete)
            #expect(folder.size("test.sqlite-wal") == 0)
            try database.close()
            #expect(try folder.files() == ["test.sqlite"])
            #expect(sqliteError { _ = try cursor.next() }?.resultCode == .misuse)
        }

        @Test(arguments: DatabaseAccess.allCases)
        func aClosureThatThrowsEndsItsCursor(access: DatabaseAccess) throws {
            let database = try openDatabase()
            let kept = KeptCursor()
            expectThrows(TestError.self) {
                try access.run(on: database) { connection in
                    kept.cursor = try openCursor(on: connection)
                    throw TestError()
                }
            }
            #expect(sqliteError { _ = try kept.cursor?.next() }?.resultCode == .misuse)
            try database.write { try add(3, on: $0) }
            try #expect(database.checkpoint(mode: .truncate).isComplete)
            try database.close()
        }

        @Test(arguments: DatabaseAccess.allCases)
        func itStaysEndedInALaterAccess(access: DatabaseAccess) throws {
            let database = try openDatabase()
            let old = try access.run(on: database, openCursor)
            try access.run(on: database) { connection in
                let new = try openCursor(on: connection)
                let error = sqliteError { _ = try old.next() }
                #expect(error?.resultCode == .misuse)
                old.close()
                let second = try new.next(as: Int.self)
                #expect(second == 2)
            }
        }

        @Test(arguments: PoolAccess.allCases)
        func aPoolsOnlyConnectionIsFreeAgain(access: PoolAccess) throws {
            let fixture = try PoolFixture()
            let pool = fixture.makePool(maximum: 1)
            let cursor = try access(pool, openCursor)
            #expect(sqliteError { _ = try cursor.next() }?.resultCode == .misuse)
            try fixture.writer.run("INSERT INTO t VALUES(4)")
            let rows = try access(pool) { try count("t", on: $0) }
            #expect(rows == 4)
            try #expect(fixture.writer.checkpoint(mode: .truncate).isComplete)
        }

        @Test func inMemoryItHoldsNoTable() throws {
            let database = try Database.inMemory()
            try database.write { try $0.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2)") }
            let cursor = try database.read(openCursor)
            try database.write { try $0.execute("DROP TABLE t") }
            #expect(sqliteError { _ = try cursor.next() }?.resultCode == .misuse)
        }

        // MARK: Tasks

        @Test func aCursorThatLeftATasksAccessHasEnded() async throws {
            let database = try openDatabase()
            let (reading, writing) = (KeptCursor(), KeptCursor())
            try await database.read { reading.cursor = try openCursor(on: $0) }
            try await database.write { writing.cursor = try openCursor(on: $0) }
            for kept in [reading, writing] {
                #expect(sqliteError { _ = try kept.cursor?.next() }?.resultCode == .misuse)
            }
            try await database.write { try $0.execute("DROP TABLE t") }
            let result = try await database.checkpoint(mode: .truncate)
            #expect(result.isComplete)
            try await database.close()
        }

        @Test func aCancelledReadsCursorThrows() async throws {
            let database = try openDatabase()
            let (isInside, isCancelled) = (Gate(), Gate())
            let codes = SharedNotes<ResultCode?>()
            let task = Task.detached {
                try await database.read { connection in
                    let cursor = try openCursor(on: connection)
                    isInside.open()
                    isCancelled.wait()
                    let error = sqliteError { _ = try cursor.next() }
                    codes.note(error?.resultCode)
                }
            }
            await isInside.opened()
            task.cancel()
            isCancelled.open()
            await expectCancelled(task)
            #expect(codes.all == [ResultCode.interrupt])
            let rows = try await database.read { try count("t", on: $0) }
            #expect(rows == 2)
            try await database.write { try $0.execute("DROP TABLE t") }
        }

        // MARK: Threads

        @Test func anotherThreadMayReleaseIt() throws {
            let fixture = try QueueFixture()
            try fixture.queue.write { try add(1, on: $0) }
            for number in 2...50 {
                let kept = KeptCursor()
                kept.cursor = try fixture.queue.execute(closure: openCursor)
                let worker = Worker { kept.cursor = nil }
                try fixture.queue.write { try add(number, on: $0) }
                try worker.value()
            }
            #expect(try fixture.values() == Array(1...50))
        }

        @Test func itMayBeTheLastThatHoldsItsConnection() throws {
            let kept = KeptCursor()
            do {
                let queue = try QueueFixture.makeQueue(folder.path())
                try queue.execute { try $0.setPersistentWAL(false) }
                try queue.write { try add(1, on: $0) }
                kept.cursor = try queue.execute(closure: openCursor)
            }
            #expect(try folder.files().count > 1)
            try Worker { kept.cursor = nil }.value()
            #expect(try folder.files() == ["test.sqlite"])
        }
    }
}

/// How a cursor depends on its connection.
struct CursorLifetimeTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection.withTable(rows: 1, 2, 3, path: path)
    }

    @Test func closingItsConnectionEndsIt() throws {
        let cursors = try (0..<2).map { _ in try openCursor(on: connection) }
        try connection.close()
        for cursor in cursors {
            #expect(sqliteError { _ = try cursor.next() }?.resultCode == .misuse)
            cursor.close()
        }
        #expect(try canWrite(toFileAt: path))
    }

    @Test func itKeepsItsConnectionAlive() throws {
        weak var gone: Connection?
        do {
            var own: Connection? = try Connection(path: path)
            gone = own
            let cursor = try openCursor(on: #require(own))
            own = nil
            #expect(gone != nil)
            #expect(try cursor.next(as: Int.self) == 2)
        }
        #expect(gone == nil)
    }

    @Test func itsStatementStaysWithoutACache() throws {
        var configuration = Connection.Configuration()
        configuration.statementCacheCapacity = 0
        let uncached = try Connection(path: path, configuration: configuration)
        let cursor = try openCursor(on: uncached)
        uncached.releaseMemory()
        #expect(try cursor.next(as: Int.self) == 2)
        cursor.close()
        #expect(try preparedSQL(on: uncached) == [])
    }

    /// SQLite goes on with a read if the transaction has changed no schema.
    @Test func afterARollbackItThrowsOrReadsWhatIsStored() throws {
        let cursor = try connection.cursor("SELECT x FROM t")
        expectThrows(TestError.self) {
            try connection.transaction {
                try connection.run("UPDATE t SET x = x + 10")
                let first = try cursor.next(as: Int.self)
                #expect(first == 11)
                throw TestError()
            }
        }
        let second = try? cursor.next(as: Int.self)
        #expect(second == nil || second == 2)
        cursor.close()
        #expect(try canWrite(toFileAt: path))
    }

    // MARK: Functions that it calls

    @Test func aFunctionCannotUseTheCursorThatCallsIt() throws {
        var cursor: Cursor?
        var errors: [SQLiteError?] = []
        try addCallback("call_back", to: connection) { _ in
            errors.append(sqliteError { _ = try cursor?.next() })
            errors.append(sqliteError { _ = try cursor?.next(as: Int.self) })
        }
        cursor = try connection.cursor("SELECT call_back(x) FROM t")
        while try cursor?.next() != nil {}
        cursor = nil
        #expect(errors.count == 6)
        #expect(errors.allSatisfy { $0?.resultCode == .misuse })
    }

    @Test(arguments: [false, true])
    func aFunctionThatEndsTheCursorThatCallsItHarmsNothing(isReleased: Bool) throws {
        var cursor: Cursor?
        try addCallback("end_it", to: connection) { _ in
            cursor?.close()
            if isReleased {
                cursor = nil
            }
        }
        cursor = try connection.cursor("SELECT end_it(x) FROM t")
        _ = try? cursor?.next()
        cursor = nil
        #expect(try canWrite(toFileAt: path))
        try connection.close()
    }
}

/// A cursor over `t` that has read its first row.
private func openCursor(on connection: Connection) throws -> Cursor {
    let cursor = try connection.cursor("SELECT x FROM t ORDER BY rowid")
    let first = try cursor.next(as: Int.self)
    #expect(first == 1)
    return cursor
}

/// A cursor that closures keep. Only one thread at a time uses it.
private final class KeptCursor: @unchecked Sendable {
    var cursor: Cursor?
}
