import Foundation
import JobKit
import SQift
import Testing

struct WorkersTests {
    typealias Storage = TestQueue.Storage

    /// What the workers do, and in which order.
    private let events = AsyncStream.makeStream(of: String.self)

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    @Test(arguments: Storage.allCases)
    func eightWorkersDoEachJobOnce(storage: Storage) async throws {
        let test = try TestQueue(storage)
        for number in 0..<20 {
            try await test.queue.add("count", ["number": "\(number)"])
        }
        let done = events.continuation
        let workers = Workers(for: test.queue) { job in
            done.yield(try job.arguments()["number"] ?? "")
        }
        let running = Task { try await workers.run() }
        var iterator = events.stream.makeAsyncIterator()
        var numbers: [String] = []
        for _ in 0..<20 {
            numbers.append(try #require(await iterator.next()))
        }
        // They wait now, and hear of new jobs.
        for number in 20..<40 {
            try await test.queue.add("count", ["number": "\(number)"])
            numbers.append(try #require(await iterator.next()))
        }
        running.cancel()
        try await running.value
        #expect(numbers.sorted() == (0..<40).map(String.init).sorted())
        #expect(try await test.jobs == [])
    }

    @Test func workersWaitForAPauseToEnd() async throws {
        let test = try TestQueue(.memory) {
            $0.now = { Date() }
            $0.firstPause = 0.01
        }
        try await test.queue.add("mail")
        let done = events.continuation
        let workers = Workers(for: test.queue) { job in
            done.yield("attempt \(job.attempts) after \(job.lastError ?? "nothing")")
            guard job.attempts > 2 else { throw Failure(description: "no network") }
        }
        let running = Task { try await workers.run() }
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == "attempt 1 after nothing")
        #expect(await iterator.next() == "attempt 2 after no network")
        #expect(await iterator.next() == "attempt 3 after no network")
        running.cancel()
        try await running.value
        #expect(try await test.jobs == [])
    }

    @Test(arguments: Storage.allCases)
    func aJobThatTakesTooLongIsCancelled(storage: Storage) async throws {
        let test = try TestQueue(storage) { $0.lease = 1 }
        try await test.queue.add("slow")
        // The other worker waits for the end of the lease.
        let workers = Workers(for: test.queue, count: 2) { _ in
            try await Task.sleep(for: .seconds(3600))
        }
        let running = Task { try await workers.run() }
        let errors = test.database.values { connection in
            try connection.query("SELECT last_error FROM jobs") as String?
        }
        for try await error in errors where error != nil {
            break
        }
        running.cancel()
        try await running.value
        let job = try #require(try await test.jobs.first)
        #expect(job.lastError == "it took too long")
        #expect(job.lease == nil)
        #expect(job.attempts == 1)
    }

    @Test(arguments: Storage.allCases)
    func aJobThatCannotBeDecodedFailsLikeAnyOther(storage: Storage) async throws {
        let test = try TestQueue(storage) { $0.maximumAttempts = 1 }
        let foreign = #"INSERT INTO jobs(kind, payload, due_at) VALUES('x', '{"n": [1]}', 0)"#
        try await test.database.write { try $0.run(foreign) }
        let workers = Workers(for: test.queue, count: 1) { _ = try $0.arguments() }
        let running = Task { try await workers.run() }
        let counts = test.database.values { connection in
            try connection.query("SELECT count(*) FROM jobs WHERE dead_at NOTNULL") as Int
        }
        for try await count in counts where count == 1 {
            break
        }
        running.cancel()
        try await running.value
        let dead = try await test.queue.deadJobs()
        #expect(dead.map(\.payload) == [#"{"n": [1]}"#])
    }

    // MARK: Stopping

    @Test(arguments: Storage.allCases)
    func aRunningJobMayEndAndNoOtherBegins(storage: Storage) async throws {
        let test = try TestQueue(storage)
        try await test.queue.add("first")
        let (permissions, permission) = AsyncStream.makeStream(of: Void.self)
        let done = events.continuation
        let workers = Workers(for: test.queue, count: 1, gracePeriod: 3600) { job in
            done.yield("\(job.kind) began")
            for await _ in permissions {
                break
            }
            done.yield("\(job.kind) ended, cancelled: \(Task.isCancelled)")
        }
        let running = Task { try await workers.run() }
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == "first began")

        running.cancel()
        try await test.queue.add("second")
        permission.yield()
        #expect(await iterator.next() == "first ended, cancelled: false")
        try await running.value
        let jobs = try await test.jobs
        #expect(jobs.map(\.kind) == ["second"])
        #expect(jobs.map(\.attempts) == [0])
    }

    @Test(arguments: Storage.allCases)
    func whatDoesNotEndInTimeIsGivenBack(storage: Storage) async throws {
        let test = try TestQueue(storage)
        let added = try await test.queue.add("endless")
        let done = events.continuation
        let workers = Workers(for: test.queue, gracePeriod: 0) { job in
            done.yield("\(job.kind) began")
            try await Task.sleep(for: .seconds(3600))
        }
        let running = Task { try await workers.run() }
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == "endless began")
        running.cancel()
        try await running.value
        #expect(try await test.jobs == [added])

        try await test.queue.close()
        let names = try test.fileNames
        #expect(names == (storage == .file ? ["jobs.sqlite"] : []))
    }

    @Test func theWorkersStopIfTheDatabaseFails() async throws {
        let test = try TestQueue(.file)
        let workers = Workers(for: test.queue) { _ in }
        try await test.queue.close()
        await #expect(throws: AccessError.self) { try await workers.run() }
    }
}
