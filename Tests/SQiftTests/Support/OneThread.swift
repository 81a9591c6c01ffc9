import Dispatch

/// Runs tasks on one thread, so that a test knows when a task has suspended.
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
package final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "OneThread")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Starts a task, and returns when it has suspended or ended.
    package func start<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let task = Task(executorPreference: self) { try await body() }
        queue.sync {}
        return task
    }
}
