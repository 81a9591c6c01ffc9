import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Destinations that aren't files.
extension CopySuites {
    struct BackupSpecialFileTests {
        enum Kind: CaseIterable {
            case folder, fifo, socket, device
        }

        private let folder: TemporaryFolder
        private let target: TemporaryFolder
        private let database: Database

        init() throws {
            (folder, target) = try (TemporaryFolder(), TemporaryFolder())
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
            let error = await expectTaskThrows(BackupError.self) {
                try await database.backup(to: .onDisk(path))
            }
            #expect(error?.reason == .unsuitableDestination)
            #expect(error?.message.contains(path) == true)
            var after = stat()
            try #require(stat(path, &after) == 0)
            #expect(after.st_mode == before.st_mode)
            #expect(after.st_ino == before.st_ino)
            #expect(try target.files() == ["special"])
        }

        @Test func aLinkInTheLocksPlaceIsNotFollowed() async throws {
            let other = target.path("other.sqlite")
            try makeFile(at: other, rows: 7).close()
            try FileManager.default.createSymbolicLink(
                atPath: target.path(".backup.sqlite.backup-lock"),
                withDestinationPath: other
            )
            let backup = StorageLocation.onDisk(target.path("backup.sqlite"))
            let error = await #expect(throws: SQLiteError.self) {
                try await database.backup(to: backup)
            }
            #expect(error?.resultCode == .cantOpen)
            #expect(error?.message.contains("-lock") == true)
            #expect(try count("t", on: Connection(path: other)) == 7)
        }

        @Test func aLinkToAFileIsAFile() async throws {
            try FileManager.default.createSymbolicLink(
                atPath: target.path("link"),
                withDestinationPath: target.path("real.sqlite")
            )
            try makeFile(at: target.path("real.sqlite"), rows: 7).close()
            try await database.backup(to: .onDisk(target.path("link")))
            #expect(try target.files() == ["link", "real.sqlite"])
            #expect(try count("t", on: Connection(path: target.path("link"))) == 100)
        }
    }
}
