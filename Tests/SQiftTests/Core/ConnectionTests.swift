import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ConnectionTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    }

    // MARK: What SQLite knows

    @Test func theLastRowIDIsThatOfTheLastInsertedRow() throws {
        #expect(connection.lastInsertRowID == 0)
        try connection.run("INSERT INTO t VALUES(41, 'a')")
        #expect(connection.lastInsertRowID == 41)
        try connection.run("INSERT INTO t(x) VALUES('b')")
        #expect(connection.lastInsertRowID == 42)
        try connection.run("INSERT INTO t VALUES(?, 'c')", Int64.max)
        #expect(connection.lastInsertRowID == .max)
        try connection.run("UPDATE t SET x = 'd'")
        #expect(connection.lastInsertRowID == .max)
    }

    @Test func changesCountTheRowsOfTheLastStatement() throws {
        try connection.run("INSERT INTO t(x) VALUES(1), (2), (3)")
        #expect(connection.changes == 3)
        try connection.run("UPDATE t SET x = 0 WHERE x > 1")
        #expect(connection.changes == 2)
        try connection.run("DELETE FROM t WHERE x = 99")
        #expect(connection.changes == 0)
        try connection.run("DELETE FROM t")
        #expect(connection.changes == 3)
        #expect(connection.totalChanges == 8)
    }

    @Test func totalChangesIncludeTriggersAndChangesDoNot() throws {
        try connection.execute(
            "CREATE TABLE log(x); CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES(1); END"
        )
        try connection.run("INSERT INTO t(x) VALUES(1), (2)")
        #expect(connection.changes == 2)
        #expect(connection.totalChanges == 4)
    }

    @Test func itKnowsWhetherATransactionIsOpen() throws {
        #expect(!connection.isInsideTransaction)
        try connection.execute("BEGIN")
        #expect(connection.isInsideTransaction)
        try connection.execute("COMMIT")
        #expect(!connection.isInsideTransaction)
        try connection.execute("SAVEPOINT a")
        #expect(connection.isInsideTransaction)
        try connection.execute("ROLLBACK TO a")
        #expect(connection.isInsideTransaction)
        try connection.execute("RELEASE a")
        #expect(!connection.isInsideTransaction)
    }

    @Test func theVersionIsThatOfTheLibraryInUse() {
        #expect(Connection.sqliteVersion == String(cString: sqlite3_libversion()))
        #expect(Connection.sqliteVersion.hasPrefix("3."))
    }

    @Test func compileOptionsAreAsked() throws {
        let options: [String] = try connection.query("PRAGMA compile_options")
        for option in options {
            let name = String(option.prefix { $0 != "=" })
            #expect(Connection.hasCompileOption(name), "\(name)")
            #expect(Connection.hasCompileOption("SQLITE_" + name), "\(name)")
        }
        #expect(!Connection.hasCompileOption("ENABLE_TELEPATHY"))
    }

    @Test func threadSafetyIsThatOfTheBuild() {
        #expect(connection.threadSafe == (sqlite3_threadsafe() > 0))
    }

    @Test func releasingMemoryLosesNothing() throws {
        try connection.run("INSERT INTO t(x) VALUES(?)", "kept")
        connection.releaseMemory()
        #expect(try preparedSQL(on: connection) == [])

        let kept: String = try connection.query("SELECT x FROM t")
        #expect(kept == "kept")
    }

    @Test func releasingMemoryInsideAQueryLeavesItRunning() throws {
        let sql = numbers(to: 3)
        var inner: [[Int]] = []
        let found: [Int] = try connection.query(sql) { row in
            connection.releaseMemory()
            inner.append(try connection.query(sql))
            connection.releaseMemory()
            return try row.get(0)
        }
        #expect(found == [1, 2, 3])
        #expect(inner == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    }

    @Test func theHandleGivesTheCAPI() throws {
        let answer = try connection.withUnsafeHandle { database -> Int32 in
            sqlite3_exec(database, "INSERT INTO t(x) VALUES('raw')", nil, nil, nil)
        }
        #expect(answer == SQLITE_OK)
        #expect(try count("t", on: connection) == 1)
        expectThrows(TestError.self) {
            try connection.withUnsafeHandle { _ in throw TestError() }
        }
    }

    // MARK: Errors

    @Test func aFailingStatementSaysWhereAndWhat() {
        expectSQLiteError(.error, message: "near \"SELEC\": syntax error", sql: "SELEC 1") {
            try connection.run("SELEC 1")
        }
    }

    @Test func aFailingStatementOutsideATransactionLeavesNothingBehind() throws {
        expectSQLiteError(.constraintPrimaryKey) {
            try connection.run("INSERT INTO t VALUES(1, 1), (2, 2), (1, 3)")
        }
        #expect(try count("t", on: connection) == 0)
        #expect(!connection.isInsideTransaction)
    }

    @Test func boundValuesAreNeverParsedAsSQL() throws {
        for text in [
            "'); DROP TABLE t; --", "\"", "?1", ":id", "x' OR '1'='1", "/*", "\0'; DROP TABLE t",
        ] {
            try connection.run("INSERT INTO t(x) VALUES(?)", text)
            #expect(
                try connection.query(
                    "SELECT x FROM t WHERE x = :text",
                    ["text": text]
                ) == [text]
            )
        }
    }
}
