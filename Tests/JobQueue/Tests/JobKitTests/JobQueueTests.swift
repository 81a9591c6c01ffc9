import Foundation
import SQift
import Testing

@testable import JobKit

struct JobQueueTests {
    typealias Storage = TestQueue.Storage

    // MARK: Claims

    @Test(arguments: Storage.allCases)
    func aJobIsClaimedOnceAndDeletedWhenItIsDone(storage: Storage) async throws {
        let test = try TestQueue(storage)
        let added = try await test.queue.add("mail", ["to": "Ada", "text": "It's \"done\"\n"])
        #expect(added.lease == nil)
        #expect(added.attempts == 0)

        let job = try #require(try await test.queue.claim())
        #expect(job.id == added.id)
        #expect(try job.arguments() == ["to": "Ada", "text": "It's \"done\"\n"])
        #expect(job.attempts == 1)
        #expect(try await test.queue.claim() == nil)

        #expect(try await test.queue.finish(job))
        #expect(try await test.jobs == [])
        #expect(try await test.queue.finish(job) == false)
    }

    @Test(arguments: Storage.allCases)
    func eightWorkersNeverGetTheSameJob(storage: Storage) async throws {
        let test = try TestQueue(storage)
        for number in 0..<100 {
            try await test.queue.add("count", ["number": "\(number)"])
        }
        let claimed = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var jobs: [Int64] = []
                    while let job = try await test.queue.claim() {
                        jobs.append(job.id)
                    }
                    return jobs
                }
            }
            var all: [Int64] = []
            for try await jobs in group {
                all += jobs
            }
            return all
        }
        #expect(claimed.sorted() == Array(1...100))
    }

    @Test func theJobThatHasBeenDueForLongestComesFirst() async throws {
        let test = try TestQueue(.memory)
        try await test.queue.add("third", after: 2)
        try await test.queue.add("second", after: 1)
        try await test.queue.add("first")
        try await test.queue.add("later", after: 60)
        test.clock.advance(by: 10)
        var kinds: [String] = []
        while let job = try await test.queue.claim() {
            kinds.append(job.kind)
        }
        #expect(kinds == ["first", "second", "third"])
        #expect(try await test.queue.secondsUntilDue() == 50)
    }

    @Test(arguments: Storage.allCases)
    func aLeaseEndsAndAnotherWorkerGetsTheJob(storage: Storage) async throws {
        let test = try TestQueue(storage)
        try await test.queue.add("slow")
        let late = try #require(try await test.queue.claim())
        test.clock.advance(by: 59.999)
        #expect(try await test.queue.claim() == nil)
        test.clock.advance(by: 0.001)
        let current = try #require(try await test.queue.claim())
        #expect(current.attempts == 2)

        // The first worker comes too late, whatever it has to tell.
        #expect(try await test.queue.finish(late) == false)
        #expect(try await test.queue.fail(late, because: "late") == false)
        #expect(try await test.queue.release(late) == false)
        #expect(try await test.jobs == [current])
        #expect(try await test.queue.finish(current))
    }

    @Test(arguments: Storage.allCases)
    func aJobIsGivenBackAsIfItHadNotBeenClaimed(storage: Storage) async throws {
        let test = try TestQueue(storage)
        let added = try await test.queue.add("long")
        let job = try #require(try await test.queue.claim())
        #expect(try await test.queue.release(job))
        #expect(try await test.jobs == [added])
        let again = try #require(try await test.queue.claim())
        #expect(again.attempts == 1)
        #expect(again.lease != job.lease)
    }

    // MARK: Failures

    @Test(arguments: Storage.allCases)
    func thePausesGrowUntilTheJobIsADeadLetter(storage: Storage) async throws {
        let test = try TestQueue(storage)
        try await test.queue.add("mail")
        for pause: TimeInterval in [10, 40, 160, 640] {
            let job = try #require(try await test.queue.claim())
            #expect(try await test.queue.fail(job, because: "no network"))
            #expect(try await test.queue.secondsUntilDue() == pause)
            #expect(try await test.queue.claim() == nil)
            test.clock.advance(by: pause)
        }
        let last = try #require(try await test.queue.claim())
        try await test.queue.fail(last, because: "no such host")

        let dead = try await test.queue.deadJobs()
        #expect(dead.map(\.lastError) == ["no such host"])
        #expect(dead.first?.deadAt?.date == test.clock.now)
        #expect(try await test.queue.secondsUntilDue() == .infinity)
        test.clock.advance(by: 1_000_000)
        #expect(try await test.queue.claim() == nil)
    }

    @Test(arguments: Storage.allCases)
    func aJobThatKillsItsWorkersIsADeadLetterToo(storage: Storage) async throws {
        let test = try TestQueue(storage)
        try await test.queue.add("crash")
        let other = try await test.queue.add("fine", after: 1000)
        for _ in 1...5 {
            try #require(try await test.queue.claim() != nil)
            test.clock.advance(by: 60)
        }
        test.clock.advance(by: 1000)
        #expect(try await test.queue.claim()?.id == other.id)
        let dead = try await test.queue.deadJobs()
        #expect(dead.map(\.kind) == ["crash"])
        #expect(dead.first?.lastError == "its workers have died")
    }

    @Test(arguments: Storage.allCases)
    func deadLettersAreRevived(storage: Storage) async throws {
        let test = try TestQueue(storage) { $0.maximumAttempts = 1 }
        try await test.queue.add("mail")
        try await test.queue.add("waiting", after: 60)
        let job = try #require(try await test.queue.claim())
        try await test.queue.fail(job, because: "no network")
        #expect(try await test.queue.reviveDeadJobs() == 1)
        #expect(try await test.queue.deadJobs() == [])
        let again = try #require(try await test.queue.claim())
        #expect(again.id == job.id)
        #expect(again.attempts == 1)
        #expect(again.lastError == "no network")
        #expect(try await test.queue.reviveDeadJobs() == 0)
    }

    // MARK: Values

    @Test func aStrictTableRefusesWhatWouldNeverBeDue() async throws {
        let test = try TestQueue(.memory)
        await #expect(throws: SQLiteError.self) {
            try await test.database.write { connection in
                let sql = "INSERT INTO jobs(kind, payload, due_at) VALUES('x', '{}', ?)"
                // CheckSQL finds this mistake when the tests are built.
                // sqift: unchecked
                try connection.run(sql, Date())
            }
        }
        await #expect(throws: SQLiteError.self) {
            try await test.database.write { connection in
                try connection.run(
                    "INSERT INTO jobs(kind, payload, due_at) VALUES('x', 'no JSON', 0)"
                )
            }
        }
    }

    @Test func migrationsRunOnce() async throws {
        let test = try TestQueue(.file)
        try await test.queue.add("mail")
        let other = try JobQueue(test.database)
        #expect(try await other.claim()?.kind == "mail")
    }

    // MARK: Speed

    /// How many instructions of SQLite's virtual machine one claim takes. Unlike its time, their
    /// number is the same on each machine.
    private func stepsOfAClaim(deadJobs: Int) async throws -> Int {
        let test = try TestQueue(.memory)
        try await test.database.write { connection in
            try connection.run(
                """
                WITH RECURSIVE numbers(n) AS (
                    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?
                )
                INSERT INTO jobs(kind, payload, due_at, attempts, dead_at)
                SELECT 'dead', '{}', n, 5, n FROM numbers
                """,
                deadJobs
            )
        }
        for _ in 0..<10 {
            try await test.queue.add("mail")
        }
        let steps = Counter()
        test.database.prepareConnections { connection in
            connection.progressHandler(every: 1) {
                steps.increment()
                return false
            }
        }
        try #require(try await test.queue.claim()?.kind == "mail")
        return steps.count
    }

    @Test func deadLettersDoNotSlowClaimsDown() async throws {
        let few = try await stepsOfAClaim(deadJobs: 20)
        let many = try await stepsOfAClaim(deadJobs: 20_000)
        #expect(few > 0)
        #expect(many == few)
        #expect(many < 500)
    }

    @Test func aClaimSearchesTheIndexOfLivingJobs() async throws {
        let test = try TestQueue(.memory)
        let plan: [String] = try await test.database.write { connection in
            try connection.query(
                "EXPLAIN QUERY PLAN " + JobQueue.claim,
                ["lease": nil, "end": 0, "now": 0]
            ) { try $0.get("detail") }
        }
        #expect(plan.contains { $0.contains("INDEX jobs_by_due_time (due_at<?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}

private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    var count: Int { lock.withLock { number } }

    func increment() {
        lock.withLock { number += 1 }
    }
}
