import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

struct BackUpAndRestoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backup: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        backup = folder.path("backup.sqlite")
        try open(path).execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO cars SELECT i, 'Car ' || i FROM n
            """
        )
    }

    /// Opens a database whose WAL is gone when it is closed, whatever SQLite's default is.
    private func open(_ path: String) throws -> Connection {
        let connection = try Connection(path: path)
        try connection.setPersistentWAL(false)
        return connection
    }

    private func areEqual(_ path: String) async -> Bool {
        await runCommand(["verify", path, backup]) == 0
    }

    /// Copies the database to the backup without the tool.
    private func makeBackup() throws {
        try open(path).backup(to: open(backup))
    }

    @Test(arguments: [[], ["--pages", "1"], ["--pages", "1000000"], ["--rate", "1000"]])
    func aBackupIsEqualToItsSource(options: [String]) async throws {
        #expect(await runCommand(["backup", path, backup] + options) == 0)
        #expect(await areEqual(path))
        #expect(try open(backup).query("PRAGMA journal_mode") == "delete")
    }

    @Test func aRestoredDatabaseIsEqualToTheBackup() async throws {
        #expect(await runCommand(["backup", path, backup]) == 0)
        try open(path).execute("DELETE FROM cars; CREATE TABLE more(x)")
        #expect(await runCommand(["verify", path, backup]) == 1)
        #expect(await runCommand(["restore", backup, path]) == 0)
        #expect(await areEqual(path))
        #expect(try open(path).query("PRAGMA journal_mode") == "wal")
        #expect(await runCommand(["restore", backup, folder.path("new.sqlite")]) == 0)
        #expect(await areEqual(folder.path("new.sqlite")))
    }

    @Test func whatCannotBeDoneFailsAndLeavesTheDestination() async throws {
        try Data("a letter to my mother, and no database at all".utf8).write(
            to: URL(fileURLWithPath: backup)
        )
        #expect(await runCommand(["backup", path, backup]) == 1)
        #expect(
            try fileBytes(backup).starts(with: Data("a letter".utf8))
        )
        #expect(await runCommand(["restore", backup, path]) == 1)
        #expect(await runCommand(["backup", folder.path("missing.sqlite"), backup]) == 1)
        #expect(await runCommand(["backup", path, path]) == 1)
        #expect(try open(path).query("SELECT count(*) FROM cars") == 2000)
    }

    @Test(arguments: ["--pages=1", "--rate=1000"])
    func aRestoreTakesTheOptionsOfABackup(option: String) async throws {
        #expect(await runCommand(["backup", path, backup]) == 0)
        try open(path).execute("DELETE FROM cars")
        #expect(await runCommand(["restore", backup, path, option]) == 0)
        #expect(await areEqual(path))
    }

    // MARK: What fails or is interrupted

    @Test(.builtTool, arguments: ["IMMEDIATE", "EXCLUSIVE"])
    func aLockedDatabaseIsNamedAndNoPragma(lock: String) throws {
        try makeBackup()
        let other = try open(path)
        try other.execute("PRAGMA journal_mode = DELETE; BEGIN \(lock)")
        let run = try ToolRun(["restore", backup, path])

        run.expect(1, errors: "database is locked", path)
        #expect(!run.errors.contains("PRAGMA"))
    }

    @Test func aFailedRestoreLeavesNoNewDatabase() async throws {
        let text = folder.path("text.sqlite")
        let empty = folder.path("empty.sqlite")
        try Data("no database, but long enough to look like one".utf8).write(
            to: URL(fileURLWithPath: text)
        )
        try Data().write(to: URL(fileURLWithPath: empty))
        // Damaged: the root page of the table is overwritten.
        try makeBackup()
        try open(backup).execute("PRAGMA journal_mode = DELETE")
        try overwrite(backup, at: 4096, with: Data(repeating: 0xAB, count: 4096))
        let new = folder.path("new.sqlite")
        let before = try folder.files()
        for source in [text, empty, backup, folder.path("missing.sqlite"), folder.url.path] {
            #expect(await runCommand(["restore", source, new]) == 1, "\(source)")
            #expect(try folder.files() == before, "\(source)")
        }
    }

    @Test func aFailedRestoreLeavesTheDatabaseThatIsThere() async throws {
        try Data().write(to: URL(fileURLWithPath: backup))
        let before = try folder.files()
        #expect(await runCommand(["restore", backup, path]) == 1)
        #expect(try folder.files() == before)
        #expect(try open(path).query("SELECT count(*) FROM cars") == 2000)
    }

    @Test func aNewDatabaseHasWhatTheBackupHas() async throws {
        try open(backup).execute(
            """
            PRAGMA encoding = 'UTF-16le';
            PRAGMA page_size = 1024;
            PRAGMA journal_mode = WAL;
            CREATE TABLE t(x);
            INSERT INTO t VALUES('a')
            """
        )
        let new = folder.path("new.sqlite")
        #expect(await runCommand(["restore", backup, new]) == 0)
        #expect(await areEqual(new))
        #expect(try open(new).query("PRAGMA page_size") == 1024)
    }

    @Test(.builtTool) func anInterruptLeavesTheOldBackup() throws {
        try makeBackup()
        try open(path).execute("DELETE FROM cars WHERE id > 1")
        let before = try folder.files()
        // One page at a time, and so slow that it can't end before the signal comes.
        let run = try ToolRun(
            ["backup", path, backup, "--pages=1", "--rate=0.01"],
            interruptedAt: "pages"
        )

        run.expect(130)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasSuffix("\nsqift-cli: cancelled, nothing was changed\n"))
        #expect(try open(backup).query("SELECT count(*) FROM cars") == 2000)
        #expect(try folder.files() == before)
    }

    @Test(.builtTool) func anInterruptedRestoreLeavesNoNewDatabase() throws {
        try open(backup).execute(
            """
            PRAGMA page_size = 512;
            CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
            INSERT INTO t SELECT randomblob(400) FROM n
            """
        )
        let new = folder.path("new.sqlite")
        var interruptions = 0
        // The signal may come too late, but not each time.
        for _ in 0..<20 where interruptions == 0 {
            let run = try ToolRun(["restore", backup, new], interruptedAt: "pages")

            #expect([0, 130].contains(run.status))
            #expect(FileManager.default.fileExists(atPath: new) == (run.status == 0))
            try? FileManager.default.removeItem(atPath: new)
            #expect(try folder.files() == ["backup.sqlite", "test.sqlite"])
            if run.status == 130 {
                interruptions += 1
            }
        }
        #expect(interruptions == 1)
    }

    @Test(.builtTool) func onePageIsInTheSingular() throws {
        try open(backup).execute("PRAGMA user_version = 1")
        let run = try ToolRun(["backup", backup, folder.path("copy.sqlite")])

        run.expect(0, errors: "1 of 1 page ")
    }
}
