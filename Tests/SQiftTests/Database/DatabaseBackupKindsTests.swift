import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Databases of every kind, sound and damaged.
extension DatabaseSuites {
    struct DatabaseBackupKindsTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh

        private var path: String { target.path("backup.sqlite") }

        private func expectBackup(
            rows: Int = 100,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            let backup = try Connection(path: path)
            #expect(
                try backup.query("PRAGMA journal_mode") == "delete",
                sourceLocation: sourceLocation
            )
            #expect(try count("t", on: backup) == rows, sourceLocation: sourceLocation)
            try expectSound(backup, sourceLocation: sourceLocation)
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
        }

        @Test func aRollbackJournalUnderASteadyWriter() async throws {
            let database = try folder.open {
                $0.journalMode = .delete
                $0.busyTimeout = patience
            }
            try await database.write { try fill($0) }
            try await database.execute("CREATE TABLE pair(a, b); INSERT INTO pair VALUES(1, 1)")
            let stop = Gate()
            let writer = Worker {
                var number = 1
                while !stop.isOpen {
                    number += 1
                    try database.write {
                        try $0.run("UPDATE pair SET a = ?, b = ?", number, number)
                    }
                }
            }
            for pages in [1, 10, 100] {
                try await database.backup(to: .onDisk(path), pagesPerStep: pages)
                try expectBackup()
                #expect(try Connection(path: path).query("SELECT a = b FROM pair") == true)
            }
            stop.open()
            try await writer.finalValue()
        }

        @Test func databasesWithoutAFile() async throws {
            var locations = [StorageLocation.inMemory, .temporary]
            if Capability.sharedMemory {
                locations.append(.uri("file:/\(UUID().uuidString)?vfs=memdb"))
                locations.append(.uri("file:without-a-slash?vfs=memdb"))
            }
            for location in locations {
                let database = try Database.open(location)
                try await database.write { try fill($0) }
                try await database.backup(to: .onDisk(path), pagesPerStep: 10)
                try expectBackup()
                try await onThread { [path] in try database.backup(to: path) }
                try expectBackup()
                await expectTaskThrows(TestError()) {
                    try await database.backup(to: .onDisk(path), pagesPerStep: 10) { _ in
                        throw TestError()
                    }
                }
                try expectBackup()
                try await database.run("INSERT INTO t(x) VALUES(1)")
                try await database.close()
            }
        }

        @Test(
            .enabled(
                if: Capability.sharedMemory,
                "this SQLite doesn't share databases in memory by their name"
            )
        )
        func aNamedDatabaseInMemoryIsNotTheFileOfThatName() async throws {
            try makeOldFile(at: path)
            let database = try Database.open(.uri("file:\(path)?vfs=memdb"))
            try await database.write { try fill($0) }
            try await database.backup(to: path)
            try expectBackup()
        }

        @Test func cancellingTheBackupOfADatabaseInMemory() async throws {
            let database = try Database.inMemory()
            try await database.write { try fill($0) }
            let (begun, goOn) = (Gate(), Gate())
            let task = Task.detached { [path] in
                try await database.backup(to: .onDisk(path), pagesPerStep: 5) { _ in
                    begun.open()
                    goOn.wait()
                }
            }
            await expectCancelled(task, once: begun, opening: goOn)
            try target.expectFiles()
            try await database.run("INSERT INTO t(x) VALUES(1)")
            try await database.backup(to: path)
            try expectBackup(rows: 101)
        }

        @Test func aNewDatabaseIsABackupOfNothing() async throws {
            for mode in [Database.Configuration.JournalMode.wal, .delete] {
                let database = try folder.open { $0.journalMode = mode }
                try await database.backup(to: path)
                try target.expectFiles("backup.sqlite")
                #expect(try Connection(path: path).query("SELECT count(*) FROM sqlite_schema") == 0)
                try await database.close()
                try FileManager.default.removeItem(atPath: folder.path())
            }
        }

        @Test(arguments: [
            "PRAGMA encoding = 'UTF-16le'", "PRAGMA page_size = 512", "PRAGMA auto_vacuum = FULL",
        ])
        func formatsAreKept(setup: String) async throws {
            try makeFile(at: folder.path(), with: "日本", setup: setup).close()
            let database = try folder.open()
            try await database.backup(to: path)
            try expectBackup()
            try expectSame(Connection(path: path), folder.connection())
            for pragma in ["encoding", "page_size", "auto_vacuum"] {
                let query = "SELECT CAST(\(pragma) AS TEXT) FROM pragma_\(pragma)"
                let (copied, own): (String, String) = try (
                    Connection(path: path).query(query), folder.connection().query(query)
                )
                #expect(copied == own)
            }
        }

        @Test(arguments: [Database.Configuration.JournalMode.wal, .delete])
        func aDamagedDatabaseDoesNotReplaceItsBackup(
            mode: Database.Configuration.JournalMode
        ) async throws {
            try makeFile(at: folder.path(), setup: "PRAGMA journal_mode = \(mode.rawValue)").close()
            try makeOldFile(at: path)
            try damageIndex(folder.path())
            let database = try folder.open { $0.journalMode = mode }
            await expectTaskBackupError(.damaged, containing: folder.path()) {
                try await database.backup(to: path)
            }
            try expectBackup(rows: 7)
            let synchronous = Worker { [path] in try database.backup(to: path) }
            await expectTaskThrows(BackupError.self) { try await synchronous.finalValue() }
            try expectBackup(rows: 7)
            try expectRows(100, in: database)
        }

        @Test func aDatabaseWhosePagesAreGarbageDoesNotReplaceItsBackup() async throws {
            try makeFile(at: folder.path()).close()
            try makeOldFile(at: path)
            let root: Int = try folder.connection().query(
                "SELECT rootpage FROM sqlite_schema WHERE name = 't'"
            )
            try overwrite(
                folder.path(),
                at: (root - 1) * 4096,
                with: Data(repeating: 0xff, count: 4096)
            )
            let database = try folder.open()
            await expectTaskBackupError(.damaged, containing: folder.path()) {
                try await database.backup(to: path)
            }
            try expectBackup(rows: 7)
        }

        @Test func violatedForeignKeysAreNoDamage() async throws {
            let database = try folder.open { $0.foreignKeys = false }
            try await database.write { connection in
                try fill(connection)
                try connection.execute(
                    "CREATE TABLE c(p REFERENCES t(id)); INSERT INTO c VALUES(1000)"
                )
            }
            try await database.backup(to: path)
            try expectBackup()
        }
    }
}
