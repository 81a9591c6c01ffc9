import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// A database that the tool only reads doesn't change, and no new file appears beside it.
struct ReadingTests {
    private let folder: TemporaryFolder
    private let path: String
    private let other: String
    private let scripts: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        other = folder.path("other.sqlite")
        scripts = folder.path("migrations")
        for path in [path, other] {
            let connection = try Connection(path: path)
            try connection.setPersistentWAL(false)
            try connection.execute(
                """
                PRAGMA journal_mode = WAL;
                CREATE TABLE cars(name TEXT);
                INSERT INTO cars VALUES('Audi')
                """
            )
        }
        try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
        let script = URL(fileURLWithPath: scripts + "/1-more.sql")
        try Data("CREATE TABLE more(x)".utf8).write(to: script)
    }

    /// Each command that reads `path`, and its exit code.
    private var commands: [([String], Int32)] {
        [
            (["check", path], 0), (["verify", path, other], 0), (["verify", other, path], 0),
            (["migrate", path, scripts, "--dry-run"], 0),
            (["backup", path, folder.path("copy.sqlite")], 0),
            (["backup", path, folder.path("missing/copy.sqlite")], 1),
            (["restore", path, folder.path("copy.sqlite")], 0),
            (["restore", path, other], 0), (["restore", path, folder.url.path], 1),
            (["verify", path, folder.path("missing.sqlite")], 1),
        ]
    }

    @Test func nothingIsLeftBesideAWALDatabase() async throws {
        let before = try fileBytes(path)
        for (arguments, status) in commands {
            #expect(await runCommand(arguments) == status, "\(arguments)")

            try? FileManager.default.removeItem(atPath: folder.path("copy.sqlite"))
            #expect(
                try folder.files() == ["migrations", "other.sqlite", "test.sqlite"],
                "\(arguments)"
            )
            #expect(try fileBytes(path) == before, "\(arguments)")
        }
    }

    @Test func aLinkIsFollowedToItsDatabase() async throws {
        let link = folder.url.appendingPathComponent("migrations/link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(await runCommand(["check", link]) == 0)
        #expect(try folder.files() == ["migrations", "other.sqlite", "test.sqlite"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scripts).count == 2)
    }

    @Test func anotherProgramContinuesToWrite() async throws {
        let writer = try Connection(path: path)
        try writer.setPersistentWAL(false)
        try writer.run("INSERT INTO cars VALUES('Skoda')")
        let names = try folder.files()
        for (arguments, status) in commands where !arguments.contains(other) {
            #expect(await runCommand(arguments) == status, "\(arguments)")

            try writer.run("INSERT INTO cars VALUES('Seat')")
            try? FileManager.default.removeItem(atPath: folder.path("copy.sqlite"))
            #expect(try folder.files() == names, "\(arguments)")
        }
        let count = commands.filter { !$0.0.contains(other) }.count + 2
        #expect(try Connection(path: path).query("SELECT count(*) FROM cars") == count)

        try writer.close()
        #expect(try folder.files() == ["migrations", "other.sqlite", "test.sqlite"])
    }

    @Test(arguments: [true, false])
    func aProgramThatOpensTheDatabaseMeanwhileLosesNothing(closesFirst: Bool) throws {
        let reader = try DatabaseFile(path).openToRead()
        let writer = try Connection(path: path)
        try writer.setPersistentWAL(false)
        try writer.run("INSERT INTO cars VALUES('Skoda')")
        #expect(try reader.query("SELECT count(*) FROM cars") == 2)

        try (closesFirst ? writer : reader).close()
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(try (closesFirst ? reader : writer).query("SELECT count(*) FROM cars") == 2)

        try (closesFirst ? reader : writer).close()
        #expect(try folder.files() == ["migrations", "other.sqlite", "test.sqlite"])
        #expect(try Connection(path: path).query("SELECT count(*) FROM cars") == 2)
    }

    @Test func theConnectionCannotWrite() throws {
        let connection = try DatabaseFile(path).openToRead()
        expectThrows(SQLiteError.self) { try connection.run("DELETE FROM cars") }
    }

    @Test func theWALOfAKilledProgramStays() async throws {
        let writer = try Connection(path: path)
        try writer.run("INSERT INTO cars VALUES('Skoda')")
        let killed = folder.path("migrations/killed.sqlite")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: killed + suffix)
        }
        func files() throws -> [Data] {
            try ["", "-wal"].map { try fileBytes(killed + $0) }
        }
        let before = try files()

        #expect(await runCommand(["check", killed]) == 0)
        #expect(await runCommand(["verify", path, killed]) == 0)
        #expect(try files() == before)
    }

    @Test(.builtTool) func theJournalOfAKilledProgramStays() throws {
        let source = folder.path("delete.sqlite")
        let writer = try Connection(path: source)
        try writer.execute(
            """
            CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO t SELECT zeroblob(4000) FROM n;
            PRAGMA cache_size = 1;
            BEGIN;
            UPDATE t SET x = randomblob(4000)
            """
        )
        let killed = folder.path("killed.sqlite")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: source + suffix, toPath: killed + suffix)
        }
        let journal = try fileBytes(killed + "-journal")
        try ToolRun(["check", killed]).expect(1, errors: "has left a journal")
        #expect(try fileBytes(killed + "-journal") == journal)
    }

    // Root may write in every folder, so the tool runs as another user.
    private static let isRoot = getuid() == 0
    private static let setpriv = "/usr/bin/setpriv"

    @Test(
        .builtTool,
        .enabled(
            if: !isRoot || FileManager.default.isExecutableFile(atPath: setpriv),
            "root may write everywhere, and there is no setpriv to be somebody else"
        )
    )
    func whereTheFolderCannotBeWrittenTheErrorNamesTheWayOut() throws {
        let identity = Self.isRoot ? "\(Self.setpriv) --reuid=65534 --clear-groups" : ""
        // A copy of the tool: the other user may not be allowed to read the package's folder.
        try ToolRun(
            script: """
                cp "$0" tool && chmod 555 . && \(identity) ./tool check test.sqlite
                code=$?; chmod 755 .; exit $code
                """,
            in: folder
        ).expect(1, errors: "folder can't be written", "immutable")
    }
}
