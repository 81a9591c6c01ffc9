import Foundation
import Testing

@testable import SQift

extension ConcurrencySuites {
    /// Cancellation while a connection waits for a lock with a timeout that a closure has set with
    /// a pragma.
    @Suite struct ConnectionQueueAdoptedTimeoutTests {
        @Test(arguments: [false, true])
        func aWaitEndsAtOnceThoughAClosureHasSetItWithAPragma(isInTheSameClosure: Bool) async throws
        {
            let fixture = try QueueFixture()
            let (queue, hasBegun) = (fixture.queue, Gate())
            if !isInTheSameClosure {
                try await queue.writeWithoutTransaction {
                    try $0.execute("PRAGMA busy_timeout = 20000")
                }
            }
            let other = try Connection(path: fixture.folder.path())
            try other.execute("BEGIN IMMEDIATE")
            let task = Task.detached {
                try await queue.writeWithoutTransaction { connection in
                    if isInTheSameClosure {
                        try connection.execute("PRAGMA busy_timeout = 20000")
                    }
                    hasBegun.open()
                    try connection.run("INSERT INTO t VALUES(1)")
                }
            }
            await hasBegun.opened()
            // So that it most probably waits by then; if it doesn't yet, the test tests less and
            // passes all the same.
            try await Task.sleep(for: .milliseconds(50))
            let duration = await ContinuousClock().measure {
                task.cancel()
                await expectCancelled(task)
            }
            #expect(duration < .seconds(10))
            try other.execute("COMMIT")
            try fixture.expectUsable()
        }
    }
}
