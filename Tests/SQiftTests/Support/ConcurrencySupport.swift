import Foundation
import Testing

@testable import SQift

/// The suites that block threads, one test after another: two of them at once could hold all the
/// threads that Swift's tasks have.
@Suite(.serialized) enum ConcurrencySuites {}

/// How many seconds a test waits for what ought to happen at once, before it fails.
let patience: TimeInterval = 60

/// Something that happens once, and that threads and tasks wait for.
final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var hasOpened = false

    var isOpen: Bool { condition.withLock { hasOpened } }

    func open() {
        condition.withLock {
            hasOpened = true
            condition.broadcast()
        }
    }

    /// Blocks the thread until the gate is open.
    func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        let deadline = Date(timeIntervalSinceNow: patience)
        let opened = condition.withLock {
            while !hasOpened {
                if !condition.wait(until: deadline) {
                    return hasOpened
                }
            }
            return true
        }
        if !opened {
            Issue.record("a gate stayed closed", sourceLocation: sourceLocation)
        }
    }

    /// Awaits the gate.
    func opened(sourceLocation: SourceLocation = #_sourceLocation) async {
        await poll("a gate stayed closed", sourceLocation: sourceLocation) { isOpen }
    }
}

/// Awaits a condition that becomes true without the caller's doing.
func poll(
    _ complaint: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    until isTrue: () -> Bool
) async {
    let deadline = Date(timeIntervalSinceNow: patience)
    while !isTrue() {
        if Date() > deadline {
            Issue.record(complaint, sourceLocation: sourceLocation)
            return
        }
        // As long as a poll may take to notice.
        try? await Task.sleep(for: .milliseconds(1))
    }
}

/// Blocks the thread until a condition is true that becomes so without the caller's doing.
func blockingPoll(
    _ complaint: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    until isTrue: () -> Bool
) {
    let deadline = Date(timeIntervalSinceNow: patience)
    while !isTrue() {
        if Date() > deadline {
            Issue.record(complaint, sourceLocation: sourceLocation)
            return
        }
        // As long as a poll may take to notice.
        Thread.sleep(forTimeInterval: 0.001)
    }
}

/// A number that threads change, and the highest that it was.
final class SharedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var current = 0
    private var highest = 0

    var value: Int { lock.withLock { current } }
    var peak: Int { lock.withLock { highest } }

    @discardableResult
    func add(_ difference: Int) -> Int {
        lock.withLock {
            current += difference
            highest = max(highest, current)
            return current
        }
    }
}

/// A thread, and what its closure returned or threw.
final class Worker<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var result: Result<Value, any Error>?
    private var thread = ""
    private let hasBegun = Gate()
    private let hasEnded = Gate()

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let name = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self"
            )
            lock.withLock { thread = name ?? "" }
            hasBegun.open()
            let outcome = Result(catching: body)
            lock.withLock { result = outcome }
            hasEnded.open()
        }
    }

    var isFinished: Bool { hasEnded.isOpen }

    /// Waits until the thread sleeps, in whatever its closure calls first that blocks.
    func waitUntilBlocked(sourceLocation: SourceLocation = #_sourceLocation) {
        hasBegun.wait(sourceLocation: sourceLocation)
        var timesSeen = 0
        blockingPoll("the thread never blocked", sourceLocation: sourceLocation) {
            timesSeen = isAsleep || isFinished ? timesSeen + 1 : 0
            return timesSeen == 5
        }
    }

    private var isAsleep: Bool {
        let name = lock.withLock { thread }
        // Where threads can't be watched, this waits for five milliseconds.
        guard !name.isEmpty else { return true }
        let file = FileHandle(forReadingAtPath: "/proc/\(name)/stat")
        guard let data = try? file?.readToEnd() else { return false }
        let fields = String(decoding: data, as: UTF8.self)
        return fields.split(separator: ")").last?.hasPrefix(" S") ?? false
    }

    /// Blocks until the closure has ended.
    @discardableResult
    func value(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
        hasEnded.wait(sourceLocation: sourceLocation)
        return try lock.withLock {
            try #require(result, "the thread goes on", sourceLocation: sourceLocation)
        }.get()
    }

    /// Awaits the closure's end.
    @discardableResult
    func finalValue(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Value {
        await hasEnded.opened(sourceLocation: sourceLocation)
        return try value(sourceLocation: sourceLocation)
    }
}

/// What `body` returns or throws on a thread of its own.
@discardableResult
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await Worker(body).finalValue()
}

/// Runs tasks on one thread, so that it is known when a task has suspended.
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "OneThread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Starts a task, and returns when it has suspended or ended.
    func start<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let task = Task(executorPreference: self) { try await body() }
        queue.sync {}
        return task
    }
}

/// Expects a task to end with `CancellationError`.
func expectCancelled<Value: Sendable>(
    _ task: Task<Value, any Error>,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    switch await task.result {
    case .success(let value):
        Issue.record("it wasn't cancelled but returned \(value)", sourceLocation: sourceLocation)
    case .failure(let error):
        #expect(error is CancellationError, "thrown: \(error)", sourceLocation: sourceLocation)
    }
}

/// The reason of the `AccessError` that `body` throws.
@discardableResult
func refusal(
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> AccessError.Reason? {
    expectThrows(AccessError.self, body, sourceLocation: sourceLocation)?.reason
}

/// The error of this type that an asynchronous call throws.
@discardableResult
func expectTaskThrows<E: Error>(
    _ type: E.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async -> E? {
    do {
        try await body()
        Issue.record(
            "an error of type \(E.self) was expected, none was thrown",
            sourceLocation: sourceLocation
        )
    } catch let error as E {
        return error
    } catch {
        Issue.record(
            "an error of type \(E.self) was expected, thrown: \(error)",
            sourceLocation: sourceLocation
        )
    }
    return nil
}

/// Expects that an asynchronous call throws this error.
func expectTaskThrows<E: Error & Equatable>(
    _ expected: E,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let thrown = await expectTaskThrows(E.self, sourceLocation: sourceLocation, body)
    #expect(thrown == expected, sourceLocation: sourceLocation)
}

/// The reason of the `AccessError` that an asynchronous call throws.
func taskRefusal(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async -> AccessError.Reason? {
    await expectTaskThrows(AccessError.self, sourceLocation: sourceLocation, body)?.reason
}

/// Fails the test from within a closure that ought not to be called.
func recordCall(sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record("the closure was called", sourceLocation: sourceLocation)
}

/// A query that takes longer than any test, and opens the gate when it runs.
func endlessQuery(on connection: Connection, opening gate: Gate) throws -> String {
    try addCallback("report", to: connection) { _ in gate.open() }
    return numbers(to: Int.max, selecting: "max(CASE WHEN n = 1000 THEN report(n) ELSE n END)")
}
