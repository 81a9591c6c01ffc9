import Foundation
import SQift
import SQiftTestSupport
import Testing

private enum Request {
    @TaskLocal static var number = 0
}

/// An asynchronous closure runs in its task.
extension ConcurrencySuites {
    struct TaskContextTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try Database(path: folder.path())
        }

        private func readers() throws -> [any DatabaseReader] {
            let queue = ConnectionQueue(connection: try Connection())
            let pool = ConnectionPool(storageLocation: .onDisk(folder.path()))
            return [queue, pool, database, try database.snapshot()]
        }

        @Test func itHasTheValuesOfItsTask() async throws {
            for reader in try readers() {
                let number = try await Request.$number.withValue(7) {
                    try await reader.read { _ in Request.number }
                }
                #expect(number == 7)
            }
            let number = try await Request.$number.withValue(8) {
                try await database.write { _ in Request.number }
            }
            #expect(number == 8)
        }

        @Test func itHasThePriorityOfItsTask() async throws {
            for reader in try readers() {
                // Whoever awaits a task lends it a higher priority, so the closure itself notes it.
                let (priorities, hasRun) = (SharedNotes<TaskPriority>(), Gate())
                Task.detached(priority: .utility) {
                    try await reader.read { _ in priorities.note(Task.currentPriority) }
                    hasRun.open()
                }
                await hasRun.opened()
                #expect(priorities.all == [.utility])
            }
        }

        @Test func itSeesThatItsTaskIsCancelled() async throws {
            for reader in try readers() {
                let (hasBegun, sawIt) = (Gate(), Gate())
                let task = Task.detached {
                    try await reader.read { _ in
                        #expect(!Task.isCancelled)
                        hasBegun.open()
                        while !Task.isCancelled {
                            Thread.sleep(forTimeInterval: 0.001)
                        }
                        sawIt.open()
                    }
                }
                await hasBegun.opened()
                task.cancel()
                // The closure may end a moment before the access is cancelled.
                _ = await task.result
                #expect(sawIt.isOpen)
            }
        }
    }
}
