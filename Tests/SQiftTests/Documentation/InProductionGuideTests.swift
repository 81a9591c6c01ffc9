import Dispatch
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Serves until SIGTERM comes. `serve` returns when its last request has ended.
func runUntilTerminated(
    _ database: Database,
    _ serve: @escaping @Sendable () async throws -> Void
) async throws {
    signal(SIGTERM, SIG_IGN)
    let server = Task { try await serve() }
    let terminations = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    terminations.setEventHandler { server.cancel() }
    terminations.resume()
    defer { terminations.cancel() }

    let result = await server.result
    try await database.close()
    if !server.isCancelled {
        try result.get()
    }
}

/// Whether the file can be read and written, and no migration is pending.
func isReady(_ database: Database, _ migrations: [Migration]) async -> Bool {
    let isReady: Bool? = try? await database.write { connection in
        try connection.run("UPDATE health SET checked_at = ?", Date())
        return try Migrator(connection: connection, migrations: migrations).pending().isEmpty
    }
    return isReady ?? false
}

/// Up to `count` of the oldest jobs that no worker has.
func takeJobs(_ count: Int, from database: Database, now: Date = Date()) async throws -> [Job] {
    let now = Int(now.timeIntervalSince1970)
    let sql = """
        UPDATE jobs SET taken_until = :now + 60, attempts = attempts + 1
        WHERE id IN (
            SELECT id FROM jobs WHERE taken_until <= :now AND attempts < 5
            ORDER BY id LIMIT :count
        )
        RETURNING id, payload, attempts
        """
    return try await database.write { try $0.query(sql, ["now": now, "count": count]) }
}

/// The blocks of Docs/InProduction.md.
struct InProductionGuideTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price INTEGER);
                CREATE TABLE jobs(
                    id INTEGER PRIMARY KEY, payload TEXT NOT NULL,
                    taken_until INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0
                );
                CREATE INDEX open_jobs ON jobs(id) WHERE attempts < 5
                """
            )
        }
    }

    @Test func settings() throws {
        var configuration = Database.Configuration()
        // Commits are much faster, and a power cut may undo the last ones.
        configuration.synchronous = .normal
        configuration.maximumReaderCount = 8
        configuration.acquisitionTimeout = 2  // then AccessError.Reason.poolExhausted
        configuration.writerConnectionPreparation = { connection in
            try connection.execute("PRAGMA cache_size = -8000")
        }
        let database = try Database(path: path, configuration: configuration)

        let size: Int = try database.executeWrite { try $0.query("PRAGMA cache_size") }
        #expect(size == -8000)
    }

    @Test func severalProcesses() throws {
        let path = folder.path("shared.sqlite")

        var configuration = Database.Configuration()
        if !Connection.hasWALResetFix {
            configuration.journalMode = .truncate
        }
        configuration.busyTimeout = 30
        let database = try Database(path: path, configuration: configuration)

        let mode: String = try database.executeWrite { try $0.query("PRAGMA journal_mode") }
        #expect(mode == (Connection.hasWALResetFix ? "wal" : "truncate"))
    }

    @Test func laterPreparations() throws {
        database.prepareConnections { connection in
            try connection.addFunction(named: "slug", deterministic: true) { (text: String) in
                text.lowercased().replacingOccurrences(of: " ", with: "-")
            }
        }

        let slug: String = try database.read { try $0.query("SELECT slug('Land Rover')") }
        #expect(slug == "land-rover")
    }

    @Test func theAppsLife() async throws {
        // Rolls back running accesses, and refuses those that wait or come later.
        try await database.suspend()
        database.resume()
        database.releaseMemory()  // of idle connections; never blocks
        try await database.close()  // waits for running accesses; interrupting: true doesn't

        await #expect(throws: AccessError.self) { try await database.read { _ in } }
    }

    // MARK: Servers

    @Test func sigtermEndsTheServerAndClosesTheDatabase() async {
        await #expect(processExitsWith: .success) {
            let database = try Database.inMemory()
            try await runUntilTerminated(database) {
                // The first signals may come before the source listens to them.
                Thread.detachNewThread {
                    while kill(getpid(), SIGTERM) == 0 {
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                }
                try await database.write { connection in
                    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
                    try connection.run("\(endless) SELECT count(*) FROM n")
                }
            }
            do {
                try await database.read { _ in }
                exit(1)
            } catch is AccessError {
                exit(0)
            }
        }
    }

    @Test func anErrorOfTheServerIsThrown() async throws {
        await #expect(processExitsWith: .success) {
            struct Failure: Error {}
            let database = try Database.inMemory()
            await #expect(throws: Failure.self) {
                try await runUntilTerminated(database) { throw Failure() }
            }
        }
    }

    @Test func aServerIsReadyIfItCanWriteAndNothingIsPending() async throws {
        let migrations = [
            Migration(
                "1-health",
                sql: "CREATE TABLE health(checked_at TEXT); INSERT INTO health VALUES(NULL)"
            )
        ]
        #expect(await !isReady(database, migrations))
        try await database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).run()
        }
        #expect(await isReady(database, migrations))

        let later = migrations + [Migration("2-later", sql: "CREATE TABLE later(id)")]
        #expect(await !isReady(database, later))

        var configuration = Database.Configuration()
        configuration.accessMode = .readOnly()
        let replica = try Database(path: path, configuration: configuration)
        #expect(await !isReady(replica, migrations))
        try await replica.close()
    }

    @Test func aGaugeFollowsItsTables() async throws {
        let database = database
        let recorded = SharedNotes<Int>()
        let record: @Sendable (Int) -> Void = { recorded.note($0) }
        let task = Task {
            let openJobs = database.values { connection in
                try connection.query("SELECT count(*) FROM jobs") as Int
            }
            for try await count in openJobs {
                record(count)
                try await Task.sleep(for: .seconds(1))
            }
        }
        while recorded.all.isEmpty {
            await Task.yield()
        }
        task.cancel()
        _ = await task.result
        #expect(recorded.all.first == 0)
    }

    @Test func jobsAreTakenInBatches() async throws {
        try await database.write { connection in
            for number in 1...5 {
                try connection.run("INSERT INTO jobs(payload) VALUES(?)", "job \(number)")
            }
            try connection.run("UPDATE jobs SET attempts = 5 WHERE id = 2")
        }

        let now = Date()
        let first = try await takeJobs(3, from: database, now: now)
        let second = try await takeJobs(3, from: database, now: now)

        #expect(first.map(\.id).sorted() == [1, 3, 4])
        #expect(second.map(\.id) == [5])
        #expect(second.map(\.attempts) == [1])
    }

    @Test func theIndexOfOpenJobsIsUsed() throws {
        let plan: [String] = try database.read { connection in
            let sql = """
                EXPLAIN QUERY PLAN
                SELECT id FROM jobs WHERE taken_until <= 0 AND attempts < 5 ORDER BY id LIMIT 1
                """
            return try connection.query(sql) { try $0.get("detail") }
        }
        #expect(plan.contains { $0.contains("open_jobs") })
    }
}
