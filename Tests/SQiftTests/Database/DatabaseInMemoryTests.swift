import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// Databases that are their connection's own.
    struct DatabaseInMemoryTests {
        static let locations: [StorageLocation] =
            [.inMemory, .temporary, .uri("file::memory:"), .uri("file:anything?mode=memory")]
            + (Capability.sharedMemory ? [.uri("file:without-a-slash?vfs=memdb")] : [])

        private func open(_ location: StorageLocation) throws -> Database {
            let database = try Database.open(location)
            try database.execute("CREATE TABLE t(x)")
            return database
        }

        @Test(arguments: locations) func readsSeeWhatWritesWrote(location: StorageLocation) throws {
            let database = try open(location)
            try database.add(1)
            try expectRows(1, in: database)
            try database.writeWithoutTransaction { try add(2, on: $0) }
            try database.executeWrite { try add(3, on: $0) }
            let seen = try database.executeRead { try count("t", on: $0) }
            #expect(seen == 3)
            let elsewhere = try Worker { try rows(database) }.value()
            #expect(elsewhere == 3)
        }

        @Test(arguments: locations) func theAsynchronousFormsWorkToo(
            location: StorageLocation
        ) async throws {
            let database = try Database.open(location)
            try await database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            try expectRows(1, in: database)
            try await database.close()
            try await expectTaskRefusal(.closed) { try await database.read { _ in } }
        }

        @Test(arguments: locations) func twoOfThemAreTwo(location: StorageLocation) throws {
            let (one, other) = (try open(location), try open(location))
            try one.write { try add(1, on: $0) }
            try expectRows(0, in: other)
        }

        @Test(arguments: locations) func oneConnectionDoesEverything(
            location: StorageLocation
        ) throws {
            let database = try open(location)
            try database.execute("CREATE TEMP TABLE own(x)")
            for access in DatabaseAccess.own {
                let seen = try access.run(on: database) { try count("own", on: $0) }
                #expect(seen == 0)
            }
            let queued = try database.writerConnectionQueue.read { try count("own", on: $0) }
            #expect(queued == 0)
        }

        @Test(
            arguments: locations,
            [
                "INSERT INTO t VALUES(1)", "CREATE TABLE u(x)", "CREATE TEMP TABLE u(x)",
                "PRAGMA user_version = 3",
            ]
        )
        func readsCantWriteAndTheNextWriteCan(location: StorageLocation, sql: String) throws {
            let database = try open(location)
            for access in [DatabaseAccess.read, .executeRead] {
                expectSQLiteError(.readOnly) { try access.run(on: database) { try $0.run(sql) } }
                try expectRows(0, in: database)
                try database.execute("CREATE TABLE v(x); DROP TABLE v")
                try database.executeWrite { try $0.execute("CREATE TABLE v(x); DROP TABLE v") }
            }
        }

        @Test(arguments: locations) func aFailedWriteLeavesNothing(location: StorageLocation) throws
        {
            let database = try open(location)
            expectThrows(TestError.self) {
                try database.write { connection in
                    try add(1, on: connection)
                    throw TestError()
                }
            }
            try expectRows(0, in: database)
        }

        @Test(arguments: locations) func itsPoolRefuses(location: StorageLocation) async throws {
            let database = try Database.open(location)
            try await expectTaskRefusal(.notShareable) {
                try await database.readerConnectionPool.read { _ in }
            }
            #expect(try Self.refusalOfThePool(of: database) == .notShareable)
        }

        private static func refusalOfThePool(of database: Database) throws -> AccessError.Reason? {
            try refusal { try database.readerConnectionPool.execute { _ in } }
        }

        @Test(arguments: locations) func bothPreparationsRunTheWritersFirst(
            location: StorageLocation
        ) throws {
            let notes = SharedNotes<String>()
            var configuration = Database.Configuration()
            configuration.writerConnectionPreparation = { connection in
                notes.note("writer")
                try connection.execute("CREATE TABLE t(x)")
            }
            configuration.readerConnectionPreparation = { connection in
                notes.note("reader")
                try connection.addFunction(named: "twice") { (number: Int) in number * 2 }
            }
            let database = try Database(storageLocation: location, configuration: configuration)
            try expectRows(0, in: database)
            try expectAnswer(4, to: "SELECT twice(2)", from: database)
            #expect(notes.all == ["writer", "reader"])
        }

        @Test(arguments: locations) func theReadersPreparationCanNotCloseTheConnection(
            location: StorageLocation
        ) throws {
            var configuration = Database.Configuration()
            configuration.readerConnectionPreparation = { try $0.close() }
            expectSQLiteError(containing: "it is lent to a closure") {
                _ = try Database(storageLocation: location, configuration: configuration)
            }
        }

        @available(*, deprecated)
        @Test func theInitialiserOfOldDoesTheSame() throws {
            let notes = SharedNotes<String>()
            let database = try Database(
                writerConnectionPreparation: { _ in notes.note("writer") },
                readerConnectionPreparation: { _ in notes.note("reader") }
            )
            try database.executeWrite {
                try $0.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            }
            let seen = try database.executeRead { try count("t", on: $0) }
            #expect(seen == 1)
            #expect(notes.all == ["writer", "reader"])
            expectSQLiteError(.readOnly) { try database.executeRead { try add(1, on: $0) } }
        }

        @Test func inMemoryOpensOneWithTheSettingsForProduction() throws {
            let database = try Database.inMemory()
            try expectAnswer(true, to: "PRAGMA foreign_keys", from: database)
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            try expectRows(1, in: database)
            #expect(try database.read { $0.fileName } == "")
            // Each is a database of its own.
            try Database.inMemory().write { try $0.execute("CREATE TABLE t(x)") }
        }

        @Test func inMemoryTakesAConfiguration() throws {
            var configuration = Database.Configuration()
            configuration.foreignKeys = false
            configuration.writerConnectionPreparation = { try $0.execute("CREATE TABLE t(x)") }
            let database = try Database.inMemory(configuration: configuration)
            let foreignKeys: Bool = try database.read { try $0.query("PRAGMA foreign_keys") }
            #expect(!foreignKeys)
            try expectRows(0, in: database)
        }

        @Test(arguments: locations) func foreignKeysAreEnforced(location: StorageLocation) throws {
            let foreignKeys: Int = try open(location).read { try $0.query("PRAGMA foreign_keys") }
            #expect(foreignKeys == 1)
        }

        @Test func manyThreadsTakeTurns() throws {
            let database = try open(.inMemory)
            let threads = (0..<6).map { index in
                Worker {
                    for number in 0..<100 {
                        if index % 2 == 0 {
                            try database.add(number)
                        } else {
                            _ = try rows(database)
                        }
                    }
                }
            }
            try threads.values()
            try expectRows(300, in: database)
        }
    }

    /// Databases in memory that several connections share.
    @Suite(
        .enabled(
            if: Capability.sharedMemory,
            "this SQLite doesn't share databases in memory by their name"
        )
    )
    struct DatabaseSharedMemoryTests {
        private let location = StorageLocation.uri("file:/\(UUID().uuidString)?vfs=memdb")
        private let database: Database

        init() throws {
            database = try Database.open(location)
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        }

        @Test func severalConnectionsSeeTheSame() throws {
            let counts = try onEveryConnection(of: database) { try count("t", on: $0) }
            #expect(counts == [1, 1, 1, 1])
            let other = try Database.open(location)
            try expectRows(1, in: other)
            try other.write { try add(2, on: $0) }
            try expectRows(2, in: database)
        }

        @Test func theJournalStaysInMemory() throws {
            let modes: [String] = try onEveryConnection(of: database) {
                try $0.query("PRAGMA journal_mode")
            }
            #expect(modes == ["memory", "memory", "memory", "memory"])
        }

        @Test func readsCantWrite() throws {
            for access in [DatabaseAccess.read, .executeRead, .poolRead] {
                expectSQLiteError(.readOnly) { try access.run(on: database) { try add(1, on: $0) } }
            }
            try expectRows(1, in: database)
        }

        @Test func readsAndWritesExcludeEachOtherWithoutFailing() throws {
            let readers = (0..<2).map { _ in
                Worker { try (0..<50).map { _ in try rows(database) } }
            }
            for number in 0..<100 {
                try database.add(number)
            }
            for reader in readers {
                let seen = try reader.value()
                #expect(seen == seen.sorted())
            }
            try expectRows(101, in: database)
        }

        @Test func itIsGoneWithItsLastConnection() throws {
            try database.close()
            let other = try Database.open(location)
            try expectAnswer(0, to: "SELECT count(*) FROM sqlite_schema", from: other)
        }
    }
}
