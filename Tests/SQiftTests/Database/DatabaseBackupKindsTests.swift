import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Databases of every kind, sound and damaged.
extension DatabaseSuites {
    struct DatabaseBackupKindsTests {
        private let folder: TemporaryFolder
        private let target: TemporaryFolder

        init() throws {
            (folder, target) = try (TemporaryFolder(), TemporaryFolder())
        }

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
            #expect(try backup.integrityCheck() == [], sourceLocation: sourceLocation)
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
        }

        @Test(arguments: [Database.Configuration.JournalMode.delete, .truncate, .persist])
        func aDatabaseWithARollbackJournal(mode: Database.Configuration.JournalMode) async throws {
            let database = try folder.open { $0.journalMode = mode }
            try await database.write { try fill($0) }
            try await database.backup(to: .onDisk(path), pagesPerStep: 10)
            try expectBackup()
            try await onThread { [path] in try database.backup(to: .onDisk(path)) }
            try expectBackup()
            try await database.write { try $0.run("DELETE FROM t WHERE id = 1") }
            try await database.backup(to: .onDisk(path))
            try expectBackup(rows: 99)
        }

        @Test func aRollbackJournalUnderASteadyWriter() async throws {
            let database = try folder.open {
                $0.journalMode = .delete
                $0.busyTimeout = patience
            }
            try await database.write { try fill($0) }
            try await database.write {
                try $0.execute("CREATE TABLE pair(a, b); INSERT INTO pair VALUES(1, 1)")
            }
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
                let database = try Database(
                    storageLocation: location,
                    configuration: Database.Configuration()
                )
                try await database.write { try fill($0) }
                try await database.backup(to: .onDisk(path), pagesPerStep: 10)
                try expectBackup()
                try await onThread { [path] in try database.backup(to: .onDisk(path)) }
                try expectBackup()
                await expectTaskThrows(TestError()) {
                    try await database.backup(to: .onDisk(path), pagesPerStep: 10) { _ in
                        throw TestError()
                    }
                }
                try expectBackup()
                try await database.write { try $0.run("INSERT INTO t(x) VALUES(1)") }
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
            try makeFile(at: path, rows: 7, with: "old").close()
            let database = try Database(
                storageLocation: .uri("file:\(path)?vfs=memdb"),
                configuration: Database.Configuration()
            )
            try await database.write { try fill($0) }
            try await database.backup(to: .onDisk(path))
            try expectBackup()
        }

        @Test func cancellingTheBackupOfADatabaseInMemory() async throws {
            let database = try Database(
                storageLocation: .inMemory,
                configuration: Database.Configuration()
            )
            try await database.write { try fill($0) }
            let (begun, goOn) = (Gate(), Gate())
            let task = Task.detached { [path] in
                try await database.backup(to: .onDisk(path), pagesPerStep: 5) { _ in
                    begun.open()
                    goOn.wait()
                }
            }
            await begun.opened()
            task.cancel()
            goOn.open()
            await expectCancelled(task)
            #expect(try target.files() == [])
            try await database.write { try $0.run("INSERT INTO t(x) VALUES(1)") }
            try await database.backup(to: .onDisk(path))
            try expectBackup(rows: 101)
        }

        @Test(arguments: ["WAL", "DELETE"], [false, true])
        func aReadOnlyDatabase(mode: String, immutable: Bool) async throws {
            let writer = try makeFile(at: folder.path(), setup: "PRAGMA journal_mode = \(mode)")
            if immutable {
                try writer.close()
            }
            let database = try folder.open { $0.accessMode = .readOnly(immutable: immutable) }
            try await database.backup(to: .onDisk(path), pagesPerStep: 10)
            try expectBackup()
            try await onThread { [path] in try database.backup(to: .onDisk(path)) }
            try expectBackup()
            _ = writer
        }

        @Test func aNewDatabaseIsABackupOfNothing() async throws {
            for mode in [Database.Configuration.JournalMode.wal, .delete] {
                let database = try folder.open { $0.journalMode = mode }
                try await database.backup(to: .onDisk(path))
                #expect(try target.files() == ["backup.sqlite"])
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
            try await database.backup(to: .onDisk(path))
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
        func functionsAndCollationsOfTheSchemaAreThere(
            mode: Database.Configuration.JournalMode
        ) async throws {
            let database = try folder.open { $0.journalMode = mode }
            database.prepareConnections { connection in
                try connection.addFunction(named: "slug") { (text: String) -> String in
                    text.lowercased()
                }
                try connection.addCollation(named: "backwards") { $1.compare($0) }
            }
            try await database.write { connection in
                // Only functions that always answer the same may be in a schema.
                try connection.execute(
                    "CREATE TABLE c(x COLLATE backwards); CREATE INDEX ci ON c(x)"
                )
                try connection.execute("CREATE VIEW v AS SELECT slug(x) AS s FROM c")
                try connection.run("INSERT INTO c " + numbers(to: 50, selecting: "'X' || n"))
                try fill(connection)
            }
            try await database.backup(to: .onDisk(path))
            let backup = try Connection(path: path)
            #expect(try count("c", on: backup) == 50)
            try await database.restore(from: .onDisk(path))
            let slugs = try await database.read {
                try $0.query("SELECT s FROM v WHERE s = 'x7'") as [String]
            }
            #expect(slugs == ["x7"])
        }

        @Test func readersThatAttachOtherDatabases() async throws {
            let database = try folder.open()
            try await database.write { try fill($0) }
            database.prepareConnections { connection in
                // The check of the copy attaches one more.
                for number in 1..<connection.limit(.attached) {
                    try connection.attachDatabase(from: .inMemory, withName: "other\(number)")
                }
            }
            try await database.backup(to: .onDisk(path))
            try expectBackup()
        }

        @Test(arguments: [Database.Configuration.JournalMode.wal, .delete])
        func aDamagedDatabaseDoesNotReplaceItsBackup(
            mode: Database.Configuration.JournalMode
        ) async throws {
            try makeFile(at: folder.path(), setup: "PRAGMA journal_mode = \(mode.rawValue)").close()
            try makeFile(at: path, rows: 7, with: "old").close()
            try damageIndex(folder.path())
            let database = try folder.open { $0.journalMode = mode }
            let error = await expectTaskThrows(BackupError.self) {
                try await database.backup(to: .onDisk(path))
            }
            #expect(error?.reason == .damaged)
            #expect(error?.message.contains(folder.path()) == true, "\(error?.message ?? "")")
            try expectBackup(rows: 7)
            let synchronous = Worker { [path] in try database.backup(to: .onDisk(path)) }
            await expectTaskThrows(BackupError.self) { try await synchronous.finalValue() }
            try expectBackup(rows: 7)
            #expect(try rows(database) == 100)
        }

        @Test func aDatabaseWhosePagesAreGarbageDoesNotReplaceItsBackup() async throws {
            try makeFile(at: folder.path()).close()
            try makeFile(at: path, rows: 7, with: "old").close()
            let root: Int = try folder.connection().query(
                "SELECT rootpage FROM sqlite_schema WHERE name = 't'"
            )
            try overwrite(
                folder.path(),
                at: (root - 1) * 4096,
                with: Data(repeating: 0xff, count: 4096)
            )
            let database = try folder.open()
            let error = await expectTaskThrows(BackupError.self) {
                try await database.backup(to: .onDisk(path))
            }
            #expect(error?.reason == .damaged)
            #expect(error?.message.contains(folder.path()) == true)
            try expectBackup(rows: 7)
        }

        @Test func aHardenedDatabaseIsBackedUpAndRestored() async throws {
            let database = try folder.open { $0.connection.hardened = true }
            try await database.write { try fill($0) }
            try await database.backup(to: .onDisk(path))
            try expectBackup()
            try await database.write { try $0.run("DELETE FROM t") }
            try await database.restore(from: .onDisk(path))
            #expect(try rows(database) == 100)
            try makeFile(
                at: target.path("other.sqlite"),
                rows: 30,
                setup: "PRAGMA page_size = 1024"
            ).close()
            try await database.restore(from: .onDisk(target.path("other.sqlite")))
            #expect(try rows(database) == 30)
        }

        @Test func violatedForeignKeysAreNoDamage() async throws {
            let database = try folder.open { $0.foreignKeys = false }
            try await database.write { connection in
                try fill(connection)
                try connection.execute(
                    "CREATE TABLE c(p REFERENCES t(id)); INSERT INTO c VALUES(1000)"
                )
            }
            try await database.backup(to: .onDisk(path))
            try expectBackup()
        }
    }
}
