import Foundation
import JobKit
import SQift

/// A queue of its own for each test, with a clock that only the test moves.
final class TestQueue: Sendable {
    enum Storage: CaseIterable {
        case memory, file
    }

    let queue: JobQueue
    let database: Database
    let clock: TestClock
    let folder: URL

    init(_ storage: Storage, _ change: (inout JobQueue.Settings) -> Void = { _ in }) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        switch storage {
        case .memory:
            database = try Database.inMemory()
        case .file:
            database = try Database(path: folder.appendingPathComponent("jobs.sqlite").path)
        }
        let clock = TestClock()
        self.clock = clock
        var settings = JobQueue.Settings()
        settings.now = { clock.now }
        change(&settings)
        queue = try JobQueue(database, settings: settings)
    }

    deinit {
        try? database.close()
        try? FileManager.default.removeItem(at: folder)
    }

    var fileNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    /// All jobs, as their rows have them.
    var jobs: [Job] {
        get async throws {
            try await database.read { connection in
                try connection.query(
                    """
                    SELECT id, kind, payload, due_at, lease, attempts, last_error, dead_at
                    FROM jobs ORDER BY id
                    """
                )
            }
        }
    }
}

/// A clock that stands still until a test moves it.
final class TestClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time = Date(timeIntervalSince1970: 1_795_834_800)

    var now: Date { lock.withLock { time } }

    func advance(by seconds: TimeInterval) {
        lock.withLock { time += seconds }
    }
}
