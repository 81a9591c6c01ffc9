import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    struct ConnectionPoolCancellationTests {
        private let fixture: PoolFixture

        init() throws {
            fixture = try PoolFixture()
        }

        @Test func beforeItsStartTheClosureIsNotCalledAndNothingOpened() async throws {
            let pool = fixture.makePool()
            for _ in 0..<100 {
                let task = Task.detached {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await pool.read { _ in recordCall() }
                }
                await expectCancelled(task)
            }
            #expect(fixture.opened.count == 0)
            try await expectAllConnections(pool)
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func inLineTheTaskEndsAtOnceAndTheNextOneMovesUp() async throws {
            let (pool, executor, notes) = (
                fixture.makePool(maximum: 1), OneThread(), SharedNotes<Int>()
            )
            let holder = Holder(of: pool)
            let tasks = (0..<300).map { number in
                executor.start { try await pool.read { _ in notes.note(number) } }
            }
            for (number, task) in tasks.enumerated() where !number.isMultiple(of: 10) {
                task.cancel()
                await expectCancelled(task)
            }
            #expect(!holder.isReleased)
            #expect(notes.all == [])
            try holder.release()
            for (number, task) in tasks.enumerated() where number.isMultiple(of: 10) {
                try await task.value
            }
            #expect(notes.all == Array(stride(from: 0, to: 300, by: 10)))
            try await expectAllConnections(pool)
        }

        @Test func aLongQueryEnds() async throws {
            let pool = fixture.makePool()
            for _ in 0..<100 {
                let isRunning = Gate()
                let task = Task.detached {
                    try await pool.read { try runEndlessQuery(on: $0, opening: isRunning) }
                }
                await expectCancelled(task, once: isRunning)
            }
            try await expectAllConnections(pool)
            #expect(fixture.opened.count == 2)
        }

        @Test func whileAConnectionIsOpenedNothingIsLost() async throws {
            for fails in [false, true] {
                let (isOpening, goOn, attempts) = (Gate(), Gate(), SharedCount())
                let pool = fixture.makePool { _ in
                    guard attempts.add(1) == 1 else { return }
                    isOpening.open()
                    goOn.wait()
                    if fails {
                        throw TestError()
                    }
                }
                let task = Task.detached { try await pool.read { _ in recordCall() } }
                await isOpening.opened()
                task.cancel()
                goOn.open()
                if fails {
                    _ = await task.result
                } else {
                    await expectCancelled(task)
                }
                try await expectAllConnections(pool)
            }
        }

        @Test func aReadThatWaitsForALockEndsAtOnce() async throws {
            let path = fixture.folder.path("rollback.sqlite")
            let other = try Connection(path: path)
            try other.execute("PRAGMA journal_mode = DELETE; CREATE TABLE t(x)")
            let hasBegun = Gate()
            let pool = ConnectionPool(storageLocation: .onDisk(path), maximumConnectionCount: 1) {
                connection in
                try connection.busyHandler(.timeout(10 * patience))
            }
            try await pool.read { _ in }
            try other.execute("BEGIN EXCLUSIVE")
            let task = Task.detached {
                try await pool.read { connection in
                    hasBegun.open()
                    return try count("t", on: connection)
                }
            }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(task)
            try other.execute("COMMIT")
            try await expectAllConnections(pool)
        }

        @Test func theDatabaseOfACancelledReadIsNotHeldBack() async throws {
            let (pool, isRunning) = (fixture.makePool(maximum: 1), Gate())
            let task = Task.detached {
                try await pool.read { connection in
                    _ = try count("t", on: connection)
                    try runEndlessQuery(on: connection, opening: isRunning)
                }
            }
            await expectCancelled(task, once: isRunning)
            try fixture.writer.run("INSERT INTO t VALUES(4)")
            let busy: [Int] = try fixture.writer.query("PRAGMA wal_checkpoint(TRUNCATE)") { row in
                try row.get(0)
            }
            #expect(busy == [0])
            try expectRows(4, in: pool)
        }

        @Test func atWhateverMomentThePoolStaysWhole() async throws {
            let pool = fixture.makePool(maximum: 2)
            var random = SeededGenerator(state: 5)
            var (cancelledCount, finishedCount) = (0, 0)
            for _ in 0..<100 {
                // More than there are connections, so that some of them wait in line.
                let tasks = (0..<6).map { _ in
                    Task.detached {
                        try await pool.read { connection in
                            for _ in 0..<10 {
                                _ = try count("t", on: connection)
                            }
                        }
                    }
                }
                for task in tasks.shuffled(using: &random) {
                    for _ in 0..<Int.random(in: 0..<3, using: &random) {
                        await Task.yield()
                    }
                    task.cancel()
                }
                for task in tasks {
                    switch await task.result {
                    case .success: finishedCount += 1
                    case .failure(let error):
                        #expect(error is CancellationError)
                        cancelledCount += 1
                    }
                }
            }
            #expect(cancelledCount + finishedCount == 600)
            #expect(fixture.opened.count <= 2)
            try await expectAllConnections(pool)
        }
    }
}
