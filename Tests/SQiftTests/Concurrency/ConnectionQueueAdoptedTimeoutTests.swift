import Foundation
import Testing

@testable import SQift

extension ConcurrencySuites {
    /// Cancellation while a connection waits for a lock with a timeout that a closure has set with
    /// a pragma.
    @Suite(.timeLimit(.minutes(20))) struct ConnectionQueueAdoptedTimeoutTests {
        @Test(arguments: [false, true])
        func aWaitEndsAtOnceThoughAClosureHasSetItWithAPragma(isInTheSameClosure: Bool) async throws
        {
            let fixture = try QueueFixture()
            let (queue, hasBegun) = (fixture.queue, Gate())
            if !isInTheSameClosure {
                try await queue.writeWithoutTransaction {
                    try $0.execute("PRAGMA busy_timeout = \(Int(10_000 * patience))")
                }
            }
            let other = try Connection(path: fixture.folder.path())
            try other.execute("BEGIN IMMEDIATE")
            let task = Task.detached {
                try await queue.writeWithoutTransaction { connection in
                    if isInTheSameClosure {
                        try connection.execute("PRAGMA busy_timeout = \(Int(10_000 * patience))")
                    }
                    hasBegun.open()
                    try connection.run("INSERT INTO t VALUES(1)")
                }
            }
            await hasBegun.openerBlocked()
            let duration = await ContinuousClock().measure {
                task.cancel()
                await expectCancelled(task)
            }
            #expect(duration < .seconds(patience))
            try other.execute("COMMIT")
            try fixture.expectUsable()
        }
    }
}
