import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

struct MigrateTests {
    private let folder: TemporaryFolder
    private let path: String
    private let scripts: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        scripts = folder.path("migrations")
        try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
        try write("1-cars.sql", "CREATE TABLE cars(name TEXT NOT NULL);")
        try write("2-fill.sql", "INSERT INTO cars VALUES('Audi'), ('Skoda');")
        try write("10-prices.sql", "ALTER TABLE cars ADD COLUMN price INTEGER;")
    }

    private func write(_ name: String, _ sql: String) throws {
        try sql.write(toFile: scripts + "/" + name, atomically: true, encoding: .utf8)
    }

    /// Runs the migrations in this process, and returns the exit code.
    private func migrate(_ options: String...) async -> Int32 {
        await runCommand(["migrate", path, scripts] + options)
    }

    private func migrateByTool(_ options: String...) throws -> ToolRun {
        try ToolRun(["migrate", path, scripts] + options)
    }

    private func columns() throws -> [String] {
        try Connection(path: path).columns(in: "cars").map(\.name)
    }

    @Test func theFolderIsRunInTheOrderOfItsNumbersAndOnlyOnce() async throws {
        for _ in 0..<2 {
            #expect(await migrate() == 0)
        }
        #expect(try columns() == ["name", "price"])
        #expect(try Connection(path: path).query("SELECT count(*) FROM cars") == 2)
    }

    @Test func itGoesNoFurtherThanItIsTold() async throws {
        #expect(await migrate("--to", "2-fill") == 0)
        #expect(try columns() == ["name"])
        #expect(await migrate("--to", "1-cars") == 1)
        #expect(await runCommand(["migrate", "--to", "10-prices", path, scripts]) == 0)
        #expect(try columns() == ["name", "price"])
    }

    @Test func aDryRunTouchesNothing() async throws {
        #expect(await migrate("--dry-run") == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(await migrate("--to", "1-cars") == 0)
        let before = try fileBytes(path)
        #expect(await migrate("--dry-run") == 0)
        #expect(try fileBytes(path) == before)
        try write("11-bad.sql", "DROP TABLE nothing")
        #expect(await migrate("--dry-run") == 1)
        #expect(try fileBytes(path) == before)
    }

    @Test func theBackupIsTheStateBefore() async throws {
        #expect(await migrate("--to", "2-fill") == 0)
        let backup = folder.path("backup.sqlite")
        #expect(await migrate("--backup", backup) == 0)
        #expect(try Connection(path: backup).columns(in: "cars").map(\.name) == ["name"])
        #expect(try columns() == ["name", "price"])
    }

    @Test func aFailedMigrationLeavesThoseBeforeIt() async throws {
        try write("3-bad.sql", "DELETE FROM cars; INSERT INTO nothing VALUES(1);")
        #expect(await migrate() == 1)
        #expect(try Connection(path: path).query("SELECT count(*) FROM cars") == 2)
        #expect(try columns() == ["name"])
    }

    @Test(.builtTool, .enabled(if: Capability.errorOffset))
    func theSQLOfAFailedMigrationIsShownOnce() throws {
        try write("3-bad.sql", "-- no prize\nDELETE FROM cars\nWHERE prize > 1;")
        let run = try migrateByTool()

        run.expect(1)
        #expect(
            run.errors.hasSuffix(
                """
                migration 3-bad (\(scripts)/3-bad.sql, line 3): SQLITE_ERROR: no such column: prize
                    WHERE prize > 1;
                          ^

                """
            )
        )
    }

    @Test func aNewerDatabaseIsLeftAlone() async throws {
        #expect(await migrate() == 0)
        try FileManager.default.removeItem(atPath: scripts + "/10-prices.sql")
        try write("4-more.sql", "CREATE TABLE more(x)")
        #expect(await migrate() == 1)
        #expect(try !Connection(path: path).tableExists("more"))
    }

    /// The file stays: another process may have opened it, and would write to a deleted one.
    @Test(.builtTool) func aFirstMigrationThatFailsLeavesAnEmptyDatabase() throws {
        try write("0-wrong.sql", "CREATE TABLE")
        let new = path + ".new"
        let run = try ToolRun(["migrate", new, scripts])

        run.expect(1)
        #expect(try fileBytes(new).isEmpty)
        try write("0-wrong.sql", "CREATE TABLE c(x)")
        #expect(try ToolRun(["migrate", new, scripts]).status == 0)
    }

    /// Its name may be misspelt.
    @Test(.builtTool) func aNewDatabaseIsCalledNew() throws {
        let rehearsed = try migrateByTool("--dry-run")
        let first = try migrateByTool("--to", "1-cars")
        let second = try migrateByTool()

        #expect(rehearsed.errors == "\(path) would be new: there is no such file\n")
        #expect(first.errors.hasPrefix("\(path) is new\n1 of 1"))
        #expect(second.errors.hasPrefix("1 of 2"))
    }

    @Test(.builtTool) func whatIsNoDatabaseIsNamed() throws {
        let text = path + ".txt"
        try String(repeating: "no database\n", count: 100)
            .write(toFile: text, atomically: true, encoding: .utf8)
        let run = try ToolRun(["migrate", text, scripts])

        run.expect(1, errors: text)
        #expect(!run.errors.contains("PRAGMA"))
    }

    @Test(.builtTool) func aMissingFolderIsNamedInWords() throws {
        let run = try ToolRun(["migrate", path, scripts + "/none"])

        run.expect(1, errors: scripts + "/none")
        #expect(!run.errors.contains("NSCocoaErrorDomain"))
        #expect(!run.errors.contains("UserInfo"))
    }

    @Test(.builtTool) func aDryRunListsWhatTheMigrationsMakeAndNoTableOfSQLites() throws {
        try write("11-count.sql", "CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT)")
        let run = try migrateByTool("--dry-run")

        run.expect(0)
        #expect(run.output.contains("would change: new table counted\n"))
        #expect(!run.output.contains("sqlite_"))
    }

    /// With FULL, a power failure could bring back the journal that SQLite deleted.
    @Test func aCommitWithARollbackJournalIsExtraDurable() async throws {
        try write(
            "11-setting.sql",
            "CREATE TABLE settings AS SELECT synchronous FROM pragma_synchronous"
        )
        #expect(await migrate() == 0)
        #expect(try Connection(path: path).query("SELECT synchronous FROM settings") == 3)
    }

    @Test(.builtTool) func anInterruptUndoesTheMigrationThatRuns() throws {
        try write(
            "3-endless.sql",
            """
            DELETE FROM cars;
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n)
            INSERT INTO cars SELECT 'Seat' FROM n WHERE i < 0
            """
        )
        let run = try ToolRun(["migrate", path, scripts], interruptedAt: "3 of 4")

        run.expect(130, errors: "\nsqift-cli: cancelled, rolled back the running migration")
        #expect(try Connection(path: path).query("SELECT count(*) FROM cars") == 2)
        #expect(try columns() == ["name"])
    }

    @Test(.builtTool) func theTableSaysWhatHoldsAfterTheRun() throws {
        let first = try migrateByTool("--to", "2-fill")
        let second = try migrateByTool()

        #expect(
            first.output == """
                migration   status
                1-cars     applied
                2-fill     applied
                10-prices  pending
                2 migrations applied, 2 rows changed

                """
        )
        #expect(second.output.hasSuffix("applied\n1 migration applied, 0 rows changed\n"))
    }
}
