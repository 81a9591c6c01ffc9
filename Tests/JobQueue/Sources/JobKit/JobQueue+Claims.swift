import Foundation
import SQift

extension JobQueue {
    /// Adds a job, and returns it with its number.
    ///
    /// - Parameter delay: After how many seconds a worker may claim it.
    @discardableResult public func add(
        _ kind: String,
        _ payload: [String: String] = [:],
        after delay: TimeInterval = 0
    ) async throws -> Job {
        let due = time(after: delay)
        return try await database.write { connection in
            try connection.query(
                """
                INSERT INTO jobs(kind, payload, due_at) VALUES(:kind, :payload, :due)
                RETURNING id, kind, payload, due_at, lease, attempts, last_error, dead_at
                """,
                ["kind": kind, "payload": DictionaryBinding(elements: payload), "due": due]
            )
        }
    }

    // MARK: Claims

    /// One statement finds the job and takes it, so no two workers can get the same one.
    static let claim = """
        UPDATE jobs SET lease = :lease, due_at = :end, attempts = attempts + 1
        WHERE id = (
            SELECT id FROM jobs WHERE dead_at IS NULL AND due_at <= :now
            ORDER BY due_at, id LIMIT 1
        )
        RETURNING id, kind, payload, due_at, lease, attempts, last_error, dead_at
        """

    /// Takes the job that has been due for longest, if there is one, until its lease ends.
    public func claim() async throws -> Job? {
        try await database.write { connection in
            while let job = try nextJob(on: connection) {
                guard job.attempts > settings.maximumAttempts else { return job }
                try fail(job, because: job.lastError ?? "its workers have died", on: connection)
            }
            return nil
        }
    }

    private func nextJob(on connection: Connection) throws -> Job? {
        let end = time(after: settings.lease)
        return try connection.query(Self.claim, ["lease": UUID(), "end": end, "now": time()])
    }

    /// After how many seconds a job is due: 0 or less if one is now, infinity if there is none.
    func secondsUntilDue() async throws -> TimeInterval {
        let due: UnixMilliseconds? = try await database.read { connection in
            try connection.query("SELECT min(due_at) FROM jobs WHERE dead_at IS NULL")
        }
        return due.map { $0.date.timeIntervalSince(settings.now()) } ?? .infinity
    }

    // MARK: The end of an attempt

    // A lease that has ended, and that another worker's claim has replaced, finds no row here.

    /// Deletes a job that is done. Returns false if it isn't the worker's any more.
    @discardableResult public func finish(_ job: Job) async throws -> Bool {
        try await database.write { connection in
            let sql = "DELETE FROM jobs WHERE id = ? AND lease = ?"
            return try connection.run(sql, job.id, job.lease) == 1
        }
    }

    /// Lets a job be tried again after a pause, or makes it a dead letter. Returns false if it
    /// isn't the worker's any more.
    @discardableResult public func fail(
        _ job: Job,
        because reason: String
    ) async throws -> Bool {
        try await database.write { try fail(job, because: reason, on: $0) }
    }

    @discardableResult private func fail(
        _ job: Job,
        because reason: String,
        on connection: Connection
    ) throws -> Bool {
        let pause = settings.firstPause * pow(4, Double(job.attempts - 1))
        let isDead = job.attempts >= settings.maximumAttempts
        let count = try connection.run(
            """
            UPDATE jobs SET lease = NULL, last_error = :reason, due_at = :due, dead_at = :dead
            WHERE id = :id AND lease = :lease
            """,
            [
                "id": job.id,
                "lease": job.lease,
                "reason": reason,
                "due": time(after: pause),
                "dead": isDead ? time() : nil,
            ]
        )
        return count == 1
    }

    /// Gives a job back, as if it hadn't been claimed. Returns false if it isn't the worker's any
    /// more.
    @discardableResult public func release(_ job: Job) async throws -> Bool {
        let now = time()
        return try await database.write { connection in
            let sql = """
                UPDATE jobs SET lease = NULL, due_at = ?, attempts = attempts - 1
                WHERE id = ? AND lease = ?
                """
            return try connection.run(sql, now, job.id, job.lease) == 1
        }
    }

    /// The time in some seconds, as the table stores it.
    func time(after seconds: TimeInterval = 0) -> UnixMilliseconds {
        UnixMilliseconds(settings.now().addingTimeInterval(seconds))
    }
}
