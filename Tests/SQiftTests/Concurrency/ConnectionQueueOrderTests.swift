import Foundation
import SQiftTestSupport
import Testing

import SQift

extension ConcurrencySuites {
    struct ConnectionQueueOrderTests {
        private let fixture: QueueFixture
        private let queue: ConnectionQueue

        init() throws {
            fixture = try QueueFixture()
            queue = fixture.queue
        }

        @Test func threadsAreServedInTheOrderInWhichTheyCame() throws {
            let (queue, notes) = (queue, SharedNotes<Int>())
            let holder = Holder(of: queue)
            let workers = (0..<6).map { number in
                let worker = Worker { try queue.execute { _ in notes.note(number) } }
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
            let (queue, notes, executor) = (queue, SharedNotes<Int>(), OneThread())
            let holder = Holder(of: queue)
            var workers: [Worker<Void>] = []
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<9 {
                switch number % 3 {
                case 0:
                    tasks.append(
                        executor.start { try await queue.write { _ in notes.note(number) } }
                    )
                case 1:
                    tasks.append(
                        executor.start { try await queue.read { _ in notes.note(number) } }
                    )
                default:
                    let worker = Worker {
                        try queue.writeWithoutTransaction { _ in notes.note(number) }
                    }
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
            #expect(notes.all == Array(0..<9))
        }

        @Test func nothingIntervenesInATransaction() async throws {
            let (queue, inside) = (queue, SharedCount())
            try fixture.queue.execute {
                try $0.execute("CREATE TABLE n(value); INSERT INTO n VALUES(0)")
            }
            let increment: @Sendable (Connection) throws -> Void = { connection in
                #expect(inside.add(1) == 1)
                let value: Int = try connection.query("SELECT value FROM n")
                try connection.run("INSERT INTO t VALUES(?)", value)
                try connection.run("UPDATE n SET value = ?", value + 1)
                inside.add(-1)
            }
            let forms: [QueueAccess] = [
                .write, .executeInTransaction, .executeInSavepoint, .write,
            ]
            let workers = (0..<8).map { number in
                Worker {
                    for _ in 0..<50 {
                        try forms[number % 4](queue, increment)
                        try queue.read { connection in
                            #expect(inside.add(1) == 1)
                            let rows = try count("t", on: connection)
                            let value: Int = try connection.query("SELECT value FROM n")
                            #expect(rows == value)
                            inside.add(-1)
                        }
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<50 { try await queue.write(increment) } }
                }
                try await group.waitForAll()
            }
            for worker in workers {
                try await worker.finalValue()
            }
            #expect(inside.peak == 1)
            try #expect(fixture.values() == Array(0..<800))
        }

        // MARK: Swift's threads

        @Test func waitingTasksLeaveSwiftsThreadsToOthers() async throws {
            let queue = queue
            let holder = Holder { hold in try queue.write { _ in hold() } }
            let waiting = (0..<4 * ProcessInfo.processInfo.activeProcessorCount + 8).map { number in
                Task.detached {
                    if number.isMultiple(of: 2) {
                        try await queue.write { try $0.run("INSERT INTO t VALUES(?)", number) }
                    } else {
                        try await queue.read { _ in }
                    }
                }
            }
            // They were all started before, and wait for a closure that ends only after these have
            // run.
            for _ in 0..<100 {
                await Task.detached {}.value
            }
            #expect(!holder.isReleased)
            try holder.release()
            for task in waiting {
                try await task.value
            }
            try #expect(fixture.values().count == waiting.count / 2)
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aWaitingTaskHoldsNoThread() async throws {
            let (queue, executor) = (queue, OneThread())
            let holder = Holder(of: queue)
            let tasks = (0..<20).map { number in
                executor.start {
                    try await queue.write { try $0.run("INSERT INTO t VALUES(?)", number) }
                }
            }
            #expect(try await executor.start { 42 }.value == 42)
            try holder.release()
            for task in tasks {
                _ = try await task.value
            }
            try #expect(fixture.values() == Array(0..<20))
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test(arguments: AsyncQueueAccess.allCases)
        func aTasksClosureRunsOnAnotherThread(form: AsyncQueueAccess) async throws {
            let (queue, executor, hasBegun, end) = (queue, OneThread(), Gate(), Gate())
            let task = executor.start {
                try await form(queue) { _ in
                    hasBegun.open()
                    end.wait()
                }
            }
            await hasBegun.opened()
            #expect(try await executor.start { 42 }.value == 42)
            #expect(!end.isOpen)
            end.open()
            try await task.value
        }
    }
}
