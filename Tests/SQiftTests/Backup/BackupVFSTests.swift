import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Databases whose locks are others than SQLite's usual ones.
extension CopySuites {
    struct BackupVFSTests {
        private static let systems = ["unix-dotfile", "unix-excl", "unix-none"]

        private let folder: TemporaryFolder
        private let destination: Connection

        init() throws {
            folder = try TemporaryFolder()
            destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        }

        private func source(_ vfs: String) throws -> Connection {
            var configuration = Connection.Configuration()
            configuration.vfs = vfs
            let source = try Connection(path: folder.path(), configuration: configuration)
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
            try await database.backup(to: .onDisk(backup.path()))
            #expect(try backup.files() == ["test.sqlite"])
            try await database.write { try $0.run("DELETE FROM t") }
            try await database.restore(from: .onDisk(backup.path()))
            #expect(try rows(database) == 100)
            try await database.close()
        }
    }
}
