import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    /// Cancellation while another connection has the lock.
    struct ConnectionQueueLockCancellationTests {
        /// How long connections wait for locks: much longer than a cancelled task may take to end.
        private static let lockTimeout = 10 * patience

        /// The ways in which a connection can be told to wait for locks.
        enum Wait: CaseIterable, Sendable {
            case configuration, method, closure

            func apply(to connection: Connection) throws {
                switch self {
                case .configuration: break
                case .method: try connection.busyHandler(.timeout(lockTimeout))
                case .closure:
                    try connection.busyHandler(
                        .custom { count in
                            // A busy handler does the waiting for the lock.
                            Thread.sleep(forTimeInterval: 0.001)
                            return count < Int32(1000 * lockTimeout)
                        }
                    )
                }
            }

            func makeFixture(
                journalMode: String = "WAL",
                prepare: (Connection) throws -> Void
            ) throws -> QueueFixture {
                try QueueFixture(
                    busyTimeout: self == .configuration ? lockTimeout : 0,
                    journalMode: journalMode,
                    prepare: prepare
                )
            }
        }

        @Test(arguments: Wait.allCases)
        func theBeginningOfAWriteEndsAtOnce(wait: Wait) async throws {
            var hasBegun = Gate()
            let fixture = try wait.makeFixture { connection in
                try wait.apply(to: connection)
                hasBegun = transactionGate(on: connection)
            }
            let queue = fixture.queue
            let other = try fixture.folder.connection()
            try other.execute("BEGIN IMMEDIATE")
            let task = Task.detached { try await queue.write { _ in recordCall() } }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(task)
            try other.execute("COMMIT")
            try fixture.expectUsable(holding: [])
        }

        @Test(arguments: Wait.allCases, [false, true])
        func aStatementThatWaitsEndsAtOnce(
            wait: Wait,
            isWaitSetByTheClosureItself: Bool
        ) async throws {
            let fixture = try wait.makeFixture { connection in
                if !isWaitSetByTheClosureItself {
                    try wait.apply(to: connection)
                }
            }
            let (queue, hasBegun) = (fixture.queue, Gate())
            let other = try fixture.folder.connection()
            try other.execute("BEGIN IMMEDIATE")
            let task = Task.detached {
                try await queue.writeWithoutTransaction { connection in
                    if isWaitSetByTheClosureItself {
                        try wait.apply(to: connection)
                    }
                    hasBegun.open()
                    try connection.run("INSERT INTO t VALUES(1)")
                }
            }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(task)
            try other.execute("COMMIT")
            try fixture.expectUsable(holding: [])
        }

        @Test(arguments: Wait.allCases)
        func aReadThatWaitsEndsAtOnce(wait: Wait) async throws {
            let fixture = try wait.makeFixture(journalMode: "DELETE", prepare: wait.apply)
            let (queue, hasBegun) = (fixture.queue, Gate())
            let other = try fixture.folder.connection()
            try other.execute("BEGIN EXCLUSIVE")
            let task = Task.detached {
                try await queue.read { connection in
                    hasBegun.open()
                    return try count("t", on: connection)
                }
            }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(task)
            try other.execute("COMMIT")
            try fixture.expectUsable()
        }

        @Test func aTableOfASharedCacheIsNotAskedForAgain() async throws {
            let (folder, tries) = (try TemporaryFolder(), SharedCount())
            let location = StorageLocation.onDisk(folder.path())
            let holder = try Connection(storageLocation: location, sharedCache: true)
            try holder.execute("CREATE TABLE t(x); BEGIN; INSERT INTO t VALUES(1)")
            let connection = try Connection(
                storageLocation: location,
                tableLockPolicy: .poll(0.001),
                sharedCache: true
            )
            connection.trace { _ in tries.add(1) }
            let queue = ConnectionQueue(connection: connection)
            let task = Task.detached {
                try await queue.writeWithoutTransaction { try $0.run("INSERT INTO t VALUES(2)") }
            }
            await poll("the statement isn't tried again") { tries.value > 2 }
            task.cancel()
            let triesBefore = tries.value
            await expectCancelled(task)
            // One may have begun when the cancellation came.
            #expect(tries.value <= triesBefore + 1)
            try holder.execute("COMMIT")
            try await queue.write { try $0.run("INSERT INTO t VALUES(3)") }
            #expect(try values(on: holder) == [1, 3])
        }

        @Test func aTimeoutThatWasAPragmaBeforeTheQueueTookTheConnectionIsCutShortToo() async throws
        {
            let folder = try TemporaryFolder()
            let connection = try folder.connection()
            try connection.execute(
                "PRAGMA busy_timeout = \(Int(1000 * Self.lockTimeout)); CREATE TABLE t(x)"
            )
            let hasBegun = transactionGate(on: connection)
            let queue = ConnectionQueue(connection: connection)
            let other = try folder.connection()
            try other.execute("BEGIN IMMEDIATE")
            let task = Task.detached { try await queue.write { _ in recordCall() } }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(task)
            try other.execute("COMMIT")
            try await queue.write { try $0.run("INSERT INTO t VALUES(1)") }
        }

        @Test func aTimeoutThatWasAPragmaBeforeTheQueueTookTheConnectionIsKept() async throws {
            let folder = try TemporaryFolder()
            let connection = try folder.connection()
            try connection.execute(
                "PRAGMA busy_timeout = \(Int(1000 * patience)); CREATE TABLE t(x)"
            )
            let queue = ConnectionQueue(connection: connection)
            let other = try folder.connection()
            // Its COMMIT may meet the other one's attempt, which holds a lock for a moment.
            try other.busyHandler(.timeout(patience))
            try other.execute("BEGIN IMMEDIATE")
            let worker = Worker {
                try queue.write { connection in _ = try connection.run("INSERT INTO t VALUES(1)") }
            }
            worker.waitUntilBlocked()
            #expect(!worker.isFinished)
            try other.execute("COMMIT")
            try await worker.finalValue()
        }

        @Test func aCommitThatHasBegunIsWaitedForAndItsResultReturned() async throws {
            let (isCommitting, tries) = (Gate(), SharedCount())
            let fixture = try QueueFixture(journalMode: "DELETE") { connection in
                // Only a COMMIT meets the reader's lock.
                try connection.busyHandler(
                    .custom { _ in
                        isCommitting.open()
                        tries.add(1)
                        // A busy handler does the waiting for the lock.
                        Thread.sleep(forTimeInterval: 0.001)
                        return true
                    }
                )
            }
            let queue = fixture.queue
            let reader = try fixture.folder.connection()
            try reader.execute("BEGIN; SELECT * FROM t")
            #expect(try reader.query("SELECT count(*) FROM t") == 0)
            let task = Task.detached {
                try await queue.write { connection in
                    try connection.run("INSERT INTO t VALUES(1)")
                    return 42
                }
            }
            await isCommitting.opened()
            task.cancel()
            let triesBefore = tries.value
            await poll("the commit isn't tried again") { tries.value >= triesBefore + 5 }
            try reader.execute("COMMIT")
            #expect(try await task.value == 42)
            try fixture.expectUsable(holding: [1])
        }

        @Test func aTimeoutIsStillATimeout() async throws {
            let fixture = try QueueFixture(busyTimeout: 0.05)
            let queue = fixture.queue
            let other = try fixture.folder.connection()
            try other.execute("BEGIN IMMEDIATE")
            await expectTaskThrows(SQLiteError.self) { try await queue.write { _ in } }
            try other.execute("COMMIT")
            try fixture.expectUsable()
        }
    }
}
