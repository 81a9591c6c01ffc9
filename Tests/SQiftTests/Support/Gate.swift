import Foundation
import Testing

/// Something that happens once. Threads and tasks wait for it.
package final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var opener: ThreadState?

    package init() {}

    package var isOpen: Bool { condition.withLock { opener != nil } }

    package func open() {
        condition.withLock {
            opener = ThreadState()
            condition.broadcast()
        }
    }

    /// Blocks the thread until the gate is open.
    package func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        let deadline = Date(timeIntervalSinceNow: patience)
        let opened = condition.withLock {
            while opener == nil {
                if !condition.wait(until: deadline) {
                    return opener != nil
                }
            }
            return true
        }
        if !opened {
            Issue.record("a gate stayed closed", sourceLocation: sourceLocation)
        }
    }

    /// Awaits the gate without holding a thread.
    package func opened(sourceLocation: SourceLocation = #_sourceLocation) async {
        await poll("a gate stayed closed", sourceLocation: sourceLocation) { isOpen }
    }

    /// Awaits the gate, and then until the thread that opened it waits for something else.
    package func openerBlocked(sourceLocation: SourceLocation = #_sourceLocation) async {
        await opened(sourceLocation: sourceLocation)
        await poll("the thread never blocked", sourceLocation: sourceLocation) {
            condition.withLock { opener?.hasBlocked() ?? true }
        }
    }

    /// Blocks until the gate is open and the thread that opened it waits for something else.
    package func waitUntilOpenerBlocks(sourceLocation: SourceLocation = #_sourceLocation) {
        wait(sourceLocation: sourceLocation)
        blockingPoll("the thread never blocked", sourceLocation: sourceLocation) {
            condition.withLock { opener?.hasBlocked() ?? true }
        }
    }
}
