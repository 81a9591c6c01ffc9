import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct StatementCacheTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func open(capacity: Int) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.statementCacheCapacity = capacity
        return try Connection(configuration: configuration)
    }

    // MARK: What is kept

    @Test func theSameSQLIsPreparedOnce() throws {
        for number in 1...3 {
            #expect(try connection.query("SELECT ?", number) == number)
            try connection.run("SELECT ?", number)
        }
        #expect(try preparedSQL(on: connection) == ["SELECT ?"])
    }

    @Test func withoutACacheEverythingStillWorks() throws {
        let connection = try open(capacity: 0)
        try connection.execute("CREATE TABLE t(x)")
        try connection.transaction {
            for number in 1...3 {
                try connection.run("INSERT INTO t VALUES(?)", number)
            }
        }
        let nested: [[Int]] = try connection.query(
            "SELECT x FROM t",
            body: { _ in try connection.query("SELECT x FROM t") }
        )
        #expect(nested == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
        #expect(try preparedSQL(on: connection) == [])
    }

    /// It was put together for one use, and a statement takes several times its memory.
    @Test func longSQLIsNotKept() throws {
        func sql(_ count: Int) -> SQL {
            "SELECT '\(String(repeating: "x", count: count - 9))'"
        }
        #expect(try (connection.query(sql(16_384)) as String).count == 16_375)
        #expect(try preparedSQL(on: connection).map(\.utf8.count) == [16_384])
        for _ in 0..<2 {
            #expect(try (connection.query(sql(16_385)) as String).count == 16_376)
        }
        #expect(try preparedSQL(on: connection).map(\.utf8.count) == [16_384])
    }

    @Test func preparedAndScriptStatementsAreNotKept() throws {
        try connection.prepare("SELECT 1").run()
        try connection.execute("SELECT 2; SELECT 3")
        #expect(try preparedSQL(on: connection) == [])
    }

    @Test func transactionStatementsAreKept() throws {
        for _ in 0..<2 {
            try connection.transaction(transactionType: .immediate) { try connection.savepoint {} }
        }
        let kept = try preparedSQL(on: connection)
        for word in ["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"] {
            #expect(
                kept.filter { $0.uppercased().hasPrefix(word) }.count == 1,
                "\(word) in \(kept)"
            )
        }
    }

    @Test func sqlThatDoesNotCompileIsNotKept() throws {
        for _ in 0..<2 {
            expectThrows(SQLiteError.self) { try connection.run("SELECT * FROM t") }
        }
        #expect(try preparedSQL(on: connection) == [])
        try connection.execute("CREATE TABLE t(x)")
        try connection.run("SELECT * FROM t")
    }

    // MARK: Borrowing

    @Test func theSameSQLMayRunInsideItselfWithOtherValues() throws {
        try connection.execute(
            "CREATE TABLE tree(id, parent); INSERT INTO tree VALUES(1, 0), (2, 1), (3, 1), (4, 3), (5, 0)"
        )
        func children(of parent: Int) throws -> String {
            let parts: [String] = try connection.query(
                "SELECT id FROM tree WHERE parent = ? ORDER BY id",
                parent,
                body: { row in
                    let id: Int = try row.get(0)
                    return try "\(id)" + children(of: id)
                }
            )
            return parts.isEmpty ? "" : "(" + parts.joined(separator: " ") + ")"
        }
        #expect(try children(of: 0) == "(1(2 3(4)) 5)")
        #expect(try preparedSQL(on: connection).count == 1)
    }

    @Test func aFunctionMayRunTheSQLThatCallsIt() throws {
        var results: [Int] = []
        try addCallback("again", to: connection) { [unowned connection] argument in
            guard argument == "1" else { return }
            let value: Int? = try? connection.query("SELECT again(?)", 2)
            results.append(value ?? -1)
        }
        #expect(try connection.query("SELECT again(?)", 1) == 1)
        #expect(results == [2])
    }

    @Test func canonicallyEquivalentTextsAreDifferentStatements() throws {
        let composed = "SELECT '\u{E9}'"
        let decomposed = "SELECT 'e\u{301}'"
        for _ in 0..<2 {
            for sql in [composed, decomposed, decomposed, composed] {
                let found: String = try connection.query(sql)
                #expect(Array(found.utf8) == Array(sql.utf8.dropFirst(8).dropLast()))
            }
        }
        #expect(try preparedSQL(on: connection).count == 2)
    }

    @Test func canonicallyEquivalentTextsStayApartWhenNested() throws {
        let outer: [Int] = try connection.query("SELECT length('\u{E9}')") { row in
            let inner: Int = try connection.query("SELECT length('e\u{301}')")
            return try row.get(0) * 10 + inner
        }
        #expect(outer == [12])
    }

    // MARK: After errors

    @Test func aStatementThatFailedIsFineTheNextTime() throws {
        try connection.execute("CREATE TABLE t(x UNIQUE)")
        let sql = "INSERT INTO t VALUES(?)"
        try connection.run(sql, 1)
        for _ in 0..<3 {
            expectSQLiteError(.constraintUnique) { try connection.run(sql, 1) }
        }
        try connection.run(sql, 2)
        expectThrows(SQLiteError.self) { try connection.run(sql, Double.nan) }
        expectThrows(SQLiteError.self) { try connection.run(sql) }
        try connection.run(sql, 3)
        #expect(try count("t", on: connection) == 3)
        #expect(try preparedSQL(on: connection).filter { $0 == sql }.count == 1)
    }

    @Test func aQueryWhoseClosureThrewIsFineTheNextTime() throws {
        let sql = numbers(to: 5)
        expectThrows(TestError.self) {
            try connection.forEachRow(sql) { _ in throw TestError() }
        }
        expectThrows(ExtractionError.self) { try connection.query(sql) as [Data] }
        #expect(try connection.query(sql) == [1, 2, 3, 4, 5])
        #expect(try preparedSQL(on: connection) == [sql])
    }

    @Test func valuesDoNotLeakThroughTheCache() throws {
        let sql = "SELECT :a, :b"
        let _: Row? = try connection.query(sql, ["secret", "secret"])
        expectThrows(SQLiteError.self) { try connection.query(sql) as Row? }
        expectThrows(SQLiteError.self) { try connection.query(sql, [1]) as Row? }
        let row: Row? = try connection.query(sql, ["a": nil, "b": nil])
        #expect(row?.description == "[NULL, NULL]")
    }

    @Test func aChangedSchemaIsNoticed() throws {
        let connection = try Connection.withTable(rows: 1)
        let sql = "SELECT * FROM t"
        let _: Row? = try connection.query(sql)
        for (change, names) in [
            ("ALTER TABLE t ADD COLUMN y", ["x", "y"]),
            ("ALTER TABLE t RENAME COLUMN x TO z", ["z", "y"]),
            ("ALTER TABLE t DROP COLUMN y", ["z"]),
        ] {
            try connection.execute(change)
            let row: Row? = try connection.query(sql)
            #expect(row?.columnNames == names)
            #expect(row?.columnCount == names.count)
        }
    }

    @Test func aRolledBackTableIsUnknownAgain() throws {
        for number in 1...2 {
            expectThrows(TestError.self) {
                try connection.transaction {
                    try connection.run("CREATE TABLE t(x)")
                    try connection.run("INSERT INTO t VALUES(?)", number)
                    try #expect(count("t", on: connection) == 1)
                    throw TestError()
                }
            }
            expectSQLiteError(message: "no such table: t") { try count("t", on: connection) }
            expectThrows(SQLiteError.self) { try connection.run("INSERT INTO t VALUES(?)", number) }
        }
        try connection.run("CREATE TABLE t(x)")
        #expect(try count("t", on: connection) == 0)
    }

    @Test func cachedStatementsAreInNobodysWay() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection.withTable(rows: 1, 2, path: folder.path())
        let first: Int? = try connection.query("SELECT x FROM t")
        expectThrows(TestError.self) {
            try connection.forEachRow("SELECT x + 0 FROM t") { _ in throw TestError() }
        }
        let row: Row? = try connection.query("SELECT * FROM t")
        #expect(first == 1 && row?.columnCount == 1)

        try connection.execute("VACUUM")
        #expect(try connection.query("PRAGMA journal_mode = WAL") == "wal")
        #expect(try connection.query("PRAGMA journal_mode = DELETE") == "delete")
        try connection.execute("DROP TABLE t")
    }
}
