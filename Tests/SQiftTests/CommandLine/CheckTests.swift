import Foundation
import SQift
import Testing

@testable import sqift_cli

@Suite struct CheckTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        try Connection(path: path).execute(
            """
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent INTEGER REFERENCES parents, name TEXT);
            CREATE INDEX names ON children(name);
            INSERT INTO parents VALUES(1);
            INSERT INTO children VALUES(1, 'a'), (1, 'b')
            """
        )
    }

    @Test(arguments: ["delete", "wal"])
    func aSoundDatabaseIsAnsweredWithZero(journalMode: String) async throws {
        try Connection(path: path).run("PRAGMA journal_mode = \(journalMode)")
        #expect(await runCommand(["check", path]) == 0)
    }

    @Test func theDatabaseIsOnlyRead() async throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(await runCommand(["check", path]) == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["test.sqlite"]
        )
    }

    @Test func aRowWithoutItsParentIsAnsweredWithOne() async throws {
        try Connection(path: path).run("INSERT INTO children VALUES(2, 'c')")
        #expect(await runCommand(["check", path]) == 1)
    }

    @Test func anIndexThatMissesARowIsAnsweredWithOne() async throws {
        // The index is taken away while a row is written, and put back as it was.
        try Connection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX names ON children(name) WHERE name > ''x''' WHERE name = 'names'
            """
        )
        try Connection(path: path).run("INSERT INTO children VALUES(1, 'c')")
        try Connection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX names ON children(name)' WHERE name = 'names'
            """
        )
        #expect(await runCommand(["check", path]) == 1)
    }

    @Test func whatIsNoDatabaseIsAnsweredWithOne() async throws {
        try Data("not a database, but long enough to look at".utf8).write(
            to: URL(fileURLWithPath: path)
        )
        #expect(await runCommand(["check", path]) == 1)
        #expect(await runCommand(["check", folder.path("missing.sqlite")]) == 1)
    }

    @Test func aWrongCallIsAnsweredWithTheUsage() async {
        #expect(await runCommand(["check"]) == 2)
        #expect(await runCommand(["check", path, "more"]) == 2)
    }
}
