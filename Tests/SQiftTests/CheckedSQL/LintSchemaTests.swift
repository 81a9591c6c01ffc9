import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Schemas that aren't in Swift sources: folders of migrations, `Schema.sql`, files and databases.
@Suite(.builtLint) struct LintSchemaTests {
    private static func use(_ sql: String, _ declarations: String = "") -> String {
        """
        import SQift
        \(declarations)
        func use(_ connection: Connection) throws {
            try connection.run("\(sql)")
        }

        """
    }

    @Test func numberedFilesAreMigrations() throws {
        let load = "let migrations = try! Migration.load(from: folder)"
        let files = [
            "Migrations/10-more.sql": "ALTER TABLE a RENAME COLUMN y TO z",
            "Migrations/2-change.sql": "ALTER TABLE a ADD COLUMN y; -- a column",
            "Migrations/001-begin.sql": "CREATE TABLE a(x);\nCREATE TABLE b(x);\n",
        ]
        for declarations in [load, ""] {
            let right = Self.use("UPDATE a SET z = x", declarations)
            try LintSources(files.merging(["Use.swift": right]) { $1 }).expectClean()
            let wrong = Self.use("UPDATE a SET z = ▸yyy", declarations)
            try LintSources(files.merging(["Use.swift": wrong]) { $1 })
                .expect(["error: no such column: yyy"])
        }
    }

    /// What undoes a migration isn't run, and a date is a number of its own.
    @Test func downFilesAreNoMigrationsAndDatesGiveTheOrder() throws {
        let files = [
            "Migrations/2024-05-02-begin.up.sql": "CREATE TABLE a(x)",
            "Migrations/2024-05-02-begin.down.sql": "DROP TABLE a",
            "Migrations/2024-06-02-more.sql": "ALTER TABLE a ADD COLUMN y",
            "Migrations/2024-06-02-more.undo.sql": "ALTER TABLE a DROP COLUMN y",
            "Migrations/2024-11-01-name.sql": "ALTER TABLE a RENAME COLUMN y TO z",
            "Use.swift": Self.use("UPDATE a SET z = ▸yyy"),
        ]
        try LintSources(files).expect(["error: no such column: yyy"])
    }

    @Test func aFileAndAListAreOneSchema() throws {
        let list = """
            let migrations = try! Migration.load(from: folder) + [
                Migration("3", sql: "ALTER TABLE a ADD COLUMN y")
            ]
            """
        let files = ["Migrations/1-begin.sql": "CREATE TABLE a(x)"]
        try LintSources(files.merging(["Use.swift": Self.use("UPDATE a SET y = x", list)]) { $1 })
            .expectClean()
        try LintSources(
            files.merging(["Use.swift": Self.use("UPDATE a SET ▸zzz = x", list)]) { $1 }
        )
        .expect(["error: no such column: zzz"])
    }

    @Test func aMistakeInAFileIsReportedThere() throws {
        try LintSources([
            "Migrations/1-begin.sql": "CREATE TABLE a(x);\n",
            "Migrations/2-change.sql": "-- b\nALTER TABLE a\n  ADD COLUMN y ▸);\n",
            "Use.swift": Self.use("UPDATE a SET x = 1"),
        ]).expect(["error: near \")\": syntax error"])
    }

    @Test func schemaSQLCountsInPlaceOfMigrations() throws {
        let migrations = "let migrations = [Migration(\"1\", sql: \"CREATE TABLE a(x)\")]"
        let schema = "CREATE TABLE a(y);\nCREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;"
        try LintSources([
            "Schema.sql": schema,
            "Use.swift": Self.use("UPDATE a SET y = ▸xxx", migrations),
        ]).expect(["error: no such column: xxx"])
        try LintSources([
            "Schema.sql": schema, "Use.swift": Self.use("UPDATE a SET y = y", migrations),
        ]).expectClean()
    }

    @Test func aFileCanBeGiven() throws {
        let files = ["Use.swift": Self.use("UPDATE a SET x = 1")]
        let sources = try LintSources(files)
        let schema = try LintSources([
            "one.sql": "CREATE TABLE a(x)", "two.sql": "CREATE TABLE a(y)",
        ])
        try sources.expectClean(["--schema", schema.folder.path("one.sql")])
        let run = try sources.run(["--schema", schema.folder.path("two.sql")])
        #expect(run.errors.map(\.text) == ["no such column: x"])
    }

    @Test func aDatabaseCanBeGiven() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(path: folder.path("garage.db"))
        try connection.execute(
            """
            CREATE TABLE a(x, y UNIQUE);
            CREATE INDEX i ON a(x);
            CREATE VIEW v AS SELECT x FROM a;
            CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a WHERE x = new.y; END;
            INSERT INTO a VALUES(1, 2)
            """
        )
        try connection.close()
        let before = try Data(contentsOf: folder.url.appendingPathComponent("garage.db"))
        let options = ["--schema", folder.path("garage.db")]
        try LintSources(["Use.swift": Self.use("DELETE FROM a WHERE x IN (SELECT x FROM v)")])
            .expectClean(options)
        try LintSources(["Use.swift": Self.use("DELETE FROM a WHERE x IN (SELECT ▸z FROM v)")])
            .expect(["error: no such column: z"], options)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("garage.db")) == before)
        #expect(try folder.files() == ["garage.db"])
    }

    @Test func aSchemaThatIsNotThereIsAnError() throws {
        let sources = try LintSources(["Use.swift": Self.use("SELECT 1")])
        let run = try sources.run(["--schema", sources.folder.path("nothing.sql")])
        #expect(run.status != 0)
        #expect(!(run.otherLines + run.errorLines).isEmpty)
    }

    @Test func anotherTargetMayHaveTheSchema() throws {
        let core = try LintSources([
            "Core.swift": """
            import SQift
            public let migrations = [Migration("1", sql: "CREATE TABLE a(x)")]
            public struct Item: Decodable, ExpressibleByRow { public let x: Int; let y: Int? }
            func wrong(_ connection: Connection) throws { try connection.run("DELETE FORM a") }
            """
        ])
        let options = ["--uses", core.folder.url.path]
        try LintSources(["Use.swift": Self.use("UPDATE a SET x = ▸y")])
            .expect(["error: no such column: y"], options)
        try LintSources(["Use.swift": Self.use("UPDATE a SET x = x")]).expectClean(options)
    }
}
