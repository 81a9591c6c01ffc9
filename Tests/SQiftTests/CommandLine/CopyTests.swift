import Foundation
import SQift
import Testing

@testable import sqift_cli

@Suite struct CopyTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backup: String

    init() throws {
        folder = try TemporaryFolder()
        (path, backup) = (folder.path(), folder.path("backup.sqlite"))
        try Connection(path: path).execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO cars SELECT i, 'Car ' || i FROM n
            """
        )
    }

    @Test(arguments: [[], ["--pages", "1"], ["--pages", "1000000"], ["--rate", "1000"]])
    func aBackupIsEqualToItsSource(options: [String]) async throws {
        #expect(await runCommand(["backup", path, backup] + options) == 0)
        #expect(await runCommand(["verify", path, backup]) == 0)
        #expect(try Connection(path: backup).query("PRAGMA journal_mode") == "delete")
    }

    @Test func aRestoredDatabaseIsEqualToTheBackup() async throws {
        #expect(await runCommand(["backup", path, backup]) == 0)
        try Connection(path: path).execute("DELETE FROM cars; CREATE TABLE more(x)")
        #expect(await runCommand(["verify", path, backup]) == 1)
        #expect(await runCommand(["restore", backup, path]) == 0)
        #expect(await runCommand(["verify", path, backup]) == 0)
        #expect(try Connection(path: path).query("PRAGMA journal_mode") == "wal")
        #expect(await runCommand(["restore", backup, folder.path("new.sqlite")]) == 0)
        #expect(await runCommand(["verify", backup, folder.path("new.sqlite")]) == 0)
    }

    @Test func whatCannotBeDoneFailsAndLeavesTheDestination() async throws {
        try Data("a letter to my mother, and no database at all".utf8).write(
            to: URL(fileURLWithPath: backup)
        )
        #expect(await runCommand(["backup", path, backup]) == 1)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: backup)).starts(with: Data("a letter".utf8))
        )
        #expect(await runCommand(["restore", backup, path]) == 1)
        #expect(await runCommand(["backup", folder.path("missing.sqlite"), backup]) == 1)
        #expect(await runCommand(["backup", path, path]) == 1)
        #expect(try Connection(path: path).query("SELECT count(*) FROM cars") == 2000)
    }

    @Test(arguments: [
        ["backup"], ["backup", "a", "b", "--pages", "0"], ["backup", "a", "b", "--rate", "x"],
        ["backup", "a", "b", "--rate"],
        ["restore", "a"], ["restore", "a", "b", "--pages", "3"], ["verify", "a"],
        ["verify", "a", "b", "c"],
    ])
    func aWrongCallIsAnsweredWithTheUsage(arguments: [String]) async {
        #expect(await runCommand(arguments) == 2)
    }

    /// The tool itself, since a signal is for a whole process.
    @Test(
        .enabled(
            if: commandLineTool != nil,
            "the built sqift-cli is found beside the tests on Linux only"
        )
    )
    func anInterruptLeavesTheOldBackup() throws {
        try Connection(path: path).backup(to: Connection(path: backup))
        try Connection(path: path).execute("DELETE FROM cars WHERE id > 1")
        let process = Process()
        process.executableURL = commandLineTool
        // A page at a time, so slowly that it can't be done before the signal comes.
        process.arguments = ["backup", path, backup, "--pages", "1", "--rate", "0.01"]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // The first line of its progress.
        _ = errors.fileHandleForReading.availableData
        process.interrupt()
        let message = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()

        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 1)
        #expect(message.contains("cancelled"))
        #expect(try Connection(path: backup).query("SELECT count(*) FROM cars") == 2000)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy {
                !$0.hasPrefix(".")
            }
        )
    }
}
