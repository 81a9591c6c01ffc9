import Foundation
import SQiftTestSupport
import Testing

import SQift

struct BusyTests {
    private let folder: TemporaryFolder
    private let holder: Connection
    private let connection: Connection
    private let counts = Notes<Int32>()

    init() throws {
        folder = try TemporaryFolder()
        holder = try Connection(path: folder.path())
        connection = try Connection(path: folder.path())
        try holder.execute("CREATE TABLE t(x)")
    }

    private func write() throws {
        try connection.run("INSERT INTO t VALUES(1)")
    }

    /// The seconds that a write takes to fail with `SQLITE_BUSY`.
    private func secondsToFail(on connection: Connection) -> Double {
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = sqliteError { try connection.run("INSERT INTO t VALUES(1)") }
            #expect(error?.extendedResultCode == .busy)
        }
        return time / .seconds(1)
    }

    /// Notes the count of each call, and gives up at this one.
    private func counting(to last: Int32) -> Connection.BusyHandler {
        .custom { [counts] count in
            counts.note(count)
            return count < last
        }
    }

    /// A connection that waits for a minute.
    private func patientConnection() throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = 60
        return try Connection(path: folder.path(), configuration: configuration)
    }

    private func busyTimeout() throws -> Int {
        try connection.query("PRAGMA busy_timeout")
    }

    // MARK: Timeouts

    @Test func withoutOneALockFailsAtOnce() throws {
        try #expect(busyTimeout() == 0)
        try holder.execute("BEGIN IMMEDIATE")
        #expect(secondsToFail(on: connection) < 5)
        try holder.execute("COMMIT")
        try write()
    }

    @Test func aTimeoutWaitsUntilTheLockGoes() throws {
        let path = folder.path()
        let isLocked = DispatchSemaphore(value: 0)
        let isWriting = Gate()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                let other = try Connection(path: path)
                try other.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES('other')")
                isLocked.signal()
                isWriting.waitUntilOpenerBlocks()
                try other.execute("COMMIT")
            } catch {
                Issue.record(error)
            }
            isDone.signal()
        }
        isLocked.wait()
        #expect(sqliteError { try write() }?.extendedResultCode == .busy)
        try connection.busyHandler(.timeout(60))
        isWriting.open()
        try write()
        isDone.wait()
        try #expect(count("t", on: connection) == 2)
    }

    @Test func aTimeoutThatPassesFails() throws {
        try connection.busyHandler(.timeout(0.15))
        try holder.execute("BEGIN IMMEDIATE")
        #expect(secondsToFail(on: connection) >= 0.1)
        try holder.execute("COMMIT")
        try write()
    }

    @Test(arguments: [
        (0.0, 0), (-1, 0), (.nan, 0), (-.infinity, 0), (0.0004, 0), (0.0006, 1), (0.001, 1),
        (0.25, 250), (1.5, 1500),
        (.infinity, Int(Int32.max)), (1e300, Int(Int32.max)), (-1e300, 0),
        (.leastNonzeroMagnitude, 0),
    ])
    func aTimeoutIsInSecondsOfWhichMillisecondsCount(seconds: Double, milliseconds: Int) throws {
        try connection.busyHandler(.timeout(7))
        try connection.busyHandler(.timeout(seconds))
        try #expect(busyTimeout() == milliseconds)
        if milliseconds == 0 {
            try holder.execute("BEGIN IMMEDIATE")
            #expect(secondsToFail(on: connection) < 5)
        }
    }

    @Test func theTimeoutIsAPropertyToo() throws {
        #expect(connection.busyTimeout == 0)
        connection.busyTimeout = 0.25
        try #expect(busyTimeout() == 250)
        try connection.execute("PRAGMA busy_timeout = 40")
        #expect(connection.busyTimeout == 0.04)
        try connection.busyHandler(.custom { _ in false })
        #expect(connection.busyTimeout == 0)
        connection.busyTimeout = -1
        #expect(connection.busyTimeout == 0)

        try connection.close()
        connection.busyTimeout = 1
        #expect(connection.busyTimeout == 0)
    }

    @Test func theDefaultBehaviourFailsAtOnceAgain() throws {
        try connection.busyHandler(.timeout(60))
        try connection.busyHandler(.defaultBehavior)
        try #expect(busyTimeout() == 0)
        try holder.execute("BEGIN IMMEDIATE")
        #expect(secondsToFail(on: connection) < 30)
    }

    // MARK: Closures

    @Test func aClosureCountsItsInvocationsAndFalseGivesUp() throws {
        try connection.busyHandler(counting(to: 3))
        try holder.execute("BEGIN IMMEDIATE")
        #expect(sqliteError { try write() }?.extendedResultCode == .busy)
        #expect(counts.take() == [0, 1, 2, 3])
        #expect(sqliteError { try write() }?.extendedResultCode == .busy)
        #expect(counts.take() == [0, 1, 2, 3])
        try holder.execute("COMMIT")
        try write()
        #expect(counts.take() == [])
    }

    @Test func aClosureThatAnswersTrueTriesAgainUntilTheLockIsGone() throws {
        try connection.busyHandler(
            .custom { [holder, counts] count in
                counts.note(count)
                if count == 4 {
                    try? holder.execute("COMMIT")
                }
                return true
            }
        )
        try holder.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES('holder')")
        try write()
        #expect(counts.take() == [0, 1, 2, 3, 4])
        try #expect(count("t", on: connection) == 2)
    }

    @Test func aClosureIsAskedByTransactionToo() throws {
        try connection.busyHandler(counting(to: 0))
        try holder.execute("BEGIN IMMEDIATE")
        let error = sqliteError {
            try connection.transaction(transactionType: .immediate) { try write() }
        }
        #expect(error?.extendedResultCode == .busy)
        #expect(counts.take() == [0])
        #expect(!connection.isInsideTransaction)
    }

    @Test func aClosureIsNotAskedWhereWaitingCannotHelp() throws {
        try holder.execute("PRAGMA journal_mode = WAL")
        try connection.busyHandler(counting(to: 3))
        expectSQLiteError(.busySnapshot) {
            try connection.transaction {
                try #expect(count("t", on: connection) == 0)
                try holder.run("INSERT INTO t VALUES('holder')")
                try write()
            }
        }
        #expect(counts.take() == [])
        try connection.transaction(transactionType: .immediate) { try write() }
    }

    @Test func aClosureMayReplaceAndRemoveItself() throws {
        weak let weakConnection = connection
        try connection.busyHandler(
            .custom { [counts] count in
                counts.note(count)
                try? weakConnection?.busyHandler(
                    .custom { count in
                        counts.note(100 + count)
                        try? weakConnection?.busyHandler(.defaultBehavior)
                        return false
                    }
                )
                return true
            }
        )
        try holder.execute("BEGIN IMMEDIATE")
        #expect(sqliteError { try write() }?.extendedResultCode == .busy)
        let told = counts.take()
        #expect(told.first == 0)
        #expect(told.count == 2)
        #expect(sqliteError { try write() }?.extendedResultCode == .busy)
        #expect(counts.take() == [])
    }

    // MARK: What replaces what

    @Test(arguments: 0..<4)
    func aClosureIsReplaced(way: Int) throws {
        try connection.busyHandler(counting(to: 0))
        switch way {
        case 0: try connection.busyHandler(.timeout(0.01))
        case 1: try connection.busyHandler(.defaultBehavior)
        case 2: try connection.busyHandler(.custom { _ in false })
        default: try connection.execute("PRAGMA busy_timeout = 10")
        }
        try holder.execute("BEGIN IMMEDIATE")
        #expect(sqliteError { try write() }?.extendedResultCode == .busy)
        #expect(counts.take() == [])
    }

    @Test func theConfigurationsTimeoutIsReplaced() throws {
        let connection = try patientConnection()
        #expect(try connection.query("PRAGMA busy_timeout") == 60_000)
        try holder.execute("BEGIN IMMEDIATE")

        try connection.busyHandler(.timeout(0.01))
        #expect(secondsToFail(on: connection) < 30)
        try connection.busyHandler(.defaultBehavior)
        #expect(secondsToFail(on: connection) < 30)
    }

    @Test func aClosureReplacesTheConfigurationsAndThePragmasTimeout() throws {
        let connection = try patientConnection()
        try holder.execute("BEGIN IMMEDIATE")
        try connection.busyHandler(counting(to: 1))
        #expect(secondsToFail(on: connection) < 30)
        #expect(counts.take() == [0, 1])

        try connection.execute("PRAGMA busy_timeout = 60000")
        try connection.busyHandler(counting(to: 1))
        #expect(secondsToFail(on: connection) < 30)
        #expect(counts.take() == [0, 1])
    }

    @Test func thePragmaReplacesATimeout() throws {
        try connection.busyHandler(.timeout(60))
        try connection.execute("PRAGMA busy_timeout = 5")
        try #expect(busyTimeout() == 5)
        try holder.execute("BEGIN IMMEDIATE")
        #expect(secondsToFail(on: connection) < 30)
    }

    // MARK: The end

    @Test func closuresAreReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return try connection.busyHandler(.defaultBehavior) }
            try connection.busyHandler(.custom { _ in withExtendedLifetime(keepsake) { false } })
        }
        try expectReleased { connection, keepsake in
            guard let keepsake else { return try connection.busyHandler(.timeout(1)) }
            try connection.busyHandler(.custom { _ in withExtendedLifetime(keepsake) { false } })
        }
    }

    @Test func afterCloseItThrows() throws {
        try connection.close()
        for handler in [
            Connection.BusyHandler.timeout(1), .timeout(0), .defaultBehavior, .custom { _ in true },
        ] {
            #expect(
                sqliteError { try connection.busyHandler(handler) }?.extendedResultCode == .misuse
            )
        }
    }
}
