import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What a statement holds while it is stepped, and doesn't afterwards.
struct StatementLockTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection.withTable(rows: 1, 2, 3, path: path)
    }

    // MARK: Locks

    @Test(arguments: [
        "value", "optional", "array", "row", "rows", "dictionary", "closure", "closures",
        "throwing closure",
        "mismatch",
        "step error",
        "run", "bind error",
    ])
    func nothingIsLockedAfterAQuery(kind: String) throws {
        let statement = try connection.prepare("SELECT x FROM t WHERE x >= ?", 1)
        let failing = try connection.prepare(
            "SELECT CASE x WHEN 1 THEN 1 ELSE abs(-9223372036854775808) END FROM t"
        )
        switch kind {
        case "value": let _: Int = try statement.query()
        case "optional": let _: Int? = try statement.query()
        case "array": let _: [Int] = try statement.query()
        case "row": let _: Row? = try statement.query()
        case "rows": let _: [Row] = try statement.query()
        case "dictionary":
            let _: [Int: Int] = try connection.prepare("SELECT x, x FROM t").query()
        case "closure": let _: Int? = try statement.query { try $0.get(0) }
        case "closures": let _: [Int] = try statement.query { try $0.get(0) }
        case "throwing closure":
            expectThrows(TestError.self) { try statement.forEachRow { _ in throw TestError() } }
        case "mismatch":
            expectThrows(ExtractionError.self) { try statement.query() as Data }
        case "step error": expectThrows(SQLiteError.self) { try failing.query() as [Int] }
        case "bind error": expectThrows(SQLiteError.self) { try statement.bind(Double.nan) }
        default: try statement.run()
        }
        #expect(!statement.isBusy)
        // A writer of a rollback journal can't commit while anybody reads.
        let other = try Connection(path: path)
        try other.execute("INSERT INTO t VALUES(4)")
        try other.execute("BEGIN EXCLUSIVE; COMMIT")
    }

    @Test func aRowThatIsHeldLocksNothing() throws {
        let row: Row? = try connection.query("SELECT x FROM t")
        #expect(try canWrite(toFileAt: path))
        #expect(try row?.get(0) == 1)
    }

    @Test func aQueryLocksWhileItRuns() throws {
        try connection.forEachRow("SELECT x FROM t") { _ in
            expectThrows(SQLiteError.self) { try Connection(path: path).execute("BEGIN EXCLUSIVE") }
        }
        #expect(try canWrite(toFileAt: path))
    }

    @Test func theWALIsFreeToStartAgainAfterAQuery() throws {
        try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO t VALUES(4)")
        let other = try Connection(path: path)
        let _: Int = try other.query("SELECT x FROM t")
        let row: Row? = try other.prepare("SELECT x FROM t").query()
        try connection.execute("INSERT INTO t VALUES(5)")

        #expect(try connection.query("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        #expect(row?.columnCount == 1)
    }

    @Test func aReaderSeesTheLatestCommitAgainAndAgain() throws {
        try connection.execute("PRAGMA journal_mode = WAL")
        let reader = try Connection(path: path)
        let statement = try reader.prepare("SELECT count(*) FROM t")
        for expected in 4...6 {
            try connection.execute("INSERT INTO t VALUES(0)")
            #expect(try statement.query() == expected)
        }
    }

    // MARK: A statement that is being stepped

    @Test func itCannotBeUsedFromItsOwnRows() throws {
        let statement = try connection.prepare("SELECT x FROM t WHERE x > ? ORDER BY x", 0)
        var seen: [Int] = []
        try statement.forEachRow { row in
            for error in [
                sqliteError { try statement.run() },
                sqliteError { try statement.bind(1) },
                sqliteError { try statement.bind([1]) },
                sqliteError { try statement.bind(["1": 1]) },
                sqliteError { try statement.query() as Int },
                sqliteError { try statement.query() as [Row] },
                sqliteError { try statement.query { try $0.get(0) } as [Int] },
                sqliteError { try statement.forEachRow { _ in } },
            ] {
                expect(error, .misuse, sql: statement.sql)
            }
            try seen.append(row.get(0))
        }
        #expect(seen == [1, 2, 3])
        #expect(try statement.bind(1).query() == [2, 3])
    }

    @Test func itCannotBeUsedFromAFunctionThatItCalls() throws {
        var statement: Statement?
        var errors: [SQLiteError?] = []
        try addCallback("call_back", to: connection) { _ in
            errors.append(sqliteError { try statement?.run() })
            errors.append(sqliteError { try statement?.bind(7) })
            errors.append(sqliteError { try statement?.query() as [Int]? })
        }
        statement = try connection.prepare("SELECT call_back(x) FROM t WHERE x >= ?", 2)
        #expect(try statement?.query() as [Int]? == [2, 3])
        #expect(errors.count == 6)
        #expect(errors.allSatisfy { $0?.resultCode == .misuse })
        statement = nil
    }

    @Test func anotherStatementOfTheSameSQLMayRunInside() throws {
        let sql = "SELECT x FROM t ORDER BY x"
        let outer = try connection.prepare(sql)
        let pairs: [[Int]] = try outer.query { row in
            let inner: [Int] = try connection.prepare(sql).query()
            return [try row.get(0)] + inner
        }
        #expect(pairs == [[1, 1, 2, 3], [2, 1, 2, 3], [3, 1, 2, 3]])
    }

    @Test func theTableMayBeChangedFromItsRows() throws {
        let statement = try connection.prepare("SELECT x FROM t ORDER BY x")
        try statement.forEachRow { row in
            try connection.run("UPDATE t SET x = x + 10 WHERE x = ?", try row.get(0) as Int)
            if try row.get(0) >= 13 {
                throw TestError()
            }
        }
        #expect(try statement.query() == [11, 12, 13])
    }

    // MARK: Changes of the schema

    @Test func aPreparedStatementSeesANewColumn() throws {
        let statement = try connection.prepare("SELECT * FROM t WHERE x = 1")
        let before: Row? = try statement.query()
        #expect(before?.columnNames == ["x"])

        try connection.execute("ALTER TABLE t ADD COLUMN y DEFAULT 'new'")
        let after: Row? = try statement.query()
        #expect(after?.columnNames == ["x", "y"])
        #expect(try after?.get("y") == "new")
        #expect(after?.columnCount == 2)
        #expect(statement.columnNames == ["x", "y"])
        #expect(before?.columnNames == ["x"])
    }

    @Test func aCachedStatementSeesANewColumnFromAnotherConnection() throws {
        let sql = "SELECT * FROM t WHERE x = 1"
        let before: Row? = try connection.query(sql)
        #expect(before?.hasColumn("y") == false)

        try Connection(path: path).execute("ALTER TABLE t ADD COLUMN y DEFAULT 'new'")
        try connection.forEachRow(sql) { row in
            #expect(row.columnCount == 2)
            #expect(row.columnNames == ["x", "y"])
            #expect(row.hasColumn("Y"))
            try #expect(row.get("y") == "new")
        }
    }

    @Test func renamedAndReorderedColumnsAreFoundByTheirNewNames() throws {
        let sql = "SELECT * FROM t ORDER BY 1"
        let statement = try connection.prepare(sql)
        let _: [Int] = try statement.query { try $0.get("x") }
        let _: [Int] = try connection.query(sql, body: { try $0.get("x") })

        try connection.execute(
            "DROP TABLE t; CREATE TABLE t(a, x); INSERT INTO t VALUES('first', 9)"
        )
        let prepared: [Int] = try statement.query { try $0.get("x") }
        let cached: [Int] = try connection.query(sql, body: { try $0.get("x") })
        #expect(prepared == [9] && cached == [9])
        #expect(try statement.query() == "first")
    }

    @Test func aDroppedTableThrowsAndARecreatedOneWorksAgain() throws {
        let sql = "SELECT x FROM t"
        let statement = try connection.prepare(sql)
        let _: [Int] = try statement.query()
        let _: [Int] = try connection.query(sql)
        try connection.execute("DROP TABLE t")
        for _ in 0..<2 {
            expectSQLiteError(message: "no such table: t") { try statement.query() as [Int] }
            expectSQLiteError(message: "no such table: t") { try connection.query(sql) as [Int] }
        }
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(5)")
        let prepared: [Int] = try statement.query()
        let cached: [Int] = try connection.query(sql)
        #expect(prepared == [5] && cached == [5])
    }

    @Test func boundValuesSurviveAChangeOfTheSchema() throws {
        let statement = try connection.prepare("SELECT x FROM t WHERE x >= ? ORDER BY x", 2)
        let _: [Int] = try statement.query()
        try connection.execute("ALTER TABLE t ADD COLUMN y; CREATE INDEX i ON t(x)")
        #expect(try statement.query() == [2, 3])
    }
}
