import Foundation
import Testing

/// A thread that runs a closure and keeps its result.
package final class Worker<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var result: Result<Value, any Error>?
    private let hasBegun = Gate()
    private let hasEnded = Gate()

    package init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            hasBegun.open()
            let outcome = Result(catching: body)
            lock.withLock { result = outcome }
            hasEnded.open()
        }
    }

    package var isFinished: Bool { hasEnded.isOpen }

    /// Waits until the closure blocks its thread, or has ended.
    package func waitUntilBlocked(sourceLocation: SourceLocation = #_sourceLocation) {
        hasBegun.waitUntilOpenerBlocks(sourceLocation: sourceLocation)
    }

    /// Blocks until the closure has ended. Returns its value, or throws its error.
    @discardableResult
    package func value(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
        hasEnded.wait(sourceLocation: sourceLocation)
        return try lock.withLock {
            try #require(result, "the thread still runs", sourceLocation: sourceLocation)
        }.get()
    }

    /// Awaits the closure's end without holding a thread.
    @discardableResult
    package func finalValue(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Value
    {
        await hasEnded.opened(sourceLocation: sourceLocation)
        return try value(sourceLocation: sourceLocation)
    }
}

/// Runs the closure on a thread of its own. Returns its value, or throws its error.
@discardableResult
package func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await Worker(body).finalValue()
}

extension Collection {
    /// Blocks until all have ended. Returns their values, or throws the first error.
    @discardableResult
    package func values<Value>(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Value] where Element == Worker<Value> {
        try map { try $0.value(sourceLocation: sourceLocation) }
    }
}

/// Runs the closure in that many tasks at the same time, and awaits all of them.
package func inTasks(
    _ count: Int,
    _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask { try await body(index) }
        }
        try await group.waitForAll()
    }
}

extension Collection where Self: Sendable {
    /// Awaits the end of all without holding a thread.
    @discardableResult
    package func finalValues<Value>(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Value] where Element == Worker<Value> {
        var values: [Value] = []
        for worker in self {
            values.append(try await worker.finalValue(sourceLocation: sourceLocation))
        }
        return values
    }
}
