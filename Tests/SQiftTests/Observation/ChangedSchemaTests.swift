// Only the library makes `TableChanges`.
import SQiftTestSupport
import Testing

@testable import SQift

/// Changes of the schema, and statements that change neither it nor a table.
struct ChangedSchemaTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection
    private let heard: Notes<TableChanges>

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            """
            PRAGMA synchronous = OFF;
            CREATE TABLE t(a, b);
            CREATE INDEX i ON t(a);
            CREATE VIEW v AS SELECT a FROM t;
            CREATE TABLE log(x);
            CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.a); END;
            CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
            INSERT INTO t VALUES(1, 2), (3, 4);
            INSERT INTO w VALUES(1, 2);
            ANALYZE
            """
        )
        heard = connection.hearChanges()
    }

    // MARK: The schema

    static let statements = [
        "CREATE TABLE new(x)",
        "CREATE TABLE new(k PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE new AS SELECT * FROM t",
        "CREATE INDEX new ON t(b)",
        "CREATE UNIQUE INDEX new ON t(b) WHERE b > 0",
        "CREATE VIEW new AS SELECT b FROM t",
        "CREATE TRIGGER new AFTER DELETE ON t BEGIN DELETE FROM log; END",
        "ALTER TABLE t RENAME TO new",
        "ALTER TABLE t RENAME COLUMN b TO new",
        "ALTER TABLE t ADD COLUMN new DEFAULT 5",
        "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE w DROP COLUMN v",
        "DROP TABLE t",
        "DROP TABLE w",
        "DROP INDEX i",
        "DROP VIEW v",
        "DROP TRIGGER tr",
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE IF NOT EXISTS new(x)",
    ]

    @Test(arguments: statements)
    func aChangeOfTheSchemaIsReportedAndConcernsEveryTable(sql: String) throws {
        try connection.run(sql)
        try expectSchemaChange()
    }

    @Test(arguments: statements)
    func soIsOneInATransaction(sql: String) throws {
        try connection.transaction { try connection.run(sql) }
        try expectSchemaChange()
    }

    @Test(arguments: statements)
    func soIsOneThatWasPreparedBefore(sql: String) throws {
        let other = try folder.connection()
        let statement = try other.prepare(sql)
        let heard = other.hearChanges()
        try statement.run()
        let changes = try #require(heard.all.first)
        #expect(changes.schemaChanged)
    }

    @Test(arguments: statements)
    func oneThatIsUndoneIsNotReported(sql: String) throws {
        try connection.transaction {
            connection.undoingSavepoint {
                try connection.run(sql)
            }
        }
        heard.expect()
        connection.undoing {
            try connection.run(sql)
        }
        heard.expect()
    }

    private func expectSchemaChange(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let all = heard.take()
        try #require(all.count == 1, sourceLocation: sourceLocation)
        let changes = all[0]
        #expect(changes.schemaChanged, sourceLocation: sourceLocation)
        #expect(!changes.includesAllTables && !changes.isExternal, sourceLocation: sourceLocation)
        let possible: Set = ["t", "w", "v", "new"]
        #expect(changes.tables.isSubset(of: possible), sourceLocation: sourceLocation)
        #expect(changes.concerns("t") && changes.concerns("log"), sourceLocation: sourceLocation)
    }

    @Test func rowsOfATableThatIsCreatedFromAQueryAreWritten() throws {
        try connection.run("CREATE TABLE new AS SELECT * FROM t")
        #expect(heard.all.first?.tables.contains("new") == true)
    }

    @Test func tablesAreReportedWithTheNamesThatTheyHaveWhenTheyAreWritten() throws {
        try connection.run("ALTER TABLE t RENAME TO renamed")
        _ = heard.take()
        try connection.run("INSERT INTO renamed VALUES(5, 6)")
        heard.expect(.commit("renamed", "log"))

        try connection.run("DROP TABLE log")
        try connection.run("CREATE TABLE Log(k PRIMARY KEY) WITHOUT ROWID")
        _ = heard.take()
        try connection.run("INSERT INTO renamed VALUES(5, 6)")
        heard.expect(.commit("renamed", "Log"))
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5")))
    func virtualTablesAreCreatedAndDropped() throws {
        for sql in ["CREATE VIRTUAL TABLE new USING fts5(x)", "DROP TABLE new"] {
            try connection.run(sql)
            try expectSchemaChange()
        }
    }

    // MARK: All tables

    @Test(arguments: ["VACUUM", "VACUUM main"])
    func vacuumConcernsEveryTable(sql: String) throws {
        try connection.run(sql)
        #expect(heard.all.count == 1)
        guard let changes = heard.all.first else { return recordCall() }
        #expect(changes.includesAllTables)
        #expect(!changes.isExternal)
        #expect(changes.concerns("anything"))
    }

    @Test func aVacuumThatFailsIsNotReported() throws {
        expectSQLiteError { try connection.transaction { try connection.run("VACUUM") } }
        heard.expect()
    }

    @Test func afterAVacuumChangesAreReportedAsBefore() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(5, 6)")
        try connection.run("VACUUM")
        _ = heard.take()
        try statement.run()
        try connection.run("INSERT INTO w VALUES(5, 6)")
        heard.expect(.commit("t", "log"), .commit("w"))
    }

    @Test func aVacuumOfAnAttachedDatabaseConcernsEveryTable() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other")), withName: "other")
        try connection.execute("CREATE TABLE other.o(x)")
        _ = heard.take()
        try connection.run("VACUUM other")
        #expect(heard.all.map(\.includesAllTables) == [true])
    }

    @Test(arguments: ["PRAGMA user_version = 7", "PRAGMA main.application_id = 7"])
    func aNumberInTheHeaderConcernsEveryTable(sql: String) throws {
        try connection.run(sql)
        #expect(heard.take().map(\.includesAllTables) == [true])
        try connection.transaction { try connection.run(sql) }
        #expect(heard.take().map(\.includesAllTables) == [true])
        connection.undoing {
            try connection.run(sql)
        }
        heard.expect()
    }

    @Test(arguments: [
        "UPDATE sqlite_master SET sql = replace(sql, 'b)', 'c)') WHERE name = 't'",
        "DELETE FROM sqlite_master WHERE name = 'tr'",
        "PRAGMA schema_version = 1000",
    ])
    func aSchemaThatIsWrittenByHandIsReported(sql: String) throws {
        try connection.execute("PRAGMA writable_schema = ON")
        try connection.run(sql)
        #expect(heard.take().map(\.schemaChanged) == [true])
    }

    @Test func aListenerThatBeginsAfterAChangeOfTheSchemaHearsOfIt() throws {
        let other = try folder.connection()
        try other.execute("BEGIN; CREATE TABLE late(x)")
        let heard = other.hearChanges()
        try other.execute("COMMIT")
        #expect(heard.all.map(\.schemaChanged) == [true])
    }

    // MARK: Nothing

    static let nothing = [
        "CREATE TABLE IF NOT EXISTS t(a)",
        "CREATE TABLE IF NOT EXISTS t AS SELECT 1",
        "CREATE INDEX IF NOT EXISTS i ON t(a)",
        "CREATE VIEW IF NOT EXISTS v AS SELECT 1",
        "CREATE TRIGGER IF NOT EXISTS tr AFTER INSERT ON t BEGIN SELECT 1; END",
        "DROP TABLE IF EXISTS missing",
        "DROP INDEX IF EXISTS missing",
        "DROP VIEW IF EXISTS missing",
        "DROP TRIGGER IF EXISTS missing",
        "ANALYZE",
        "ANALYZE t",
        "REINDEX",
        "REINDEX t",
        "PRAGMA user_version",
        "PRAGMA schema_version",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA cache_size = 100",
        "PRAGMA journal_mode = WAL",
        "PRAGMA journal_mode = TRUNCATE",
        "PRAGMA wal_checkpoint",
        "PRAGMA incremental_vacuum",
        "PRAGMA optimize",
        "PRAGMA integrity_check",
        "PRAGMA table_info(t)",
        "SELECT 1",
        "BEGIN; COMMIT",
        "BEGIN IMMEDIATE; SELECT * FROM t; COMMIT",
        "SAVEPOINT s; RELEASE s",
        "ATTACH ':memory:' AS aux; DETACH aux",
        "",
    ]

    @Test(arguments: nothing)
    func whatChangesNoTableAndNotTheSchemaIsNotReported(sql: String) throws {
        try connection.execute(sql)
        heard.expect()
    }

    @Test func aVacuumIntoAnotherFileIsNotReported() throws {
        try connection.run("VACUUM INTO ?", folder.path("copy.sqlite"))
        try connection.vacuum(into: .onDisk(folder.path("second.sqlite")))
        heard.expect()
        try connection.run("INSERT INTO log VALUES(1)")
        heard.expect(.commit("log"))
    }
}
