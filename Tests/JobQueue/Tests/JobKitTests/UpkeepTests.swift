import Foundation
import JobKit
import SQift
import Testing

/// Search, metrics and backups.
struct UpkeepTests {
    typealias Storage = TestQueue.Storage

    // MARK: Search

    @Test(arguments: Storage.allCases)
    func jobsAreFoundByTheirWords(storage: Storage) async throws {
        let test = try TestQueue(storage)
        let letter = ["to": "Ada", "text": "line\nInvoice \"7\""]
        let invoice = try await test.queue.add("mail", letter)
        let other = try await test.queue.add("resize", ["file": "zoë.png"])

        func found(_ text: String) async throws -> [Int64] {
            try await test.queue.search(text).map(\.id)
        }
        #expect(try await found("invoice") == [invoice.id])
        #expect(try await found("ada inv") == [invoice.id])
        #expect(try await found("MAIL \"7\"") == [invoice.id])
        #expect(try await found("zoe") == [other.id])
        #expect(try await found("ada png") == [])
        // Keys and JSON's own signs aren't words, and the search's language isn't spoken.
        for text in ["", " ", "ninvoice", "NOT", "file:zoe", "\"", "*", "(", "\0"] {
            #expect(try await found(text) == [], "\(text)")
        }
    }

    @Test(arguments: Storage.allCases)
    func theIndexFollowsTheJobs(storage: Storage) async throws {
        let test = try TestQueue(storage) { $0.maximumAttempts = 2 }
        try await test.queue.add("mail", ["to": "Ada"])
        try await test.queue.add("mail", ["to": "Bea"])
        let first = try #require(try await test.queue.claim())
        try await test.queue.fail(first, because: "no network")
        let second = try #require(try await test.queue.claim())
        try await test.queue.finish(second)
        #expect(try await test.queue.search("network").map(\.id) == [first.id])
        test.clock.advance(by: 10)
        let again = try #require(try await test.queue.claim())
        try await test.queue.fail(again, because: "timeout")
        #expect(try await test.queue.search("network") == [])
        #expect(try await test.queue.search("Bea") == [])
        #expect(try await test.queue.search("timeout").map(\.deadAt) != [nil])

        try await test.queue.reviveDeadJobs()
        let last = try #require(try await test.queue.claim())
        try await test.queue.finish(last)
        let count: Int = try await test.database.read { connection in
            try connection.query("SELECT count(*) FROM jobs_index")
        }
        #expect(count == 0)
    }

    // MARK: Metrics

    @Test(arguments: Storage.allCases)
    func metricsFollowTheChanges(storage: Storage) async throws {
        let test = try TestQueue(storage) { $0.maximumAttempts = 1 }
        let (reports, line) = AsyncStream.makeStream(of: [Int].self)
        let reporting = Task {
            try await test.queue.reportMetrics(every: .zero) { metrics in
                line.yield([metrics.waiting, metrics.running, metrics.dead])
            }
        }
        var iterator = reports.makeAsyncIterator()
        #expect(await iterator.next() == [0, 0, 0])
        try await test.queue.add("mail")
        #expect(await iterator.next() == [1, 0, 0])
        let job = try #require(try await test.queue.claim())
        #expect(await iterator.next() == [0, 1, 0])
        try await test.queue.fail(job, because: "no network")
        #expect(await iterator.next() == [0, 0, 1])
        reporting.cancel()
        try await reporting.value
    }

    // MARK: Backups

    @Test(arguments: Storage.allCases)
    func theNewestBackupsAreKept(storage: Storage) async throws {
        let test = try TestQueue(storage)
        let folder = test.folder.appendingPathComponent("backups")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let others = [
            "jobs-2020-01-01T000000Z.sqlite.old", "jobs-2020-01-01.sqlite", "notes.sqlite",
        ]
        for name in others {
            try Data().write(to: folder.appendingPathComponent(name))
        }
        try await test.queue.add("mail")
        var backups: [URL] = []
        for _ in 1...4 {
            backups.append(try await test.queue.backUp(into: folder, keeping: 2))
            test.clock.advance(by: 86_400)
        }
        #expect(backups.first?.lastPathComponent == "jobs-2026-11-28T030000Z.sqlite")

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(others + backups.suffix(2).map(\.lastPathComponent)))
        let backup = try Connection(path: try #require(backups.last).path)
        #expect(try backup.query("SELECT kind FROM jobs") as [String] == ["mail"])
    }

    @Test func aBackupThatFailsDeletesNone() async throws {
        let test = try TestQueue(.file)
        try await test.queue.add("mail")
        let backup = try await test.queue.backUp(into: test.folder, keeping: 1)
        test.clock.advance(by: 1)
        try await test.queue.close()
        await #expect(throws: AccessError.self) {
            try await test.queue.backUp(into: test.folder, keeping: 1)
        }
        #expect(FileManager.default.fileExists(atPath: backup.path))
    }
}
