import SQift

/// How many jobs there are.
public struct Metrics: Decodable, ExpressibleByRow, Sendable, Equatable {
    /// Those that a worker can claim, now or after their pause.
    public let waiting: Int
    /// Those that a worker has claimed.
    public let running: Int
    /// The dead letters.
    public let dead: Int
}

extension JobQueue {
    /// Calls `report` with the metrics now and after changes, but not more often than once in a
    /// pause. Returns when the task is cancelled or the queue is closed.
    public func reportMetrics(
        every pause: Duration,
        to report: @Sendable (Metrics) async -> Void
    ) async throws {
        let metrics = database.values { connection in
            try connection.query(
                """
                SELECT
                    (SELECT count(*) FROM jobs WHERE dead_at IS NULL AND lease IS NULL) AS waiting,
                    (SELECT count(*) FROM jobs WHERE dead_at IS NULL AND lease NOT NULL) AS running,
                    (SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL) AS dead
                """
            ) as Metrics
        }
        for try await value in metrics.removingDuplicates() {
            await report(value)
            // Meanwhile changes merge, so thousands of commits cost one query.
            guard (try? await Task.sleep(for: pause)) != nil else { return }
        }
    }
}
