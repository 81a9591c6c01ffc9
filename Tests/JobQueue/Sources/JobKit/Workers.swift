import Foundation
import SQift

/// Tasks that claim jobs and do them.
public struct Workers: Sendable {
    public typealias Work = @Sendable (Job) async throws -> Void

    private let queue: JobQueue
    private let count: Int
    private let gracePeriod: TimeInterval
    private let work: Work

    /// - Parameters:
    ///   - count: How many jobs are done at the same time.
    ///   - gracePeriod: How many seconds a running job has left when the workers are stopped.
    ///   - work: Does one job. A job is cancelled when its time is over, so it must heed that.
    public init(
        for queue: JobQueue,
        count: Int = 8,
        gracePeriod: TimeInterval = 10,
        work: @escaping Work
    ) {
        self.queue = queue
        self.count = count
        self.gracePeriod = gracePeriod
        self.work = work
    }

    /// Does the queue's jobs until the task is cancelled. Then no job is claimed any more, those
    /// that run may end within the grace period, and the others are given back.
    ///
    /// - Throws: What the queue's database throws. It stops the other workers in the same way.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await runWorker() }
            }
            try await group.waitForAll()
        }
    }

    private func runWorker() async throws {
        // It listens before it looks, so that it hears of a job that is added in between. Other
        // processes add jobs too. It looks once a minute anyway, since the clock may be set.
        let changes = queue.database.changes(in: ["jobs"], pollingEvery: 1)
        var iterator = changes.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                let pause = try await queue.secondsUntilDue()
                if pause <= 0, let job = try await queue.claim() {
                    try await process(job)
                } else if await iterator.next(within: min(pause, 60)) == nil {
                    return
                }
            } catch is CancellationError {
                // The loop ends.
            }
        }
    }

    /// Does a job, and tells the queue how it has ended.
    private func process(_ job: Job) async throws {
        // These are tasks of their own because the worker's is cancelled at once when it is
        // stopped: the job goes on for the grace period, and the queue can still be written.
        let attempt = Task { try await work(job) }
        let timeLimit = attempt.cancel(after: 0.9 * queue.settings.lease)
        defer { timeLimit.cancel() }

        let result = await withTaskCancellationHandler {
            await attempt.result
        } onCancel: {
            _ = attempt.cancel(after: gracePeriod)
        }
        let ending: Ending =
            switch result {
            case .success: .done
            case .failure where attempt.isCancelled && Task.isCancelled: .stopped
            case .failure where attempt.isCancelled: .failed("it took too long")
            case .failure(let error): .failed("\(error)")
            }
        try await Task { try await record(ending, of: job) }.value
    }

    private enum Ending {
        case done, stopped
        case failed(String)
    }

    private func record(_ ending: Ending, of job: Job) async throws {
        switch ending {
        case .done: try await queue.finish(job)
        case .stopped: try await queue.release(job)
        case .failed(let reason): try await queue.fail(job, because: reason)
        }
    }
}

extension Task {
    /// Cancels the task after some seconds, unless the result is cancelled before.
    fileprivate func cancel(after seconds: TimeInterval) -> Task<Void, Never> {
        Task<Void, Never> {
            if (try? await Task<Never, Never>.sleep(for: .seconds(seconds))) != nil {
                cancel()
            }
        }
    }
}
