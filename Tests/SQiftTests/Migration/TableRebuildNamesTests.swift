import SQift
import SQiftTestSupport
import Testing

// A rebuild that drops a column which something else names. In double quotation marks, SQLite would
// take the name for a text, in silence.
struct TableRebuildNamesTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, gone INTEGER DEFAULT 0);
            CREATE TABLE log(x);
            INSERT INTO t VALUES(1, 'one', 0), (2, 'two', 0)
            """
        )
    }

    private func dropColumn(columns: SQL = "id INTEGER PRIMARY KEY, a TEXT") throws {
        try connection.rebuildTable("t", columns: columns) { old, new in
            try connection.run("INSERT INTO \(new) SELECT id, a FROM \(old)")
        }
    }

    /// Expects that double quotation marks may enclose a text, as before.
    private func expectTextInDoubleQuotes() throws {
        #expect(try connection.query("SELECT \"text\"") == "text")
        try connection.execute("CREATE TEMP TABLE d(x CHECK(x <> \"text\")); DROP TABLE temp.d")
    }

    // MARK: What names the column

    @Test(arguments: [
        "UNIQUE INDEX i ON t(a) WHERE \"gone\" = 0", "INDEX i ON t(a) WHERE gone = 0",
        "INDEX i ON t(lower(\"gone\"))", "INDEX i ON t(a || \"gone\", id)",
        "INDEX i ON t(\"gone\")", "INDEX i ON t('gone')", "INDEX i ON t(a, \"gone\" DESC)",
        "INDEX i ON t([gone])",
    ])
    func anIndexKeepsTheTable(index: SQL) throws {
        try connection.execute("CREATE \(index)")
        let error = try expectNoRebuild(connection, .error) { try dropColumn() }
        #expect(error?.description.contains("gone") == true)
        try connection.execute("DROP INDEX i")
        try dropColumn()
        #expect(try connection.columns(in: "t").map(\.name) == ["id", "a"])
    }

    @Test(arguments: [
        "VIEW v AS SELECT a FROM t WHERE \"gone\" = 0", "VIEW v AS SELECT a FROM t WHERE gone = 0",
        "VIEW v AS SELECT \"gone\" FROM t", "VIEW v AS SELECT t.\"gone\" FROM t",
        "VIEW v AS SELECT (SELECT max(\"gone\") FROM t) FROM log",
        "TRIGGER v AFTER INSERT ON t BEGIN INSERT INTO log SELECT \"gone\" FROM t; END",
        "TRIGGER v AFTER INSERT ON t BEGIN INSERT INTO log SELECT gone FROM t; END",
        "TRIGGER v AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.\"gone\"); END",
        "TRIGGER v AFTER UPDATE ON t WHEN old.gone BEGIN DELETE FROM log; END",
        "TRIGGER v AFTER INSERT ON log BEGIN UPDATE t SET a = 1 WHERE \"gone\" = 0; END",
        "TEMP VIEW v AS SELECT a FROM main.t WHERE \"gone\" = 0",
    ])
    func aViewOrATriggerKeepsTheTable(dependent: SQL) throws {
        try connection.execute("CREATE \(dependent)")
        let error = try expectNoRebuild(connection, .error) { try dropColumn() }
        #expect(error?.message.contains("gone") == true)
        #expect(error?.message.contains("sqift") == false)
        try connection.execute("DROP \(dependent.contains("TRIGGER v") ? "TRIGGER" : "VIEW") v")
        try dropColumn()
        #expect(try connection.columns(in: "t").map(\.name) == ["id", "a"])
    }

    @Test(arguments: [
        "id INTEGER PRIMARY KEY, a TEXT, CHECK(\"gone\" >= 0)",
        "id INTEGER PRIMARY KEY, a TEXT, CHECK(gone >= 0)",
        "id INTEGER PRIMARY KEY, a TEXT CHECK(a <> \"text\")",
        "id INTEGER PRIMARY KEY, a TEXT, b AS (\"gone\" || a)",
    ])
    func aCheckOrAGeneratedColumnKeepsTheTable(columns: SQL) throws {
        try expectNoRebuild(connection, .error) { try dropColumn(columns: columns) }
        try expectTextIfPossible()
    }

    private func expectTextIfPossible() throws {
        if Capability.textInDoubleQuotes {
            try expectTextInDoubleQuotes()
        }
    }

    @Test func whatNamesOtherColumnsStays() throws {
        try connection.execute(
            """
            CREATE INDEX i ON t("a") WHERE "id" > 0;
            CREATE INDEX j ON t(lower("a") || 'gone');
            CREATE VIEW v AS SELECT "a", 'gone' AS "text" FROM "t" WHERE "id" > 0 ORDER BY "text";
            CREATE TRIGGER r AFTER INSERT ON "t" WHEN new."a" NOTNULL BEGIN
                INSERT INTO log SELECT "a" FROM "t" AS "u" WHERE "u"."id" = new."id";
            END
            """
        )
        let names = "SELECT name FROM sqlite_schema ORDER BY name"
        let before: [String] = try connection.query(names)
        try dropColumn(columns: "\"id\" INTEGER PRIMARY KEY, \"a\" TEXT CHECK(\"a\" <> '')")
        #expect(try connection.query(names) == before)
        try connection.run("INSERT INTO t VALUES(3, 'three')")
        #expect(try connection.query("SELECT x FROM log") == "three")
        try expectSound(connection)
    }

    // MARK: Texts

    /// What was a text before is one afterwards. SQLite then can't tell what became one.
    @Test(.enabled(if: Capability.textInDoubleQuotes, "this SQLite has no text in double quotes"))
    func aTextInDoubleQuotesElsewhereDoesNotMatter() throws {
        try connection.execute(
            """
            CREATE VIEW v AS SELECT a FROM t WHERE a <> "text";
            CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES("text"); END;
            CREATE TABLE other(x CHECK(x <> "text"));
            CREATE INDEX i ON other(x) WHERE x <> "text"
            """
        )
        let before: [String] = try connection.query("SELECT name FROM sqlite_schema ORDER BY name")
        try dropColumn()
        #expect(try connection.query("SELECT name FROM sqlite_schema ORDER BY name") == before)
        try connection.run("INSERT INTO t VALUES(3, 'three')")
        #expect(try connection.query("SELECT x FROM log") == "text")
    }

    @Test(.enabled(if: Capability.textInDoubleQuotes, "this SQLite has no text in double quotes"))
    func aTextInDoubleQuotesInItsOwnIndexIsRefusedWithTheIndex() throws {
        try connection.execute("CREATE INDEX i ON t(a) WHERE a <> \"text\"")
        let error = try expectNoRebuild(connection, .error) { try dropColumn() }
        #expect(error?.message.contains("text") == true)
        #expect(error?.sql?.contains("CREATE INDEX i") == true)
        try expectTextInDoubleQuotes()

        try connection.execute("DROP INDEX i")
        try dropColumn()
        try connection.execute("CREATE INDEX i ON t(a) WHERE a <> 'text'")
        try dropColumn()
        #expect(try connection.indexes(on: "t").map(\.name) == ["i"])
    }

    @Test(.enabled(if: Capability.textInDoubleQuotes, "this SQLite has no text in double quotes"))
    func afterwardsDoubleQuotesMeanWhatTheyDidBefore() throws {
        try dropColumn()
        try expectTextInDoubleQuotes()

        try connection.execute("CREATE INDEX i ON t(a)")
        try expectNoRebuild(connection, .error) {
            try connection.rebuildTable("t", columns: "id INTEGER PRIMARY KEY") { old, new in
                // In the closure too.
                try expectTextInDoubleQuotes()
                try connection.run("INSERT INTO \(new) SELECT id FROM \(old)")
            }
        }
        try expectTextInDoubleQuotes()
    }

    @Test func aHardenedConnectionStaysHardened() throws {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        let hardened = try Connection(storageLocation: .inMemory, configuration: configuration)
        try hardened.execute("PRAGMA foreign_keys = OFF; CREATE TABLE t(a)")
        try hardened.rebuildTable("t", columns: "a TEXT", copying: copyAll(on: hardened))
        expectSQLiteError { let _: String = try hardened.query("SELECT \"text\"") }
    }

    // MARK: What isn't a table

    @Test(.enabled(if: Capability.fts5, "this SQLite has no full-text search"))
    func aVirtualTableIsRefused() throws {
        try connection.execute("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('word')")
        for name in ["f", "F"] {
            expectSQLiteError(.misuse, containing: "virtual") {
                try connection.rebuildTable(name, columns: "x", copying: copyAll(on: connection))
            }
        }
        #expect(try connection.query("SELECT x FROM f WHERE f MATCH 'word'") == "word")
    }
}
