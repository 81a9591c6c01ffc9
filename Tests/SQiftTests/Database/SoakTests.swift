// `Locked` is the library's own.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Everything at once, for two seconds or for as many as `SQIFT_SOAK_SECONDS` says.
extension DatabaseSuites {
    struct SoakTests {
        private static let accounts = 20
        private static let sum = 20_000

        private final class Progress: Sendable {
            private let counts = Locked<[String: Int]>([:])

            func note(_ what: String) {
                counts.withLock { $0[what, default: 0] += 1 }
            }
            func count(_ what: String) -> Int {
                counts.withLock { $0[what, default: 0] }
            }
        }

        /// Moves money between two accounts in two statements.
        @Sendable private static func move(on connection: Connection) throws {
            let (from, to, amount) = (
                Int.random(in: 1...accounts), Int.random(in: 1...accounts), Int.random(in: 1...50)
            )
            try connection.run(
                "UPDATE accounts SET balance = balance - ? WHERE id = ?",
                amount,
                from
            )
            try connection.run("UPDATE accounts SET balance = balance + ? WHERE id = ?", amount, to)
        }

        @Sendable private static func total(on connection: Connection) throws -> Int {
            try connection.query("SELECT sum(balance) FROM accounts")
        }

        @Test func nothingIsLostWhateverHappensAtOnce() async throws {
            let seconds =
                ProcessInfo.processInfo.environment["SQIFT_SOAK_SECONDS"].flatMap { Double($0) }
                ?? 2
            let folder = try TemporaryFolder()
            let database = try Database.open(folder.path()) { configuration in
                configuration.synchronous = .normal
                configuration.journalSizeLimit = 1 << 20
                configuration.maximumReaderCount = 3
                configuration.readerDrainDelay = 0.05
            }
            try await database.write { connection in
                try connection.execute(
                    "CREATE TABLE accounts(id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)"
                )
                let each = Self.sum / Self.accounts
                for id in 1...Self.accounts {
                    try connection.run("INSERT INTO accounts VALUES(?, ?)", id, each)
                }
            }

            let progress = Progress()
            let end = ContinuousClock.now + .seconds(seconds)
            await withTaskGroup(of: Void.self) { group in
                func loop(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
                    group.addTask {
                        // On a busy machine a role may need longer for its first success.
                        while ContinuousClock.now < end || progress.count(name) == 0 {
                            if ContinuousClock.now > end + .seconds(patience) {
                                break
                            }
                            do {
                                try await body()
                                progress.note(name)
                            } catch let error as AccessError where error.reason == .suspended {
                                progress.note("suspended")
                                // The refusal comes at once. Without a pause, loops that are
                                // refused would keep resume() from a thread.
                                await Task.yield()
                            } catch {
                                Issue.record(error, "\(name)")
                            }
                        }
                    }
                }
                for _ in 0..<3 {
                    loop("read") {
                        let total = try await database.read(Self.total)
                        if total != Self.sum {
                            Issue.record("a read saw \(total)")
                        }
                    }
                }
                for _ in 0..<2 {
                    loop("write") { try await database.write(Self.move) }
                }
                loop("blocking read") {
                    let total = try await onThread { try database.read(Self.total) }
                    if total != Self.sum {
                        Issue.record("a blocking read saw \(total)")
                    }
                }
                loop("blocking write") { try await onThread { try database.write(Self.move) } }
                loop("cancelled write") {
                    let task = Task.detached {
                        try await database.write { connection in
                            for _ in 0..<20 {
                                try Self.move(on: connection)
                            }
                        }
                    }
                    // Another moment each time; no outcome depends on which.
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...2000)))
                    task.cancel()
                    switch await task.result {
                    case .success: progress.note("too late to cancel")
                    case .failure(is CancellationError): progress.note("cancelled")
                    case .failure(let error): throw error
                    }
                }
                loop("snapshot") {
                    let snapshot = try await database.snapshot()
                    for _ in 0..<3 {
                        do {
                            let total = try await snapshot.read(Self.total)
                            if total != Self.sum {
                                Issue.record("a snapshot saw \(total)")
                            }
                        } catch let error as AccessError where error.reason == .closed {
                            progress.note("snapshot closed")
                        }
                    }
                    try snapshot.close()
                }
                loop("upkeep") {
                    database.releaseMemory()
                    try await database.checkpoint(mode: .passive)
                    try await database.suspend()
                    database.resume()
                    // A pause, in which the others get on.
                    try await Task.sleep(for: .milliseconds(20))
                }
            }

            let total = try await database.read(Self.total)
            #expect(total == Self.sum)
            for role in [
                "read", "write", "blocking read", "blocking write", "cancelled write", "snapshot",
                "upkeep",
            ] {
                #expect(progress.count(role) > 0, "\(role)")
            }
            let problems = try await database.read { try $0.integrityCheck() }
            #expect(problems.isEmpty)
            try await database.close()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [
                    "test.sqlite"
                ]
            )
        }
    }
}
