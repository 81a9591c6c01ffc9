import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    /// How many connections a pool has, and when it opens, replaces and closes them.
    struct ConnectionPoolCapacityTests {
        private let fixture: PoolFixture

        init() throws {
            fixture = try PoolFixture()
        }

        // MARK: Opening

        @Test func connectionsAreOpenedOnDemandAndReused() async throws {
            let pool = fixture.makePool(maximum: 4)
            #expect(fixture.opened.count == 0)
            try await onThread {
                for _ in 0..<100 {
                    try pool.execute { _ in }
                    try pool.read { _ in }
                }
            }
            for _ in 0..<100 {
                try await pool.read { _ in }
            }
            #expect(fixture.opened.count == 1)
        }

        @Test(arguments: [(Int.max, 1000), (0, 1), (-1, 1), (.min, 1)])
        func anyMaximumIsPossible(maximum: Int, count: Int) throws {
            let pool = fixture.makePool(maximum: maximum)
            #expect(pool.maximumConnectionCount == count)
            try expectRows(3, in: pool)
        }

        @Test func everyConnectionIsPreparedOnce() async throws {
            let pool = fixture.makePool(maximum: 3) { connection in
                #expect(connection.readOnly)
                try connection.execute("PRAGMA cache_size = -777")
            }
            try await expectAllConnections(pool)
            try await expectAllConnections(pool)
            #expect(fixture.opened.count == 3)
            try await onThread {
                for _ in 0..<10 {
                    try expectAnswer(-777, to: "PRAGMA cache_size", from: pool)
                }
            }
        }

        @Test func thereAreNeverMoreThanTheMaximum() async throws {
            let (pool, inside) = (fixture.makePool(maximum: 3), SharedCount())
            let use: @Sendable (Connection) throws -> Void = { connection in
                #expect(inside.add(1) <= 3)
                _ = try count("t", on: connection)
                inside.add(-1)
            }
            let workers = (0..<12).map { number in
                Worker {
                    for _ in 0..<200 {
                        if number.isMultiple(of: 2) {
                            try pool.execute(closure: use)
                        } else {
                            try pool.read(use)
                        }
                    }
                }
            }
            try await inTasks(12) { _ in for _ in 0..<100 { try await pool.read(use) } }
            try await workers.finalValues()
            #expect(fixture.opened.count <= 3)
            #expect(inside.value == 0)
            try await expectAllConnections(pool)
            #expect(fixture.opened.count == 3)
        }

        @Test func theDefaultMaximumIsTheNumberOfCoresFromFourToEight() {
            let cores = ProcessInfo.processInfo.activeProcessorCount
            #expect(ConnectionPool.defaultMaximumConnectionCount == min(max(cores, 4), 8))
            let pool = ConnectionPool(storageLocation: .onDisk(fixture.folder.path()))
            #expect(pool.maximumConnectionCount == ConnectionPool.defaultMaximumConnectionCount)
        }

        // MARK: Failures to open

        @Test func aFileThatIsMissingMayAppearLater() async throws {
            let path = fixture.folder.path("later.sqlite")
            let pool = ConnectionPool(storageLocation: .onDisk(path), maximumConnectionCount: 2)
            try await onThread {
                for _ in 0..<50 {
                    for form in PoolAccess.allCases {
                        expectSQLiteError(.cantOpen) { try form(pool) { _ in recordCall() } }
                    }
                }
            }
            for _ in 0..<50 {
                await expectTaskThrows(SQLiteError.self) { try await pool.read { _ in } }
            }
            try Connection(path: path).execute("CREATE TABLE t(x)")
            try expectRows(0, in: pool)
            try await expectAllConnections(pool)
        }

        @Test func aPreparationThatFailsIsThrownAndTriedAgain() async throws {
            let failures = SharedCount()
            let pool = fixture.makePool(maximum: 1) { _ in
                if failures.add(1) <= 100 {
                    throw TestError(reason: "not yet")
                }
            }
            try await onThread {
                for _ in 0..<50 {
                    let refusal = expectThrows(TestError.self) { try pool.read { _ in } }
                    #expect(refusal == TestError(reason: "not yet"))
                }
            }
            for _ in 0..<50 {
                await expectTaskThrows(TestError(reason: "not yet")) {
                    try await pool.read { _ in }
                }
            }
            try await pool.read { _ in }
            #expect(fixture.opened.count == 101)
            #expect(fixture.opened.openCount == 1)
        }

        @Test func theNextInLineTriesForItselfWhenOpeningFails() async throws {
            let (isOpening, mayFail, attempts) = (Gate(), Gate(), SharedCount())
            let pool = fixture.makePool(maximum: 1) { _ in
                guard attempts.add(1) == 1 else { return }
                isOpening.open()
                mayFail.wait()
                throw TestError()
            }
            let first = Worker { try pool.read { _ in } }
            await isOpening.opened()
            let second = Worker { try pool.read { try count("t", on: $0) } }
            second.waitUntilBlocked()
            mayFail.open()
            await expectTaskThrows(TestError()) { try await first.finalValue() }
            #expect(try await second.finalValue() == 3)
        }

        // MARK: Coming back

        @Test func tenThousandErrorsLoseNoConnection() async throws {
            let pool = fixture.makePool(maximum: 2)
            let caught = try await onThread {
                var caught = 0
                for round in 0..<10_000 {
                    do {
                        if round.isMultiple(of: 2) {
                            try pool.execute { _ in throw TestError() }
                        } else {
                            try pool.read { _ in throw TestError() }
                        }
                    } catch is TestError {
                        caught += 1
                    }
                }
                return caught
            }
            #expect(caught == 10_000)
            #expect(fixture.opened.count == 1)
            try await expectAllConnections(pool)
            #expect(fixture.opened.count == 2)
        }

        // MARK: Draining

        @Test func whatIsIdleIsClosedDownToOne() async throws {
            let (pool, opened) = (fixture.makePool(maximum: 4, drainDelay: 0.05), fixture.opened)
            for round in 1...2 {
                try await expectAllConnections(pool)
                await poll("the connections stayed open") { opened.openCount == 1 }
                // The last one stays, however long it isn't needed.
                try await Task.sleep(for: .milliseconds(200))
                #expect(opened.openCount == 1)
                let openedBefore = opened.count
                try await pool.read { _ in }
                #expect(opened.count == openedBefore, "round \(round)")
            }
        }

        @Test func beforeTheDelayNothingIsClosed() async throws {
            let pool = fixture.makePool(maximum: 4, drainDelay: 10 * patience)
            try await expectAllConnections(pool)
            // Time that passes is what is tested.
            try await Task.sleep(for: .milliseconds(100))
            #expect(fixture.opened.openCount == 4)
        }

        @Test func whatIsInUseIsNotClosed() async throws {
            let (pool, opened) = (fixture.makePool(maximum: 3, drainDelay: 0.05), fixture.opened)
            try await expectAllConnections(pool)
            let holders = [Holder(of: pool), Holder(of: pool)]
            await poll("the idle connection stayed open") { opened.openCount == 2 }
            // Time that passes is what is tested.
            try await Task.sleep(for: .milliseconds(200))
            #expect(opened.openCount == 2)
            for holder in holders {
                try holder.release()
            }
            await poll("the connection stayed open") { opened.openCount == 1 }
            try await expectAllConnections(pool)
        }

        @Test func anIdleConnectionHoldsNothingBack() async throws {
            let pool = fixture.makePool(maximum: 3)
            try await expectAllConnections(pool)
            try fixture.writer.run("INSERT INTO t VALUES(4)")
            let busy: [Int] = try fixture.writer.query("PRAGMA wal_checkpoint(TRUNCATE)") { row in
                try row.get(0)
            }
            #expect(busy == [0])
        }

        @Test(arguments: [0, -1, .infinity, .nan, -.infinity, 1e300, .leastNonzeroMagnitude])
        func anOddDelayDoesNoHarm(delay: TimeInterval) async throws {
            let pool = fixture.makePool(maximum: 3, drainDelay: delay)
            for _ in 0..<5 {
                try await expectAllConnections(pool)
            }
            try expectRows(3, in: pool)
        }

        @Test func aPoolThatGoesTakesItsConnectionsAlong() async throws {
            let opened = fixture.opened
            do {
                let pool = fixture.makePool(maximum: 3)
                try await expectAllConnections(pool)
                #expect(opened.openCount == 3)
            }
            await poll("the connections stayed open") { opened.openCount == 0 }
        }
    }
}
