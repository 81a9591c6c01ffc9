import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Destinations that aren't files.
extension CopySuites {
    struct BackupSpecialFileTests {
        enum Kind: CaseIterable {
            case folder, fifo, socket, device
        }

        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0) }
        }

        /// Makes what isn't a file; nil where the process may not.
        private func make(_ kind: Kind) throws -> String? {
            let path = target.path("special")
            switch kind {
            case .folder:
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: false
                )
            case .fifo:
                try #require(mkfifo(path, 0o644) == 0)
            case .socket:
                // Not by `bind`, whose paths are shorter than a test's.
                guard mknod(path, S_IFSOCK | 0o644, 0) == 0 else { return nil }
            case .device:
                // The one that takes all and gives nothing, on Linux.
                guard mknod(path, S_IFCHR | 0o644, 1 << 8 | 3) == 0 else { return nil }
            }
            return path
        }

        @Test(arguments: Kind.allCases)
        func itIsRefusedAsADestinationAndStays(kind: Kind) async throws {
            guard let path = try make(kind) else { return }
            var before = stat()
            try #require(stat(path, &before) == 0)
            await expectTaskBackupError(.unsuitableDestination, containing: path) {
                try await database.backup(to: path)
            }
            var after = stat()
            try #require(stat(path, &after) == 0)
            #expect(after.st_mode == before.st_mode)
            #expect(after.st_ino == before.st_ino)
            try target.expectFiles("special")
        }

        @Test func aLinkInTheLocksPlaceIsNotFollowed() async throws {
            let other = target.path("other.sqlite")
            try makeFile(at: other, rows: 7).close()
            try target.link(".backup.sqlite.backup-lock", to: other)
            let backup = StorageLocation.onDisk(target.path("backup.sqlite"))
            let error = await #expect(throws: SQLiteError.self) {
                try await database.backup(to: backup)
            }
            #expect(error?.resultCode == .cantOpen)
            #expect(error?.message.contains("-lock") == true)
            try expectRows(7, on: Connection(path: other))
        }
    }
}
