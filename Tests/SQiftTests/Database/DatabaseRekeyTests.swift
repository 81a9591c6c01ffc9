import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What a new key means for checkpoints and for a database that has no key.
@Suite(.encryption) struct DatabaseRekeyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ key: Data?,
        _ change: (inout Database.Configuration) -> Void = { _ in }
    ) throws -> Database {
        var configuration = Database.Configuration(key: key)
        change(&configuration)
        let database = try Database(path: folder.path(), configuration: configuration)
        try database.write {
            try $0.execute("CREATE TABLE IF NOT EXISTS t(x); INSERT INTO t VALUES('open secret')")
        }
        return database
    }

    @Test func nobodyWaitsForASnapshot() throws {
        let database = try open(Keys.one) { $0.busyTimeout = patience }
        let snapshot = try database.snapshot()
        let start = Date()
        try database.rekey(to: Keys.other)
        #expect(Date().timeIntervalSince(start) < patience / 2)
        #expect(try rows(database) == 1)
        #expect(try snapshot.read { try count("t", on: $0) } == 1)

        try snapshot.close()
        try database.checkpoint()
        #expect(folder.size("test.sqlite-wal") == 0)
        try database.close()
        #expect(try opens(folder.path(), with: Keys.other))
    }

    @Test(arguments: [Database.Configuration.JournalMode.wal, .delete])
    func aReaderFromBeforeReadsWhatIsWrittenWithTheNewKey(
        journalMode: Database.Configuration.JournalMode
    ) throws {
        let database = try open(Keys.one) { $0.journalMode = journalMode }
        #expect(try rows(database) == 1)
        try database.rekey(to: Keys.other)
        try database.write { connection in
            for _ in 0..<1000 {
                try connection.run("INSERT INTO t VALUES(randomblob(500))")
            }
        }
        try database.checkpoint()
        #expect(try rows(database) == 1001)
        let check = try database.read { try $0.integrityCheck() }
        #expect(check.isEmpty)
    }

    @Test func snapshotsAreTakenAtWhateverMoment() async throws {
        let database = try open(Keys.one)
        let isOver = Gate()
        let takers = (0..<3).map { _ in
            Worker {
                var counts: Set<Int> = []
                while !isOver.isOpen {
                    let snapshot = try database.snapshot()
                    try counts.insert(snapshot.read { try count("t", on: $0) })
                    try snapshot.close()
                }
                return counts
            }
        }
        for round in 0..<20 {
            try await database.rekey(to: round.isMultiple(of: 2) ? Keys.other : Keys.one)
        }
        isOver.open()
        for taker in takers {
            try await #expect(taker.finalValue().subtracting([1]).isEmpty)
        }
        try await database.close()
    }

    @Test func aPreparationThatFailsAtFirstMayUseTheDatabase() throws {
        let database = try open(Keys.one)
        let calls = SharedCount()
        database.prepareConnections { [unowned database] connection in
            guard connection.readOnly else { return }
            try database.write { try $0.run("INSERT INTO t VALUES('more')") }
            calls.add(1)
            if calls.value == 1 {
                throw SQLiteError(code: .notADatabase)
            }
        }
        let error = sqliteError { _ = try database.snapshot() }
        #expect(error?.resultCode == .notADatabase)
        let snapshot = try database.snapshot()
        #expect(try snapshot.read { try count("t", on: $0) } == 3)
        try snapshot.close()
    }

    @Test func withoutReadersTheOldPagesAreGone() throws {
        let database = try open(Keys.one)
        try database.rekey(to: Keys.other)
        #expect(folder.size("test.sqlite-wal") == 0)
    }

    @Test func externalCheckpointsAreLeftToOthers() throws {
        let database = try open(Keys.one) { $0.checkpoints = .external }
        try database.checkpoint()
        let before = FileManager.default.contents(atPath: folder.path())
        try database.rekey(to: Keys.other)
        #expect(FileManager.default.contents(atPath: folder.path()) == before)
        #expect(folder.size("test.sqlite-wal") > 0)
        #expect(try rows(database) == 1)
        try database.write { try $0.run("INSERT INTO t VALUES('more')") }
        try database.close()

        let again = try open(Keys.other) { $0.checkpoints = .external }
        #expect(FileManager.default.contents(atPath: folder.path()) == before)
        try again.checkpoint()
        #expect(FileManager.default.contents(atPath: folder.path()) != before)
        try again.close()
        try folder.expectNothingPlain()
        #expect(try opens(folder.path(), with: Keys.other))
    }

    @Test func aDatabaseInWALModeGetsNoFirstKey() throws {
        let database = try open(nil)
        for _ in 0..<2 {
            let error = sqliteError { try database.rekey(to: Keys.one) }
            #expect(error?.resultCode == .misuse)
            #expect(error?.message.contains("journal_mode = DELETE") == true)
            #expect(error?.message.contains("old") == false)
        }
        #expect(try rows(database) == 1)
        try database.write { try $0.run("INSERT INTO t VALUES('more')") }
        try database.close()
        #expect(try opens(folder.path(), with: nil))
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func aDatabaseWithAJournalGetsAFirstKey() async throws {
        let database = try open(nil) { $0.journalMode = .delete }
        try await database.rekey(to: Keys.one)
        #expect(try await database.read { try count("t", on: $0) } == 1)
        try folder.expectNothingPlain()
        try await database.close()
        #expect(try opens(folder.path(), with: Keys.one))
        try await open(Keys.one).close()
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func readersFromThenOnHaveTheSettingsOfAFirstKey() async throws {
        let database = try open(nil) {
            $0.journalMode = .delete
            $0.connection.cipherSettings = "PRAGMA cipher = 'aes256cbc'"
        }
        try await database.rekey(to: Keys.passphrase)
        #expect(try await database.read { try count("t", on: $0) } == 1)
        try await database.write { try $0.run("INSERT INTO t VALUES('more')") }
        let copy = StorageLocation.onDisk(folder.path("copy"))
        try await database.backup(to: copy)
        try await database.restore(from: copy)
        #expect(try await database.read { try count("t", on: $0) } == 2)
    }

    /// SQLite numbers rows again that have no key of their own.
    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func aFirstKeyChangesAllTables() async throws {
        let database = try open(nil) { $0.journalMode = .delete }
        try await database.write { connection in
            try connection.execute("INSERT INTO t VALUES(1); DELETE FROM t WHERE rowid = 1")
        }
        var values = database.values { try $0.query("SELECT max(rowid) FROM t") as Int }
            .makeAsyncIterator()
        #expect(try await values.next() == 2)
        try await database.rekey(to: Keys.one)
        let rowid: Int = try await database.read { try $0.query("SELECT max(rowid) FROM t") }
        #expect(rowid == 1)
        #expect(try await values.next() == rowid)
    }
}
