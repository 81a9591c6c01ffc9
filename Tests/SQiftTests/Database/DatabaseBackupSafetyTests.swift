import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Where a backup or a restore could lose what it is there to keep.
extension DatabaseSuites {
    struct DatabaseBackupSafetyTests {
        private let folder: TemporaryFolder
        private let database: Database

        init() throws {
            folder = try TemporaryFolder()
            database = try folder.open()
            try database.write { try fill($0) }
        }

        private var path: String { folder.path("backup.sqlite") }

        @Test func aSourceWithTheNameOfTheCopyIsRefusedAndStays() async throws {
            let source = folder.path(".app.sqlite.backup")
            try makeFile(at: source, rows: 7).close()
            let other = try Database(path: source)
            let error = await expectTaskThrows(BackupError.self) {
                try await other.backup(to: .onDisk(folder.path("app.sqlite")))
            }
            #expect(error?.reason == .sameDatabase)
            #expect(try await other.read { try count("t", on: $0) } == 7)
            #expect(!FileManager.default.fileExists(atPath: folder.path("app.sqlite")))
        }

        @Test func aBackupWithTheNameOfTheCopyIsNotRemovedByItsRestoring() async throws {
            let source = folder.path(
                "." + URL(fileURLWithPath: folder.path()).lastPathComponent + ".backup"
            )
            try makeFile(at: source, rows: 7, setup: "PRAGMA page_size = 1024").close()
            let error = await expectTaskThrows(BackupError.self) {
                try await database.restore(from: .onDisk(source))
            }
            #expect(error?.reason == .sameDatabase)
            #expect(try count("t", on: Connection(path: source)) == 7)
            #expect(try await database.read { try count("t", on: $0) } == 100)
        }

        @Test(arguments: ["DELETE", "WAL"])
        func whatTheLastCallOfTheProgressThrowsDoesNotMakeARestoreAFailure(
            mode: String
        ) async throws {
            try makeFile(at: path, rows: 7, setup: "PRAGMA journal_mode = \(mode)").close()
            try await database.restore(from: .onDisk(path)) { progress in
                if progress.remainingPageCount == 0 {
                    throw TestError(reason: "too late")
                }
            }
            #expect(try await database.read { try count("t", on: $0) } == 7)
        }

        @Test(arguments: ["DELETE", "WAL"])
        func aCancellationDuringTheLastCallIsTooLate(mode: String) async throws {
            try makeFile(at: path, rows: 7, setup: "PRAGMA journal_mode = \(mode)").close()
            let (isLast, isCancelled) = (Gate(), Gate())
            let task = Task.detached { [database, path] in
                try await database.restore(from: .onDisk(path)) { progress in
                    guard progress.remainingPageCount == 0 else { return }
                    isLast.open()
                    isCancelled.wait()
                }
            }
            try await onThread { isLast.wait() }
            task.cancel()
            isCancelled.open()
            try await task.value
            #expect(try await database.read { try count("t", on: $0) } == 7)
        }

        @Test func aCopyThatSomebodyReplacesIsNoBackup() async throws {
            try makeFile(at: path, rows: 7, with: "old").close()
            let other = folder.path("other.sqlite")
            try makeFile(at: other, rows: 1).close()
            let copy = folder.path(".backup.sqlite.backup")
            await expectTaskThrows(SQLiteError.self) { [path] in
                try await database.backup(to: .onDisk(path)) { progress in
                    guard progress.remainingPageCount == 0 else { return }
                    try FileManager.default.removeItem(atPath: copy)
                    try FileManager.default.copyItem(atPath: other, toPath: copy)
                }
            }
            #expect(try count("t", on: Connection(path: path)) == 7)
        }

        @Test func aWriteBetweenAllStepsDoesNotKeepABackupFromEnding() throws {
            let file = folder.path("rollback.sqlite")
            try makeFile(at: file, rows: 2000).close()
            let (source, writer) = try (Connection(path: file), Connection(path: file))
            var steps = 0
            try source.backup(to: Connection(), pagesPerStep: 1) { _ in
                steps += 1
                try #require(steps < 100)
                try writer.run("UPDATE t SET x = x || '!' WHERE rowid = 1")
            }
            #expect(steps < 100)
        }

        @Test func aReadOnlyFileIsBackedUpWithItsPermissions() async throws {
            try makeFile(at: path, rows: 7).close()
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            let copy = folder.path("copy.sqlite")
            var configuration = Database.Configuration()
            configuration.accessMode = .readOnly(immutable: false)
            try await Database(path: path, configuration: configuration).backup(
                to: .onDisk(copy),
                pagesPerStep: 1
            ) {
                _ in
                let mode = try FileManager.default.attributesOfItem(
                    atPath: folder.path(".copy.sqlite.backup")
                )
                #expect(mode[.posixPermissions] as? Int == 0o600)
            }
            let mode =
                try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
            #expect(mode == 0o444)
        }

        @Test func aDamagedOldBackupIsNamed() async throws {
            try makeFile(at: path, rows: 7).close()
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for index in 100..<600 {
                bytes[index] = 0xFF
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            let error = await expectTaskThrows(BackupError.self) {
                try await database.backup(to: .onDisk(path))
            }
            #expect(error?.reason == .unsuitableDestination)
            #expect(error?.message.contains(path) == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }

        @Test func aRowThatACheckWouldRefuseIsNoDamage() async throws {
            try await database.write { connection in
                try connection.execute(
                    """
                    CREATE TABLE checked(x CHECK(x > 0));
                    PRAGMA ignore_check_constraints = ON;
                    INSERT INTO checked VALUES(-1);
                    PRAGMA ignore_check_constraints = OFF
                    """
                )
            }
            try await database.backup(to: .onDisk(path))
            try await database.writeWithoutTransaction { [path] connection in
                let migrations = [Migration("a", sql: "CREATE TABLE a(x)")]
                _ = try Migrator(connection: connection, migrations: migrations).run(
                    backupTo: .onDisk(path)
                )
                #expect(try connection.query("PRAGMA ignore_check_constraints") == false)
            }
            try await database.restore(from: .onDisk(path))
        }

        @Test func aPathMeansTheFileThatSQLiteWouldOpen() async throws {
            let manager = FileManager.default
            for name in ["x", "y", "y/sub"] {
                try manager.createDirectory(
                    atPath: folder.path(name),
                    withIntermediateDirectories: true
                )
            }
            try manager.createSymbolicLink(
                atPath: folder.path("x/link"),
                withDestinationPath: folder.path("y/sub")
            )
            try await database.backup(to: .onDisk(folder.path("x/link/../b.sqlite")))
            #expect(manager.fileExists(atPath: folder.path("y/b.sqlite")))
            #expect(!manager.fileExists(atPath: folder.path("x/b.sqlite")))
            await expectTaskThrows(SQLiteError.self) {
                try await database.backup(to: .onDisk(folder.path("new") + "/"))
            }
        }
    }
}
