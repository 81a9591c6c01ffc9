import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// A database whose file was moved or replaced while it was open, which the guides forbid: the
    /// connections would use two files.
    struct ReplacedFileTests {
        private let folder = TemporaryFolder.fresh

        private func move(_ name: String, to other: String) throws {
            try FileManager.default.moveItem(
                atPath: folder.path(name),
                toPath: folder.path(other)
            )
        }

        @Test func aNewReaderNoticesTheOtherFile() throws {
            let database = try folder.openWithTable()
            try database.add(1)
            let other = try Connection(path: folder.path("other.sqlite"))
            try other.execute("CREATE TABLE t(x); INSERT INTO t VALUES(7)")
            try other.close()

            for suffix in ["", "-wal", "-shm"] {
                try move("test.sqlite\(suffix)", to: "old.sqlite\(suffix)")
            }
            try move("other.sqlite", to: "test.sqlite")
            let error = expectSQLiteError(extended: .readOnlyDatabaseMoved) {
                try database.read { _ in }
            }
            #expect(error?.message.contains(folder.path()) == true)
            expectSQLiteError(extended: .readOnlyDatabaseMoved) { try database.snapshot() }

            // With its own file it works again.
            try move("test.sqlite", to: "other.sqlite")
            for suffix in ["", "-wal", "-shm"] {
                try move("old.sqlite\(suffix)", to: "test.sqlite\(suffix)")
            }
            try expectRows(1, in: database)
        }

        @Test func aFileThatIsRestoredIsTheSame() async throws {
            let database = try folder.openWithTable { $0.readerDrainDelay = 0 }
            try await database.backup(to: .onDisk(folder.path("backup.sqlite")))
            try await database.add(1)
            try await database.restore(from: .onDisk(folder.path("backup.sqlite")))
            let snapshot = try await database.snapshot()
            let rows = try await snapshot.read { try count("t", on: $0) }
            #expect(rows == 0)
        }
    }
}
