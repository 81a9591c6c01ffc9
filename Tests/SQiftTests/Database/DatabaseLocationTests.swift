// What a reader opens isn't public.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Where a database may lie, and how its readers are opened there.
extension DatabaseSuites {
    struct DatabaseLocationTests {
        private let folder = TemporaryFolder.fresh

        @Test(arguments: [
            "mode=rw", "mode=rwc", "cache=private&mode=rwc", "mode=rwc&cache=private", "mode=rwc#x",
        ])
        func aURIThatAsksToWriteIsReadToo(parameters: String) async throws {
            try folder.connection().execute(
                "CREATE TABLE t(a); INSERT INTO t VALUES(1)"
            )
            let location = StorageLocation.uri("file:\(folder.path())?\(parameters)")
            for database in [
                try Database.open(location),
                try Database(storageLocation: location, configuration: .sqift5),
            ] {
                try await database.run("INSERT INTO t VALUES(2)")
                let count: Int = try await database.read { try $0.query("SELECT count(*) FROM t") }
                #expect(count > 1)
                await expectTaskSQLiteError {
                    try await database.read { try $0.run("DELETE FROM t") }
                }
                try await database.close()
            }
            let pool = ConnectionPool(storageLocation: location)
            let count: Int = try await pool.read { try $0.query("SELECT count(*) FROM t") }
            #expect(count > 1)
        }

        @Test(arguments: ["#x?immutable=1", "?mode=rwc#x&immutable=1", "#?mode=memory"])
        func aFragmentIsNoParameter(end: String) async throws {
            let location = StorageLocation.uri("file:\(folder.path())\(end)")
            let database = try Database.open(location)
            try await database.execute("CREATE TABLE t(x)")
            for number in 1...2 {
                try await database.add(number)
                try expectAnswer(number, to: "SELECT count(*) FROM t", from: database)
            }
        }

        @Test(arguments: [
            ("file:a", "file:a"), ("file:a?mode=ro", "file:a?mode=ro"),
            ("file:a?mode=rw", "file:a?mode=ro"),
            ("file:a?xmode=rw&mode=rwc", "file:a?xmode=rw&mode=ro"),
            ("file:mode=rw", "file:mode=rw"),
            ("file:a?vfs=memdb", "file:a?vfs=memdb"), ("file:a?mode=rwc#mode=rw", "file:a?mode=ro"),
        ])
        func onlyTheModeOfAReadersURIIsChanged(uri: String, expected: String) {
            #expect(StorageLocation.uri(uri).forReading == .uri(expected))
        }

        @Test(arguments: ["file::memory:", "file:name?mode=memory"])
        func aPoolOfPrivateDatabasesThrowsHoweverTheyAreNamed(uri: String) async throws {
            let pool = ConnectionPool(storageLocation: .uri(uri))
            try await expectTaskRefusal(.notShareable) { try await pool.read { _ in } }
            let database = try Database.open(.uri(uri))
            try await database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
            try expectAnswer(1, to: "SELECT count(*) FROM t", from: database)
        }

        @Test(.enabled(if: !Capability.sharedMemory, "this SQLite shares it by its name"))
        func aNamedDatabaseInMemoryThatIsNotSharedIsRefused() async throws {
            let location = StorageLocation.uri("file:/\(UUID().uuidString)?vfs=memdb")
            try expectRefusal(.notShareable) {
                try Database.open(location)
            }
            let pool = ConnectionPool(storageLocation: location)
            try await expectTaskRefusal(.notShareable) { try await pool.read { _ in } }
        }

        @Test func anImmutableFileIsFoundHoweverItsPathIsWritten() async throws {
            let path = folder.path("a b%20?#ü.sqlite")
            let plain = folder.path("plain.sqlite")
            for file in [path, plain] {
                try Connection(path: file).execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
            }
            var configuration = Database.Configuration()
            configuration.accessMode = .readOnly(immutable: true)
            let locations: [StorageLocation] = [
                .onDisk(path), .onDisk("/" + path), .uri(plain), .uri("file:\(plain)"),
                .uri("file:\(plain)#fragment"),
                .uri("file:\(plain)?cache=private"), .uri("file:\(plain)?mode=rw"),
                .uri("file:\(plain)?mode=rwc&cache=private"),
            ]
            for location in locations {
                let database = try Database(storageLocation: location, configuration: configuration)
                try expectAnswer(1, to: "SELECT count(*) FROM t", from: database)
                try await database.close()
            }
        }

        @Test(arguments: [-2, -1, 0, 1 << 20])
        func everyJournalSizeLimitIsTaken(limit: Int) async throws {
            let database = try Database.open(folder.path()) { $0.journalSizeLimit = limit }
            let answer: Int = try await database.writeWithoutTransaction {
                try $0.query("PRAGMA journal_size_limit")
            }
            #expect(answer == max(limit, -1))
        }
    }
}
