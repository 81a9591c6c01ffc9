import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Handlers, authorizers, trace closures and hooks that a closure sets end with its access. Those of
/// the preparations, and of the owner before a queue took the connection, are set again.
struct AccessCallbackTests {
    private let folder = TemporaryFolder.fresh

    /// A database whose one reader serves all reads.
    private func open() throws -> Database {
        let database = try folder.openWithTable { $0.maximumReaderCount = 1 }
        try database.run("INSERT INTO t VALUES(1)")
        return database
    }

    // MARK: In every access

    @Test(arguments: DatabaseAccess.allCases)
    func anAuthorizerEndsWithItsAccess(access: DatabaseAccess) throws {
        let database = try open()
        for _ in 0..<2 {
            let found: Int = try access.run(on: database) { connection in
                try connection.authorizer(Connection.readOnlyAuthorizer)
                expectSQLiteError(.authorization) {
                    try connection.execute("PRAGMA user_version = 7")
                }
                expectSQLiteError(.authorization) { try connection.savepoint {} }
                return try connection.query("SELECT x FROM t")
            }
            #expect(found == 1)
        }
        try access.run(on: database) { connection in
            try connection.execute("PRAGMA foreign_keys = ON")
            try connection.savepoint {}
        }
    }

    @Test(arguments: DatabaseAccess.allCases)
    func aProgressHandlerEndsWithItsAccess(access: DatabaseAccess) throws {
        let database = try open()
        let query = numbers(to: 10_000, selecting: "count(*)")
        try access.run(on: database) { connection in
            connection.progressHandler(every: 10) { true }
            expectSQLiteError(.interrupt) { try connection.run(query) }
        }
        let count: Int = try access.run(on: database) { try $0.query(query) }
        #expect(count == 10_000)
    }

    @Test(arguments: DatabaseAccess.own)
    func aTraceEndsWithItsAccess(access: DatabaseAccess) throws {
        let database = try open()
        let notes = Notes<String>()
        try access.run(on: database) { connection in
            connection.traceEvent { notes.note("event: \($0)") }
            connection.trace { notes.note("trace: \($0)") }
            try connection.run("SELECT 1")
        }
        let inside = notes.take()
        #expect(inside.first == "trace: SELECT 1")
        // The access's own end is part of it.
        #expect(inside.contains("trace: COMMIT") == (access == .read || access == .write))
        _ = try access.run(on: database) { try $0.run("SELECT 2") }
        #expect(notes.all == [])
    }

    @Test func aClosureThatThrowsLeavesNoCallbackBehind() throws {
        let database = try open()
        for access in [DatabaseAccess.read, .write, .writeWithoutTransaction] {
            expectThrows(TestError.self) {
                try access.run(on: database) { connection in
                    try connection.authorizer { _, _, _, _, _ in .deny }
                    connection.progressHandler(every: 1) { true }
                    throw TestError()
                }
            }
            let found: Int = try access.run(on: database) { try $0.query("SELECT x FROM t") }
            #expect(found == 1)
        }
    }

    @Test func anAwaitedAccessLeavesNoCallbackBehind() async throws {
        let database = try open()
        for _ in 0..<2 {
            let found: Int = try await database.read { connection in
                try connection.authorizer(Connection.readOnlyAuthorizer)
                connection.progressHandler(every: 1_000_000) { false }
                return try connection.query("SELECT x FROM t")
            }
            #expect(found == 1)
            try await database.write { connection in
                try connection.run("UPDATE t SET x = 1")
                try connection.authorizer { _, _, _, _, _ in .deny }
            }
        }
    }

    @Test func aSnapshotsClosureLeavesNoCallbackBehind() throws {
        let database = try open()
        let snapshot = try database.snapshot()
        try snapshot.read { try $0.authorizer { _, _, _, _, _ in .deny } }
        #expect(try snapshot.read { try $0.query("SELECT x FROM t") } == 1)
        try snapshot.close()
    }

    // MARK: What the end of the access still calls

    @Test func hooksLastUntilTheTransactionOfTheirAccessHasEnded() throws {
        let database = try open()
        let notes = Notes<String>()
        func hook(_ connection: Connection) throws {
            connection.updateHook { _, _, _, _ in notes.note("update") }
            connection.commitHook {
                notes.note("commit")
                return false
            }
            connection.rollbackHook { notes.note("rollback") }
            try connection.run("INSERT INTO t VALUES(2)")
        }
        try database.write(hook)
        #expect(notes.take() == ["update", "commit"])
        expectThrows(TestError.self) {
            try database.write { connection in
                try hook(connection)
                throw TestError()
            }
        }
        #expect(notes.take() == ["update", "rollback"])
        try database.run("INSERT INTO t VALUES(3)")
        expectThrows(TestError.self) {
            try database.write { connection in
                try connection.run("INSERT INTO t VALUES(4)")
                throw TestError()
            }
        }
        #expect(notes.all == [])
    }

    @Test func aHandlerThatInterruptsDoesNotStopTheCommit() throws {
        let database = try open()
        try database.write { connection in
            try connection.run("INSERT INTO t VALUES(2)")
            connection.progressHandler(every: 1) { true }
        }
        try expectRows(2, in: database)
    }

    // MARK: What stays

    @Test func theCallbacksOfAPreparationAreSetAgain() throws {
        let notes = SharedNotes<String>()
        let database = try open()
        database.prepareConnections { connection in
            try connection.authorizer { action, _, _, _, _ in action == .attach ? .deny : .ok }
            connection.progressHandler(every: 10) {
                notes.note("progress")
                return false
            }
            connection.trace { _ in notes.note("trace") }
            connection.updateHook { _, _, _, _ in notes.note("update") }
            connection.commitHook {
                notes.note("commit")
                return false
            }
            connection.rollbackHook { notes.note("rollback") }
        }
        func expectCallbacks(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let before = notes.all.count
            try database.write { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                try connection.run(numbers(to: 1000))
                let attach = sqliteError { try connection.run("ATTACH ':memory:' AS m") }
                #expect(attach?.resultCode == .authorization, sourceLocation: sourceLocation)
            }
            expectThrows(TestError.self) {
                try database.write { connection in
                    try connection.run("INSERT INTO t VALUES(2)")
                    throw TestError()
                }
            }
            let heard = Set(notes.all.dropFirst(before))
            #expect(
                heard == ["progress", "trace", "update", "commit", "rollback"],
                sourceLocation: sourceLocation
            )
        }
        try expectCallbacks()
        for isNil in [true, false] {
            try database.write { connection in
                try connection.authorizer(isNil ? nil : { _, _, _, _, _ in .ok })
                connection.progressHandler(isNil ? nil : { false })
                connection.trace(isNil ? nil : { _ in })
                connection.updateHook(isNil ? nil : { _, _, _, _ in })
                connection.commitHook(isNil ? nil : { false })
                connection.rollbackHook(isNil ? nil : {})
                // A second time, which doesn't count.
                connection.progressHandler { false }
                try connection.run("ATTACH ':memory:' AS m")
            }
            try expectCallbacks()
            try database.writeWithoutTransaction { connection in
                try connection.authorizer(nil)
                try connection.run("DETACH m")
            }
        }
    }

    @Test func theAuthorizerOfAPreparationIsAskedAboutAListenersStatements() throws {
        let database = try open()
        let codes = SharedNotes<ResultCode?>()
        database.prepareConnections { connection in
            try connection.authorizer { action, _, _, _, _ in action == .delete ? .deny : .ok }
            connection.didCommit { [unowned connection] _ in
                codes.note(sqliteError { try connection.run("DELETE FROM t") }?.resultCode)
            }
        }
        for setsAHandler in [false, true] {
            try database.write { connection in
                if setsAHandler {
                    connection.progressHandler { false }
                }
                try connection.run("INSERT INTO t VALUES(2)")
            }
        }
        #expect(codes.all == [.authorization, .authorization])
        try expectRows(3, in: database)
        expectSQLiteError(.authorization) { try database.run("DELETE FROM t") }
    }

    @Test func noAuthorizerIsAskedAboutTheTransactionOfAnAccess() throws {
        let database = try open()
        database.prepareConnections { connection in
            try connection.authorizer { action, _, _, _, _ in
                action == .transaction ? .deny : .ok
            }
        }
        for setsAHandler in [false, true, false] {
            try database.write { connection in
                if setsAHandler {
                    connection.progressHandler { false }
                }
                try connection.run("INSERT INTO t VALUES(2)")
            }
            #expect(try rows(database) >= 2)
            expectSQLiteError(.authorization) {
                try database.writeWithoutTransaction { try $0.transaction {} }
            }
        }
    }

    @Test func readersThatMayOnlyReadServeEverything() throws {
        let database = try folder.openWithTable { configuration in
            configuration.readerConnectionPreparation = { connection in
                try connection.authorizer(Connection.readOnlyAuthorizer)
            }
        }
        try database.run("INSERT INTO t VALUES(1)")
        try expectRows(1, in: database)
        let snapshot = try database.snapshot()
        try expectRows(1, in: snapshot)
        try snapshot.close()
        try database.backup(to: folder.path("copy.sqlite"))
        let copy = try Connection(path: folder.path("copy.sqlite"))
        try expectRows(1, on: copy)
    }

    @Test func noAuthorizerIsAskedAboutWhatABackupAttaches() throws {
        let connection = try folder.connection()
        try connection.addFunction(named: "twice", deterministic: true) { (i: Int) in i * 2 }
        try connection.execute("CREATE TABLE t(x); CREATE INDEX i ON t(twice(x))")
        try connection.run("INSERT INTO t VALUES(1)")
        try connection.authorizer { action, _, _, _, _ in action == .attach ? .deny : .ok }
        let migration = Migration("u", sql: "CREATE TABLE u(x)")
        try connection.migrator([migration])
            .run(backupTo: .onDisk(folder.path("copy.sqlite")))
        expectSQLiteError(.authorization) {
            try connection.attachDatabase(
                from: .onDisk(folder.path("other.sqlite")),
                withName: "o"
            )
        }
    }

    @Test func whatTheOwnerSetBeforeAQueueTookTheConnectionStays() throws {
        let notes = SharedNotes<String>()
        let connection = try Connection.withTable(rows: 1)
        try connection.authorizer { action, _, _, _, _ in action == .attach ? .deny : .ok }
        connection.trace { notes.note($0) }
        let queue = ConnectionQueue(connection: connection)
        try queue.execute { connection in
            try connection.authorizer(nil)
            connection.trace(nil)
            try connection.run("ATTACH ':memory:' AS m")
        }
        #expect(!notes.all.contains { $0.hasPrefix("ATTACH") })
        try queue.execute { connection in
            expectSQLiteError(.authorization) { try connection.run("ATTACH '' AS o") }
            try connection.run("SELECT 1")
        }
        #expect(notes.all.contains("SELECT 1"))
    }

    @Test func aTraceThatIsSetAgainFillsTheValuesInAsBefore() throws {
        let connection = try Connection()
        let notes = SharedNotes<String>()
        connection.traceEvent(mask: Connection.TraceEvent.statementMask) { event in
            guard case .statement(let statement, _) = event else { return }
            notes.note(statement)
        }
        let queue = ConnectionQueue(connection: connection)
        try queue.execute { $0.traceEvent(expandsSQL: false) { _ in } }
        try queue.execute { _ = try $0.run("SELECT ?", 7) }
        #expect(notes.all.last == "SELECT 7")
    }

    @Test func aBusyHandlerEndsWithItsAccessAndATimeoutIsSetAgain() throws {
        let database = try folder.openWithTable { $0.busyTimeout = 0.05 }
        let other = try folder.connection()
        let calls = SharedCount()
        try other.execute("BEGIN IMMEDIATE")
        func write(_ connection: Connection) throws {
            expectSQLiteError(.busy) { try connection.run("INSERT INTO t VALUES(1)") }
        }
        try database.writeWithoutTransaction { connection in
            try connection.busyHandler(
                .custom { count in
                    calls.add(1)
                    return count < 3
                }
            )
            try write(connection)
        }
        #expect(calls.value == 4)
        let start = ContinuousClock.now
        try database.writeWithoutTransaction(write)
        #expect(calls.value == 4)
        #expect(ContinuousClock.now - start >= .milliseconds(45))
        try other.execute("ROLLBACK")
        try database.run("INSERT INTO t VALUES(1)")
    }

    @Test func aTimeoutThatAPragmaSetsStays() throws {
        let database = try folder.openWithTable { $0.busyTimeout = 0 }
        let other = try folder.connection()
        try other.execute("BEGIN IMMEDIATE")
        try database.writeWithoutTransaction { try $0.execute("PRAGMA busy_timeout = 50") }
        let start = ContinuousClock.now
        expectSQLiteError(.busy) { try database.write { _ in } }
        #expect(ContinuousClock.now - start >= .milliseconds(45))
        try other.execute("ROLLBACK")
    }

    @Test func functionsCollationsAndListenersStay() throws {
        let database = try open()
        let notes = SharedNotes<Bool>()
        try database.write { connection in
            try connection.addFunction(named: "twice") { (i: Int) in i * 2 }
            try connection.addCollation(named: "backwards") { $1.compare($0) }
            connection.didCommit { notes.note($0.concerns("t")) }
        }
        let count = notes.all.count
        let found: [Int] = try database.write { connection in
            try connection.run("INSERT INTO t VALUES(2)")
            return try connection.query(
                "SELECT twice(x) FROM t ORDER BY CAST(x AS TEXT) COLLATE backwards"
            )
        }
        #expect(found == [4, 2])
        #expect(notes.all.dropFirst(count) == [true])
    }

    // MARK: The interval of a progress handler

    @Test func aQueueKeepsTheIntervalOfAProgressHandler() throws {
        func calls(_ makeQueue: Bool) throws -> Int {
            let calls = SharedCount()
            let connection = try Connection()
            connection.progressHandler(every: 100_000) {
                calls.add(1)
                return false
            }
            let query = numbers(to: 100_000, selecting: "count(*)")
            if makeQueue {
                try ConnectionQueue(connection: connection).execute { try $0.run(query) }
            } else {
                try connection.run(query)
            }
            return calls.value
        }
        let alone = try calls(false)
        #expect(alone > 0)
        #expect(try calls(true) == alone)
    }
}
