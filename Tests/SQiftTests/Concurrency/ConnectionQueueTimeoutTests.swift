import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    /// How long a queue's connection waits for locks.
    struct ConnectionQueueTimeoutTests {
        private let fixture: QueueFixture
        private let other: Connection

        init() throws {
            fixture = try QueueFixture()
            other = try fixture.folder.connection()
        }

        @Test func aWaitEndsAtOnceThoughAClosureHasSetItsLength() async throws {
            let (queue, hasBegun) = (fixture.queue, Gate())
            try other.execute("BEGIN IMMEDIATE")
            let task = Task.detached {
                try await queue.writeWithoutTransaction { connection in
                    connection.busyTimeout = 10 * patience
                    hasBegun.open()
                    try connection.run("INSERT INTO t VALUES(1)")
                }
            }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(task)
            try other.execute("COMMIT")
            try fixture.expectUsable()
        }

        @Test func theTimeoutIsReadAndEndsWithItsAccess() async throws {
            let queue = fixture.queue
            try await queue.writeWithoutTransaction { connection in
                #expect(connection.busyTimeout == 0)
                connection.busyTimeout = 1.2502
                #expect(connection.busyTimeout == 1.25)
                try #expect(connection.query("PRAGMA busy_timeout") == 0)
            }
            try await queue.writeWithoutTransaction { connection in
                #expect(connection.busyTimeout == 0)
            }
        }

        @Test func eachWaitLastsItsWholeTime() async throws {
            try other.execute("BEGIN IMMEDIATE")
            try await fixture.queue.writeWithoutTransaction { connection in
                connection.busyTimeout = 0.2
                for _ in 0..<2 {
                    let start = ContinuousClock.now
                    expectSQLiteError(.busy) { try connection.run("INSERT INTO t VALUES(1)") }
                    #expect(ContinuousClock.now - start >= .milliseconds(195))
                }
            }
        }

        @Test func aTimeoutOfThePragmaIsReadTooAndStays() async throws {
            let queue = fixture.queue
            try await queue.writeWithoutTransaction { try $0.execute("PRAGMA busy_timeout = 70") }
            try other.execute("BEGIN IMMEDIATE")
            try await queue.writeWithoutTransaction { connection in
                #expect(connection.busyTimeout == 0.07)
                let start = ContinuousClock.now
                expectSQLiteError(.busy) { try connection.run("INSERT INTO t VALUES(1)") }
                #expect(ContinuousClock.now - start >= .milliseconds(65))
            }
        }
    }
}
