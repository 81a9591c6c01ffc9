import Foundation
import SQiftTestSupport
import Testing

import SQift

extension ConcurrencySuites {
    /// Who waits for a queue, or for the only connection of a pool, and in which order.
    struct AccessLineTests {
        /// The ways to wait in one line.
        private struct Line: Sendable {
            let hold: @Sendable () -> Holder
            let blocking: [@Sendable (@Sendable () -> Void) throws -> Void]
            let awaited: [@Sendable (@escaping @Sendable () -> Void) async throws -> Void]
        }

        private let fixture: PoolFixture
        private let lines: [Line]

        init() throws {
            fixture = try PoolFixture()
            let queue = ConnectionQueue(connection: try Connection(path: fixture.folder.path()))
            let pool = fixture.makePool(maximum: 1)
            lines = [
                Line(
                    hold: { Holder(of: queue) },
                    blocking: [
                        { body in try queue.execute { _ in body() } },
                        { body in try queue.writeWithoutTransaction { _ in body() } },
                    ],
                    awaited: [
                        { body in try await queue.write { _ in body() } },
                        { body in try await queue.read { _ in body() } },
                        { body in try await queue.writeWithoutTransaction { _ in body() } },
                    ]
                ),
                Line(
                    hold: { Holder(of: pool) },
                    blocking: [
                        { body in try pool.execute { _ in body() } },
                        { body in try pool.read { _ in body() } },
                    ],
                    awaited: [{ body in try await pool.read { _ in body() } }]
                ),
            ]
        }

        @Test func threadsAreServedInTheOrderInWhichTheyCame() throws {
            for line in lines {
                let (notes, holder) = (SharedNotes<Int>(), line.hold())
                let workers = (0..<6).map { number in
                    let access = line.blocking[number % line.blocking.count]
                    let worker = Worker { try access { notes.note(number) } }
                    worker.waitUntilBlocked()
                    return worker
                }
                #expect(notes.all == [])
                try holder.release()
                try workers.values()
                #expect(notes.all == Array(0..<6))
            }
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func threadsAndTasksAreServedInTheOrderInWhichTheyCame() async throws {
            for line in lines + lines {
                let (notes, executor, holder) = (SharedNotes<Int>(), OneThread(), line.hold())
                var workers: [Worker<Void>] = []
                var tasks: [Task<Void, any Error>] = []
                for number in 0..<9 {
                    if number.isMultiple(of: 2) {
                        let access = line.awaited[number % line.awaited.count]
                        tasks.append(executor.start { try await access { notes.note(number) } })
                    } else {
                        let access = line.blocking[number % line.blocking.count]
                        let worker = Worker { try access { notes.note(number) } }
                        worker.waitUntilBlocked()
                        workers.append(worker)
                    }
                }
                #expect(notes.all == [])
                try holder.release()
                for task in tasks {
                    try await task.value
                }
                try await workers.finalValues()
                #expect(notes.all == Array(0..<9))
            }
        }

        // MARK: Swift's threads

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aWaitingTaskHoldsNoThread() async throws {
            for line in lines {
                let (served, executor, holder) = (SharedCount(), OneThread(), line.hold())
                let tasks = (0..<200).map { number in
                    let access = line.awaited[number % line.awaited.count]
                    return executor.start { try await access { served.add(1) } }
                }
                #expect(try await executor.start { 42 }.value == 42)
                #expect(served.value == 0)
                try holder.release()
                for task in tasks {
                    try await task.value
                }
                #expect(served.value == 200)
            }
        }

        @Test func waitingTasksLeaveSwiftsThreadsToOthers() async throws {
            for line in lines {
                let holder = line.hold()
                let count = 4 * ProcessInfo.processInfo.activeProcessorCount + 8
                let waiting = (0..<count).map { number in
                    let access = line.awaited[number % line.awaited.count]
                    return Task.detached { try await access {} }
                }
                // They were all started before, and wait for a closure that ends only after these
                // have run.
                for _ in 0..<100 {
                    await Task.detached {}.value
                }
                #expect(!holder.isReleased)
                try holder.release()
                for task in waiting {
                    try await task.value
                }
            }
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aTasksClosureRunsOnAnotherThread() async throws {
            for access in lines.flatMap(\.awaited) {
                let (executor, hasBegun, end) = (OneThread(), Gate(), Gate())
                let task = executor.start {
                    try await access {
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
}
