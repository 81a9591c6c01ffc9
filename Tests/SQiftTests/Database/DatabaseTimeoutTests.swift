import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// How long accesses wait for locks and for connections.
    struct DatabaseTimeoutTests {
        private let folder = TemporaryFolder.fresh
        private let holder: Connection
        /// How long a connection waits for a lock unless it is told otherwise.
        private let defaultTimeout = Database.Configuration().busyTimeout

        init() throws {
            holder = try folder.connection()
            try holder.execute("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        }

        /// Expects that `body` fails with `SQLITE_BUSY`, after so many seconds.
        private func expectBusy(
            after seconds: Double = 0,
            before latest: Double? = nil,
            sourceLocation: SourceLocation = #_sourceLocation,
            _ body: () throws -> Void
        ) {
            let start = ContinuousClock.now
            expectSQLiteError(.busy, sourceLocation: sourceLocation, body)
            let passed = (ContinuousClock.now - start) / .seconds(1)
            #expect(passed >= seconds, sourceLocation: sourceLocation)
            #expect(passed < latest ?? defaultTimeout, sourceLocation: sourceLocation)
        }

        @Test func aWriteWaitsForAnotherProcessesWrite() throws {
            let database = try folder.open()
            try holder.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
            let writer = Worker { try database.add(2) }
            writer.waitUntilBlocked()
            #expect(!writer.isFinished)
            try holder.execute("COMMIT")
            try writer.value()
            try expectRows(2, in: database)
        }

        @Test func aWriteFailsWhenTheBusyTimeoutIsOver() throws {
            let database = try folder.open { $0.busyTimeout = 0.3 }
            try holder.execute("BEGIN IMMEDIATE")
            for access in [DatabaseAccess.write, .writeWithoutTransaction, .executeWrite] {
                expectBusy(after: 0.28) { try access.run(on: database) { try add(1, on: $0) } }
            }
            try holder.execute("COMMIT")
            try database.add(1)
        }

        @Test func aRestoreFailsWhenTheBusyTimeoutIsOver() throws {
            let database = try folder.open { $0.busyTimeout = 0.3 }
            let backup = folder.path("backup.sqlite")
            try database.backup(to: backup)
            try holder.execute("BEGIN IMMEDIATE")
            expectBusy(after: 0.28) { try database.restore(from: backup) }
        }

        @Test func withoutABusyTimeoutAWriteFailsAtOnce() throws {
            let database = try folder.open { $0.busyTimeout = 0 }
            try holder.execute("BEGIN IMMEDIATE")
            expectBusy { try database.add(1) }
        }

        @Test func readsWaitForALockToo() throws {
            try holder.execute("PRAGMA journal_mode = delete")
            let database = try folder.open { configuration in
                configuration.journalMode = .unchanged
                configuration.busyTimeout = 0.3
            }
            let patient = try folder.open { $0.journalMode = .unchanged }
            for database in [database, patient] {
                _ = try rows(database)
            }
            try holder.execute("BEGIN EXCLUSIVE")
            expectBusy(after: 0.28) { _ = try rows(database) }

            let reader = Worker { try rows(patient) }
            reader.waitUntilBlocked()
            #expect(!reader.isFinished)
            try holder.execute("INSERT INTO t VALUES(1); COMMIT")
            try #expect(reader.value() == 1)
        }

        @Test func aTimeoutSetByAPreparationTakesItsPlace() throws {
            try holder.execute("PRAGMA journal_mode = delete")
            let database = try folder.open { configuration in
                configuration.journalMode = .unchanged
                configuration.busyTimeout = 10 * patience
                configuration.writerConnectionPreparation = {
                    try $0.execute("PRAGMA busy_timeout = 50")
                }
                configuration.readerConnectionPreparation = {
                    try $0.execute("PRAGMA busy_timeout = 150")
                }
            }
            _ = try onEveryConnection(of: database) { try count("t", on: $0) }
            try holder.execute("BEGIN EXCLUSIVE")
            for _ in 0..<3 {
                expectBusy(after: 0.04, before: patience) { try database.add(1) }
                expectBusy(after: 0.14, before: patience) { _ = try rows(database) }
            }
        }

        @Test func aTimeoutThatAPragmaHasSwitchedOffStaysOffWhenTheWALStartsAgain() throws {
            let database = try folder.open { configuration in
                configuration.journalSizeLimit = 0
                configuration.busyTimeout = 10 * patience
                configuration.writerConnectionPreparation = {
                    try $0.execute("PRAGMA busy_timeout = 0")
                }
            }
            for _ in 0..<3 {
                // More than the 1,000 pages below which a WAL is never restarted.
                try database.run("INSERT INTO t VALUES(zeroblob(6000000))")
            }
            try holder.execute("BEGIN IMMEDIATE")
            expectBusy(before: patience) { try database.add(1) }
        }

        @Test func aBusyHandlerSetByAPreparationTakesItsPlace() throws {
            let calls = SharedCount()
            let database = try folder.open { configuration in
                configuration.busyTimeout = 10 * patience
                configuration.writerConnectionPreparation = { connection in
                    try connection.busyHandler(.custom { _ in calls.add(1) < 3 })
                }
            }
            try holder.execute("BEGIN IMMEDIATE")
            expectBusy(before: patience) { try database.add(1) }
            #expect(calls.value == 3)
        }

        @Test func aReadWaitsForAConnectionAsLongAsTheAcquisitionTimeout() throws {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.acquisitionTimeout = 0.2
            }
            let start = ContinuousClock.now
            let reasons = try database.read { _ in
                try [DatabaseAccess.read, .executeRead, .poolRead].map { access in
                    try Worker { try refusal { try access.run(on: database) { _ in } } }
                        .value()
                }
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(reasons == [.poolExhausted, .poolExhausted, .poolExhausted])
            #expect(seconds >= 0.55)
            #expect(seconds < patience)
            try expectRows(0, in: database)
        }

        @Test func anAwaitingReadHasTheSameTimeout() async throws {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.acquisitionTimeout = 0.1
            }
            let (isInside, mayEnd) = (Gate(), Gate())
            let reader = Worker {
                try database.read { _ in
                    isInside.open()
                    mayEnd.wait()
                }
            }
            await isInside.opened()
            try await expectTaskRefusal(.poolExhausted) { try await database.read { _ in } }
            mayEnd.open()
            try await reader.finalValue()
            try await database.read { _ in }
        }

        @Test func theAcquisitionTimeoutIsNotForWrites() throws {
            let database = try folder.open { $0.acquisitionTimeout = 0.05 }
            let writer = try database.write { connection in
                try add(1, on: connection)
                let writer = Worker { try database.add(2) }
                // Time that passes is what is tested.
                usleep(150_000)
                return writer
            }
            try writer.value()
            try expectRows(2, in: database)
        }

        @Test func noMoreConnectionsAreOpenedThanAllowed() throws {
            let opened = SharedCount()
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 2
                configuration.readerConnectionPreparation = { _ in opened.add(1) }
            }
            let threads = (0..<8).map { _ in
                Worker { for _ in 0..<50 { _ = try rows(database) } }
            }
            try threads.values()
            #expect((1...2).contains(opened.value))
            #expect(database.readerConnectionPool.maximumConnectionCount == 2)
        }

        /// Counts how many of it there are.
        private final class Token: Sendable {
            private let number: SharedCount

            init(_ number: SharedCount) {
                self.number = number
                number.add(1)
            }

            deinit {
                number.add(-1)
            }
        }

        @Test func readersThatNobodyNeedsAreClosedDownToOne() throws {
            let openCount = SharedCount()
            let database = try folder.open { configuration in
                configuration.readerDrainDelay = 0.1
                configuration.readerConnectionPreparation = { connection in
                    let token = Token(openCount)
                    try connection.addFunction(named: "keep") { (number: Int) in
                        withExtendedLifetime(token) { number }
                    }
                }
            }
            _ = try onEveryConnection(of: database, readerCount: 4) { try count("t", on: $0) }
            #expect(openCount.peak == 4)
            blockingPoll("connections stay open") { openCount.value == 1 }
            try expectRows(0, in: database)
            #expect(openCount.value == 1)
        }
    }
}
