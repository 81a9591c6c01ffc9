import CSQift
import Foundation
import SQift
import Testing

extension ConcurrencySuites {
    /// How long accesses wait for locks and for connections.
    @Suite struct DatabaseTimeoutTests {
        private let folder: DatabaseFolder
        private let holder: Connection

        init() throws {
            folder = try DatabaseFolder()
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
            let writer = SideThread { try database.write { try add(2, on: $0) } }
            // So that it most probably waits by then; if it doesn't yet, the test tests less and
            // passes all the same.
            usleep(200_000)
            #expect(!writer.isDone)
            try holder.execute("COMMIT")
            try writer.value(within: 4)
            #expect(try rows(database) == 2)
        }

        @Test func aWriteFailsWhenTheBusyTimeoutIsOver() throws {
            let database = try folder.open { $0.busyTimeout = 0.3 }
            try holder.execute("BEGIN IMMEDIATE")
            for access in [Access.write, .writeWithoutTransaction, .executeWrite] {
                let seconds = secondsToFail { try access.run(on: database) { try add(1, on: $0) } }
                #expect(seconds >= 0.28)
                #expect(seconds < 4)
            }
            try holder.execute("COMMIT")
            try database.write { try add(1, on: $0) }
        }

        @Test func withoutABusyTimeoutAWriteFailsAtOnce() throws {
            let database = try folder.open { $0.busyTimeout = 0 }
            try holder.execute("BEGIN IMMEDIATE")
            let seconds = secondsToFail { try database.write { try add(1, on: $0) } }
            #expect(seconds < 2)
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
            #expect(seconds < 4)

            let reader = SideThread { try rows(patient) }
            // So that it most probably waits by then; if it doesn't yet, the test tests less and
            // passes all the same.
            usleep(100_000)
            #expect(!reader.isDone)
            try holder.execute("INSERT INTO t VALUES(1); COMMIT")
            try #expect(reader.value(within: 4) == 1)
        }

        @Test func aTimeoutSetByAPreparationTakesItsPlace() throws {
            try holder.execute("PRAGMA journal_mode = delete")
            let database = try folder.open { configuration in
                configuration.journalMode = .unchanged
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
                #expect(seconds < 4)
                let secondsOfRead = secondsToFail { _ = try rows(database) }
                #expect(secondsOfRead >= 0.14)
                #expect(secondsOfRead < 4)
            }
        }

        @Test func aBusyHandlerSetByAPreparationTakesItsPlace() throws {
            let calls = SharedCount()
            let database = try folder.open { configuration in
                configuration.writerConnectionPreparation = { connection in
                    try connection.busyHandler(.custom { _ in calls.add(1) < 3 })
                }
            }
            try holder.execute("BEGIN IMMEDIATE")
            let seconds = secondsToFail { try database.write { try add(1, on: $0) } }
            #expect(seconds < 4)
            #expect(calls.value == 3)
        }

        @Test func aReadWaitsForAConnectionAsLongAsTheAcquisitionTimeout() throws {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.acquisitionTimeout = 0.2
            }
            let start = ContinuousClock.now
            let reasons = try database.read { _ in
                try [Access.read, .executeRead, .poolRead].map { access in
                    try SideThread { try refusedWith { try access.run(on: database) { _ in } } }
                        .value()
                }
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(reasons == [.poolExhausted, .poolExhausted, .poolExhausted])
            #expect(seconds >= 0.55)
            #expect(seconds < 10)
            #expect(try rows(database) == 0)
        }

        @Test func anAwaitingReadHasTheSameTimeout() async throws {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.acquisitionTimeout = 0.1
            }
            let (isInside, mayEnd) = (Event(), Event())
            let reader = SideThread {
                try database.read { _ in
                    isInside.happen()
                    try mayEnd.wait()
                }
            }
            try await isInside.happened()
            let reason = try await refusedAsyncWith { try await database.read { _ in } }
            #expect(reason == .poolExhausted)
            mayEnd.happen()
            try await reader.result()
            try await database.read { _ in }
        }

        @Test func theAcquisitionTimeoutIsNotForWrites() throws {
            let database = try folder.open { $0.acquisitionTimeout = 0.05 }
            let writer = try database.write { connection in
                try add(1, on: connection)
                let writer = SideThread { try database.write { try add(2, on: $0) } }
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
                SideThread { for _ in 0..<50 { _ = try rows(database) } }
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
            let isDrained = becomesTrue { openCount.value == 1 }
            #expect(isDrained)
            #expect(try rows(database) == 0)
            #expect(openCount.value == 1)
        }
    }
}
