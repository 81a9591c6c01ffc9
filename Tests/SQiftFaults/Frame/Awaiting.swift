import Foundation

/// Calls asynchronous code in a task, and waits for it.
///
/// - Parameter disturb: Is given the task once it has started.
func awaiting<T: Sendable>(
    disturbing disturb: (Task<Void, Never>) -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> T
) throws -> T {
    let hasEnded = DispatchSemaphore(value: 0)
    let result = Locked<Result<T, any Error>?>(nil)
    let task = Task {
        let outcome: Result<T, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        result.withLock { $0 = outcome }
        hasEnded.signal()
    }
    disturb(task)
    hasEnded.wait()
    guard let outcome = result.withLock({ $0 }) else {
        throw Broken(description: "a task ended without a result")
    }
    return try outcome.get()
}
