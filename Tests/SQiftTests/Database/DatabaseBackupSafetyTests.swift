import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Where a backup or a restore could lose what it is there to keep.
extension DatabaseSuites {
    struct DatabaseBackupSafetyTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0) }
        }

        private var path: String { folder.path("backup.sqlite") }

        @Test func aSourceWithTheNameOfTheCopyIsRefusedAndStays() async throws {
            let source = folder.path(".app.sqlite.backup")
            try makeFile(at: source, rows: 7).close()
            let other = try Database(path: source)
            await expectTaskBackupError(.sameDatabase) {
                try await other.backup(to: folder.path("app.sqlite"))
            }
            try expectRows(7, in: other)
            #expect(!FileManager.default.fileExists(atPath: folder.path("app.sqlite")))
        }

        @Test func aBackupWithTheNameOfTheCopyIsNotRemovedByItsRestoring() async throws {
            let source = folder.path(
                "." + URL(fileURLWithPath: folder.path()).lastPathComponent + ".backup"
            )
            try makeFile(at: source, rows: 7, setup: "PRAGMA page_size = 1024").close()
            await expectTaskBackupError(.sameDatabase) {
                try await database.restore(from: source)
            }
            try expectRows(7, on: Connection(path: source))
            try expectRows(100, in: database)
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
            try expectRows(7, in: database)
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
            try expectRows(7, in: database)
        }

        @Test func aCopyThatSomebodyReplacesIsNoBackup() async throws {
            try makeOldFile(at: path)
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
            try expectRows(7, on: Connection(path: path))
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
            try setPermissions(0o444, of: path)
            let copy = folder.path("copy.sqlite")
            try await Database.open(path) { $0.accessMode = .readOnly(immutable: false) }.backup(
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
            var damaged = try bytes(of: path)
            for index in 100..<600 {
                damaged[index] = 0xFF
            }
            try damaged.write(to: URL(fileURLWithPath: path))
            await expectTaskBackupError(.unsuitableDestination, containing: path) {
                try await database.backup(to: path)
            }
            #expect(try bytes(of: path) == damaged)
        }

        @Test func aRowThatACheckWouldRefuseIsNoDamage() async throws {
            try await database.execute(
                """
                CREATE TABLE checked(x CHECK(x > 0));
                PRAGMA ignore_check_constraints = ON;
                INSERT INTO checked VALUES(-1);
                PRAGMA ignore_check_constraints = OFF
                """
            )
            try await database.backup(to: path)
            try await database.writeWithoutTransaction { [path] connection in
                let migrations = [creating("a")]
                _ = try connection.migrator(migrations).run(
                    backupTo: .onDisk(path)
                )
                #expect(try connection.query("PRAGMA ignore_check_constraints") == false)
            }
            try await database.restore(from: path)
        }

        @Test func aPathMeansTheFileThatSQLiteWouldOpen() async throws {
            let manager = FileManager.default
            for name in ["x", "y", "y/sub"] {
                try manager.createDirectory(
                    atPath: folder.path(name),
                    withIntermediateDirectories: true
                )
            }
            try folder.link(
                "x/link",
                to: folder.path("y/sub")
            )
            try await database.backup(to: folder.path("x/link/../b.sqlite"))
            #expect(manager.fileExists(atPath: folder.path("y/b.sqlite")))
            #expect(!manager.fileExists(atPath: folder.path("x/b.sqlite")))
            await expectTaskThrows(SQLiteError.self) {
                try await database.backup(to: folder.path("new") + "/")
            }
        }
    }
}
