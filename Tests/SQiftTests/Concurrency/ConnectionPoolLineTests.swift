import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    /// Who waits for a connection, in which order, and for how long.
    struct ConnectionPoolLineTests {
        private let fixture: PoolFixture

        init() throws {
            fixture = try PoolFixture()
        }

        // MARK: Order

        @Test func onABusyMachineThreadsKeepTheirPlaceToo() async throws {
            let (pool, notes, isOver) = (fixture.makePool(maximum: 1), SharedNotes<Int>(), Gate())
            let holder = Holder(of: pool)
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                Thread.detachNewThread {
                    while !isOver.isOpen {}
                }
            }
            var workers: [Worker<Void>] = []
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<40 {
                if number.isMultiple(of: 2) {
                    workers.append(Worker { try pool.read { _ in notes.note(number) } })
                } else {
                    tasks.append(
                        Task.detached { try await pool.read { _ in notes.note(number) } }
                    )
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            isOver.open()
            try holder.release()
            for task in tasks {
                try await task.value
            }
            try await workers.finalValues()
            let order = notes.all
            // A thread or two may have come late, since they had to be started.
            let late = order.indices.filter { index in
                order[..<index].contains { $0 > order[index] }
            }
            #expect(late.count < 8, "\(order)")
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func nobodyOvertakesOneInLine() async throws {
            let (pool, executor) = (fixture.makePool(maximum: 1), OneThread())
            let (hasHad, end) = (Gate(), Gate())
            let holder = Holder(of: pool)
            let first = executor.start { try await pool.read { _ in hasHad.open() } }
            // These come for a connection all the time, and were they let through, the first could
            // wait for long.
            let workers = (0..<4).map { _ in
                Worker {
                    repeat {
                        try pool.execute { _ in
                            if !hasHad.isOpen {
                                Issue.record("it came later and was served earlier")
                            }
                        }
                    } while !end.isOpen
                }
            }
            for worker in workers {
                worker.waitUntilBlocked()
            }
            try holder.release()
            try await first.value
            end.open()
            try await workers.finalValues()
        }

        // MARK: Timeouts

        /// Expects that what waits for the pool's only connection is refused after the timeout of
        /// 0.1 seconds.
        private func expectExhausted(
            _ pool: ConnectionPool,
            by access: () async -> AccessError.Reason?
        ) async {
            var reason: AccessError.Reason?
            let duration = await ContinuousClock().measure { reason = await access() }
            #expect(reason == .poolExhausted)
            #expect(duration >= .milliseconds(90))
            #expect(duration < .seconds(30))
        }

        @Test func whoWaitsTooLongIsRefused() async throws {
            let pool = fixture.makePool(maximum: 1, timeout: 0.1)
            let holder = Holder(of: pool)
            for form in PoolAccess.allCases {
                await expectExhausted(pool) {
                    try? await onThread { try refusal { try form(pool) { _ in recordCall() } } }
                }
            }
            await expectExhausted(pool) {
                try? await taskRefusal { try await pool.read { _ in recordCall() } }
            }
            #expect(!holder.isReleased)
            try holder.release()
            try expectRows(3, in: pool)
            try await expectAllConnections(pool)
        }

        @Test(arguments: [0, -1])
        func aTimeoutOfNothingDoesNotWait(timeout: TimeInterval) async throws {
            let pool = fixture.makePool(maximum: 1, timeout: timeout)
            try expectRows(3, in: pool)
            let holder = Holder(of: pool)
            #expect(try await onThread { try refusal { try pool.read { _ in } } } == .poolExhausted)
            #expect(try await taskRefusal { try await pool.read { _ in } } == .poolExhausted)
            try holder.release()
            try await expectAllConnections(pool)
        }

        @Test func theClosuresOwnTimeDoesNotCount() async throws {
            let pool = fixture.makePool(maximum: 1, timeout: 0.02)
            let rows = try await pool.read { connection in
                // Time that passes is what is tested.
                Thread.sleep(forTimeInterval: 0.1)
                return try count("t", on: connection)
            }
            #expect(rows == 3)
            let rowsOnThread = try await onThread {
                try pool.read { connection in
                    // Time that passes is what is tested.
                    Thread.sleep(forTimeInterval: 0.1)
                    return try count("t", on: connection)
                }
            }
            #expect(rowsOnThread == 3)
        }

        @Test func whoIsServedInTimeIsNotRefusedLater() async throws {
            let pool = fixture.makePool(maximum: 1, timeout: patience)
            let holder = Holder(of: pool)
            let worker = Worker { try pool.read { try count("t", on: $0) } }
            worker.waitUntilBlocked()
            async let rows = pool.read { try count("t", on: $0) }
            try holder.release()
            #expect(try await worker.finalValue() == 3)
            #expect(try await rows == 3)
        }

        @Test func timeoutsThatRaceWithGrantsLoseNoConnection() async throws {
            let (pool, served, refused) = (
                fixture.makePool(maximum: 2, timeout: 0.001), SharedCount(), SharedCount()
            )
            let use: @Sendable (Connection) throws -> Void = { _ in
                served.add(1)
                // Long enough for some of the others to time out, and no outcome depends on which.
                Thread.sleep(forTimeInterval: 0.0005)
            }
            let workers = (0..<6).map { _ in
                Worker {
                    for _ in 0..<100 {
                        do {
                            try pool.execute(closure: use)
                        } catch let error as AccessError {
                            #expect(error.reason == .poolExhausted)
                            refused.add(1)
                        }
                    }
                }
            }
            try await inTasks(6) { _ in
                for _ in 0..<100 {
                    do {
                        try await pool.read(use)
                    } catch let error as AccessError {
                        #expect(error.reason == .poolExhausted)
                        refused.add(1)
                    }
                }
            }
            try await workers.finalValues()
            #expect(served.value + refused.value == 1200)
            #expect(fixture.opened.count <= 2)
            try await expectUnhurried(pool)
        }

        /// Expects that both connections can be used at once, however short the timeout.
        private func expectUnhurried(_ pool: ConnectionPool) async throws {
            let holders = try await onThread { [Holder(of: pool), Holder(of: pool)] }
            #expect(try await onThread { try refusal { try pool.read { _ in } } } == .poolExhausted)
            for holder in holders {
                try holder.release()
            }
        }
    }
}
