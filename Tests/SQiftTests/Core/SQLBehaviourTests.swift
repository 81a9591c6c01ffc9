import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What SQL itself promises, seen through the library: nothing on the way changes it.
struct SQLBehaviourTests {
    private let connection: Connection

    init() throws {
        var configuration = Connection.Configuration()
        configuration.foreignKeys = true
        connection = try Connection(storageLocation: .inMemory, configuration: configuration)
        try connection.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT UNIQUE COLLATE NOCASE, n INTEGER DEFAULT 5)"
        )
    }

    private func code(_ sql: SQL) -> ResultCode? {
        sqliteError { try connection.run(sql) }?.extendedResultCode
    }

    private var rows: [String] {
        get throws { try connection.query("SELECT * FROM t ORDER BY id", body: { $0.description }) }
    }

    @Test func theConflictWordsActAsSQLiteSays() throws {
        try connection.run("INSERT INTO t VALUES(1, 'a', 1)")
        try connection.run("INSERT OR REPLACE INTO t VALUES(2, 'A', 2)")
        #expect(try rows == ["[2, 'A', 2]"])
        try connection.run("INSERT OR IGNORE INTO t VALUES(3, 'a', 3)")
        #expect(connection.changes == 0)
        #expect(try rows == ["[2, 'A', 2]"])
        #expect(
            code("INSERT OR FAIL INTO t VALUES(4, 'b', 4), (5, 'a', 5), (6, 'c', 6)")
                == .constraintUnique
        )
        #expect(try rows == ["[2, 'A', 2]", "[4, 'b', 4]"])
        #expect(code("INSERT OR ABORT INTO t VALUES(7, 'd', 7), (8, 'a', 8)") == .constraintUnique)
        #expect(try rows == ["[2, 'A', 2]", "[4, 'b', 4]"])
        try connection.run(
            "INSERT INTO t VALUES(9, 'b', 1) ON CONFLICT(x) DO UPDATE SET n = n + excluded.n"
        )
        #expect(try rows == ["[2, 'A', 2]", "[4, 'b', 5]"])
    }

    @Test(.enabled(if: Capability.strictTables, "this SQLite has no STRICT tables"))
    func typesAreEnforcedInStrictTables() throws {
        try connection.execute("CREATE TABLE strict(x INTEGER) STRICT")
        #expect(code("INSERT INTO strict VALUES('text')") == .constraintDataType)
    }

    @Test func constraintsAreEnforced() throws {
        try connection.execute(
            """
            CREATE TABLE u(a NOT NULL, b CHECK(b > 0), t REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE, PRIMARY KEY(a, b))
            WITHOUT ROWID; INSERT INTO t(id, x) VALUES(1, 'a')
            """
        )
        #expect(code("INSERT INTO u VALUES(NULL, 1, 1)") == .constraintNotNull)
        #expect(code("INSERT INTO u VALUES(1, 0, 1)") == .constraintCheck)
        #expect(code("INSERT INTO u VALUES(1, 1, 99)") == .constraintForeignKey)
        try connection.run("INSERT INTO u VALUES(1, 1, 1)")
        #expect(code("INSERT INTO u VALUES(1, 1, 1)") == .constraintPrimaryKey)
        #expect(code("INSERT INTO t(id) VALUES('text')") == .mismatch)
        try connection.run("UPDATE t SET id = 7")
        #expect(try connection.query("SELECT t FROM u") == 7)
        try connection.run("DELETE FROM t")
        #expect(try count("u", on: connection) == 0)
        try connection.run(
            "CREATE TRIGGER r BEFORE DELETE ON t BEGIN SELECT raise(ABORT, 'veto'); END"
        )
        try connection.run("INSERT INTO t(id) VALUES(1)")
        expectSQLiteError(.constraintTrigger, message: "veto") {
            try connection.run("DELETE FROM t")
        }
    }

    @Test func defaultsAndGeneratedKeysAreUsed() throws {
        try connection.run("INSERT INTO t DEFAULT VALUES")
        #expect(connection.lastInsertRowID == 1)
        try connection.run("INSERT INTO t(id) VALUES(10)")
        try connection.run("INSERT INTO t DEFAULT VALUES")
        #expect(connection.lastInsertRowID == 11)
        #expect(try rows == ["[1, NULL, 5]", "[10, NULL, 5]", "[11, NULL, 5]"])
        #expect(try connection.query("INSERT INTO t(x) VALUES(?) RETURNING id", "a") as Int64 == 12)
    }

    @Test func nullIsComparedByIS() throws {
        try connection.execute("INSERT INTO t(x) VALUES(NULL), ('a')")
        let none: Int = try connection.query("SELECT count(*) FROM t WHERE x = ?", nil)
        let one: Int = try connection.query("SELECT count(*) FROM t WHERE x IS ?", String?.none)
        #expect(none == 0 && one == 1)
        let row: Row? = try connection.query(
            "SELECT count(*), count(x), total(n), sum(n), max(x), avg(n) FROM t WHERE 0"
        )
        #expect(row?.description == "[0, 0, 0.0, NULL, NULL, NULL]")
        #expect(try connection.query("SELECT count(DISTINCT n) FROM t") == 1)
    }

    @Test func theSchemaMayBeCreatedChangedAndDropped() throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS t(other); CREATE INDEX i ON t(n); CREATE INDEX IF NOT EXISTS i ON t(n)"
        )
        expectSQLiteError(message: "table t already exists") {
            try connection.run("CREATE TABLE t(x)")
        }
        try connection.run("INSERT INTO t(x) VALUES('a')")
        expectThrows(SQLiteError.self) {
            try connection.run("ALTER TABLE t ADD COLUMN y DEFAULT (random())")
        }
        try connection.execute(
            "ALTER TABLE t ADD COLUMN y DEFAULT 'new' CHECK(y <> ''); ALTER TABLE t RENAME TO u"
        )
        let new: String = try connection.query("SELECT y FROM u")
        #expect(new == "new")
        #expect(code("UPDATE u SET y = ''") == .constraintCheck)
        try connection.execute(
            "DROP INDEX i; DROP INDEX IF EXISTS i; DROP TABLE u; DROP TABLE IF EXISTS u"
        )
        expectSQLiteError(message: "no such table: u") { try connection.run("DROP TABLE u") }
    }

    @Test func aTemporaryTableIsGoneWithItsConnection() throws {
        let folder = try TemporaryFolder()
        do {
            let one = try Connection(path: folder.path())
            try one.execute("CREATE TEMP TABLE v(x); INSERT INTO v VALUES(1)")
            #expect(try count("v", on: one) == 1)
            let other = try Connection(path: folder.path())
            expectThrows(SQLiteError.self) { try count("v", on: other) }
            try one.close()
        }
        expectThrows(SQLiteError.self) {
            try count("v", on: Connection(path: folder.path()))
        }
    }

    @Test func rowsAreProducedOneByOne() throws {
        var computed = 0
        try addCallback("note", to: connection) { _ in computed += 1 }
        var seen = 0
        expectThrows(TestError.self) {
            try connection.forEachRow(numbers(to: 1_000_000_000, selecting: "note(n)")) { _ in
                seen += 1
                if seen == 3 {
                    throw TestError()
                }
            }
        }
        #expect(computed == 3)
        #expect(try connection.query(numbers(to: 1_000_000_000, selecting: "note(n)")) as Int? == 1)
        #expect(computed == 4)
        let none: Int? = try connection.query("SELECT 1 WHERE 0")
        #expect(none == nil)
    }
}
