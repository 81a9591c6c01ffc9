import Foundation
import SQiftTestSupport
import Testing

import SQift

/// How many rows `run` says that it changed.
struct ChangedRowCountTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE t(x INTEGER PRIMARY KEY, y);
            INSERT INTO t VALUES(1, 'a'), (2, 'b'), (3, 'c')
            """
        )
    }

    @Test func everyFormOfParametersReturnsIt() throws {
        let sql = "UPDATE t SET y = ? WHERE x > ?"
        let named = "UPDATE t SET y = :y WHERE x > $x"
        let array: [(any Bindable)?] = [nil, 1]
        let names: [String: (any Bindable)?] = ["y": nil, "$x": 1]
        let counts = [
            try connection.run("UPDATE t SET y = 'd' WHERE x > 1"),
            try connection.run(sql, "d", 1),
            try connection.run(sql, nil, 1),
            try connection.run(sql, Int?.none, 1),
            try connection.run(sql, array),
            try connection.run(named, names),
            try connection.run(named, parameters: names),
        ]
        #expect(counts == Array(repeating: 2, count: 7))
    }

    @Test func insertsUpdatesAndDeletesAreCounted() throws {
        #expect(try connection.run("INSERT INTO t VALUES(4, 'd')") == 1)
        #expect(try connection.run("INSERT INTO t VALUES(5, 'e'), (6, 'f')") == 2)
        #expect(try connection.run("INSERT INTO t(y) SELECT y FROM t") == 6)
        #expect(try connection.run("INSERT INTO t(y) VALUES(?), (?) RETURNING x", 1, 2) == 2)
        #expect(try connection.run("UPDATE t SET y = y WHERE x <= ?", 5) == 5)
        #expect(try connection.run("DELETE FROM t WHERE x IN (1, 2)") == 2)
        #expect(try count("t", on: connection) == 12)
    }

    @Test func nothingThatMatchesIsZero() throws {
        #expect(try connection.run("INSERT INTO t VALUES(4, 'd')") == 1)
        #expect(try connection.run("UPDATE t SET y = 'x' WHERE x = 99") == 0)
        #expect(try connection.run("DELETE FROM t WHERE x = ?", 99) == 0)
        #expect(try connection.run("INSERT INTO t SELECT * FROM t WHERE 0") == 0)
    }

    @Test func aDeleteWithoutWhereCountsEachRow() throws {
        try connection.execute(
            "CREATE TABLE w(x PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES(1), (2)"
        )
        #expect(try connection.run("DELETE FROM t") == 3)
        #expect(try connection.run("DELETE FROM t") == 0)
        // An older SQLite doesn't count the rows of a table WITHOUT ROWID here.
        #expect([0, 2].contains(try connection.run("DELETE FROM w")))
    }

    @Test func whatReplaceAndUpsertDoIsOneChange() throws {
        try connection.execute("CREATE UNIQUE INDEX i ON t(y)")
        // It replaces two rows.
        #expect(try connection.run("REPLACE INTO t VALUES(1, 'b')") == 1)
        #expect(try count("t", on: connection) == 2)
        let upsert = "INSERT INTO t VALUES(?, ?) ON CONFLICT(x) DO UPDATE SET y = excluded.y"
        #expect(try connection.run(upsert, 1, "new") == 1)
        #expect(try connection.run(upsert, 7, "other") == 1)
        #expect(try connection.run("INSERT INTO t VALUES(1, 'z') ON CONFLICT DO NOTHING") == 0)
        #expect(try connection.run("INSERT OR IGNORE INTO t VALUES(1, 'z'), (8, 'z')") == 1)
    }

    // MARK: What isn't counted

    @Test(
        arguments: """
            CREATE TABLE u(x)
            CREATE TABLE u AS SELECT * FROM t
            CREATE INDEX i ON t(y)
            CREATE VIEW v AS SELECT 1
            CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END
            ALTER TABLE t ADD COLUMN z DEFAULT 1
            ALTER TABLE t RENAME COLUMN y TO z
            ALTER TABLE t RENAME TO u
            DROP TABLE t
            REINDEX
            ANALYZE
            VACUUM
            BEGIN
            SAVEPOINT s
            PRAGMA user_version = 7
            PRAGMA user_version
            PRAGMA foreign_keys = ON
            SELECT * FROM t
            VALUES(1), (2)
            SELECT changes()
            EXPLAIN DELETE FROM t
            EXPLAIN QUERY PLAN DELETE FROM t
            """.cases
    )
    func anyOtherStatementIsZeroAfterAnInsert(sql: SQL) throws {
        #expect(try connection.run("INSERT INTO t VALUES(4, 'd'), (5, 'e')") == 2)
        #expect(try connection.run(sql) == 0)
    }

    /// If foreign keys are enforced, SQLite deletes a parent's rows first. These count.
    /// https://sqlite.org/foreignkeys.html#fk_schemacommands
    @Test func aDropThatDeletesRowsCountsThem() throws {
        let rowCount = try count("t", on: connection)
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE children(t REFERENCES t ON DELETE CASCADE);
            INSERT INTO children VALUES(1), (1), (2)
            """
        )
        #expect(try connection.run("DROP TABLE t") == rowCount)
        #expect(try count("children", on: connection) == 0)
    }

    @Test func whatTriggersChangeIsNotCounted() throws {
        try connection.execute(
            """
            CREATE TABLE log(x);
            CREATE TRIGGER r AFTER UPDATE ON t BEGIN INSERT INTO log VALUES(1), (2); END;
            CREATE VIEW v AS SELECT * FROM t;
            CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES(new.x, new.y); END
            """
        )
        #expect(try connection.run("UPDATE t SET y = 'x' WHERE x < 3") == 2)
        #expect(try count("log", on: connection) == 4)
        #expect(try connection.run("INSERT INTO v VALUES(9, 'i')") == 0)
        #expect(try count("t", on: connection) == 4)
    }

    @Test func whatForeignKeysDeleteIsNotCounted() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE children(t REFERENCES t ON DELETE CASCADE);
            INSERT INTO children VALUES(1), (1), (2)
            """
        )
        #expect(try connection.run("DELETE FROM t WHERE x = 1") == 1)
        #expect(try count("children", on: connection) == 1)
        #expect(try connection.run("DELETE FROM t") == 2)
    }

    @Test func whatAFunctionInsertsIsNotTheQuerys() throws {
        try addCallback("insert_it", to: connection) { [unowned connection] _ in
            _ = try? connection.run("INSERT INTO t(y) VALUES('f'), ('g')")
        }
        #expect(try connection.run("SELECT insert_it(1)") == 0)
        #expect(try count("t", on: connection) == 5)
        #expect(try connection.run("UPDATE t SET y = insert_it(y) WHERE x = 1") == 1)
        #expect(try count("t", on: connection) == 7)
    }

    @Test func aStatementThatFailsChangesNothing() throws {
        try connection.run("INSERT INTO t VALUES(4, 'd')")
        expectSQLiteError(.constraint) {
            try connection.run("INSERT INTO t VALUES(5, 'e'), (1, 'x')")
        }
        #expect(try connection.run("DELETE FROM t WHERE x = 5") == 0)
    }
}
