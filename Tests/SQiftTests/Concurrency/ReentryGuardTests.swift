import Foundation
import Testing

@testable import SQift

@Suite(.timeLimit(.minutes(20))) struct ReentryGuardTests {
    private let reentryGuard = ReentryGuard(connectionCount: 3)

    private func isInside() -> Bool {
        do {
            try reentryGuard.check("it")
            return false
        } catch {
            return true
        }
    }

    @Test(arguments: 0..<3) func aThreadIsInsideUntilItLeaves(connection: Int) {
        #expect(!isInside())
        reentryGuard.enter(connection)
        #expect(isInside())
        reentryGuard.leave(connection)
        #expect(!isInside())
    }

    @Test func anotherThreadIsNotInside() {
        let done = DispatchSemaphore(value: 0)
        let reentryGuard = self.reentryGuard
        Thread.detachNewThread {
            reentryGuard.enter(1)
            done.signal()
        }
        done.wait()
        #expect(!isInside())
    }
}
