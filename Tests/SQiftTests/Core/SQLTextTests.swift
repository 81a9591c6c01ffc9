// `SQLText` finds where a statement begins.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Scripts, and how SQL is cut into statements.
struct SQLTextTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.withTable()
    }

    // MARK: Running

    @Test func whiteSpaceIsWhatSQLiteTakesForIt() throws {
        for space in [" ", "\t", "\n", "\u{C}", "\r"] {
            try connection.execute("\(space)INSERT INTO t VALUES(1);\(space)")
            try connection.run("\(space)INSERT INTO t VALUES(1)\(space);\(space)")
        }
        #expect(try values(on: connection).count == 10)

        for other in ["\u{B}", "\u{A0}", "\u{2028}"] {
            #expect(sqliteError { try connection.execute(other) } != nil)
            #expect(sqliteError { try connection.execute("SELECT 1;\(other)") } != nil)
            #expect(sqliteError { try connection.run("\(other)SELECT 1") } != nil)
            #expect(sqliteError { try connection.run("SELECT 1;\(other)") } != nil)
        }
    }

    @Test func verticalTabBelongsToWhiteSpaceButCannotBeginIt() throws {
        let script = "-- x\n\u{B}; \u{B}INSERT INTO t VALUES(1); \u{B}"
        try connection.execute(script)
        try connection.run(script)
        let code = try connection.withUnsafeHandle { sqlite3_exec($0, script, nil, nil, nil) }
        #expect(code == SQLITE_OK)
        #expect(try values(on: connection).count == 3)
    }

    @Test func everyStatementRunsInOrder() throws {
        try connection.execute(
            """
            INSERT INTO t VALUES(1); INSERT INTO t VALUES(2);
            UPDATE t SET x = x * 10;
            CREATE TABLE u(y); INSERT INTO u SELECT x FROM t;
            PRAGMA user_version = 7;
            BEGIN; INSERT INTO t VALUES(3); COMMIT;
            """
        )
        #expect(try values(on: connection) == [10, 20, 3])
        #expect(try count("u", on: connection) == 2)
        #expect(try connection.query("PRAGMA user_version") == 7)
        #expect(!connection.isInsideTransaction)
    }

    @Test(arguments: [
        "", " \n\t", ";", ";;; ;", "-- only\n-- comments", "/* ; */", "/* not closed",
        "-- x\n/* y */;\n",
    ])
    func nothingToRunIsFine(script: String) throws {
        try connection.execute(script)
        #expect(connection.totalChanges == 0)
    }

    @Test(arguments: [
        "INSERT INTO t VALUES(1);INSERT INTO t VALUES(2)",
        ";; INSERT INTO t VALUES(1);;;INSERT INTO t VALUES(2);;",
        "/* ; */ INSERT INTO t VALUES(1) -- ; x\n; -- '\nINSERT /* \" */ INTO t VALUES(2) /* end",
        "\u{FEFF}INSERT INTO t VALUES(1);\r\n\u{0C}INSERT INTO t VALUES(2);\r\n",
        "INSERT INTO t SELECT 1 WHERE ';' = ';';INSERT INTO t SELECT 2 AS \"a;b\" WHERE '--' <> '/*'",
        "INSERT INTO t VALUES(1);/**/INSERT INTO t VALUES(2)/***/;/*/;*/",
        "INSERT INTO t VALUES(1);\n--\nINSERT INTO t VALUES(2)",
    ])
    func commentsTextsAndSemicolonsAreNoStatements(script: String) throws {
        try connection.execute(script)
        #expect(try values(on: connection) == [1, 2])
    }

    @Test func aTriggerKeepsItsSemicolons() throws {
        try connection.execute(
            """
            CREATE TRIGGER r AFTER INSERT ON t WHEN new.x = 1 BEGIN
                INSERT INTO t VALUES(2); -- ;
                INSERT INTO t VALUES(CASE WHEN new.x THEN 3 END);
            END;
            INSERT INTO t VALUES(1);
            """
        )
        #expect(try values(on: connection) == [1, 2, 3])
    }

    @Test func rowsArePassedOverToTheEnd() throws {
        try connection.execute(
            "SELECT 1; \(numbers(to: 100)); INSERT INTO t VALUES(1), (2) RETURNING x; SELECT x FROM t"
        )
        #expect(try values(on: connection) == [1, 2])
        #expect(try preparedSQL(on: connection).filter { $0.hasPrefix("WITH") } == [])
    }

    @Test func aScriptOfOneMegabyteRuns() throws {
        let line = "INSERT INTO t VALUES(1); -- " + String(repeating: "ü", count: 100) + "\n"
        let script = "BEGIN;" + String(repeating: line, count: 5000) + "COMMIT"
        #expect(script.utf8.count > 1_000_000)
        try connection.execute(script)
        #expect(try count("t", on: connection) == 5000)
    }

    // MARK: Failing

    @Test func itStopsAtTheStatementThatFails() throws {
        try connection.execute("CREATE UNIQUE INDEX i ON t(x)")
        let script =
            "INSERT INTO t VALUES(1); /* ü */ INSERT INTO t VALUES(1); INSERT INTO t VALUES(2)"
        expectSQLiteError(.constraintUnique, sql: script, offset: 34) {
            try connection.execute(script)
        }
        #expect(try values(on: connection) == [1])
    }

    @Test func itStopsAtAStatementThatDoesNotCompile() throws {
        let script =
            "INSERT INTO t VALUES(1); INSERT INTO nowhere VALUES(1); INSERT INTO t VALUES(2)"
        expectSQLiteError(message: "no such table: nowhere", sql: script) {
            try connection.execute(script)
        }
        #expect(try values(on: connection) == [1])
    }

    @Test func aFailureInsideTheScriptsOwnTransactionLeavesItOpen() throws {
        expectThrows(SQLiteError.self) {
            try connection.execute("BEGIN; INSERT INTO t VALUES(1); nonsense; COMMIT")
        }
        #expect(connection.isInsideTransaction)
        try connection.execute("ROLLBACK")
        #expect(try values(on: connection) == [])
    }

    @Test func aFailingScriptInATransactionIsUndone() throws {
        expectThrows(SQLiteError.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES(1); nonsense")
            }
        }
        #expect(try values(on: connection) == [])
    }

    @Test(arguments: [
        "INSERT INTO t VALUES('a", "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1;",
        "SELECT (1", "SELECT",
    ])
    func unfinishedSQLThrows(script: String) {
        expectSQLiteError(.error, sql: script) { try connection.execute(script) }
    }

    @Test(arguments: [
        "SELECT 1 FROM t WHERE x = ?", "INSERT INTO t VALUES(:x)",
        "INSERT INTO t VALUES(0); INSERT INTO t VALUES(@x)",
    ])
    func aParameterThatNobodyCanBindThrows(script: String) throws {
        expectSQLiteError(.misuse) { try connection.execute(script) }
        #expect(try values(on: connection).filter { $0 != 0 } == [])
    }

    @Test func aNULByteIsRefusedBeforeAnythingRuns() throws {
        let script = "INSERT INTO t VALUES(1);\0INSERT INTO t VALUES(2)"
        expectSQLiteError(.misuse, sql: script, offset: 24) { try connection.execute(script) }
        #expect(try values(on: connection) == [])
    }

    @Test func aScriptMayRunFromARowAndARowFromAScript() throws {
        try connection.forEachRow("SELECT 1 UNION SELECT 2") { row in
            try connection.execute("INSERT INTO t VALUES(\(row.get(0) as Int)); SELECT * FROM t;")
        }
        #expect(try values(on: connection) == [1, 2])
    }

    @Test func aStatementSeesWhatTheOneBeforeItMade() throws {
        try connection.execute(
            "CREATE TABLE a(x); ALTER TABLE a ADD COLUMN y; INSERT INTO a(y) VALUES(1); ALTER TABLE a RENAME TO b; SELECT y FROM b"
        )
        #expect(try count("b", on: connection) == 1)
    }

    // MARK: The scanner

    @Test(
        arguments: [
            ("", nil), ("  ;\n", nil), ("-- x", nil), ("-- x\ny", 5), ("/* */x", 5), ("/*/ */x", 6),
            ("/**/x", 4),
            ("- 1", 0),
            ("/ 2", 0), (";;x", 2), ("--\n", nil), ("/*", 0), ("/* ", nil), ("\u{FEFF} x", 4),
            ("\u{0B}", 0), ("\u{0C}", nil),
            ("'--'", 0), ("ü", 0), ("/* -- */ -- /* \n z", 17),
        ] as [(String, Int?)]
    )
    func theFirstTokenIsFound(sql: String, offset: Int?) throws {
        #expect(try SQLText.with(sql) { $0.firstToken(from: 0) } == offset)
    }

    @Test func sqlFromABridgedStringIsRead() throws {
        let sql = NSString(string: "SELECT 'ü日😀'").substring(from: 0) as String
        #expect(try connection.query(sql) == "ü日😀")
        let part = "xxSELECT 42xx".dropFirst(2).dropLast(2)
        #expect(try connection.query(String(part)) == 42)
    }
}
