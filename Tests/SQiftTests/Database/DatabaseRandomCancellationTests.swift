import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// Many tasks, each cancelled at another moment.
    struct DatabaseRandomCancellationTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openWithTable { $0.maximumReaderCount = 2 }
        }

        @Test func aThousandWritesCancelledAtAnyMomentAreWrittenWholeOrNotAtAll() async throws {
            var random = SystemRandomNumberGenerator()
            var returned: [Int] = []
            for round in 0..<250 {
                // Four at a time: one runs, the others wait.
                let tasks = (0..<4).map { index in
                    let id = round * 4 + index
                    return Task.detached { () -> Int in
                        try await database.write { connection in
                            for _ in 0..<200 {
                                try add(id, on: connection)
                            }
                            return id
                        }
                    }
                }
                // On a slow machine each of the others is cancelled in time.
                let isCancelled = round % 10 > 0
                for task in tasks where isCancelled {
                    let delay = UInt64.random(in: 0...600, using: &random)
                    // Another moment each time; no outcome depends on which.
                    if delay > 0 {
                        try await Task.sleep(for: .microseconds(delay))
                    }
                    task.cancel()
                }
                for task in tasks {
                    do {
                        returned.append(try await task.value)
                    } catch is CancellationError {}
                }
            }
            let written: [Int: Int] = try await database.read {
                try $0.query("SELECT x, count(*) FROM t GROUP BY x")
            }
            #expect(written.keys.sorted() == returned)
            #expect(written.values.allSatisfy { $0 == 200 })
            // Both came about.
            #expect((1..<1000).contains(returned.count))
            try expectUnlocked(folder)
        }

        @Test func readsCancelledAtAnyMomentLeaveThePoolWhole() async throws {
            for round in 0..<300 {
                let tasks = (0..<4).map { _ in
                    Task.detached { () -> Int in
                        try await database.read {
                            try $0.query(numbers(to: 2000, selecting: "count(*)"))
                        }
                    }
                }
                // Another moment each time; no outcome depends on which.
                try await Task.sleep(for: .microseconds(round))
                for task in tasks {
                    task.cancel()
                }
                for task in tasks {
                    do {
                        let number = try await task.value
                        #expect(number == 2000)
                    } catch is CancellationError {}
                }
            }
            // Both readers still work.
            _ = try await onThread { [database] in
                try onEveryConnection(of: database, readerCount: 2) { try count("t", on: $0) }
            }
            try expectUnlocked(folder)
        }
    }
}
