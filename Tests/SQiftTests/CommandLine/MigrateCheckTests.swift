import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// `migrate` with `--check`.
struct MigrateCheckTests {
    private let scripts: MigrationFolder
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        scripts = try MigrationFolder([
            "1-cars.sql": "CREATE TABLE cars(name TEXT)",
            "2-prices.sql": "ALTER TABLE cars ADD COLUMN price INTEGER",
        ])
        folder = try TemporaryFolder()
        path = folder.path()
    }

    private func migrate(_ options: String...) async -> Int32 {
        await runCommand(["migrate", path, scripts.folder.url.path] + options)
    }

    @Test func theExitCodeTellsWhetherAnyIsPending() async throws {
        #expect(await migrate("--check") == 1)
        #expect(try folder.files().isEmpty)
        #expect(await migrate("--to", "1-cars") == 0)
        #expect(await migrate("--check") == 1)
        #expect(await migrate() == 0)
        #expect(await migrate("--check") == 0)
    }

    @Test(arguments: ["DELETE", "WAL"])
    func nothingIsWritten(journalMode: String) async throws {
        #expect(await migrate("--to", "1-cars") == 0)
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA journal_mode = \(journalMode)")
        try connection.close()
        let before = try contents(of: folder.url)

        #expect(await migrate("--check") == 1)
        #expect(try contents(of: folder.url) == before)
    }

    /// The database belongs to a newer version of the app, which could be deployed by mistake.
    @Test func anUnknownMigrationIsNoSuccess() async throws {
        #expect(await migrate() == 0)
        try FileManager.default.removeItem(
            at: scripts.folder.url.appendingPathComponent("2-prices.sql")
        )
        #expect(await migrate("--check") == 1)
    }

    @Test(.builtTool) func whatIsPendingIsListed() throws {
        let run = try ToolRun(["migrate", path, scripts.folder.url.path, "--check"])

        #expect(
            run.output == """
                migration   status
                1-cars     pending
                2-prices   pending
                2 migrations pending, 0 edited, 0 unknown

                """
        )
        #expect(run.errors == "\(path) would be new: there is no such file\n")
    }

    /// `status` is the same, under the name that other tools have for it.
    @Test(.builtTool, arguments: [[], ["--json"]])
    func theStatusIsTheSame(options: [String]) throws {
        let arguments = [path, scripts.folder.url.path]
        _ = try ToolRun(["migrate"] + arguments + ["--to", "1-cars"])
        for exitCode: Int32 in [1, 0] {
            let status = try ToolRun(["status"] + arguments + options)
            let check = try ToolRun(["migrate"] + arguments + options + ["--check"])

            status.expect(exitCode)
            #expect(status.output == check.output)
            #expect(status.errors.isEmpty && check.status == exitCode)
            _ = try ToolRun(["migrate"] + arguments)
        }
    }

    @Test(.builtTool) func whatWasEditedIsListed() throws {
        let arguments = ["migrate", path, scripts.folder.url.path]
        _ = try ToolRun(arguments)
        let edited = "CREATE TABLE cars(name TEXT, colour TEXT)"
        try scripts.write(Data(edited.utf8), to: "1-cars.sql")
        let run = try ToolRun(arguments + ["--check"])

        #expect(run.status == 1)
        #expect(
            run.output == """
                migration   status
                1-cars      edited
                2-prices   applied
                0 migrations pending, 1 edited, 0 unknown

                """
        )
    }

    @Test(arguments: [
        ["--to", "1-cars"], ["--dry-run"], ["--backup", "b"], ["--schema", "s"], ["--check-drift"],
    ])
    func itGoesWithNoOptionThatRunsAFile(options: [String]) async {
        let arguments = ["migrate", path, scripts.folder.url.path, "--check"] + options
        #expect(await runCommand(arguments) == 2)
    }
}
