import Foundation
import SQiftTestSupport
import Testing

import SQift

extension ConcurrencySuites {
    /// Who waits for a connection, in which order, and for how long.
    struct ConnectionPoolLineTests {
        private let fixture: PoolFixture

        init() throws {
            fixture = try PoolFixture()
        }

        // MARK: Order

        @Test func threadsAreServedInTheOrderInWhichTheyCame() throws {
            let (pool, notes) = (fixture.makePool(maximum: 1), SharedNotes<Int>())
            let holder = Holder(of: pool)
            let workers = (0..<6).map { number in
                let worker = Worker { try pool.execute { _ in notes.note(number) } }
                worker.waitUntilBlocked()
                return worker
            }
            #expect(notes.all == [])
            try holder.release()
            for worker in workers {
                try worker.value()
            }
            #expect(notes.all == Array(0..<6))
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func threadsAndTasksAreServedInTheOrderInWhichTheyCame() async throws {
            for _ in 0..<5 {
                let (pool, notes, executor) = (
                    fixture.makePool(maximum: 1), SharedNotes<Int>(), OneThread()
                )
                let holder = Holder(of: pool)
                var workers: [Worker<Void>] = []
                var tasks: [Task<Void, any Error>] = []
                for number in 0..<8 {
                    if number.isMultiple(of: 2) {
                        tasks.append(
                            executor.start { try await pool.read { _ in notes.note(number) } }
                        )
                    } else {
                        let worker = Worker { try pool.read { _ in notes.note(number) } }
                        worker.waitUntilBlocked()
                        workers.append(worker)
                    }
                }
                #expect(notes.all == [])
                try holder.release()
                for task in tasks {
                    try await task.value
                }
                for worker in workers {
                    try await worker.finalValue()
                }
                #expect(notes.all == Array(0..<8))
            }
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
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
            for worker in workers {
                try await worker.finalValue()
            }
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
            for worker in workers {
                try await worker.finalValue()
            }
        }

        @Test func everybodyIsServedUnderLoad() async throws {
            let (pool, served) = (fixture.makePool(maximum: 2), SharedCount())
            let workers = (0..<8).map { _ in
                Worker { for _ in 0..<300 { try pool.execute { _ in served.add(1) } } }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<100 {
                            try await pool.read { _ in served.add(1) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for worker in workers {
                try await worker.finalValue()
            }
            #expect(served.value == 3200)
            try await expectAllConnections(pool)
        }

        // MARK: Swift's threads

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aWaitingTaskHoldsNoThread() async throws {
            let (pool, executor) = (fixture.makePool(maximum: 1), OneThread())
            let holder = Holder(of: pool)
            let tasks = (0..<200).map { _ in
                executor.start { try await pool.read { try count("t", on: $0) } }
            }
            #expect(try await executor.start { 42 }.value == 42)
            try holder.release()
            for task in tasks {
                #expect(try await task.value == 3)
            }
        }

        @Test func waitingTasksLeaveSwiftsThreadsToOthers() async throws {
            let pool = fixture.makePool(maximum: 1)
            let holder = Holder(of: pool)
            let waiting = (0..<4 * ProcessInfo.processInfo.activeProcessorCount + 8).map { _ in
                Task.detached { try await pool.read { _ in } }
            }
            for _ in 0..<100 {
                await Task.detached {}.value
            }
            #expect(!holder.isReleased)
            try holder.release()
            for task in waiting {
                try await task.value
            }
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aTasksClosureRunsOnAnotherThread() async throws {
            let (pool, executor, hasBegun, end) = (fixture.makePool(), OneThread(), Gate(), Gate())
            let task = executor.start {
                try await pool.read { _ in
                    hasBegun.open()
                    end.wait()
                }
            }
            await hasBegun.opened()
            #expect(try await executor.start { 42 }.value == 42)
            end.open()
            try await task.value
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

        @Test(arguments: PoolAccess.allCases)
        func aThreadThatWaitsTooLongIsRefused(form: PoolAccess) async throws {
            let pool = fixture.makePool(maximum: 1, timeout: 0.1)
            let holder = Holder(of: pool)
            await expectExhausted(pool) {
                try? await onThread { try refusal { try form(pool) { _ in recordCall() } } }
            }
            try holder.release()
            let rows = try await pool.read { try count("t", on: $0) }
            #expect(rows == 3)
            try await expectAllConnections(pool)
        }

        @Test func aTaskThatWaitsTooLongIsRefused() async throws {
            let pool = fixture.makePool(maximum: 1, timeout: 0.1)
            let holder = Holder(of: pool)
            await expectExhausted(pool) {
                try? await taskRefusal { try await pool.read { _ in recordCall() } }
            }
            #expect(!holder.isReleased)
            try holder.release()
            let rows = try await pool.read { try count("t", on: $0) }
            #expect(rows == 3)
            try await expectAllConnections(pool)
        }

        @Test(arguments: [0, -1])
        func aTimeoutOfNothingDoesNotWait(timeout: TimeInterval) async throws {
            let pool = fixture.makePool(maximum: 1, timeout: timeout)
            let rows = try await pool.read { try count("t", on: $0) }
            #expect(rows == 3)
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
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        for _ in 0..<100 {
                            do {
                                try await pool.read(use)
                            } catch let error as AccessError {
                                #expect(error.reason == .poolExhausted)
                                refused.add(1)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for worker in workers {
                try await worker.finalValue()
            }
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
