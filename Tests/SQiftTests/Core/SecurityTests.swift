import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct SecurityTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let connection = try Connection(path: folder.path())
        try Self.addFunctions(to: connection)
        try connection.execute(
            """
            PRAGMA synchronous = OFF;
            CREATE TABLE t(x INTEGER, y); INSERT INTO t VALUES(1, 'a'), (2, 'b');
            CREATE VIEW plain AS SELECT upper(y) AS y FROM t;
            CREATE VIEW calling AS SELECT own(x) AS x FROM t;
            CREATE TABLE triggering(x);
            CREATE TRIGGER r AFTER INSERT ON triggering BEGIN SELECT own(new.x); END;
            """
        )
    }

    private static func addFunctions(to connection: Connection) throws {
        try connection.addFunction(named: "own", deterministic: true) { (value: Int) in value + 1 }
    }

    private func open(hardened: Bool) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.hardened = hardened
        let connection = try Connection(path: folder.path(), configuration: configuration)
        try Self.addFunctions(to: connection)
        return connection
    }

    // MARK: Hardened

    /// Double quotes enclose strings elsewhere.
    @Test func aStringInDoubleQuotesIsNamed() throws {
        try open(hardened: false).execute(
            "CREATE VIEW joined AS SELECT y || \"-\" AS y FROM t; CREATE TABLE odd(x)"
        )
        let connection = try open(hardened: true)
        for sql in ["SELECT * FROM joined", "SELECT y || \"|\" FROM t", "SELECT \"word\" FROM t"] {
            let error = expectSQLiteError(.error) { try connection.execute(sql) }
            // A newer SQLite writes it with a hyphen.
            #expect(error?.message.contains(/single[- ]quotes/) == true)
        }
        // What is only misspelt gets no such advice.
        let error = expectSQLiteError(.error) { try connection.execute("SELECT z FROM t") }
        #expect(error?.message.contains("quotes") == false)
    }

    @Test func theSchemaIsNotWritten() throws {
        let write = "UPDATE sqlite_schema SET sql = replace(sql, 'y', 'z') WHERE name = 't'"
        for enabling in [
            "PRAGMA writable_schema = ON", "PRAGMA writable_schema = RESET", "SELECT 1",
        ] {
            let hardened = try open(hardened: true)
            try hardened.execute(enabling)
            expectSQLiteError(containing: "may not be modified") { try hardened.run(write) }
        }
        let plain = try open(hardened: false)
        try plain.execute("PRAGMA writable_schema = ON")
        try plain.run(write)
        #expect(plain.changes == 1)
    }

    @Test func theJournalIsNotSwitchedOff() throws {
        #expect(try open(hardened: false).query("PRAGMA journal_mode = OFF") == "off")
        #expect(try open(hardened: true).query("PRAGMA journal_mode = OFF") == "delete")
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5"), "SQLite was built without FTS5"))
    func shadowTablesAreNotWritten() throws {
        let (plain, hardened) = (try open(hardened: false), try open(hardened: true))
        try hardened.execute(
            "CREATE VIRTUAL TABLE docs USING fts5(x); INSERT INTO docs VALUES('some words')"
        )
        for sql in [
            "DELETE FROM docs_data", "INSERT INTO docs_content VALUES(7, 'x')",
            "DROP TABLE docs_config",
        ] {
            #expect(sqliteError { try hardened.run(sql) } != nil, "\(sql)")
            try plain.run(sql)
        }
    }

    @Test(arguments: [
        ("SELECT 1", "SELECT sum(x) FROM calling"),
        ("SELECT 1", "INSERT INTO triggering VALUES(1)"),
        ("CREATE TABLE a(x, y CHECK(own(y) > 0))", "INSERT INTO a VALUES(1, 1)"),
        ("CREATE TABLE a(x, y DEFAULT (own(1)))", "INSERT INTO a(x) VALUES(1)"),
        ("CREATE TABLE a(x, y AS (own(x)))", "SELECT * FROM a"),
        ("CREATE TABLE a(x); CREATE INDEX i ON a(own(x))", "INSERT INTO a VALUES(1)"),
    ])
    func theSchemaDoesNotCallTheProgramsFunctions(definition: String, sql: String) throws {
        try open(hardened: false).execute(definition)
        try open(hardened: false).run(sql)
        let hardened = try open(hardened: true)
        expectSQLiteError(containing: "unsafe use of own()") { try hardened.run(sql) }
    }

    @Test func theProgramsOwnSQLAndHarmlessFunctionsWork() throws {
        let hardened = try open(hardened: true)
        #expect(try hardened.query("SELECT own(x) FROM t ORDER BY x LIMIT 1") == 2)
        #expect(try hardened.query("SELECT group_concat(y, '') FROM plain") == "AB")
    }

    @Test func theSchemaDoesNotLoadExtensions() throws {
        let hardened = try open(hardened: true)
        try hardened.execute("CREATE VIEW loading AS SELECT load_extension('x')")
        for sql in [
            "SELECT * FROM loading", "SELECT load_extension('x')",
            "SELECT load_extension('x', 'y')",
        ] {
            let message = sqliteError { try hardened.run(sql) }?.message ?? ""
            #expect(
                ["not authorized", "unsafe use", "no such function"].contains {
                    message.contains($0)
                },
                "\(message)"
            )
        }
    }

    @Test func doubleQuotedStringsAreNoText() throws {
        let (plain, hardened) = (try open(hardened: false), try open(hardened: true))
        let statements = ["SELECT \"nothing\"", "DELETE FROM t WHERE y = \"nothing\""]
        let definitions = [
            "CREATE INDEX i ON t(\"nothing\")", "CREATE TABLE u(x CHECK(x <> \"nothing\"))",
        ]
        for sql in statements + definitions {
            #expect(
                sqliteError { try hardened.run(sql) }?.message.contains("nothing") == true,
                "\(sql)"
            )
        }
        if !Connection.hasCompileOption("DQS=0") {
            for sql in statements {
                try plain.run(sql)
            }
        }
        #expect(try hardened.query("SELECT \"y\" FROM \"t\" WHERE \"x\" = 1") == "a")
    }

    @Test func pagesAreCheckedAndNotMapped() throws {
        let (plain, hardened) = (try open(hardened: false), try open(hardened: true))
        #expect(try plain.query("PRAGMA cell_size_check") == 0)
        #expect(try hardened.query("PRAGMA cell_size_check") == 1)
        #expect(try hardened.query("PRAGMA mmap_size") == 0)
        let isTrusted = Connection.missingFeatures.contains { $0.contains("distrusts JSON") }
        #expect(try hardened.query("PRAGMA trusted_schema") == isTrusted)
        try hardened.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "other")
        #expect(try hardened.query("PRAGMA other.mmap_size") == 0)
    }

    @Test func anOrdinaryDatabaseIsUsedAsEver() throws {
        var configuration = Connection.Configuration()
        (configuration.hardened, configuration.foreignKeys) = (true, true)
        let connection = try Connection(
            path: folder.path("new.sqlite"),
            configuration: configuration
        )
        try connection.execute(
            "CREATE TABLE p(x PRIMARY KEY); CREATE TABLE c(x REFERENCES p); INSERT INTO p VALUES(1)"
        )
        try connection.transaction { try connection.run("INSERT INTO c VALUES(1)") }
        expectSQLiteError(.constraint) { try connection.run("INSERT INTO c VALUES(2)") }
        #expect(try connection.integrityCheck() == [])
        _ = try Connection(configuration: configuration)
        configuration.readOnly = true
        #expect(
            try Connection(path: folder.path("new.sqlite"), configuration: configuration)
                .tableExists("p")
        )
    }

    @Test func openingDoesNotReadTheFile() throws {
        let other = try open(hardened: false)
        try other.execute("BEGIN EXCLUSIVE")
        // SQLite would say that it is busy.
        _ = try open(hardened: true)
        try other.execute("ROLLBACK")

        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: folder.path()))
        let text = try open(hardened: true)
        expectSQLiteError(.notADatabase) { try text.run("SELECT * FROM t") }
    }

    // MARK: Reading only

    private func openForReading(_ script: String = "SELECT 1") throws -> Connection {
        let connection = try open(hardened: false)
        try connection.execute(script)
        try connection.authorizer(Connection.readOnlyAuthorizer)
        return connection
    }

    @Test(arguments: [
        ("SELECT count(*) FROM t", 2), ("SELECT max(own(x)) FROM t WHERE y LIKE '%b%'", 3),
        ("SELECT sum(x) FROM calling", 5), ("SELECT count(DISTINCT y) FROM plain", 2),
        (
            "WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT sum(n) FROM c",
            55
        ),
        ("SELECT sum(x) OVER (ORDER BY x) FROM t ORDER BY 1 DESC", 3),
        ("SELECT rowid FROM t WHERE y = 'b'", 2),
        ("SELECT count(*) FROM t a JOIN t b USING(x) WHERE EXISTS(SELECT 1 FROM t)", 2),
        ("SELECT count(*) FROM (SELECT x FROM t UNION SELECT y FROM t ORDER BY 1 LIMIT 3)", 3),
        ("SELECT count(*) FROM sqlite_schema WHERE name = 't'", 1),
        ("SELECT sum(value) FROM json_each('[1, 2]')", 3),
    ])
    func theReadOnlyAuthorizerAllowsToRead(sql: String, expected: Int) throws {
        #expect(try openForReading().query(sql) == expected)
    }

    @Test(
        arguments: """
            INSERT INTO t VALUES(3, 'c')
            UPDATE t SET x = 3
            DELETE FROM t
            REPLACE INTO t VALUES(3, 'c')
            CREATE TABLE u(x)
            CREATE TEMP TABLE u(x)
            CREATE TABLE u AS SELECT * FROM t
            CREATE INDEX i ON t(x)
            CREATE VIEW v AS SELECT 1
            CREATE TEMP VIEW v AS SELECT 1
            CREATE VIRTUAL TABLE f USING fts5(x)
            CREATE TRIGGER q AFTER INSERT ON t BEGIN SELECT 1; END
            DROP TABLE t
            DROP VIEW plain
            DROP TRIGGER r
            CREATE TEMP TRIGGER q AFTER INSERT ON t BEGIN SELECT 1; END
            ALTER TABLE t RENAME TO u
            ALTER TABLE t ADD COLUMN z
            ALTER TABLE t DROP COLUMN y
            REINDEX
            ANALYZE
            VACUUM
            PRAGMA user_version
            PRAGMA user_version = 7
            PRAGMA table_info(t)
            SELECT * FROM pragma_user_version
            ATTACH ':memory:' AS other
            DETACH other
            BEGIN
            BEGIN IMMEDIATE
            COMMIT
            ROLLBACK
            SAVEPOINT s
            RELEASE s
            WITH c AS (SELECT 1) DELETE FROM t
            INSERT INTO t VALUES(1, 1) RETURNING x
            UPDATE sqlite_schema SET name = 'u'
            """.cases
    )
    func theReadOnlyAuthorizerForbidsEverythingElse(sql: String) throws {
        let connection = try openForReading("CREATE INDEX some ON t(y)")
        let before = try fileBytes(folder.path())
        #expect(sqliteError { try connection.run(sql) } != nil)
        #expect(!connection.isInsideTransaction)
        #expect(try fileBytes(folder.path()) == before)
        #expect(try count("t", on: connection) == 2)
    }

    @Test func theReadOnlyAuthorizersErrorSaysThatItIsNotAuthorized() throws {
        let connection = try openForReading()
        for sql in [
            "DELETE FROM t", "PRAGMA user_version", "BEGIN", "ATTACH ':memory:' AS other",
            "DROP VIEW plain",
        ] {
            expectSQLiteError(.authorization) { try connection.run(sql) }
        }
        expectSQLiteError(.authorization) {
            try connection.vacuum(into: .onDisk(folder.path("copy")))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy")))
    }

    @Test(arguments: ["fts5(x)", "rtree(id, low, high)"])
    func theReadOnlyAuthorizerAllowsToReadVirtualTables(module: String) throws {
        let option = module.hasPrefix("fts5") ? "ENABLE_FTS5" : "ENABLE_RTREE"
        guard Connection.hasCompileOption(option) else { return }
        let values = module.hasPrefix("fts5") ? "('word')" : "(1, 2, 3)"
        try open(hardened: false)
            .execute("CREATE VIRTUAL TABLE v USING \(module); INSERT INTO v VALUES\(values)")
        // An R-tree prepares its writes when it is first used.
        let connection = try openForReading(
            option == "ENABLE_RTREE" ? "SELECT count(*) FROM v" : "SELECT 1"
        )
        #expect(try count("v", on: connection) == 1)
        for change in ["DELETE FROM v", "UPDATE sqlite_master SET sql = ''", "DROP TABLE v"] {
            #expect(sqliteError { try connection.run(change) } != nil)
        }
        if option == "ENABLE_FTS5" {
            #expect(try connection.query("SELECT x FROM v WHERE v MATCH 'word'") == "word")
        }
    }
}
