import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// What was released a moment ago, or is still held, when a database is closed.
    struct DatabaseCloseReleasedTests {
        /// Reads by a snapshot that is released at the end, not closed.
        private func countBySnapshot(of database: Database) async throws -> Int {
            let snapshot = try await database.snapshot()
            return try await snapshot.read { try count("t", on: $0) }
        }

        private func expectClosed(
            _ folder: TemporaryFolder,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            // Nil where the system doesn't say.
            let count = folder.descriptorCount() ?? 0
            #expect(count == 0, sourceLocation: sourceLocation)
        }

        /// The thread of the last read may hold the connection a little longer.
        @Test func aSnapshotThatWasJustReleasedIsClosed() async throws {
            for round in 1...60 {
                let folder = try TemporaryFolder()
                let database = try folder.openWithTable()
                try await database.add(round)
                _ = try await countBySnapshot(of: database)
                try await database.close()
                try folder.expectFiles("test.sqlite")
                expectClosed(folder)
            }
        }

        /// A snapshot that is open keeps the WAL from being emptied.
        @Test func orItsStateIsNoLongerHeldWhenTheDatabaseIsSuspended() async throws {
            for round in 1...20 {
                let folder = try TemporaryFolder()
                let database = try folder.openWithTable()
                try await database.add(round)
                _ = try await countBySnapshot(of: database)
                try await database.suspend()
                let other = try Connection(path: folder.path())
                let isBusy: Bool = try other.query("PRAGMA wal_checkpoint(TRUNCATE)")
                #expect(!isBusy, "\(round)")
                database.resume()
            }
        }

        @Test func aStatementOfAReaderKeepsItOpenAndIsNamed() throws {
            let folder = try TemporaryFolder()
            let database = try folder.openWithTable()
            var statement: Statement?
            try database.read { statement = try $0.prepare("SELECT 17") }
            expectSQLiteError(.busy, containing: "SELECT 17") { try database.close() }

            withExtendedLifetime(statement) {}
            statement = nil
            try database.close()
            expectClosed(folder)
        }

        @Test func soDoesOneOfASnapshotThatWasReleased() throws {
            let folder = try TemporaryFolder()
            let database = try folder.openWithTable()
            var statement: Statement?
            do {
                let snapshot = try database.snapshot()
                try snapshot.read { statement = try $0.prepare("SELECT 18") }
            }
            expectSQLiteError(.busy, containing: "SELECT 18") { try database.close() }

            withExtendedLifetime(statement) {}
            statement = nil
            try database.close()
            expectClosed(folder)
        }

        /// A reader with a statement can't be closed when it has been idle, and isn't forgotten.
        @Test(.enabled(if: TemporaryFolder.fresh.descriptorCount() != nil, "it needs /proc"))
        func soDoesOneOfAReaderThatWasIdleLongEnoughToBeClosed() throws {
            let folder = try TemporaryFolder()
            let database = try folder.openWithTable {
                $0.readerDrainDelay = 0.01
                $0.maximumReaderCount = 2
            }
            var statement: Statement?
            // Two readers at once, so that one of them is too many afterwards.
            try database.read { connection in
                statement = try connection.prepare("SELECT 19")
                try Worker { try database.read { _ in } }.value()
            }
            let openCount = try #require(folder.descriptorCount())
            blockingPoll("no reader is closed") {
                folder.descriptorCount() ?? 0 < openCount
            }

            expectSQLiteError(.busy, containing: "SELECT 19") { try database.close() }
            withExtendedLifetime(statement) {}
            statement = nil
            try database.close()
            expectClosed(folder)
        }
    }
}
