import Foundation
import Testing

/// How many seconds a test waits for something that normally happens at once, before it fails. All
/// tests begin together, and what a task awaits may have its turn only after all of them.
package let patience: TimeInterval = 600

/// Awaits a condition that becomes true without the caller's help.
package func poll(
    _ complaint: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    until isTrue: () throws -> Bool
) async rethrows {
    let deadline = Date(timeIntervalSinceNow: patience)
    while try !isTrue() {
        if Date() > deadline {
            Issue.record(complaint, sourceLocation: sourceLocation)
            return
        }
        // The longest time by which the poll may be late.
        try? await Task.sleep(for: .milliseconds(1))
    }
}

/// Awaits a condition that has to be awaited itself.
package func awaitingPoll(
    _ complaint: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    until isTrue: () async throws -> Bool
) async rethrows {
    let deadline = Date(timeIntervalSinceNow: patience)
    while try await !isTrue() {
        if Date() > deadline {
            Issue.record(complaint, sourceLocation: sourceLocation)
            return
        }
    }
}

/// Blocks the thread until a condition is true. It becomes true without the caller's help.
package func blockingPoll(
    _ complaint: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    until isTrue: () throws -> Bool
) rethrows {
    let deadline = Date(timeIntervalSinceNow: patience)
    while try !isTrue() {
        if Date() > deadline {
            Issue.record(complaint, sourceLocation: sourceLocation)
            return
        }
        // The longest time by which the poll may be late.
        Thread.sleep(forTimeInterval: 0.001)
    }
}
