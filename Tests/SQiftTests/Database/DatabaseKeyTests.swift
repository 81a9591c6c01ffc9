import Foundation
import SQift
import SQiftTestSupport
import Testing

@Suite(.encryption) struct DatabaseKeyTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    private func make(_ key: Data?, at name: String = "test.sqlite") throws -> Database {
        let database = try Database(path: folder.path(name), configuration: .init(key: key))
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE t(x);
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT 'open secret' || hex(randomblob(400)) FROM n
                """
            )
        }
        return database
    }

    private func count(_ connection: Connection) throws -> Int {
        try connection.query("SELECT count(*) FROM t")
    }

    // MARK: Backups

    @Test func aBackupHasTheKeyAndNoPlainSibling() async throws {
        let database = try make(Keys.one)
        let copy = StorageLocation.onDisk(folder.path("copy.sqlite"))
        for _ in 0..<2 {
            try await database.backup(to: copy, pagesPerStep: 10) { _ in
                try self.folder.expectNothingPlain()
            }
        }
        try folder.expectNothingPlain()
        #expect(try opens(copy.path, with: Keys.one))
        #expect(try !opens(copy.path, with: Keys.other))

        try await database.write { try $0.run("DELETE FROM t") }
        try await database.restore(from: copy, pagesPerStep: 10) { _ in
            try self.folder.expectNothingPlain()
        }
        #expect(try await database.read { try self.count($0) } == 300)

        // With another key, the old backup isn't replaced.
        try await database.close()
        try Connection.changeKey(of: path, configuration: .init(key: Keys.one), to: Keys.other)
        let changed = try Database(path: path, configuration: .init(key: Keys.other))
        let error = await expectTaskThrows(BackupError.self) { try await changed.backup(to: copy) }
        #expect(error?.reason == .unsuitableDestination)
        #expect(error?.message.contains("another key") == true)
        #expect(try opens(copy.path, with: Keys.one))
        let restoring = await expectTaskThrows(SQLiteError.self) {
            try await changed.restore(from: copy)
        }
        #expect(restoring?.resultCode == .notADatabase)
        try FileManager.default.removeItem(atPath: copy.path)
        try await changed.backup(to: copy)
        #expect(try opens(copy.path, with: Keys.other))
        try await changed.close()
    }

    @Test func theCheckOfABackupHasTheDatabasesCollations() throws {
        let database = try make(Keys.passphrase)
        database.prepareConnections {
            try $0.addCollation(named: "mine") {
                $0.count < $1.count ? .orderedAscending : .orderedSame
            }
        }
        try database.write {
            try $0.execute("CREATE TABLE u(x COLLATE mine UNIQUE); INSERT INTO u VALUES('a')")
        }
        let copy = StorageLocation.onDisk(folder.path("copy.sqlite"))
        try database.backup(to: copy)
        try database.restore(from: copy)
        try folder.expectNothingPlain()
    }

    @Test func plainAndEncryptedAreNotMixed() throws {
        let encrypted = try make(Keys.one)
        let plain = try make(nil, at: "plain.sqlite")
        let copies = (plain: folder.path("plain copy"), encrypted: folder.path("encrypted copy"))
        try encrypted.backup(to: .onDisk(copies.encrypted))
        try plain.backup(to: .onDisk(copies.plain))

        for (database, path) in [(encrypted, copies.plain), (plain, copies.encrypted)] {
            let error = sqliteError { try database.restore(from: .onDisk(path)) }
            #expect(error?.resultCode == .notADatabase)
            #expect(error?.message.contains("both need a key or none") == true)
            #expect(try database.read(count) == 300)
            #expect(
                backupError { try database.backup(to: .onDisk(path)) }?.reason
                    == .unsuitableDestination
            )
        }
        try encrypted.writeWithoutTransaction { one in
            let other = try Connection(path: folder.path("another"))
            for (source, destination) in [(one, other), (other, one)] {
                let error = backupError { try source.backup(to: destination) }
                #expect(error?.reason == .encryption)
                // The form of SQift 5.1 throws an `SQLiteError`.
                let background = sqliteError {
                    try source.backup(to: destination, completion: { _ in recordCall() })
                }
                #expect(background?.message.contains("both need a key or none") == true)
            }
            #expect(try count(one) == 300)
        }
        #expect(try opens(copies.encrypted, with: Keys.one))
        #expect(try opens(copies.plain, with: nil))
    }

    @Test func backupsBetweenConnectionsKeepEachOnesKey() async throws {
        let database = try make(Keys.one)
        for (name, key) in [("same", Keys.one), ("another", Keys.other)] {
            let destination = try Connection(
                path: folder.path(name),
                configuration: .init(key: key)
            )
            try await database.writeWithoutTransaction { _ in }
            let source = try Connection(path: path, configuration: .init(key: Keys.one))
            try source.backup(to: destination)
            #expect(try count(destination) == 300)
            try destination.run("DELETE FROM t")
            let result = await withCheckedContinuation { continuation in
                do {
                    try source.backup(to: destination, completionQueue: .global()) {
                        continuation.resume(returning: $0.isSuccess)
                    }
                } catch {
                    continuation.resume(returning: false)
                }
            }
            #expect(result)
            #expect(try count(destination) == 300)
            try destination.close()
            #expect(try opens(folder.path(name), with: key))
        }
        try folder.expectNothingPlain()
    }

    // MARK: Migrations

    @Test func aMigrationItsRehearsalAndItsBackupHaveTheKey() throws {
        let database = try make(Keys.one)
        let backup = StorageLocation.onDisk(folder.path("before.sqlite"))
        try database.writeWithoutTransaction { connection in
            let migrator = Migrator(
                connection: connection,
                migrations: [
                    Migration("add", sql: "ALTER TABLE t ADD COLUMN y; UPDATE t SET y = 1")
                ]
            )
            let report = try migrator.rehearse { _ in try folder.expectNothingPlain() }
            #expect(report.changedRowCount == 300)
            try folder.expectNothingPlain()
            #expect(try migrator.pending() == ["add"])
            try migrator.run(backupTo: backup)
        }
        try folder.expectNothingPlain()
        #expect(try opens(backup.path, with: Keys.one))
        #expect(try database.read { try $0.query("SELECT sum(y) FROM t") } == 300)
    }

    // MARK: Unfinished transactions

    @Test func aReaderWithTheKeyTakesInAJournal() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let connection = try Connection(path: path, configuration: .init(key: Keys.one))
            try connection.execute(
                """
                PRAGMA cache_size = 2;
                CREATE TABLE t(x);
                INSERT INTO t VALUES('open secret');
                BEGIN;
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT randomblob(1000) FROM n
                """
            )
            kill(getpid(), SIGKILL)
        }
        #expect(try folder.files() == ["test.sqlite", "test.sqlite-journal"])
        try folder.expectNothingPlain()
        #expect(try !opens(path, with: Keys.other))
        let database = try Database(path: path, configuration: .init(key: Keys.one))
        #expect(try await database.read { try self.count($0) } == 1)
    }
}
