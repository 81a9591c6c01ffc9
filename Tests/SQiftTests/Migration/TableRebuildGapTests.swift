import SQift
import SQiftTestSupport
import Testing

/// What uses a column that a rebuild takes away, and isn't noticed: Docs/Migrating.md tells it.
struct TableRebuildGapTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, gone TEXT);
            CREATE TABLE other(x);
            CREATE TABLE log(x);
            INSERT INTO t VALUES(1, 'word')
            """
        )
    }

    private func rebuild() throws {
        try connection.rebuildTable("t", columns: "id INTEGER PRIMARY KEY, more") { old, new in
            try connection.run("INSERT INTO \(new) SELECT id, NULL FROM \(old)")
        }
    }

    @Test(arguments: [
        "UPDATE t SET gone = new.x", "INSERT INTO t(gone) VALUES(new.x)",
    ])
    func aTriggerOfAnotherTableFailsWhenItRuns(body: SQL) throws {
        try connection.execute("CREATE TRIGGER r AFTER INSERT ON other BEGIN \(body); END")
        try rebuild()
        expectSQLiteError(.error, containing: "gone") {
            try connection.run("INSERT INTO other VALUES(1)")
        }
    }

    @Test func aTriggerAfterAnUpdateOfItNeverRunsAgain() throws {
        try connection.execute(
            "CREATE TRIGGER r AFTER UPDATE OF gone ON t BEGIN INSERT INTO log VALUES(1); END"
        )
        try connection.run("UPDATE t SET gone = 'new'")
        try rebuild()
        try connection.run("UPDATE t SET more = 'new', id = 2")
        try expectRows(1, of: "log", on: connection)
    }

    @Test func aViewThatNamesItsColumnsFailsWhenItIsRead() throws {
        try connection.execute("CREATE VIEW v(x, y) AS SELECT * FROM t")
        try connection.rebuildTable("t", columns: "id INTEGER PRIMARY KEY") { old, new in
            try connection.run("INSERT INTO \(new) SELECT id FROM \(old)")
        }
        expectSQLiteError(.error, containing: "expected 2 columns") {
            try connection.execute("SELECT * FROM v")
        }
    }

    @Test(.enabled(if: Capability.fts5, "this SQLite has no FTS5"))
    func aFullTextIndexFailsWhenItIsRead() throws {
        try connection.execute(
            """
            CREATE VIRTUAL TABLE f USING fts5(gone, content = 't', content_rowid = 'id');
            INSERT INTO f(f) VALUES('rebuild')
            """
        )
        try rebuild()
        let found = "SELECT count(*) FROM f WHERE f MATCH 'word'"
        #expect(try connection.query(found) == 1)
        expectSQLiteError { try connection.execute("SELECT * FROM f WHERE f MATCH 'word'") }
    }

    @Test func aViewThatWasWrongBeforeHidesWhatFollows() throws {
        try connection.execute(
            "CREATE VIEW wrong AS SELECT * FROM nowhere; CREATE VIEW v AS SELECT gone FROM t"
        )
        try rebuild()
        expectSQLiteError(.error, containing: "gone") { try connection.execute("SELECT * FROM v") }
    }
}
