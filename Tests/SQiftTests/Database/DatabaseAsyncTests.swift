import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseAsyncTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.execute("CREATE TABLE t(x UNIQUE)")
        }

        private func rows() async throws -> Int {
            try await database.read { try count("t", on: $0) }
        }

        @Test func aClosuresValueIsReturned() async throws {
            let read: Int = try await database.read { try $0.query("SELECT 42") }
            let write: String = try await database.write { try $0.query("SELECT 'a'") }
            let without: [Int] = try await database.writeWithoutTransaction {
                try $0.query("SELECT 1 UNION SELECT 2")
            }
            #expect(read == 42)
            #expect(write == "a")
            #expect(without == [1, 2])
        }

        @Test func aClosureNeedsNoValue() async throws {
            let calls = SharedCount()
            try await database.read { _ in calls.add(1) }
            try await database.write { connection in
                try connection.run("INSERT INTO t VALUES(1)")
                calls.add(1)
            }
            try await database.run("INSERT INTO t VALUES(2)")
            try await database.writeWithoutTransaction { connection in
                if !connection.isInsideTransaction {
                    calls.add(1)
                }
            }
            #expect(calls.value == 3)
            #expect(try await rows() == 2)
        }

        @Test func theErrorOfTheClosureIsTheOneThatIsThrown() async throws {
            await #expect(throws: TestError(reason: "read")) {
                try await database.read { _ in throw TestError(reason: "read") }
            }
            await #expect(throws: TestError(reason: "write")) {
                try await database.write { _ in throw TestError(reason: "write") }
            }
            await #expect(throws: TestError(reason: "without")) {
                try await database.writeWithoutTransaction { _ in throw TestError(reason: "without")
                }
            }
        }

        @Test func aWriteThatThrowsLeavesNothing() async throws {
            await #expect(throws: TestError()) {
                try await database.write { connection in
                    try add(1, on: connection)
                    throw TestError()
                }
            }
            #expect(try await rows() == 0)
            try await database.add(1)
            #expect(try await rows() == 1)
        }

        @Test func aWriteIsATransactionAndOneWithoutIsNot() async throws {
            let write = try await database.write { $0.isInsideTransaction }
            let read = try await database.read { $0.isInsideTransaction }
            let without = try await database.writeWithoutTransaction { $0.isInsideTransaction }
            #expect(write)
            #expect(read)
            #expect(!without)
        }

        @Test func withoutATransactionEachStatementCommits() async throws {
            await #expect(throws: TestError()) {
                try await database.writeWithoutTransaction { connection in
                    try add(1, on: connection)
                    throw TestError()
                }
            }
            #expect(try await rows() == 1)
            try await database.writeWithoutTransaction { try $0.run("VACUUM") }
        }

        @Test func aTransactionLeftOpenIsRolledBackAndReported() async throws {
            try await expectTaskRefusal(.transactionLeftOpen) {
                try await database.writeWithoutTransaction { connection in
                    try connection.run("BEGIN IMMEDIATE")
                    try add(1, on: connection)
                }
            }
            try expectUnlocked(folder)
            #expect(try await rows() == 0)
        }

        @Test func aReadCantWrite() async throws {
            do {
                try await database.read { try add(1, on: $0) }
                Issue.record("a read wrote")
            } catch let error as SQLiteError {
                #expect(error.resultCode == .readOnly)
            }
            #expect(try await rows() == 0)
        }

        @Test func aClosureRunsOnNoThreadOfSwifts() async throws {
            // Swift has a thread for each core: if closures held them, they could never be inside
            // at the same time.
            let count = Database.Configuration().maximumReaderCount
            let barrier = Barrier(of: count)
            try await inTasks(count) { _ in try await database.read { _ in barrier.wait() } }
        }

        @Test func aReadSeesWhatAnotherTaskWroteBefore() async throws {
            for number in 1...100 {
                try await Task.detached { try await database.add(number) }
                    .value
                let seen = try await Task.detached {
                    try await database.read { try count("t", on: $0) }
                }.value
                #expect(seen == number)
            }
        }

        @Test func oneReadIsOneState() async throws {
            let hasCounted = Gate()
            let isWritten = Gate()
            async let counts = database.read { connection in
                let first = try count("t", on: connection)
                hasCounted.open()
                isWritten.wait()
                return try [first, count("t", on: connection)]
            }
            await hasCounted.opened()
            try await database.add(1)
            isWritten.open()
            #expect(try await counts == [0, 0])
            #expect(try await rows() == 1)
        }

        @Test func hundredsOfTasksTakeTurns() async throws {
            try await database.execute("CREATE TABLE c(n); INSERT INTO c VALUES(0)")
            let inside = SharedCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await database.write { connection in
                            inside.add(1)
                            let n: Int = try connection.query("SELECT n FROM c")
                            try connection.run("UPDATE c SET n = ?", n + 1)
                            inside.add(-1)
                        }
                    }
                    group.addTask {
                        let number: Int = try await database.read {
                            try $0.query("SELECT n FROM c")
                        }
                        if number < 0 || number > 300 {
                            throw TestError()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(inside.peak == 1)
            try expectAnswer(300, to: "SELECT n FROM c", from: database)
        }

        @Test func theSynchronousAndTheAsynchronousFormsTakeTurns() async throws {
            let thread = Worker {
                for number in 0..<200 {
                    try database.add(number)
                }
            }
            for number in 200..<400 {
                try await database.add(number)
            }
            try await thread.finalValue()
            #expect(try await rows() == 400)
        }

        @Test func aSynchronousAccessInAnAsynchronousClosureThrows() async throws {
            for inner in DatabaseAccess.allCases {
                let inRead = try await database.read { _ in
                    try refusal { try inner.run(on: database) { _ in } }
                }
                let inWrite = try await database.write { _ in
                    try refusal { try inner.run(on: database) { _ in } }
                }
                let without = try await database.writeWithoutTransaction { _ in
                    try refusal { try inner.run(on: database) { _ in } }
                }
                #expect(inRead == .reentrant, "\(inner) in read")
                #expect(inWrite == .reentrant, "\(inner) in write")
                #expect(without == .reentrant, "\(inner) in writeWithoutTransaction")
            }
            try await database.add(1)
            #expect(try await rows() == 1)
        }
    }
}
