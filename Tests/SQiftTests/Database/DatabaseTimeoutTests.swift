import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// How long accesses wait for locks and for connections.
    struct DatabaseTimeoutTests {
        private let folder: TemporaryFolder
        private let holder: Connection
        /// How long a connection waits for a lock unless it is told otherwise.
        private let defaultTimeout = Database.Configuration().busyTimeout

        init() throws {
            folder = try TemporaryFolder()
            holder = try folder.connection()
            try holder.execute("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        }

        /// The seconds that `body` takes to fail with `SQLITE_BUSY`.
        private func secondsToFail(_ body: () throws -> Void) -> Double {
            let start = ContinuousClock.now
            let error = sqliteError(body)
            #expect(error?.resultCode == .busy)
            return (ContinuousClock.now - start) / .seconds(1)
        }

        @Test func aWriteWaitsForAnotherProcessesWrite() throws {
            let database = try folder.open()
            try holder.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
            let writer = Worker { try database.write { try add(2, on: $0) } }
            writer.waitUntilBlocked()
            #expect(!writer.isFinished)
            try holder.execute("COMMIT")
            try writer.value()
            #expect(try rows(database) == 2)
        }

        @Test func aWriteFailsWhenTheBusyTimeoutIsOver() throws {
            let database = try folder.open { $0.busyTimeout = 0.3 }
            try holder.execute("BEGIN IMMEDIATE")
            for access in [DatabaseAccess.write, .writeWithoutTransaction, .executeWrite] {
                let seconds = secondsToFail { try access.run(on: database) { try add(1, on: $0) } }
                #expect(seconds >= 0.28)
                #expect(seconds < defaultTimeout)
            }
            try holder.execute("COMMIT")
            try database.write { try add(1, on: $0) }
        }

        @Test func aRestoreFailsWhenTheBusyTimeoutIsOver() throws {
            let database = try folder.open { $0.busyTimeout = 0.3 }
            let backup = folder.path("backup.sqlite")
            try database.backup(to: .onDisk(backup))
            try holder.execute("BEGIN IMMEDIATE")
            let seconds = secondsToFail { try database.restore(from: .onDisk(backup)) }
            #expect(seconds >= 0.28)
            #expect(seconds < defaultTimeout)
        }

        @Test func withoutABusyTimeoutAWriteFailsAtOnce() throws {
            let database = try folder.open { $0.busyTimeout = 0 }
            try holder.execute("BEGIN IMMEDIATE")
            let seconds = secondsToFail { try database.write { try add(1, on: $0) } }
            #expect(seconds < defaultTimeout)
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
            let seconds = secondsToFail { _ = try rows(database) }
            #expect(seconds >= 0.28)
            #expect(seconds < defaultTimeout)

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
                let seconds = secondsToFail { try database.write { try add(1, on: $0) } }
                #expect(seconds >= 0.04)
                #expect(seconds < patience)
                let secondsOfRead = secondsToFail { _ = try rows(database) }
                #expect(secondsOfRead >= 0.14)
                #expect(secondsOfRead < patience)
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
                try database.write { try $0.run("INSERT INTO t VALUES(zeroblob(6000000))") }
            }
            try holder.execute("BEGIN IMMEDIATE")
            #expect(secondsToFail { try database.write { try add(1, on: $0) } } < patience)
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
            let seconds = secondsToFail { try database.write { try add(1, on: $0) } }
            #expect(seconds < patience)
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
            #expect(try rows(database) == 0)
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
            let reason = try await taskRefusal { try await database.read { _ in } }
            #expect(reason == .poolExhausted)
            mayEnd.open()
            try await reader.finalValue()
            try await database.read { _ in }
        }

        @Test func theAcquisitionTimeoutIsNotForWrites() throws {
            let database = try folder.open { $0.acquisitionTimeout = 0.05 }
            let writer = try database.write { connection in
                try add(1, on: connection)
                let writer = Worker { try database.write { try add(2, on: $0) } }
                // Time that passes is what is tested.
                usleep(150_000)
                return writer
            }
            try writer.value()
            #expect(try rows(database) == 2)
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
            for thread in threads {
                try thread.value()
            }
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
            #expect(try rows(database) == 0)
            #expect(openCount.value == 1)
        }
    }
}
