import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ObservationSuites {
    /// When `values` gives a value.
    struct DatabaseValuesTests {
        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        @Test(arguments: ListenedDatabase.allCases)
        func theValueComesAtOnceAndAfterEachCommitThatConcernsIt(
            kind: ListenedDatabase
        ) async throws {
            let database = try kind.open(in: elsewhere)
            let runs = SharedCount()
            let follower = database.follow { connection in
                runs.add(1)
                return try count("t", on: connection)
            }
            await follower.expect([0])
            for round in 1...20 {
                try await database.run("INSERT INTO u VALUES(1)")
                try await database.add(round)
                await follower.expect(Array(0...round))
            }
            #expect(runs.value == 21)
            follower.cancel()
            try await follower.end()
        }

        @Test func aCursorThatOutlivesTheClosureHasReadItsTables() async throws {
            nonisolated(unsafe) var kept: Cursor?
            let follower = database.follow { connection -> Int in
                let cursor = try connection.cursor("SELECT count(*) FROM t")
                kept = cursor
                return try cursor.next() ?? -1
            }
            await follower.expect([0])
            try await database.add(1)
            await follower.expect([0, 1])
            #expect(kept != nil)
        }

        @Test func aBlobIsAReadOfItsTableOnly() async throws {
            try await database.run("INSERT INTO t VALUES(zeroblob(1))")
            let runs = SharedCount()
            let follower = database.follow { connection in
                runs.add(1)
                _ = try connection.openBlob(
                    table: "t",
                    column: "x",
                    rowID: 1,
                    readOnly: true
                )
                return try count("t", on: connection)
            }
            await follower.expect([1])
            for round in 2...10 {
                try await database.run("INSERT INTO u VALUES(1)")
                try await database.add(round)
                await follower.expect(Array(1...round))
            }
            #expect(runs.value == 10)
        }

        @Test func nothingIsReadBeforeTheLoopAsks() async throws {
            let runs = SharedCount()
            let values = database.values { connection in
                runs.add(1)
                return try count("t", on: connection)
            }
            try await database.add(1)
            var iterator = values.makeAsyncIterator()
            #expect(runs.value == 0)
            let first = try await iterator.next()
            #expect(first == 1)
            #expect(runs.value == 1)
        }

        @Test func eachLoopListensByItself() async throws {
            let values = database.values { try count("t", on: $0) }
            let one = Follower(values)
            await one.expect([0])
            try await database.add(1)
            await one.expect([0, 1])
            let other = Follower(values)
            await other.expect([1])
            try await database.add(1)
            await one.expect([0, 1, 2])
            await other.expect([1, 2])
        }

        @Test func severalCommitsWhileTheLoopIsBusyLeadToOneRun() async throws {
            let (runs, mayGoOn) = (SharedCount(), Gate())
            let values = database.values { connection in
                runs.add(1)
                return try count("t", on: connection)
            }
            let follower = Follower(values) { _ in await mayGoOn.opened() }
            await follower.expect([0])
            for round in 0..<20 {
                try await database.add(round)
            }
            mayGoOn.open()
            await follower.expect([0, 20])
            try await database.add(1)
            await follower.expect([0, 20, 21])
            #expect(runs.value == 3)
        }

        /// A commit after the closure has read, and before it has returned.
        @Test func aCommitWhileTheClosureRunsLeadsToAnother() async throws {
            let (runs, hasRead, mayReturn) = (SharedCount(), Gate(), Gate())
            let follower = database.follow { connection in
                let rows = try count("t", on: connection)
                if runs.add(1) == 1 {
                    hasRead.open()
                    mayReturn.wait()
                }
                return rows
            }
            await hasRead.opened()
            for round in 0..<5 {
                try await database.add(round)
            }
            mayReturn.open()
            await follower.expect([0, 5])
            #expect(runs.value == 2)
        }

        @Test func theClosureReadsOneStateAndCannotWrite() async throws {
            let follower = database.follow { connection in
                expectSQLiteError(.readOnly) { try add(1, on: connection) }
                #expect(connection.isInsideTransaction)
                return try count("t", on: connection)
            }
            await follower.expect([0])
        }

        @Test(arguments: ListenedDatabase.allCases)
        func duplicatesAreRemovedOnRequest(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let runs = SharedCount()
            let values = database.values { connection -> Int in
                runs.add(1)
                return try connection.query("SELECT count(*) FROM t WHERE x > 10")
            }
            let (follower, all) = (Follower(values.removingDuplicates()), Follower(values))
            await follower.expect([0])
            await all.expect([0])
            for (round, x) in [1, 20, 2, 3, 30].enumerated() {
                try await database.add(x)
                await poll("it doesn't run") { all.all.count == round + 2 }
                // The other one has run too.
                await poll("it doesn't run") { runs.value == 2 * (round + 2) }
            }
            try await database.run("DELETE FROM t WHERE x < 10")
            try await database.run("DELETE FROM t")
            await follower.hears("it misses the last value") { _ in follower.all.last == 0 }
            #expect(Array(follower.all.prefix(3)) == [0, 1, 2])
            #expect(zip(follower.all, follower.all.dropFirst()).allSatisfy { $0 != $1 })
            #expect(Array(all.all.prefix(6)) == [0, 0, 1, 1, 1, 2])
        }

        @Test func aValueThatComesAgainLaterIsNotADuplicate() async throws {
            let follower = Follower(
                database.values { try count("t", on: $0) }.removingDuplicates()
            )
            await follower.expect([0])
            for (sql, expected) in [
                ("INSERT INTO t VALUES(1)", [0, 1]), ("DELETE FROM t", [0, 1, 0]),
                ("INSERT INTO t VALUES(1)", [0, 1, 0, 1]),
            ] {
                try await database.execute(sql)
                await follower.expect(expected)
            }
        }

        @Test(arguments: [true, false])
        func commitsOfOthersAreNoticedByPolling(isRightAfter: Bool) async throws {
            let other = try folder.connection()
            for round in 0..<20 {
                let (rows, follower) = (
                    try await database.read { try count("t", on: $0) },
                    Follower(database.values(pollingEvery: 0.001) { try count("t", on: $0) })
                )
                await follower.hears("there is no first value") { $0 == rows }
                if !isRightAfter {
                    let hasCommitted = database.changes(in: ["marker"], pollingEvery: 0.001)
                    try other.run("INSERT INTO u VALUES(1)")
                    _ = try await hasCommitted.next()
                }
                try add(round, on: other)
                await follower.hears("a commit is missed") { $0 == rows + 1 }
            }
        }

        @Test func withoutAnIntervalCommitsOfOthersAreNotNoticed() async throws {
            let follower = database.followRows()
            await follower.expect([0])
            try add(1, on: folder.connection())
            let polling = database.changes(pollingEvery: 0.001)
            try add(1, on: folder.connection())
            let heard = try await polling.next()
            #expect(heard?.isExternal == true)
            #expect(follower.all == [0])
            try await database.add(1)
            await follower.expect([0, 3])
        }

        @Test func aClosureThatCopiesTheDatabaseRunsAfterEachCommit() async throws {
            let follower = database.follow { connection in
                let copy = try Connection()
                try connection.backup(to: copy)
                return try count("t", on: copy)
            }
            await follower.expect([0])
            for round in 1...3 {
                try await database.add(round)
                await follower.expect(Array(0...round))
            }
        }
    }
}
