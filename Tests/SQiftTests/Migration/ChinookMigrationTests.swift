import Foundation
import SQift
import SQiftTestSupport
import Testing

// A database that others have made.
struct ChinookMigrationTests {
    private static let testData = ProcessInfo.processInfo.environment["SQIFT_TEST_DATA"]

    private static let migrations = [
        Migration(
            "ratings",
            sql: """
                ALTER TABLE Track ADD COLUMN Rating INTEGER;
                UPDATE Track SET Rating = TrackId % 5 + 1;
                CREATE INDEX TrackRating ON Track(Rating)
                """
        ),
        Migration("albums") { connection in
            let columns = """
                AlbumId INTEGER PRIMARY KEY AUTOINCREMENT, Title TEXT NOT NULL,
                ArtistId INTEGER NOT NULL REFERENCES Artist ON DELETE CASCADE
                """
            try connection.rebuildTable("Album", columns: columns) { old, new in
                try connection.run("INSERT INTO \(new) SELECT AlbumId, Title, ArtistId FROM \(old)")
            }
        },
        Migration(
            "genres",
            sql:
                "DELETE FROM Artist WHERE ArtistId NOT IN (SELECT ArtistId FROM Album); ALTER TABLE Genre RENAME TO Style"
        ),
    ]

    @Test(.enabled(if: testData != nil, "SQIFT_TEST_DATA names no folder with chinook.sqlite"))
    func chinookIsMigrated() throws {
        let data = URL(fileURLWithPath: try #require(Self.testData))
        let folder = try TemporaryFolder()
        // Its bytes, and not its permissions: the original may be read-only.
        try Data(contentsOf: data.appendingPathComponent("chinook.sqlite")).write(
            to: folder.url.appendingPathComponent("test.sqlite")
        )
        let connection = try folder.connection()
        try connection.execute("PRAGMA foreign_keys = ON")
        let before = try Contents(connection)
        let migrator = connection.migrator(Self.migrations)

        let rehearsed = try migrator.rehearse()
        #expect(try Contents(connection) == before)
        let report = try migrator.run(backupTo: .onDisk(folder.path("backup.sqlite")))

        #expect(report.migrations == ["ratings", "albums", "genres"])
        #expect(report.schemaChanges == rehearsed.schemaChanges)
        #expect(report.changedRowCount == rehearsed.changedRowCount)
        #expect(report.foreignKeyViolations == [])
        #expect(
            try connection.query("SELECT count(*) FROM Track WHERE Rating BETWEEN 1 AND 5") == 3_503
        )
        #expect(try connection.query("SELECT count(*) FROM Album") == 347)
        #expect(try connection.query("SELECT count(*) FROM Artist") == 204)
        #expect(
            try connection.foreignKeys(of: "Track").map(\.parentTable).sorted() == [
                "Album", "MediaType", "Style",
            ]
        )
        #expect(try connection.indexes(on: "Album").count >= 1)
        #expect(try connection.foreignKeyViolations() == [])
        try expectSound(connection)
        #expect(try Contents(Connection(path: folder.path("backup.sqlite"))) == before)
        #expect(try migrator.run().migrations == [])
    }

    @Test(.enabled(if: testData != nil, "SQIFT_TEST_DATA names no folder with chinook.sqlite"))
    func chinookIsBackedUpWhileItIsWrittenToAndRestored() async throws {
        let data = URL(fileURLWithPath: try #require(Self.testData))
        let folder = try TemporaryFolder()
        try Data(contentsOf: data.appendingPathComponent("chinook.sqlite")).write(
            to: folder.url.appendingPathComponent("test.sqlite")
        )
        let database = try Database(path: folder.path())
        try await database.writeWithoutTransaction { connection in
            _ = try connection.migrator(Self.migrations).run()
        }
        let backup = folder.path("backup.sqlite")
        try await database.run("UPDATE Track SET Milliseconds = 0 WHERE TrackId IN (1, 3503)")

        let isDone = Gate()
        let writer = Task.detached {
            var writes = 0
            while !isDone.isOpen {
                // Both in one transaction: a copy of one state has the same number twice.
                let number = writes
                try await database.write { connection in
                    try connection.run(
                        "UPDATE Track SET Milliseconds = ? WHERE TrackId = 1",
                        number
                    )
                    try connection.run(
                        "UPDATE Track SET Milliseconds = ? WHERE TrackId = 3503",
                        number
                    )
                }
                writes += 1
            }
            return writes
        }
        for pages in [1, 20, 1000] {
            try await database.backup(to: .onDisk(backup), pagesPerStep: pages)
            let copy = try Connection(path: backup)
            let numbers: [Int] = try copy.query(
                "SELECT Milliseconds FROM Track WHERE TrackId IN (1, 3503)"
            )
            #expect(numbers.count == 2)
            #expect(numbers.first == numbers.last)
        }
        isDone.open()
        #expect(try await writer.value > 0)

        let saved = try Contents(Connection(path: backup))
        try await database.execute("DELETE FROM PlaylistTrack; DROP TABLE InvoiceLine")
        #expect(try await database.read { try Contents($0) != saved })
        try await database.restore(from: .onDisk(backup))
        #expect(try await database.read { try Contents($0) == saved })
        #expect(try await database.read { try $0.foreignKeyViolations().isEmpty })
    }
}
