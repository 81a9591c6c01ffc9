import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Cursors in the accesses of queues, pools and databases.
extension ConcurrencySuites {
    struct CursorAccessTests {
        private let folder = TemporaryFolder.fresh

        private func openDatabase() throws -> Database {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.busyTimeout = 0.2
            }
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2)")
            return database
        }

        @Test(arguments: DatabaseAccess.allCases)
        func aCursorThatLeftItsAccessHasEnded(access: DatabaseAccess) throws {
            let database = try openDatabase()
            let cursor = try access.run(on: database, openCursor)
            expectSQLiteError(.misuse) { _ = try cursor.next() }

            try database.add(3)
            let rows = try access.run(on: database) { try count("t", on: $0) }
            #expect(rows == 3)
            try #expect(database.checkpoint(mode: .truncate).isComplete)
            #expect(folder.size("test.sqlite-wal") == 0)
            try database.close()
            try folder.expectFiles("test.sqlite")
            expectSQLiteError(.misuse) { _ = try cursor.next() }
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
            expectSQLiteError(.misuse) { _ = try kept.cursor?.next() }
            try database.add(3)
            try #expect(database.checkpoint(mode: .truncate).isComplete)
            try database.close()
        }

        @Test(arguments: DatabaseAccess.allCases)
        func itStaysEndedInALaterAccess(access: DatabaseAccess) throws {
            let database = try openDatabase()
            let old = try access.run(on: database, openCursor)
            try access.run(on: database) { connection in
                let new = try openCursor(on: connection)
                expectSQLiteError(.misuse) { _ = try old.next() }
                old.close()
                #expect(try new.next(as: Int.self) == 2)
            }
        }

        @Test(arguments: PoolAccess.allCases)
        func aPoolsOnlyConnectionIsFreeAgain(access: PoolAccess) throws {
            let fixture = try PoolFixture()
            let pool = fixture.makePool(maximum: 1)
            let cursor = try access(pool, openCursor)
            expectSQLiteError(.misuse) { _ = try cursor.next() }
            try fixture.writer.run("INSERT INTO t VALUES(4)")
            let rows = try access(pool) { try count("t", on: $0) }
            #expect(rows == 4)
            try #expect(fixture.writer.checkpoint(mode: .truncate).isComplete)
        }

        @Test func inMemoryItHoldsNoTable() throws {
            let database = try Database.inMemory()
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2)")
            let cursor = try database.read(openCursor)
            try database.execute("DROP TABLE t")
            expectSQLiteError(.misuse) { _ = try cursor.next() }
        }

        // MARK: Tasks

        @Test func aCursorThatLeftATasksAccessHasEnded() async throws {
            let database = try openDatabase()
            let (reading, writing) = (KeptCursor(), KeptCursor())
            try await database.read { reading.cursor = try openCursor(on: $0) }
            try await database.write { writing.cursor = try openCursor(on: $0) }
            for kept in [reading, writing] {
                expectSQLiteError(.misuse) { _ = try kept.cursor?.next() }
            }
            try await database.execute("DROP TABLE t")
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
            await expectCancelled(task, once: isInside, opening: isCancelled)
            #expect(codes.all == [ResultCode.interrupt])
            try expectRows(2, in: database)
            try await database.execute("DROP TABLE t")
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
            try folder.expectFiles("test.sqlite")
        }
    }
}

/// How a cursor depends on its connection.
struct CursorLifetimeTests {
    private let folder = TemporaryFolder.fresh
    private let path: String
    private let connection: Connection

    init() throws {
        path = folder.path()
        connection = try Connection.withTable(rows: 1, 2, 3, path: path)
    }

    @Test func closingItsConnectionEndsIt() throws {
        let cursors = try (0..<2).map { _ in try openCursor(on: connection) }
        try connection.close()
        for cursor in cursors {
            expectSQLiteError(.misuse) { _ = try cursor.next() }
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
        let uncached = try Connection.open(path) { $0.statementCacheCapacity = 0 }
        let cursor = try openCursor(on: uncached)
        uncached.releaseMemory()
        #expect(try cursor.next(as: Int.self) == 2)
        cursor.close()
        #expect(try preparedSQL(on: uncached) == [])
    }

    /// SQLite goes on with a read if the transaction has changed no schema.
    @Test func afterARollbackItThrowsOrReadsWhatIsStored() throws {
        let cursor = try connection.cursor("SELECT x FROM t")
        connection.undoing {
            try connection.run("UPDATE t SET x = x + 10")
            #expect(try cursor.next(as: Int.self) == 11)
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
    #expect(try cursor.next(as: Int.self) == 1)
    return cursor
}

/// A cursor that closures keep. Only one thread at a time uses it.
private final class KeptCursor: @unchecked Sendable {
    var cursor: Cursor?
}
