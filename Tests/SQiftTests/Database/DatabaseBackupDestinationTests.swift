// `Locked` is the library's own.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Where a backup isn't written, and what lies beside its destination.
extension DatabaseSuites {
    struct DatabaseBackupDestinationTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            // It waits so long for those who use a destination.
            database = try folder.open { $0.busyTimeout = 0.05 }
            try database.write { try fill($0) }
        }

        private var path: String { target.path("backup.sqlite") }

        /// Expects that both forms refuse the destination, and leave the folder as it is.
        private func expectRefused(
            _ reason: BackupError.Reason,
            _ location: StorageLocation? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let before = try contents(of: target.url)
            let location = location ?? .onDisk(path)
            let error = await expectTaskThrows(BackupError.self, sourceLocation: sourceLocation) {
                try await database.backup(to: location)
            }
            #expect(
                error?.reason == reason,
                "\(error?.message ?? "")",
                sourceLocation: sourceLocation
            )
            let synchronous = Worker { [database] in try database.backup(to: location) }
            await expectTaskThrows(BackupError.self, sourceLocation: sourceLocation) {
                try await synchronous.finalValue()
            }
            let after = try contents(of: target.url)
            #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
            // What says who is reading in the WAL changes.
            for name in before.keys where !name.hasSuffix("-shm") {
                #expect(after[name] == before[name], "\(name)", sourceLocation: sourceLocation)
            }
        }

        private func expectReplaced(sourceLocation: SourceLocation = #_sourceLocation) async throws
        {
            try await database.backup(to: path)
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            let backup = try Connection(path: path)
            #expect(try count("t", on: backup) == 100, sourceLocation: sourceLocation)
            try expectSound(backup, sourceLocation: sourceLocation)
        }

        // MARK: In use

        @Test func aDestinationThatIsOpenInAWALIsInUse() async throws {
            let other = try makeFile(
                at: path,
                rows: 7,
                with: "old",
                setup: "PRAGMA journal_mode = WAL"
            )
            try await expectRefused(.destinationInUse)
            try expectRows(7, on: other)
            try other.run("INSERT INTO t(x) VALUES('still')")
            try expectRows(8, on: Connection(path: path))
            try other.close()
            try await expectReplaced()
        }

        @Test(arguments: [
            "BEGIN; SELECT count(*) FROM t", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE; DELETE FROM t",
            "BEGIN EXCLUSIVE",
        ])
        func aDestinationInATransactionIsInUse(begin: String) async throws {
            for mode in ["DELETE", "PERSIST", "TRUNCATE", "WAL"] {
                let other = try makeFile(
                    at: path,
                    rows: 7,
                    with: "old",
                    setup: "PRAGMA journal_mode = \(mode)"
                )
                try other.execute(begin)
                try await expectRefused(.destinationInUse)
                try other.execute("ROLLBACK")
                try expectRows(7, on: other)
                try other.execute("PRAGMA journal_mode = DELETE")
                try other.close()
                try await expectReplaced()
                try FileManager.default.removeItem(atPath: path)
            }
        }

        @Test func anEmptyDestinationInWhichAnotherConnectionWritesIsInUse() async throws {
            let other = try Connection(path: path)
            try other.execute("BEGIN IMMEDIATE; CREATE TABLE own(x); INSERT INTO own VALUES(1)")
            try await expectRefused(.destinationInUse)
            try other.execute("COMMIT")
            try expectRows(1, of: "own", on: Connection(path: path))
        }

        @Test func aDestinationThatBecomesADatabaseMeanwhileIsNotLost() async throws {
            let target = target
            let (other, created) = (Locked<Connection?>(nil), SharedCount())
            let path = path
            await expectTaskBackupError(.destinationInUse) {
                try await database.backup(to: .onDisk(path), pagesPerStep: 5) { _ in
                    guard created.add(1) == 1 else { return }
                    let connection = try makeFile(
                        at: path,
                        rows: 7,
                        with: "old",
                        setup: "PRAGMA journal_mode = WAL"
                    )
                    let handed = Handed(value: connection)
                    other.withLock { $0 = handed.value }
                }
            }
            try expectRows(7, on: Connection(path: path))
            other.withLock { $0 = nil }
            try target.expectFiles("backup.sqlite")
        }

        // MARK: Leftovers of others

        /// The file that a program leaves beside its database when it is killed.
        enum Leftover: String, CaseIterable {
            case wal = "-wal"
            case journal = "-journal"
        }

        /// Copies a file and what lies beside it while a connection is in the middle of something.
        private func makeLeftovers(_ leftover: Leftover) throws {
            let origin = try TemporaryFolder()
            let setup: SQL =
                switch leftover {
                case .wal: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0"
                case .journal: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1"
                }
            let work: SQL =
                switch leftover {
                case .wal: "DELETE FROM t WHERE id > 150"
                case .journal: "BEGIN; UPDATE t SET x = 'half' || x; DELETE FROM t WHERE id % 2"
                }
            let other = try makeFile(at: origin.path(), rows: 200, with: "left", setup: setup)
            try other.execute(work)
            for suffix in ["", leftover.rawValue] {
                try FileManager.default.copyItem(
                    atPath: origin.path("test.sqlite" + suffix),
                    toPath: path + suffix
                )
            }
            withExtendedLifetime(other) {}
            #expect(try target.files().count == 2)
        }

        @Test(arguments: Leftover.allCases)
        func aHotLeftoverOfTheDestinationIsGone(leftover: Leftover) async throws {
            try makeLeftovers(leftover)
            try await expectReplaced()
        }

        @Test func aFailedBackupKeepsWhatAHotWALHolds() async throws {
            try makeLeftovers(.wal)
            await expectTaskThrows(TestError()) {
                try await database.backup(to: .onDisk(path)) { _ in throw TestError() }
            }
            try target.expectFiles("backup.sqlite", "backup.sqlite-wal")
            let old = try Connection(path: path)
            try expectRows(150, on: old)
            try expectSound(old)
        }

        @Test(arguments: Leftover.allCases, [false, true])
        func aStaleLeftoverBesideNothingIsNotTakenIn(leftover: Leftover, isEmpty: Bool) async throws
        {
            try makeLeftovers(leftover)
            try FileManager.default.removeItem(atPath: path)
            if isEmpty {
                try Data().write(to: URL(fileURLWithPath: path))
            }
            try await expectReplaced()
        }

        @Test(arguments: ["PERSIST", "TRUNCATE"])
        func aJournalThatPersistsIsGone(mode: String) async throws {
            let other = try makeFile(
                at: path,
                rows: 7,
                with: "old",
                setup: "PRAGMA journal_mode = \(mode)"
            )
            try other.close()
            try await expectReplaced()
        }

        // MARK: What is no place for a backup

        @Test(arguments: ["precious", String(repeating: "precious ", count: 2000), "xy"])
        func aFileThatIsNoDatabaseStays(text: String) async throws {
            try write(text, toFile: path)
            try await expectRefused(.unsuitableDestination)
        }

        @Test func aFolderIsRefused() async throws {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false
            )
            try await expectRefused(.unsuitableDestination)
            try await expectRefused(.unsuitableDestination, .onDisk(path + "/"))
            try await expectRefused(.unsuitableDestination, .onDisk("/"))
        }

        @Test(arguments: [
            StorageLocation.inMemory, .temporary, .uri("file:/tmp/backup.sqlite"),
            .uri("file:/x?vfs=memdb"),
        ])
        func onlyAPathIsADestination(location: StorageLocation) async throws {
            try await expectRefused(.unsuitableDestination, location)
        }

        @Test(arguments: ["", ":memory:", "a\0b"])
        func whatSQLiteWouldNotTakeForAPathIsRefused(path: String) async throws {
            let error = await expectTaskThrows((any Error).self) {
                try await database.backup(to: path)
            }
            #expect(error is SQLiteError || error is BackupError)
        }

        @Test func aFolderThatIsMissingIsAnError() async throws {
            let error = await expectTaskThrows((any Error).self) {
                try await database.backup(to: target.path("gone/backup.sqlite"))
            }
            #expect(error is SQLiteError || error is BackupError)
            try target.expectFiles()
        }

        @Test(.disabled(if: getuid() == 0, "root may write everywhere"))
        func aFolderThatIsReadOnlyIsAnError() async throws {
            try makeOldFile(at: path)
            try setPermissions(0o500, of: target.url.path)
            await expectTaskThrows(SQLiteError.self) {
                try await database.backup(to: path)
            }
            try setPermissions(0o700, of: target.url.path)
            try target.expectFiles("backup.sqlite")
            try expectRows(7, on: Connection(path: path))
        }

        @Test func theDatabaseItselfIsRefused() async throws {
            let manager = FileManager.default
            try target.link(
                "link",
                to: folder.path()
            )
            try manager.linkItem(atPath: folder.path(), toPath: target.path("hard"))
            try target.link("here", to: folder.url.path)
            let before = try folder.files()
            for itself in [
                folder.path(), folder.url.path + "/./test.sqlite", target.path("link"),
                target.path("hard"),
                target.path("here/test.sqlite"),
            ] {
                try await expectRefused(.sameDatabase, .onDisk(itself))
            }
            #expect(try folder.files() == before)
            try await database.run("INSERT INTO t(x) VALUES(1)")
            try expectRows(101, in: database)
        }

        @Test func theDatabasesOwnSidecarsAreNoDestination() async throws {
            let before = try folder.files()
            for suffix in ["-wal", "-shm"] {
                await expectTaskThrows((any Error).self) {
                    try await database.backup(to: folder.path() + suffix)
                }
            }
            #expect(try folder.files() == before)
            try await database.run("INSERT INTO t(x) VALUES(1)")
            try await database.close()
            try expectRows(101, on: folder.connection())
        }
    }
}
