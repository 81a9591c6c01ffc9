import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Backups through the connections of a database, also those that outlive the access.
extension DatabaseSuites {
    struct BackupAccessTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0, rows: 7, with: "old") }
            try makeFile(at: folder.path("other.sqlite")).close()
        }

        private static func other(_ folder: TemporaryFolder) throws -> Connection {
            try Connection(path: folder.path("other.sqlite"))
        }

        private func expectUsable(
            rows expected: Int,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try rows(database) == expected, sourceLocation: sourceLocation)
            try database.run("INSERT INTO t(x) VALUES('more')")
            #expect(try rows(database) == expected + 1, sourceLocation: sourceLocation)
            try database.run("DELETE FROM t WHERE x = 'more'")
            try expectSound(folder.connection(), sourceLocation: sourceLocation)
        }

        @Test func theConnectionThatWritesIsADestinationOutsideATransaction() throws {
            try database.writeWithoutTransaction { try Self.other(folder).backup(to: $0) }
            try expectUsable(rows: 100)
        }

        @Test func insideATransactionItIsRefused() throws {
            try database.write { connection in
                expectSQLiteError { try Self.other(folder).backup(to: connection) }
                try connection.run("DELETE FROM t WHERE id = 1")
            }
            try expectUsable(rows: 6)
        }

        @Test func everyConnectionIsASource() throws {
            try database.read { connection in
                let copy = try Connection()
                try connection.backup(to: copy)
                try expectSame(copy, connection)
            }
            try database.writeWithoutTransaction { connection in
                let copy = try Connection()
                try connection.backup(to: copy)
                try expectSame(copy, connection)
            }
            try expectUsable(rows: 7)
        }

        @Test func aBackupThatOutlivesItsAccessKeepsTheDestinationLent() throws {
            var backup: Backup?
            expectThrows((any Error).self) {
                try database.writeWithoutTransaction { connection in
                    backup = try Backup(from: Self.other(folder), to: connection)
                    _ = try backup?.step(pages: 5)
                }
                // Whichever access tells of it.
                try database.run("INSERT INTO t(x) VALUES('lost')")
            }
            try expectRows(7, in: database)
            try backup?.finish()
            backup = nil
            try expectUsable(rows: 7)
        }

        @Test func aBackupThatOutlivesItsDatabaseDoesNoHarm() throws {
            var backup: Backup?
            do {
                let other = try Database(path: folder.path("third.sqlite"))
                try? other.writeWithoutTransaction { connection in
                    backup = try Backup(from: Self.other(folder), to: connection)
                    _ = try backup?.step(pages: 5)
                }
                expectThrows((any Error).self) { try other.close() }
            }
            try backup?.finish()
            backup = nil
            try expectSound(Connection(path: folder.path("third.sqlite")))
        }

        @Test func aBackupToAReaderFailsAndTheReadersGoOn() throws {
            var backups: [Backup] = []
            for _ in 0..<3 {
                try? database.executeRead { connection in
                    let backup = try Backup(from: Self.other(folder), to: connection)
                    backups.append(backup)
                    expectSQLiteError(.readOnly) { _ = try backup.step(pages: -1) }
                }
                try expectRows(7, in: database)
            }
            for _ in 0..<3 {
                try? database.executeRead {
                    backups.append(try Backup(from: Self.other(folder), to: $0))
                }
                try expectRows(7, in: database)
            }
            backups = []
            try expectUsable(rows: 7)
        }

        @Test func aBackupFromAReaderMayOutliveItsAccess() throws {
            var backup: Backup?
            let copy = try Connection()
            try? database.executeRead { connection in
                backup = try Backup(from: connection, to: copy)
                _ = try backup?.step(pages: 1)
            }
            try expectUsable(rows: 7)
            try backup?.finish()
            try fill(copy, rows: 1)
            try database.close()
        }

        @Test func cancellingAnAccessEndsTheBackupToItsConnection() async throws {
            let (begun, goOn) = (Gate(), Gate())
            let task = Task.detached { [database, folder] in
                try await database.writeWithoutTransaction { connection in
                    try Self.other(folder).backup(to: connection, pagesPerStep: 2) { _ in
                        begun.open()
                        goOn.wait()
                    }
                }
            }
            await expectCancelled(task, once: begun, opening: goOn)
            try await onThread { try expectUsable(rows: 7) }
        }

        @Test func theDatabaseInMemoryIsADestinationToo() throws {
            let memory = try Database.inMemory()
            try memory.writeWithoutTransaction { try Self.other(folder).backup(to: $0) }
            try expectRows(100, in: memory)
            expectThrows((any Error).self) {
                try memory.read { try Self.other(folder).backup(to: $0) }
            }
            try expectRows(100, in: memory)
        }

        @Test func theProgressOfABackupOfADatabaseInMemoryMayNotUseIt() throws {
            let memory = try Database.inMemory()
            try memory.write { try fill($0) }
            try memory.backup(to: .onDisk(folder.path("copy.sqlite"))) { _ in
                try expectRefusal(.reentrant) { try memory.write { _ in recordCall() } }
                try expectRefusal(.reentrant) { try memory.read { _ in recordCall() } }
            }
            try expectRows(100, on: Connection(path: folder.path("copy.sqlite")))
        }
    }
}
