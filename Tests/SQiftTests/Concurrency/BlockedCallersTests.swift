import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    /// However many threads are blocked in line, among them all that libdispatch has, an access
    /// whose turn has come gets one.
    struct BlockedCallersTests {
        private let folder = TemporaryFolder.fresh
        /// More than libdispatch has threads for all serial queues together.
        private static let callerCount = 600

        /// Blocks that many of libdispatch's threads in accesses, and awaits others in their line.
        private func expectAllEnd(
            _ database: Database,
            access: @escaping @Sendable (Database) throws -> Void,
            awaiting: @escaping @Sendable (Database) async throws -> Void
        ) async throws {
            let (inside, goOn, ended) = (Gate(), Gate(), SharedCount())
            let holder = Worker {
                try database.writeWithoutTransaction { _ in
                    inside.open()
                    goOn.wait()
                }
            }
            await inside.opened()
            let queues = (0..<Self.callerCount).map { number in
                let queue = DispatchQueue(label: "caller \(number)")
                queue.async {
                    if (try? access(database)) != nil {
                        ended.add(1)
                    }
                }
                return queue
            }
            let tasks = (0..<20).map { _ in Task { try await awaiting(database) } }
            goOn.open()
            try await holder.finalValue()
            for task in tasks {
                try await task.value
            }
            await poll("some callers never end") { ended.value == Self.callerCount }
            withExtendedLifetime(queues) {}
        }

        @Test func awaitedWritesAmongBlockedOnesEnd() async throws {
            let database = try folder.openWithTable()
            try await expectAllEnd(database) { database in
                try database.add(1)
            } awaiting: { database in
                try await database.add(2)
            }
            try expectRows(Self.callerCount + 20, in: database)
        }

        @Test func awaitedReadsAmongBlockedOnesEnd() async throws {
            let database = try folder.openWithTable { $0.maximumReaderCount = 1 }
            let (inside, goOn) = (Gate(), Gate())
            let reader = Worker {
                try database.read { _ in
                    inside.open()
                    goOn.wait()
                }
            }
            await inside.opened()
            let tasks = (0..<20).map { _ in Task { try await database.read { _ in } } }
            let ended = SharedCount()
            for number in 0..<Self.callerCount {
                DispatchQueue(label: "caller \(number)").async {
                    if (try? database.read { _ in }) != nil {
                        ended.add(1)
                    }
                }
            }
            goOn.open()
            try await reader.finalValue()
            for task in tasks {
                try await task.value
            }
            await poll("some callers never end") { ended.value == Self.callerCount }
        }

        /// The timers of libdispatch need its threads too.
        @Test func aReadGivesUpAlthoughAllThreadsAreBlocked() async throws {
            let database = try folder.openWithTable {
                $0.maximumReaderCount = 1
                $0.acquisitionTimeout = 0.1
            }
            let (inside, goOn, refused) = (Gate(), Gate(), SharedCount())
            let reader = Worker {
                try database.read { _ in
                    inside.open()
                    goOn.wait()
                }
            }
            await inside.opened()
            for number in 0..<Self.callerCount {
                DispatchQueue(label: "caller \(number)").async {
                    do {
                        try database.read { _ in }
                    } catch let error as AccessError where error.reason == .poolExhausted {
                        refused.add(1)
                    } catch {}
                }
            }
            await poll("some callers never give up") { refused.value == Self.callerCount }
            goOn.open()
            try await reader.finalValue()
        }
    }
}
