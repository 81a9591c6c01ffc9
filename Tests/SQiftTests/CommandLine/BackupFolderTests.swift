import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// `backup` with `--keep`.
struct BackupFolderTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backups: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("app.sqlite")
        backups = folder.path("backups")
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        try Connection(path: path).execute("CREATE TABLE cars(name TEXT)")
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: backups).sorted()
    }

    private func write(_ names: String...) throws {
        for name in names {
            try Data("old".utf8).write(to: URL(fileURLWithPath: backups + "/" + name))
        }
    }

    private func backUp(keeping count: String) async -> Int32 {
        await runCommand(["backup", path, backups, "--keep", count])
    }

    @Test(.builtTool) func theNameHasTheTimeAndTheOldestGoes() throws {
        try write("app-2026-01-01T000000Z.sqlite", "app-2026-01-02T000000Z.sqlite")
        let time = "SELECT 'app-' || strftime('%Y-%m-%dT%H%M%SZ', 'now') || '.sqlite'"
        let before: String = try Connection().query(time)
        let run = try ToolRun(script: #""$0" backup app.sqlite backups --keep 2"#, in: folder)
        let after: String = try Connection().query(time)

        run.expect(0)
        let names = try self.names()
        #expect(names.first == "app-2026-01-02T000000Z.sqlite")
        let new = try #require(names.last)
        #expect(names.count == 2 && before <= new && new <= after)
        #expect(
            run.output == """
                app.sqlite is backed up to backups/\(new)
                backups/app-2026-01-01T000000Z.sqlite is deleted

                """
        )
        #expect(try Connection(path: backups + "/" + new).tableExists("cars"))
    }

    /// Even one with a later time, which another clock has given it, takes no room of the new one.
    @Test func theNewBackupIsNeverDeleted() async throws {
        try write("app-2999-01-01T000000Z.sqlite", "app-2999-01-02T000000Z.sqlite")
        #expect(await backUp(keeping: "1") == 0)
        let names = try self.names()
        #expect(names.count == 1 && !names[0].hasPrefix("app-2999"))
    }

    @Test func whatHasAnotherNameStays() async throws {
        let others = [
            "app-2026-01-01.sqlite", "app-2026-01-01T000000Z.sqlite-wal",
            "app-2026-01-01T000000Z.sqlite.gz", "app-2026-01-01T000000.sqlite",
            "app-2026-1-01T000000Z.sqlite", "app-2026-01-01T000000Z.db", "app-old.sqlite",
            "app.sqlite", "app2-2026-01-01T000000Z.sqlite", "my-app-2026-01-01T000000Z.sqlite",
            "app-2026-01-01T000000Z-2026-01-01T000000Z.sqlite", "App-2026-01-01t000000z.sqlite",
            "app-２026-01-01T000000Z.sqlite", "app-2026-01-01T000000Z.sqlite\n",
        ]
        for name in others {
            try write(name)
        }
        #expect(await backUp(keeping: "1") == 0)
        #expect(Set(others).isSubset(of: try names()))
        #expect(try names().count == others.count + 1)
    }

    @Test func aFolderAndALinkOfThatNameStay() async throws {
        let inner = URL(fileURLWithPath: backups + "/app-2026-01-01T000000Z.sqlite/inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try folder.link("backups/app-2026-01-02T000000Z.sqlite", to: path)
        #expect(await backUp(keeping: "1") == 0)
        #expect(try names().count == 3)
        #expect(FileManager.default.fileExists(atPath: inner.path))
    }

    @Test func aNameWithSpecialCharactersIsNoPattern() async throws {
        let path = folder.path("a+p.*é.sqlite")
        try Connection(path: path).execute("CREATE TABLE cars(name TEXT)")
        // The second é has two scalars.
        try write("a+p.*é-2026-01-01T000000Z.sqlite", "a+p.*e\u{301}-2026-01-01T000000Z.sqlite")
        try write("aap.xé-2026-01-01T000000Z.sqlite")
        #expect(await runCommand(["backup", path, backups, "--keep", "1"]) == 0)
        #expect(try names().count == 3)
    }

    // MARK: Failures

    @Test func aBackupThatFailsDeletesNothing() async throws {
        try write("app-2026-01-01T000000Z.sqlite")
        try Connection(path: path).execute(
            "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
                + "INSERT INTO cars SELECT hex(randomblob(50)) FROM n"
        )
        try overwrite(path, at: 8192, with: Data(repeating: 0xAB, count: 4096))
        #expect(await backUp(keeping: "1") == 1)
        #expect(try names() == ["app-2026-01-01T000000Z.sqlite"])
    }

    /// Night by night, the backups of a lost database would take the place of the good ones.
    @Test func anEmptyDatabaseIsNotBackedUp() async throws {
        try write("app-2026-01-01T000000Z.sqlite")
        try Connection(path: path).execute("DROP TABLE cars")
        #expect(await backUp(keeping: "1") == 1)
        #expect(try names() == ["app-2026-01-01T000000Z.sqlite"])
    }

    @Test(.builtTool) func aMissingFolderIsNotMade() throws {
        for name in ["none", "app.sqlite"] {
            try ToolRun(["backup", path, folder.path(name), "--keep=7"])
                .expect(1, errors: "\(name) isn't a folder, which --keep needs")
        }
        try folder.expectFiles("app.sqlite", "backups")
    }

    @Test func theFolderMayBeALink() async throws {
        try folder.link("link", to: backups)
        #expect(await runCommand(["backup", path, folder.path("link"), "--keep=1"]) == 0)
        #expect(try names().count == 1)
    }
}
