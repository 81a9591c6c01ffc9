import Foundation
import Testing

@testable import SQift

/// The copies beside a destination, of processes that were killed and of others that are at work.
extension ConcurrencySuites {
    @Suite struct DatabaseBackupLeftoverTests {
        private let folder: DatabaseFolder
        private let target: DatabaseFolder
        private let database: Database

        init() throws {
            (folder, target) = try (DatabaseFolder(), DatabaseFolder())
            database = try folder.open()
            try database.write { try fill($0) }
        }

        private var path: String { target.path("backup.sqlite") }

        private func expectBackup(rows: Int = 100, sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            #expect(try count("t", on: Connection(path: path)) == rows, sourceLocation: sourceLocation)
        }

        @Test func copiesThatNobodyUsesAreRemoved() async throws {
            let names = (0..<4).map { _ in ".backup.sqlite.backup-\(UUID().uuidString)" }
            try makeFile(at: target.path(names[0]), rows: 20).close()
            try Data().write(to: URL(fileURLWithPath: target.path(names[1])))
            try Data("half a page".utf8).write(to: URL(fileURLWithPath: target.path(names[2])))
            try makeFile(at: target.path(names[3]), rows: 20, setup: "PRAGMA journal_mode = WAL").close()
            for suffix in ["-journal", "-wal", "-shm"] {
                try Data("left".utf8).write(to: URL(fileURLWithPath: target.path(names[0] + suffix)))
            }
            try await database.backup(to: .onDisk(path))
            try expectBackup()
        }

        @Test func copiesForOtherDestinationsStay() async throws {
            let names = [
                ".other.sqlite.backup-\(UUID().uuidString)", "backup.sqlite.backup-\(UUID().uuidString)",
                ".backup.sqlite.backup-\(UUID().uuidString)x", ".backup.sqlite2.backup-\(UUID().uuidString)",
            ]
            for name in names { try makeFile(at: target.path(name), rows: 20).close() }
            try await database.backup(to: .onDisk(path))
            #expect(try target.files() == (names + ["backup.sqlite"]).sorted())
        }

        @Test func copiesThatAreInUseStay() async throws {
            let name = ".backup.sqlite.backup-\(UUID().uuidString)"
            let other = try makeFile(at: target.path(name), rows: 20)
            for begin in ["BEGIN IMMEDIATE", "BEGIN; SELECT count(*) FROM t", "BEGIN EXCLUSIVE"] {
                try other.execute(begin)
                try await database.backup(to: .onDisk(path))
                #expect(try target.files().contains(name))
                try other.execute("ROLLBACK")
            }
            try other.close()
            try await database.backup(to: .onDisk(path))
            try expectBackup()
        }

        @Test func aBackupThatBeginsDuringAnotherHarmsNeither() async throws {
            let (target, database) = (target, database)
            let calls = SharedCount()
            let path = path
            try await database.backup(to: .onDisk(path), pagesPerStep: 10) { _ in
                guard calls.add(1) == 2 else { return }
                #expect(try target.files().count >= 1)
                try Worker { try database.backup(to: .onDisk(path)) }.value()
                #expect(try count("t", on: Connection(path: path)) == 100)
            }
            try expectBackup()
            #expect(try Connection(path: path).integrityCheck() == [])
        }

        @Test func manyBackupsToOneDestinationLeaveAWholeOne() async throws {
            let (succeeded, path) = (SharedCount(), path)
            var configuration = Connection.Configuration()
            configuration.busyTimeout = patience
            let patient = configuration
            try makeFile(at: path, rows: 7, with: "old").close()
            let workers = (0..<3).map { _ in
                Worker { [database] in
                    for _ in 0..<40 {
                        do {
                            try database.backup(to: .onDisk(path), pagesPerStep: 20)
                            succeeded.add(1)
                        } catch is BackupError {
                        } catch is SQLiteError {}
                        let rows = try count("t", on: Connection(path: path, configuration: patient))
                        #expect(rows == 100 || rows == 7)
                    }
                }
            }
            for worker in workers { try await worker.finalValue() }
            #expect(succeeded.value > 0)
            try expectBackup()
            #expect(try Connection(path: path).integrityCheck() == [])
        }

        @Test func backupsToDifferentFilesOfAFolderGoOnAtTheSameTime() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask { [database, target] in
                        for _ in 0..<5 {
                            try await database.backup(to: .onDisk(target.path("\(number).sqlite")), pagesPerStep: 10)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try target.files() == (0..<4).map { "\($0).sqlite" })
            for name in try target.files() { #expect(try count("t", on: Connection(path: target.path(name))) == 100) }
        }
    }
}
