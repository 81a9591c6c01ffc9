import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// `migrate` with `--schema`.
struct SchemaFileTests {
    private let scripts: MigrationFolder
    private let folder: TemporaryFolder
    private let path: String
    private let schema: String

    init() throws {
        scripts = try MigrationFolder([
            "1-cars.sql": """
            CREATE TABLE cars(name TEXT, price INTEGER);
            CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);
            INSERT INTO cars VALUES('Audi', 1);
            """,
            "2-names.sql": """
            CREATE TRIGGER added AFTER INSERT ON cars BEGIN SELECT 1; END;
            CREATE VIEW names AS SELECT name FROM cars -- all
            ;
            CREATE INDEX prices ON cars(price);
            """,
        ])
        folder = try TemporaryFolder()
        path = folder.path()
        schema = folder.path("Schema.sql")
    }

    private func migrate(_ options: String...) async -> Int32 {
        await runCommand(["migrate", path, scripts.folder.url.path, "--schema", schema] + options)
    }

    private func text() throws -> String {
        try String(contentsOfFile: schema, encoding: .utf8)
    }

    private let heading =
        "-- The schema that the migrations make, as sqift-cli migrate --schema has written it.\n"

    @Test func itHasWhatTheMigrationsMakeInAnOrderThatRuns() async throws {
        #expect(await migrate() == 0)
        #expect(
            try text() == heading + """

                CREATE TABLE cars(name TEXT, price INTEGER);

                CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);

                CREATE INDEX prices ON cars(price);

                CREATE VIEW names AS SELECT name FROM cars -- all
                ;

                CREATE TRIGGER added AFTER INSERT ON cars BEGIN SELECT 1; END;

                """
        )
        try Connection().execute(text())
    }

    @Test func itIsTheMigrationsAndNotTheDatabases() async throws {
        #expect(await migrate() == 0)
        let first = try text()
        try Connection(path: path).execute("DROP VIEW names; CREATE TABLE by_hand(x)")
        #expect(await migrate() == 0)
        #expect(try text() == first)
    }

    @Test func itGoesAsFarAsTheRun() async throws {
        #expect(await migrate("--to", "1-cars") == 0)
        #expect(try !text().contains("names"))
        #expect(await migrate() == 0)
        #expect(try text().contains("names"))
    }

    /// What depends on the file needn't be built again.
    @Test func aFileThatIsTheSameIsNotWritten() async throws {
        #expect(await migrate() == 0)
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: schema)
        #expect(await migrate() == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: schema)
        #expect(attributes[.modificationDate] as? Date == old)
    }

    @Test(.enabled(if: Capability.fts5))
    func theTablesThatAVirtualTableKeepsAreLeftOut() async throws {
        let sql = "CREATE VIRTUAL TABLE notes USING fts5(body); CREATE TABLE notes_old(x)"
        try scripts.write(Data(sql.utf8), to: "3-notes.sql")
        #expect(await migrate() == 0)
        #expect(try text().contains("CREATE VIRTUAL TABLE notes USING fts5(body);"))
        #expect(try text().contains("CREATE TABLE notes_old(x);"))
        #expect(try !text().contains("notes_data"))
        try Connection().execute(text())
    }

    /// FTS5 looks for the table of its content when it is used, FTS4 when it is made.
    @Test(.enabled(if: Capability.fts5))
    func aVirtualTableFollowsTheTableOfItsContent() async throws {
        let sql = """
            CREATE TABLE notes(body);
            CREATE VIRTUAL TABLE index_of_notes USING fts5(body, content=notes)
            """
        try scripts.write(Data(sql.utf8), to: "3-notes.sql")
        #expect(await migrate() == 0)
        let parts = try text().components(separatedBy: "CREATE VIRTUAL TABLE")
        #expect(parts.count == 2)
        #expect(parts[0].contains("CREATE TABLE notes("))
        try Connection().execute(text())
    }

    @Test func anEmptyFolderMakesAnEmptySchema() async throws {
        for name in try scripts.folder.files() {
            try FileManager.default.removeItem(atPath: scripts.folder.path(name))
        }
        #expect(await migrate() == 0)
        #expect(try text() == heading)
    }

    @Test func aRunThatFailsLeavesTheFile() async throws {
        #expect(await migrate() == 0)
        let before = try text()
        try scripts.write(Data("CREATE TABLE more(x); DROP TABLE none".utf8), to: "3-bad.sql")
        #expect(await migrate() == 1)
        #expect(try text() == before)
    }

    // MARK: What it doesn't replace

    @Test func aFileBesideTheMigrationsWouldRunAsOne() async throws {
        let inside = scripts.folder.path("Schema.sql")
        try folder.link("link", to: scripts.folder.url.path)
        let paths = [
            inside, scripts.folder.path(".hidden.sql"), folder.path("link/Schema.sql"),
            scripts.folder.url.path + "/../\(scripts.folder.url.lastPathComponent)/Schema.sql",
        ]
        for path in paths {
            let arguments = ["migrate", self.path, scripts.folder.url.path, "--schema", path]
            #expect(await runCommand(arguments) == 2, "\(path)")
        }
        #expect(try scripts.folder.files() == ["1-cars.sql", "2-names.sql"])
        try folder.expectFiles("link")
    }

    /// The database's own file, for example.
    @Test(.builtTool) func aFileOfSomeoneElseStays() throws {
        try Connection(path: path).execute("CREATE TABLE t(x)")
        let before = try fileBytes(path)
        let arguments = ["migrate", path, scripts.folder.url.path, "--schema", path]
        try ToolRun(arguments).expect(1, errors: "isn't a schema that --schema has written")
        #expect(try fileBytes(path) == before)
        try folder.expectFiles("test.sqlite")
    }

    /// The run has made it, as the database or as the backup.
    @Test(.builtTool) func aFileThatTheRunMakesStays() async throws {
        let refusal = "isn't a schema that --schema has written"
        let arguments = ["migrate", path, scripts.folder.url.path, "--schema"]
        try ToolRun(arguments + [path]).expect(1, errors: refusal)
        try #expect(Connection(path: path).tableExists("cars"))

        try scripts.write(Data("CREATE TABLE more(x)".utf8), to: "3-more.sql")
        let backup = folder.path("backup.sqlite")
        try ToolRun(arguments + [backup, "--backup", backup]).expect(1, errors: refusal)
        try #expect(Connection(path: backup).tableExists("cars"))
    }

    /// Nothing has run then.
    @Test(arguments: ["none/Schema.sql", "Schema.sql"])
    func aFileThatCannotBeWrittenIsNoticedBefore(name: String) async throws {
        if name == "Schema.sql" {
            let folder = URL(fileURLWithPath: schema)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        let arguments = ["--schema", folder.path(name)]
        #expect(await runCommand(["migrate", path, scripts.folder.url.path] + arguments) == 1)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aDryRunWritesNoFile() async throws {
        #expect(await migrate("--dry-run") == 2)
        #expect(try folder.files().isEmpty)
    }
}
