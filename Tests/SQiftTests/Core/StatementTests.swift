import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct StatementTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(x, y); INSERT INTO t VALUES(1, 'a'), (2, 'b')")
    }

    // MARK: Preparing

    @Test(arguments: [
        "", " ", "\n\t\r\u{0C}", ";", " ; ;", "-- x", "-- x\n", "/* x */", "/**/ -- x\n;",
        "/* not closed",
    ])
    func sqlWithoutAStatementIsRefused(sql: String) {
        for error in [
            sqliteError { try connection.prepare(sql) },
            sqliteError { try Statement(connection: connection, sql: sql) },
            sqliteError { try connection.run(sql) },
            sqliteError { try connection.query(sql) as Int? },
        ] {
            expect(error, .misuse, containing: "no statement", sql: sql)
        }
    }

    @Test(arguments: [
        ("SELECT 1; SELECT 2", 10), ("SELECT 1;SELECT 2", 9),
        ("SELECT 'ü'; /* ; */ DELETE FROM t", 21),
        ("SELECT 1; nonsense", 10), ("SELECT 1; -- x\n SELECT 2;", 16),
        ("SELECT 1; /* -- */ SELECT 2", 19),
        ("SELECT 1;;; ?", 12), ("SELECT 1; 'text'", 10),
        ("INSERT INTO t VALUES(3, 'c'); SELECT 2", 30),
    ])
    func aSecondStatementIsRefused(sql: String, offset: Int) throws {
        for error in [
            sqliteError { try connection.prepare(sql) },
            sqliteError { try connection.run(sql) },
        ] {
            expect(error, .misuse, containing: "second statement", sql: sql, offset: offset)
        }
        #expect(try count("t", on: connection) == 2)
        #expect(try preparedSQL(on: connection).filter { $0 != "SELECT count(*) FROM t" } == [])
    }

    private static let surrounded = [
        "SELECT 1", "SELECT 1;", "SELECT 1 ; ", "SELECT 1;\n\t;;\r\n", "SELECT 1 -- x",
        "SELECT 1; -- x",
        "SELECT 1; -- x\n",
        "SELECT 1; /* x */ -- y\n ; /* z", "-- x\nSELECT 1", "/* x; y */ SELECT 1", "; SELECT 1",
        "SELECT 1; /*/ x */",
        "SELECT 1; /***/",
    ]

    @Test(arguments: surrounded + (Capability.byteOrderMark ? ["\u{FEFF}SELECT 1"] : []))
    func commentsWhiteSpaceAndSemicolonsAroundAStatementAreFine(sql: String) throws {
        let prepared: Int = try connection.prepare(sql).query()
        let queried: Int = try connection.query(sql)
        #expect(prepared == 1 && queried == 1)
    }

    @Test func aTriggersBodyIsPartOfItsStatement() throws {
        try connection.run("CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; SELECT 1; END;")
        try connection.run("INSERT INTO t VALUES(3, 'c')")
        #expect(try count("t", on: connection) == 0)
    }

    @Test func aNULByteInTheSQLIsRefused() {
        expectSQLiteError(.misuse, offset: 8) {
            _ = try connection.prepare("SELECT 1\0; DROP TABLE t")
        }
    }

    @Test func anErrorPointsAtTheBadToken() throws {
        let sql = "SELECT 'ü' , nonsense FROM t"
        let error = expectSQLiteError(message: "no such column: nonsense", sql: sql) {
            try connection.prepare(sql)
        }
        #expect(error?.offset == (Capability.errorOffset ? 14 : nil))
    }

    @Test func sqlOfOneMegabyteIsFine() throws {
        let text = String(repeating: "ü", count: 500_000)
        let sql = "SELECT '\(text)'"
        #expect(try connection.prepare(sql).query() == text)
        #expect(try connection.query(sql) == text)
    }

    @Test func sqlBeyondSQLitesLimitThrows() throws {
        try connection.withUnsafeHandle { _ = sqlite3_limit($0, SQLITE_LIMIT_SQL_LENGTH, 1000) }
        expectSQLiteError(.tooBig) {
            try connection.prepare("SELECT '" + String(repeating: "x", count: 1000) + "'")
        }
        #expect(try connection.query("SELECT 1") == 1)
    }

    @Test func prepareAlwaysMakesANewStatement() throws {
        let one = try connection.prepare("SELECT 1")
        let other = try connection.prepare("SELECT 1")
        #expect(one !== other)
        #expect(try preparedSQL(on: connection) == ["SELECT 1", "SELECT 1"])
    }

    @Test func aReleasedStatementIsFinalized() throws {
        do {
            let statement = try connection.prepare("SELECT 1")
            #expect(try preparedSQL(on: connection) == ["SELECT 1"])
            withExtendedLifetime(statement) {}
        }
        #expect(try preparedSQL(on: connection) == [])
    }

    // MARK: Running

    @Test func aStatementRunsOnlyWhenAsked() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(?, ?)", 3, "c")
        #expect(try count("t", on: connection) == 2)
        try statement.run()
        #expect(connection.changes == 1)
        try statement.bind(4, "d").run().run()
        #expect(try count("t", on: connection) == 5)
    }

    @Test func runGoesThroughAllRows() throws {
        var seen: [String] = []
        try addCallback("note", to: connection) { seen.append($0) }
        try connection.prepare("SELECT note(x) FROM t").run()
        try connection.run("SELECT note(y) FROM t")
        #expect(seen == ["1", "2", "a", "b"])

        try connection.run("INSERT INTO t VALUES(3, 3), (4, 4) RETURNING x")
        #expect(try count("t", on: connection) == 4)
    }

    @Test func itSaysWhetherItOnlyReads() throws {
        #expect(try connection.prepare("SELECT * FROM t").isReadOnly)
        #expect(try connection.prepare("INSERT INTO t VALUES(1, 2)").isReadOnly == false)
        #expect(try connection.prepare("CREATE TABLE u(x)").isReadOnly == false)
    }

    @Test func itIsBusyWhileItIsSteppedOnly() throws {
        let statement = try connection.prepare("SELECT x FROM t")
        #expect(!statement.isBusy)
        var wasBusy: [Bool] = []
        try statement.forEachRow { _ in wasBusy.append(statement.isBusy) }
        #expect(wasBusy == [true, true])
        #expect(!statement.isBusy)

        expectThrows(TestError.self) { try statement.forEachRow { _ in throw TestError() } }
        #expect(!statement.isBusy)
    }

    @Test func itKeepsItsSQLAndExpandsIt() throws {
        let sql = "SELECT ?, :name, @n -- x"
        let statement = try connection.prepare(sql, 1, "it's", nil)
        #expect(statement.sql == sql)
        #expect(statement.expandedSQL == "SELECT 1, 'it''s', NULL -- x")
        #expect(statement.parameterCount == 3)
    }

    @Test func columnNamesAreThereBeforeAndAfterTheFirstStep() throws {
        let statement = try connection.prepare("SELECT x AS \"ü b\", y, 1 + 1, x AS y FROM t")
        let names = ["ü b", "y", "1 + 1", "y"]
        #expect(statement.columnNames == names)
        let row: Row? = try statement.query()
        #expect(row?.columnNames == names)
        #expect(statement.columnNames == names)
        #expect(try connection.prepare("DELETE FROM t").columnNames == [])
    }

    @Test func theHandleGivesTheCAPI() throws {
        let statement = try connection.prepare("SELECT ?1, ?3")
        #expect(try statement.withUnsafeHandle { sqlite3_bind_parameter_count($0) } == 3)
        expectThrows(TestError.self) {
            try statement.withUnsafeHandle { _ in throw TestError() }
        }
    }

    // MARK: After an error

    @Test func aFailedStatementMayBeBoundAndRunAgain() throws {
        try connection.execute("CREATE UNIQUE INDEX i ON t(x)")
        let statement = try connection.prepare("INSERT INTO t VALUES(?, ?)")
        let error = expectSQLiteError(.constraintUnique, sql: "INSERT INTO t VALUES(?, ?)") {
            try statement.bind(1, "again").run()
        }
        #expect(error?.description.contains("again") == false)

        try statement.bind(3, "c").run()
        expectThrows(SQLiteError.self) { try statement.bind([3, "d"]).run() }
        try statement.bind(4, "d").run()
        #expect(try count("t", on: connection) == 4)
    }

    @Test func aFailedStatementMayRunAgainWithTheSameValues() throws {
        try connection.execute("CREATE UNIQUE INDEX i ON t(x)")
        let statement = try connection.prepare("INSERT INTO t VALUES(?, ?)", 1, "new")
        expectThrows(SQLiteError.self) { try statement.run() }
        try connection.run("DELETE FROM t WHERE x = 1")
        try statement.run()
        #expect(try connection.query("SELECT y FROM t WHERE x = 1") == "new")
    }

    @Test func anErrorInTheMiddleOfAResultIsThrown() throws {
        try connection.execute("INSERT INTO t VALUES(-9223372036854775808, 'c'), (4, 'd')")
        var seen: [Int] = []
        let statement = try connection.prepare("SELECT abs(x) FROM t")
        expectSQLiteError(message: "integer overflow") {
            try statement.forEachRow { try seen.append($0.get(0)) }
        }
        #expect(seen == [1, 2])
        #expect(!statement.isBusy)
        expectThrows(SQLiteError.self) { try statement.query() as [Int] }
    }
}
