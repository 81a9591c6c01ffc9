import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ConnectionCloseTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: Closing

    @Test func closingAgainDoesNothing() throws {
        let connection = try Connection()
        try connection.close()
        try connection.close()
        expectThrows(SQLiteError.self) { try connection.execute("SELECT 1") }
    }

    @Test(arguments: ["handle", "connection", "statement"])
    func closingAfterAnInterruptThatLastsLeavesNoWAL(interrupting: String) throws {
        let path = folder.path()
        let connection = try Connection(path: path)
        try connection.setPersistentWAL(false)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        try connection.run("INSERT INTO t VALUES(1), (2)")

        // An interrupt while a statement runs lasts until the next statement begins.
        try connection.prepare("SELECT x FROM t").withUnsafeHandle { statement in
            #expect(sqlite3_step(statement) == SQLITE_ROW)
            switch interrupting {
            case "handle": connection.interruptHandle.interrupt()
            case "connection": try connection.withUnsafeHandle { sqlite3_interrupt($0) }
            default: sqlite3_interrupt(sqlite3_db_handle(statement))
            }
            sqlite3_reset(statement)
        }
        try connection.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test func closingReleasesTheFile() throws {
        let path = folder.path()
        let connection = try Connection(path: path)
        try connection.setPersistentWAL(false)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))

        try connection.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    }

    @Test func closingDropsTheStatementCache() throws {
        let connection = try Connection()
        for number in 0..<10 {
            let _: Int = try connection.query("SELECT ?", number)
            try connection.run("SELECT \(number)")
        }
        // SQLite refuses to close a connection with statements.
        var statementCount = 0
        try connection.withUnsafeHandle { handle in
            var statement = sqlite3_next_stmt(handle, nil)
            while statement != nil {
                statementCount += 1
                statement = sqlite3_next_stmt(handle, statement)
            }
        }
        #expect(statementCount == 11)
        try connection.close()
        expectSQLiteError(message: "connection is closed") { try connection.run("SELECT 1") }
    }

    @Test func closingRollsBackAnOpenTransaction() throws {
        let path = folder.path()
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t(x); BEGIN; INSERT INTO t VALUES(1)")
        try connection.close()

        let other = try Connection(path: path)
        #expect(try count("t", on: other) == 0)
    }

    @Test func livingStatementsAreNamedAndTheConnectionStaysOpen() throws {
        let connection = try Connection.withTable()
        do {
            let insert = try connection.prepare("INSERT INTO t VALUES(?)")
            let select = try connection.prepare("SELECT x FROM t")

            let error = expectSQLiteError(.busy, containing: "INSERT INTO t VALUES(?)") {
                try connection.close()
            }
            #expect(error?.message.contains("SELECT x FROM t") == true)

            try insert.bind(7).run()
            #expect(try select.query() == 7)
            #expect(try count("t", on: connection) == 1)
        }
        try connection.close()
    }

    @Test func theStatementCacheWorksAfterARefusedClose() throws {
        let connection = try Connection(storageLocation: .inMemory)
        let statement = try connection.prepare("SELECT 1")
        let _: Int = try connection.query("SELECT 2")
        expectThrows(SQLiteError.self) { try connection.close() }

        let two: Int = try connection.query("SELECT 2")
        let again: Int = try connection.query("SELECT 2")
        #expect(two == 2 && again == 2)
        #expect(try preparedSQL(on: connection) == ["SELECT 1", "SELECT 2"])
        withExtendedLifetime(statement) {}
    }

    @Test func aBoundValueIsNotInTheErrorOfClose() throws {
        let connection = try Connection()
        let statement = try connection.prepare("SELECT ?", "secret")
        let error = sqliteError { try connection.close() }
        #expect(error?.description.contains("secret") == false)
        withExtendedLifetime(statement) {}
    }

    @Test func anOpenBlobKeepsTheConnectionOpen() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(x'0011')")
        let blob = try connection.withUnsafeHandle { database in
            var blob: OpaquePointer?
            #expect(sqlite3_blob_open(database, "main", "t", "x", 1, 0, &blob) == SQLITE_OK)
            return blob
        }
        expectSQLiteError(.busy) { try connection.close() }
        #expect(try count("t", on: connection) == 1)

        sqlite3_blob_close(blob)
        try connection.close()
    }

    @Test func aRunningBackupKeepsTheConnectionOpen() throws {
        let source = try Connection()
        let destination = try Connection()
        try source.execute("CREATE TABLE t(x)")
        let backup = try destination.withUnsafeHandle { to in
            try source.withUnsafeHandle { from in sqlite3_backup_init(to, "main", from, "main") }
        }
        let error = expectSQLiteError(.busy) { try source.close() }
        #expect(error?.message.lowercased().contains("backup") == true)

        sqlite3_backup_finish(backup)
        try source.close()
    }

    @Test func closingInsideAQueryIsRefusedAndTheQueryGoesOn() throws {
        let connection = try Connection()
        let sql = numbers(to: 3)
        let found: [Int] = try connection.query(sql) { row in
            expectSQLiteError(containing: "WITH RECURSIVE") { try connection.close() }
            return try row.get(0)
        }
        #expect(found == [1, 2, 3])
        try connection.close()
    }

    @Test func closingInsideATransactionEndsItWithAnError() throws {
        let path = folder.path()
        let connection = try Connection.withTable(path: path)
        expectSQLiteError(.misuse) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                try connection.close()
            }
        }
        let other = try Connection(path: path)
        #expect(try count("t", on: other) == 0)
    }

    // MARK: After the close

    @Test(arguments: [
        "execute", "empty script", "run", "run with values", "prepare", "init", "query", "rows",
        "closure",
        "forEachRow",
        "transaction", "savepoint", "named savepoint", "attach", "attach uri", "detach",
        "dataVersion", "handle",
    ])
    func everyCallThatCanThrowSaysThatTheConnectionIsClosed(call: String) throws {
        let connection = try Connection(storageLocation: .uri("file:x?mode=memory"))
        let _: Int = try connection.query("SELECT 1")
        try connection.close()
        expectSQLiteError(.misuse, message: "connection is closed") {
            switch call {
            case "execute": try connection.execute("SELECT 1")
            case "empty script": try connection.execute("")
            case "run": try connection.run("SELECT 1")
            case "run with values": try connection.run("SELECT ?", 1)
            case "prepare": _ = try connection.prepare("SELECT 1")
            case "init": _ = try Statement(connection: connection, sql: "SELECT 1")
            case "query": let _: Int = try connection.query("SELECT 1")
            case "rows": let _: [Row] = try connection.query("SELECT 1")
            case "closure": let _: Int? = try connection.query("SELECT 1", body: { try $0.get(0) })
            case "forEachRow": try connection.forEachRow("SELECT 1") { _ in }
            case "transaction":
                _ = try connection.transaction { recordCall() }
            case "savepoint":
                _ = try connection.savepoint { recordCall() }
            case "named savepoint":
                _ = try connection.savepoint(named: "a") { recordCall() }
            case "attach": try connection.attachDatabase(from: .inMemory, withName: "a")
            case "attach uri":
                try connection.attachDatabase(from: .uri("file:a?mode=memory"), withName: "a")
            case "detach": try connection.detachDatabase(named: "a")
            case "dataVersion": _ = try connection.dataVersion
            default:
                _ = try connection.withUnsafeHandle { _ in recordCall() }
            }
        }
    }

    @Test func everyOtherMemberAnswersNothing() throws {
        let connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1); BEGIN")
        let interruptHandle = connection.interruptHandle
        try connection.close()

        #expect(connection.fileName == "")
        #expect(connection.readOnly == false)
        #expect(connection.lastInsertRowID == 0)
        #expect(connection.changes == 0)
        #expect(connection.totalChanges == 0)
        #expect(connection.isInsideTransaction == false)
        connection.releaseMemory()
        connection.interrupt()
        interruptHandle.interrupt()
        connection.tableLockPolicy = .poll(1)
    }

    // MARK: The end of the last reference

    @Test func aPreparedStatementKeepsItsConnectionAlive() throws {
        weak var gone: Connection?
        do {
            var connection: Connection? = try Connection()
            gone = connection
            try connection?.execute("CREATE TABLE t(x)")
            let statement = try connection?.prepare("INSERT INTO t VALUES(?) RETURNING x")
            connection = nil

            #expect(gone != nil)
            #expect(try statement?.bind(3).query() as Int? == 3)
        }
        #expect(gone == nil)
    }

    @Test func cachedStatementsDoNotKeepTheirConnectionAlive() throws {
        weak var gone: Connection?
        do {
            let connection = try Connection()
            gone = connection
            let value: Int = try connection.query("SELECT ?", 1)
            try connection.run("SELECT 2")
            try connection.transaction { try connection.run("SELECT 3") }
            #expect(value == 1)
        }
        #expect(gone == nil)
    }

    @Test func detachedRowsDoNotKeepTheirConnectionAlive() throws {
        weak var gone: Connection?
        var row: Row?
        do {
            let connection = try Connection()
            gone = connection
            row = try connection.query("SELECT 'kept' AS a")
        }
        #expect(gone == nil)
        #expect(try row?.get("a") == "kept")
    }

    @Test func theLastReferenceClosesTheFile() throws {
        let path = folder.path()
        do {
            let connection = try Connection(path: path)
            try connection.setPersistentWAL(false)
            try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
            try connection.run("INSERT INTO t VALUES(1)")
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test func aConnectionMayGoBeforeAForeignStatementOfItsHandle() throws {
        var raw: OpaquePointer?
        do {
            let connection = try Connection()
            try connection.withUnsafeHandle { database in
                #expect(sqlite3_prepare_v2(database, "SELECT 42", -1, &raw, nil) == SQLITE_OK)
            }
        }
        #expect(sqlite3_step(raw) == SQLITE_ROW)
        #expect(sqlite3_column_int(raw, 0) == 42)
        #expect(sqlite3_finalize(raw) == SQLITE_OK)
    }

    @Test func theOnlyReferenceMayBeTheOneInACall() throws {
        #expect(try Connection().query("SELECT 1 + ?", 1) == 2)
        let statement = try Connection().prepare("SELECT 3")
        #expect(try statement.query() == 3)
    }
}

/// Closing inside a closure that SQLite calls while it compiles, when no statement is alive that
/// would keep it from that.
struct CloseInCallbackTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection.withTable(path: folder.path())
    }

    private static let uses: [@Sendable (Connection) throws -> Void] = [
        { try $0.execute("CREATE TABLE u(x)") },
        { try $0.attachDatabase(from: .inMemory, withName: "other") },
        { connection in
            _ = try connection.transaction { try connection.run("INSERT INTO t VALUES(1)") }
        },
        { connection in
            _ = try connection.savepoint { try connection.run("INSERT INTO t VALUES(1)") }
        },
        { connection in
            expectThrows(TestError.self) {
                try connection.savepoint {
                    try connection.run("INSERT INTO t VALUES(1)")
                    throw TestError()
                }
            }
        },
        { _ = try $0.prepare("SELECT * FROM t") },
        { _ = try $0.openBlob(table: "t", column: "x", rowID: 1) },
    ]

    private func expectRefusals(_ errors: [SQLiteError?]) throws {
        #expect(!errors.isEmpty)
        for error in errors {
            expect(error, .busy, containing: "can't be closed yet")
        }
        #expect(try count("sqlite_schema", on: connection) > 0)
    }

    @Test(arguments: uses.indices) func itIsRefusedInAnAuthorizer(use: Int) throws {
        try connection.execute("INSERT INTO t VALUES(zeroblob(10))")
        let errors = Notes<SQLiteError?>()
        try connection.authorizer { [unowned connection] _, _, _, _, _ in
            errors.note(sqliteError { try connection.close() })
            return .ok
        }
        // A blob is opened without asking the authorizer.
        try Self.uses[use](connection)
        try connection.run("SELECT 1")
        try connection.authorizer(nil)
        try expectRefusals(errors.all)
        try connection.close()
    }

    @Test func itIsRefusedInAProgressHandler() throws {
        let errors = Notes<SQLiteError?>()
        connection.progressHandler(every: 1) { [unowned connection] in
            errors.note(sqliteError { try connection.close() })
            return false
        }
        try connection.execute("CREATE TABLE u(x); INSERT INTO u VALUES(1)")
        _ = try connection.checkpoint(mode: .passive)
        connection.progressHandler(nil)
        try expectRefusals(errors.all)
    }

    @Test func itIsRefusedInABusyHandler() throws {
        let holder = try Connection(path: folder.path())
        try holder.execute("BEGIN EXCLUSIVE; CREATE TABLE u(x)")
        let other = try Connection(path: folder.path())
        let errors = Notes<SQLiteError?>()
        try other.busyHandler(
            .custom { [unowned other] count in
                errors.note(sqliteError { try other.close() })
                return count < 2
            }
        )
        // SQLite reads the schema to compile it, for which it waits.
        expectSQLiteError(.busy) { try other.prepare("SELECT * FROM t") }
        try holder.execute("COMMIT")
        try expectRefusals(errors.all)
        try other.close()
    }
}
