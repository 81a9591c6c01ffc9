import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// `migrate` with `--check-drift`.
struct MigrateDriftTests {
    private let folder: TemporaryFolder
    private let path: String
    private let scripts: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        scripts = folder.path("migrations")
        try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
        try write("1-cars.sql", "CREATE TABLE cars(name TEXT NOT NULL);")
        try write("2-names.sql", "CREATE VIEW names AS SELECT name FROM cars;")
    }

    private func write(_ name: String, _ sql: String) throws {
        try sql.write(toFile: scripts + "/" + name, atomically: true, encoding: .utf8)
    }

    private func checkDrift() async -> Int32 {
        await runCommand(["migrate", path, scripts, "--check-drift"])
    }

    /// The lines about differences, sorted, and the exit code.
    private func report() throws -> (lines: [String], status: Int32) {
        let run = try ToolRun(["migrate", path, scripts, "--check-drift"])
        let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("drift: ") }
        return (lines.map(String.init).sorted(), run.status)
    }

    @Test func theExitCodeTellsWhetherThereAreDifferences() async throws {
        #expect(await runCommand(["migrate", path, scripts]) == 0)
        #expect(await checkDrift() == 0)
        try Connection(path: path).execute("INSERT INTO cars VALUES('Audi')")
        #expect(await checkDrift() == 0)
        try Connection(path: path).execute("CREATE TABLE more(x)")
        #expect(await checkDrift() == 1)
        try Connection(path: path).execute("DROP TABLE more")
        #expect(await checkDrift() == 0)
    }

    @Test(.builtTool) func eachDifferenceIsALine() throws {
        let run = try ToolRun(["migrate", path, scripts])
        run.expect(0)
        let same = try report()
        #expect(same.lines == [])
        #expect(same.status == 0)

        try Connection(path: path).execute(
            "CREATE TABLE more(x); DROP VIEW names; ALTER TABLE cars ADD COLUMN price"
        )
        let different = try report()
        #expect(
            different.lines == [
                "drift: changed table cars", "drift: dropped view names", "drift: new table more",
            ]
        )
        #expect(different.status == 1)
    }

    @Test(arguments: ["DELETE", "WAL"])
    func noMigrationRuns(journalMode: String) async throws {
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA journal_mode = \(journalMode)")
        try connection.close()
        #expect(await runCommand(["migrate", path, scripts, "--to", "1-cars"]) == 0)
        let (files, before) = (try folder.files(), try contents(of: folder.url)["test.sqlite"])
        #expect(await checkDrift() == 1)
        #expect(try folder.files() == files)
        #expect(try contents(of: folder.url)["test.sqlite"] == before)
        #expect(try Connection(path: path).tableExists("cars"))
        let migrator = Migrator(
            connection: try Connection(path: path),
            migrations: try Migration.load(from: URL(fileURLWithPath: scripts))
        )
        #expect(try migrator.pending() == ["2-names"])
    }

    @Test(.builtTool) func pendingMigrationsAreDifferences() throws {
        let run = try ToolRun(["migrate", path, scripts, "--to", "1-cars"])
        run.expect(0)
        let pending = try report()
        #expect(pending.lines == ["drift: dropped view names"])
        #expect(pending.status == 1)
    }

    @Test func aMissingDatabaseIsNotCreated() async throws {
        #expect(await checkDrift() == 1)
        #expect(try folder.files() == ["migrations"])
        for name in ["1-cars.sql", "2-names.sql"] {
            try FileManager.default.removeItem(atPath: scripts + "/" + name)
        }
        #expect(await checkDrift() == 0)
        #expect(try folder.files() == ["migrations"])
    }

    @Test(.builtTool) func aMigrationThatFailsIsToldAndIsNoDifference() throws {
        let run = try ToolRun(["migrate", path, scripts])
        run.expect(0)
        try write("3-bad.sql", "DROP TABLE nothing;")
        let failed = try ToolRun(["migrate", path, scripts, "--check-drift"])
        failed.expect(1, errors: "3-bad")
        #expect(!failed.output.contains("drift: "))
    }

    @Test func itTakesNoValue() async {
        #expect(await runCommand(["migrate", path, scripts, "--check-drift=1"]) == 2)
    }

    @Test func aSquashedFolderHasNoDifference() async throws {
        #expect(await runCommand(["migrate", path, scripts]) == 0)
        for name in ["1-cars.sql", "2-names.sql"] {
            try FileManager.default.removeItem(atPath: scripts + "/" + name)
        }
        try write(
            "3-all.sql",
            """
            -- sqift: replaces 1-cars 2-names
            CREATE TABLE cars(name TEXT NOT NULL);
            CREATE VIEW names AS SELECT name FROM cars;
            """
        )
        #expect(await checkDrift() == 0)
        #expect(await runCommand(["migrate", path, scripts]) == 0)
        #expect(await checkDrift() == 0)
    }
}
