import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Processes that are killed at random moments while they work on an encrypted database: it opens
/// with exactly one key, and is whole.
@Suite(.encryption, .builtTool) struct EncryptedKillTests {
    private let folder: TemporaryFolder
    private let path: String
    private let copy: String
    private let keyFile: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        copy = folder.path("copy.sqlite")
        keyFile = folder.path("key")
        try Keys.one.write(to: URL(fileURLWithPath: keyFile))
    }

    private func make(journalMode: String) throws {
        let connection = try Connection(path: path, configuration: .init(key: Keys.one))
        try connection.execute(
            """
            PRAGMA journal_mode = \(journalMode);
            PRAGMA synchronous = OFF;
            CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO t SELECT 'open secret' || hex(randomblob(400)) FROM n
            """
        )
        try connection.close()
    }

    /// Expects that only the first key opens it.
    private func expectWhole(_ path: String) throws {
        try folder.expectNothingPlain()
        #expect(try opens(path, with: Keys.one))
        #expect(try !opens(path, with: nil))
    }

    /// Runs the tool with the key, and kills it, so many times.
    private func kill(_ arguments: [String], times: Int = 25, check: () throws -> Void) throws {
        let arguments = arguments + ["--key-file", keyFile]
        var moments = KillMoments(duration: try durationOfTool(arguments))
        for _ in 0..<times {
            try check()
            moments.note(hasEnded: try startTool(arguments, killingAfter: moments.next()))
        }
        try check()
    }

    @Test(arguments: ["delete", "wal"]) func writes(journalMode: String) throws {
        let scripts = folder.url.appendingPathComponent("migrations")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        try make(journalMode: journalMode)
        for number in 1...200 {
            let sql = "INSERT INTO t SELECT 'open secret' || hex(randomblob(400)) FROM t LIMIT 10"
            let file = scripts.appendingPathComponent("\(number)-rows.sql")
            try Data(sql.utf8).write(to: file)
        }
        let new = folder.path("new")
        try kill(["migrate", path, scripts.path, "--backup", new], times: 13) {
            let connection = try Connection(path: path, configuration: .init(key: Keys.one))
            let count: Int = try connection.query("SELECT count(*) FROM t")
            let applied = try Migrator(connection: connection, migrations: []).unknown().count
            #expect(count == 1000 + 10 * applied)
            #expect(try connection.integrityCheck() == [])
            try connection.close()
            if applied == 200 {
                try FileManager.default.removeItem(atPath: path)
                try? FileManager.default.removeItem(atPath: new)
                try make(journalMode: journalMode)
            }
        }
        #expect(try opens(path, with: Keys.one))
    }

    @Test func backups() throws {
        try make(journalMode: "wal")
        try kill(["backup", path, copy, "--pages", "20"]) {
            try folder.expectNothingPlain()
            try expectWhole(path)
            if FileManager.default.fileExists(atPath: copy) {
                try expectWhole(copy)
            }
        }
    }

    @Test func restores() throws {
        try make(journalMode: "delete")
        let tool = ["backup", path, copy, "--key-file", keyFile]
        try #require(try startTool(tool, killingAfter: 120_000))
        try kill(["restore", copy, path, "--pages", "20"]) {
            try expectWhole(path)
            try expectWhole(copy)
        }
    }
}
