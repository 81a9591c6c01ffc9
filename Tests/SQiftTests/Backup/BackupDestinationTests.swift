// `BackupDestination` is the part of a backup that can fail in the most ways.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// The moment in which a new backup takes the place of an old one.
extension CopySuites {
    struct BackupDestinationTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let source: Connection

        init() throws {
            source = try makeFile(at: folder.path())
        }

        private var path: String { target.path("backup.sqlite") }

        private func rowCount() throws -> Int {
            try count("t", on: Connection(path: path))
        }

        private func expectNew(
            _ name: String = "backup.sqlite",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try target.files() == [name], sourceLocation: sourceLocation)
            let backup = try Connection(path: target.path(name))
            #expect(try count("t", on: backup) == 100, sourceLocation: sourceLocation)
            try expectSound(backup, sourceLocation: sourceLocation)
        }

        @Test func theOldFilesTransactionMayFailToEndOnceItIsReplaced() throws {
            try makeOldFile(at: path)
            // As Apple's SQLite may refuse it, since the connection's file has lost its name.
            try refuseCommits(of: path) {
                expectSQLiteError(.authorization) {
                    _ = try Connection(path: path).transaction { try rowCount() }
                }
                let destination = try BackupDestination(.onDisk(path))
                #expect(try source.writeBackup(to: destination, pagesPerStep: 100) == nil)
            }
            try expectNew()
        }

        /// Calls `body` while connections that are opened to this file can't COMMIT.
        private func refuseCommits(of path: String, _ body: () throws -> Void) throws {
            typealias Extension =
                @convention(c) (
                    OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
                    OpaquePointer?
                ) -> Int32
            let refuse: Extension = { connection, _, _ in
                let file = sqlite3_db_filename(connection, "main").map { String(cString: $0) }
                guard let file, RefusedFile.path.withLock({ $0 == file }) else { return SQLITE_OK }
                return sqlite3_set_authorizer(
                    connection,
                    { _, action, operation, _, _, _ in
                        let isCommit = operation.map { strcmp($0, "COMMIT") == 0 } ?? false
                        return action == SQLITE_TRANSACTION && isCommit ? SQLITE_DENY : SQLITE_OK
                    },
                    nil
                )
            }
            let entry = unsafeBitCast(refuse, to: (@convention(c) () -> Void).self)
            RefusedFile.path.withLock { $0 = path }
            try #require(sqlite3_auto_extension(entry) == SQLITE_OK)
            defer { sqlite3_cancel_auto_extension(entry) }
            try body()
        }

        private enum RefusedFile {
            static let path = Locked("")
        }

        // MARK: Owner and group

        @Test(.enabled(if: getuid() == 0, "only root gives files away"), arguments: [0o600, 0o640])
        func ownerAndGroupOfTheFileThatIsReplacedAreKept(mode: Int) throws {
            try makeOldFile(at: path)
            try #require(chown(path, 65534, 65533) == 0)
            try #require(chmod(path, mode_t(mode)) == 0)
            var found: [[Int?]] = []
            func note(_ path: String) throws {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let owner = attributes[.ownerAccountID] as? NSNumber
                let group = attributes[.groupOwnerAccountID] as? NSNumber
                try found.append([owner?.intValue, group?.intValue, permissions(path)])
            }
            let destination = try BackupDestination(.onDisk(path))
            _ = try source.writeBackup(to: destination, pagesPerStep: -1) { _ in
                try note(destination.copyPath)
            }
            try note(path)
            #expect(found == [[0, 0, 0o600], [65534, 65533, mode]])
            try expectNew()
        }

        /// In a process of its own, which becomes a user that can't set the file's group.
        @Test(.enabled(if: getuid() == 0, "only root becomes another user"))
        func aGroupThatCanNotBeSetMayDoNoMoreThanEverybody() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let source = try makeFile(at: folder.path())
                let path = folder.path("backup.sqlite")
                try makeOldFile(at: path)
                try #require(chmod(path, 0o676) == 0)
                try #require(chown(folder.url.path, 65534, 65534) == 0)

                try #require(setgroups(0, nil) == 0 && setegid(65534) == 0 && seteuid(65534) == 0)
                let destination = try BackupDestination(.onDisk(path))
                let unsynced = try source.writeBackup(to: destination, pagesPerStep: -1)
                try #require(seteuid(0) == 0 && setegid(0) == 0)

                #expect(unsynced == nil)
                #expect(try permissions(path) == 0o666)
                try expectRows(100, on: Connection(path: path))
            }
        }

        // MARK: Long names

        @Test(arguments: [100, 101, 142, 200, 241, 242, 255], ["x", "é"])
        func aNameMayBeAsLongAsTheFileSystemAllows(length: Int, letter: String) throws {
            let name = String(repeating: letter, count: length / letter.utf8.count)
            guard FileManager.default.createFile(atPath: target.path(name), contents: nil) else {
                return
            }
            for _ in 0..<2 {
                let destination = try BackupDestination(.onDisk(target.path(name)))
                #expect(try source.writeBackup(to: destination, pagesPerStep: 100) == nil)
                try expectNew(name)
            }
            let copy = try Connection(path: target.path(name))
            let memory = try Connection()
            try copy.backup(to: memory)
            try expectRows(100, on: memory)
        }

        @Test func theCopyOfALongNameHasTheSameNameEachTime() throws {
            let name = String(repeating: "backup ", count: 30)
            let one = try BackupDestination(.onDisk(target.path(name + "1")))
            let other = try BackupDestination(.onDisk(target.path(name + "2")))
            #expect(one.copyPath != other.copyPath)
            // What a process that was killed has left is found by another one.
            try write("left", toFile: one.copyPath)
            _ = try source.writeBackup(to: one, pagesPerStep: 100)
            try expectNew(name + "1")
        }
    }
}
