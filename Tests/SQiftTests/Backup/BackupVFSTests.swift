import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Databases whose locks are others than SQLite's usual ones.
extension CopySuites {
    struct BackupVFSTests {
        private static let systems = ["unix-dotfile", "unix-excl", "unix-none"]

        private let folder = TemporaryFolder.fresh
        private let destination: Connection

        init() throws {
            destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        }

        private func source(_ vfs: String) throws -> Connection {
            let source = try Connection.open(folder.path()) { $0.vfs = vfs }
            try fill(source)
            return source
        }

        @Test(arguments: systems)
        func theSynchronousFormReadsThemAndWritesThem(vfs: String) throws {
            let source = try source(vfs)
            try source.backup(to: destination)
            try expectSame(destination, source)
            try source.run("DELETE FROM t WHERE id > 50")
            try destination.backup(to: source)
            try expectSame(source, destination)
        }

        @Test(arguments: systems)
        func theBackgroundReadsThem(vfs: String) async throws {
            let source = try source(vfs)
            let (results, done) = (SharedNotes<Connection.BackupResult>(), Gate())
            try source.backup(to: destination, completionQueue: .global()) { result in
                results.note(result)
                done.open()
            }
            await done.opened()
            #expect(results.all.map(\.isSuccess) == [true], "\(results.all)")
            try expectSame(destination, source)
        }

        @Test(arguments: systems)
        func databasesAreBackedUpAndRestored(vfs: String) async throws {
            let database = try folder.open {
                $0.journalMode = .delete
                $0.connection.vfs = vfs
            }
            try await database.write { try fill($0) }
            let backup = try TemporaryFolder()
            try await database.backup(to: backup.path())
            try backup.expectFiles("test.sqlite")
            try await database.run("DELETE FROM t")
            try await database.restore(from: backup.path())
            try expectRows(100, in: database)
            try await database.close()
        }
    }
}
