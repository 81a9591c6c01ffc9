import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ObservationSuites {
    /// How `values` end.
    struct DatabaseValuesEndTests {
        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        private func expectUnobserved(
            _ database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await awaitingPoll("the writer is still observed", sourceLocation: sourceLocation) {
                try await !database.writeWithoutTransaction { $0.isPublishingChanges }
            }
        }

        @Test(arguments: ListenedDatabase.allCases, [1, 2])
        func theClosuresErrorEndsThem(kind: ListenedDatabase, failingRun: Int) async throws {
            let database = try kind.open(in: elsewhere)
            let runs = SharedCount()
            let values = database.values { connection -> Int in
                guard runs.add(1) < failingRun else { throw TestError() }
                return try count("t", on: connection)
            }
            var iterator = values.makeAsyncIterator()
            for _ in 1..<failingRun {
                let value = try await iterator.next()
                #expect(value == 0)
                try await database.add(1)
            }
            let result: Result<Int?, any Error>
            do {
                result = .success(try await iterator.next())
            } catch {
                result = .failure(error)
            }
            expectThrows(TestError.self) { try result.get() }
            for _ in 0..<2 {
                try await database.add(1)
                let end = try await iterator.next()
                #expect(end == nil)
            }
            #expect(runs.value == failingRun)
        }

        @Test func anErrorOfSQLiteEndsThem() async throws {
            let follower = database.followRows()
            await follower.expect([0])
            try await database.execute("DROP TABLE t")
            await expectTaskSQLiteError(containing: "no such table") { try await follower.end() }
            try await expectUnobserved(database)
        }

        @Test func cancellingTheTaskEndsThemWithoutAnError() async throws {
            let follower = database.followRows()
            await follower.expect([0])
            follower.cancel()
            try await follower.end()
            try await expectUnobserved(database)
        }

        @Test(arguments: ListenedDatabase.allCases)
        func cancellingTheTaskEndsTheClosure(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let started = Gate()
            let follower = database.follow { connection -> Int in
                try runEndlessQuery(on: connection, opening: started)
                return 1
            }
            await started.opened()
            follower.cancel()
            try await follower.end()
            #expect(follower.all.isEmpty)
            try expectRows(0, in: database)
            try await expectUnobserved(database)
        }

        @Test func leavingTheLoopEndsThem() async throws {
            let runs = SharedCount()
            let values = database.values { connection -> Int in
                runs.add(1)
                return try count("t", on: connection)
            }
            for try await value in values {
                #expect(value == 0)
                break
            }
            try await expectUnobserved(database)
            try await database.add(1)
            #expect(runs.value == 1)
        }

        @Test(arguments: ListenedDatabase.allCases)
        func closingTheDatabaseEndsThemWithoutAnError(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let values = database.values { try count("t", on: $0) }
            let (follower, unique) = (Follower(values), Follower(values.removingDuplicates()))
            await follower.expect([0])
            await unique.expect([0])
            try await database.close()
            try await follower.end()
            try await unique.end()
            let late = Follower(values)
            try await late.end()
            #expect(late.all.isEmpty)
        }

        @Test(arguments: [false, true])
        func closingTheDatabaseWaitsForTheClosureOrEndsIt(isInterrupting: Bool) async throws {
            let (started, mayGoOn) = (Gate(), Gate())
            let follower = database.follow { connection -> Int in
                if isInterrupting {
                    try runEndlessQuery(on: connection, opening: started)
                }
                started.open()
                mayGoOn.wait()
                return try count("t", on: connection)
            }
            await started.opened()
            let closing = Task.detached { try await database.close(interrupting: isInterrupting) }
            await poll("it isn't closed") {
                (try? refusal { try database.executeWrite { _ in } }) == .closed
            }
            mayGoOn.open()
            try await closing.value
            try await follower.end()
            #expect(follower.all == (isInterrupting ? [] : [0]))
        }

        @Test func theDatabaseLivesAsLongAsTheLoop() async throws {
            var database: Database? = try elsewhere.openListened()
            weak let reference = database
            let follower = Follower(try #require(database).values { try count("t", on: $0) })
            await follower.expect([0])
            let writer = database?.writerConnectionQueue
            database = nil
            try await writer?.write { try add(1, on: $0) }
            await follower.expect([0, 1])
            follower.cancel()
            try await follower.end()
            await poll("somebody keeps the database") { reference == nil }
        }

        @Test func theyOutliveASuspension() async throws {
            let follower = database.followRows()
            await follower.expect([0])
            try await database.suspend()
            let late = database.followRows()
            database.resume()
            await late.expect([0])
            try await database.add(1)
            await follower.expect([0, 1])
            await late.expect([0, 1])
        }

        /// A commit wakes the loop, and the suspension comes before or during its read.
        @Test(arguments: ListenedDatabase.allCases)
        func aSuspensionAfterACommitHidesNoValue(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let followers = (0..<20).map { _ in
                database.followRows()
            }
            for follower in followers {
                await follower.expect([0])
            }
            for round in 1...20 {
                try await database.add(round)
                try await database.suspend()
                database.resume()
            }
            for follower in followers {
                await follower.hears("the last value is missing") { $0 == 20 }
                follower.cancel()
                try await follower.end()
            }
        }

        @Test func aReadThatASuspensionEndsIsRepeated() async throws {
            let (started, runs) = (Gate(), SharedCount())
            let follower = database.follow { connection -> Int in
                if runs.add(1) == 1 {
                    try runEndlessQuery(on: connection, opening: started)
                }
                return try count("t", on: connection)
            }
            await started.opened()
            try await database.suspend()
            #expect(follower.all.isEmpty)
            database.resume()
            await follower.expect([0])
        }

        @Test func anInterruptedReadEndsThem() async throws {
            let started = Gate()
            let follower = database.follow { connection -> Int in
                try runEndlessQuery(on: connection, opening: started)
                return 1
            }
            await started.opened()
            database.interrupt()
            await expectTaskSQLiteError(.interrupt) { try await follower.end() }
        }

        @Test func anExhaustedPoolEndsThem() async throws {
            let database = try elsewhere.openWithTable { configuration in
                configuration.maximumReaderCount = 1
                configuration.acquisitionTimeout = 0.001
            }
            let holder = Holder(of: database.readerConnectionPool)
            let follower = database.followRows()
            let error = await expectTaskThrows(AccessError.self) { try await follower.end() }
            #expect(error?.reason == .poolExhausted)
            try await onThread { try holder.release() }
        }
    }
}
