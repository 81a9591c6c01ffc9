import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The copies beside a destination, of processes that were killed and of others that are at work.
extension DatabaseSuites {
    struct DatabaseBackupLeftoverTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0) }
        }

        private var path: String { target.path("backup.sqlite") }

        private func expectBackup(
            rows: Int = 100,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            #expect(
                try count("t", on: Connection(path: path)) == rows,
                sourceLocation: sourceLocation
            )
        }

        @Test(arguments: ["", "half a page", "database", "WAL"])
        func theCopyOfAKilledBackupIsRemoved(content: String) async throws {
            let name = ".backup.sqlite.backup"
            switch content {
            case "database": try makeFile(at: target.path(name), rows: 20).close()
            case "WAL":
                try makeFile(at: target.path(name), rows: 20, setup: "PRAGMA journal_mode = WAL")
                    .close()
            default: try write(content, toFile: target.path(name))
            }
            for suffix in ["-journal", "-wal", "-shm", "-lock"] {
                try write("left", toFile: target.path(name + suffix))
            }
            try await database.backup(to: path)
            try expectBackup()
        }

        @Test func whatBelongsToOtherDestinationsStays() async throws {
            let names = [
                ".other.sqlite.backup", "backup.sqlite.backup", ".backup.sqlite.backup2",
                ".backup.sqlite2.backup",
            ]
            for name in names {
                try makeFile(at: target.path(name), rows: 20).close()
            }
            try await database.backup(to: path)
            #expect(try target.files() == (names + ["backup.sqlite"]).sorted())
        }

        @Test func aBackupThatBeginsDuringAnotherIsRefusedAndHarmsNeither() async throws {
            let (target, database) = (target, database)
            let calls = SharedCount()
            let path = path
            try await database.backup(to: .onDisk(path), pagesPerStep: 10) { _ in
                guard calls.add(1) == 2 else { return }
                let error = expectThrows(BackupError.self) {
                    try Worker { try database.backup(to: path) }.value()
                }
                #expect(error?.reason == .destinationInUse)
                let files = try target.files()
                #expect(files.allSatisfy { $0.hasPrefix(".backup.sqlite.backup") }, "\(files)")
            }
            try expectBackup()
            try expectSound(Connection(path: path))
        }

        /// Backs up to one file again and again on many threads, and expects it to be whole all the
        /// time.
        ///
        /// - Returns: The errors but those of a destination that was in use at the moment.
        private func compete(_ databases: [Database]) async throws -> [String] {
            let (succeeded, errors, path) = (SharedCount(), SharedNotes<String>(), path)
            try makeOldFile(at: path)
            var configuration = Connection.Configuration()
            configuration.busyTimeout = patience
            let patient = configuration
            let workers = databases.map { database in
                Worker {
                    for _ in 0..<60 {
                        do {
                            try database.backup(to: .onDisk(path), pagesPerStep: 20)
                            succeeded.add(1)
                        } catch let error as BackupError where error.reason == .destinationInUse {
                        } catch {
                            errors.note("\(error)")
                        }
                        let found = try Connection(path: path, configuration: patient)
                        let isThere = try found.tableExists("t")
                        let rows = isThere ? try count("t", on: found) : 0
                        if rows != 100, rows != 7 {
                            errors.note("the destination holds \(rows) rows")
                        }
                    }
                }
            }
            try await workers.finalValues()
            #expect(succeeded.value > 0)
            try target.expectFiles("backup.sqlite")
            try expectSound(Connection(path: path))
            return errors.all
        }

        @Test func backupsToOneDestinationDoNotRemoveEachOthersCopies() async throws {
            let errors = try await compete([database, database, database])
            #expect(errors.isEmpty, "\(errors.count) of 180")
        }

        @Test func backupsOfDatabasesInMemoryDoNotRemoveEachOthersCopies() async throws {
            let memories = try (0..<3).map { _ in
                let memory = try Database.inMemory()
                try memory.executeWrite { try fill($0) }
                return memory
            }
            let errors = try await compete(memories)
            #expect(errors.isEmpty, "\(errors.count) of 180")
        }

        @Test func backupsToDifferentFilesOfAFolderGoOnAtTheSameTime() async throws {
            try await inTasks(4) { [database, target] number in
                for _ in 0..<5 {
                    try await database.backup(
                        to: .onDisk(target.path("\(number).sqlite")),
                        pagesPerStep: 10
                    )
                }
            }
            #expect(try target.files() == (0..<4).map { "\($0).sqlite" })
            for name in try target.files() {
                try expectRows(100, on: Connection(path: target.path(name)))
            }
        }
    }
}
