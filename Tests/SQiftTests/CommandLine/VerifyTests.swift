import Foundation
import SQift
import Testing

@testable import sqift_cli

@Suite struct VerifyTests {
    private let folder: TemporaryFolder
    private let one: String
    private let other: String

    init() throws {
        folder = try TemporaryFolder()
        (one, other) = (folder.path("one.sqlite"), folder.path("other.sqlite"))
        for path in [one, other] {
            try Connection(path: path).execute(
                """
                CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price);
                CREATE INDEX names ON cars(name);
                CREATE TABLE pairs(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID;
                INSERT INTO cars VALUES(1, 'Audi', 5), (2, 'Škoda', NULL);
                INSERT INTO pairs VALUES(1, 2), ('1', 2)
                """
            )
        }
    }

    private func areEqual() async -> Int32 { await runCommand(["verify", one, other]) }

    @Test func equalDatabasesAreEqual() async throws {
        #expect(await areEqual() == 0)
        try Connection(path: other).execute("PRAGMA journal_mode = WAL; VACUUM")
        #expect(await areEqual() == 0)
        #expect(await runCommand(["verify", one, one]) == 0)
    }

    @Test(arguments: [
        "UPDATE cars SET price = 6 WHERE id = 1", "UPDATE cars SET price = 5.0 WHERE id = 1",
        "UPDATE cars SET price = '5' WHERE id = 1", "UPDATE cars SET price = x'35' WHERE id = 1",
        "UPDATE cars SET price = 0 WHERE id = 2", "UPDATE cars SET id = 3 WHERE id = 2",
        "DELETE FROM cars WHERE id = 2",
        "INSERT INTO cars VALUES(3, NULL, NULL)",
        "UPDATE cars SET name = 'S\u{30C}koda' WHERE id = 2",
        "DELETE FROM pairs WHERE a = '1'", "DROP INDEX names", "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON cars BEGIN SELECT 1; END",
        "ALTER TABLE cars ADD COLUMN more",
        "PRAGMA user_version = 3", "PRAGMA application_id = 3",
    ])
    func everyDifferenceIsFoundFromBothSides(sql: String) async throws {
        try Connection(path: other).execute(sql)
        #expect(await runCommand(["verify", one, other]) == 1)
        #expect(await runCommand(["verify", other, one]) == 1)
    }

    @Test func neitherIsCreatedOrChanged() async throws {
        let before = try [one, other].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(await areEqual() == 0)
        #expect(try [one, other].map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
        #expect(await runCommand(["verify", one, folder.path("missing.sqlite")]) == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path("missing.sqlite")))
    }
}
