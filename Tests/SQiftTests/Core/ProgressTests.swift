import Foundation
import SQiftTestSupport
import Testing

import CSQift
import SQift

struct ProgressTests {
    private static let endless =
        "WITH RECURSIVE numbers(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM numbers) SELECT count(*) FROM numbers"

    private let connection: Connection

    init() throws {
        connection = try Connection.withTable()
    }

    private func expectUsable() throws {
        connection.progressHandler(nil)
        #expect(!connection.isInsideTransaction)
        try connection.transaction { try connection.run("INSERT INTO t VALUES('usable')") }
        try #expect(count("t", on: connection) == 1)
    }

    /// How often the handler is asked during `work`.
    private func calls(every instructionCount: Int, during work: () throws -> Void) rethrows -> Int
    {
        var calls = 0
        connection.progressHandler(every: instructionCount) {
            calls += 1
            return false
        }
        defer { connection.progressHandler(nil) }
        try work()
        return calls
    }

    // MARK: Interrupting

    @Test func trueInterruptsAnEndlessQuery() throws {
        var calls = 0
        connection.progressHandler {
            calls += 1
            return calls == 50
        }
        let error = sqliteError { try connection.run(Self.endless) }
        #expect(error?.extendedResultCode == .interrupt)
        #expect(calls == 50)
        try expectUsable()
    }

    @Test func itsTransactionIsUndoneAndThrows() throws {
        var isAsked = false
        let error = sqliteError {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                connection.progressHandler(every: 100) { true }
                let interrupt = sqliteError {
                    try connection.run("INSERT INTO t " + numbers(to: 1000))
                }
                #expect(interrupt?.extendedResultCode == .interrupt)
                #expect(!connection.isInsideTransaction)
                connection.progressHandler(nil)
                expectSQLiteError(.abortRollback) { try connection.run("INSERT INTO t VALUES(2)") }
                isAsked = true
            }
        }
        #expect(isAsked)
        expect(error, .abortRollback)
        try #expect(count("t", on: connection) == 0)
        try expectUsable()
    }

    // MARK: How often

    private func steps(of statement: Statement) throws -> Int {
        try statement.withUnsafeHandle {
            Int(sqlite3_stmt_status($0, SQLITE_STMTSTATUS_VM_STEP, 0))
        }
    }

    @Test func itIsAskedAboutAsOftenAsItShouldBe() throws {
        let statement = try connection.prepare(numbers(to: 10_000, selecting: "count(*)"))
        try statement.run()
        let steps = try steps(of: statement)
        for interval in [10, 100, 1000] {
            let calls = try calls(every: interval) { try statement.run() }
            let expected = steps / interval
            #expect(
                (expected / 2...expected * 2).contains(calls),
                "every \(interval): \(calls) calls, \(steps) steps"
            )
        }
    }

    @Test func itIsAskedEveryThousandInstructionsByDefault() throws {
        let statement = try connection.prepare(numbers(to: 10_000, selecting: "count(*)"))
        var calls = 0
        connection.progressHandler {
            calls += 1
            return false
        }
        try statement.run()
        connection.progressHandler(nil)
        let expected = try steps(of: statement) / 1000
        #expect((expected / 2...expected * 2).contains(calls))
    }

    @Test(arguments: [0, -1, Int.min])
    func aCountBelowOneMeansOne(instructionCount: Int) throws {
        let statement = try connection.prepare(numbers(to: 100, selecting: "count(*)"))
        let every = try calls(every: 1) { try statement.run() }
        let calls = try calls(every: instructionCount) { try statement.run() }
        #expect(every > 500)
        #expect(calls == every)
    }

    @Test func aHugeCountIsHardlyEverReached() throws {
        let calls = try calls(every: .max) { try connection.run(numbers(to: 1000)) }
        #expect(calls == 0)
    }

    // MARK: Setting it

    @Test func itIsReplacedAndRemoved() throws {
        let told = Notes<Int>()
        connection.progressHandler { true }
        connection.progressHandler {
            told.note(2)
            return false
        }
        try connection.run(numbers(to: 1000))
        #expect(!told.take().isEmpty)
        connection.progressHandler(nil)
        try connection.run(numbers(to: 1000))
        #expect(told.take() == [])
    }

    @Test func itMayReplaceAndRemoveItself() throws {
        let keepsake = Keepsake()
        let told = Notes<Int>()
        connection.progressHandler(every: 10) { [unowned connection] in
            connection.progressHandler(every: 10) {
                connection.progressHandler(nil)
                withExtendedLifetime(keepsake) { told.note(2) }
                return false
            }
            withExtendedLifetime(keepsake) { told.note(1) }
            return false
        }
        try connection.run(numbers(to: 1000))
        #expect(told.take() == [1, 2])
    }

    @Test func closuresAreReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.progressHandler(nil) }
            connection.progressHandler { withExtendedLifetime(keepsake) { false } }
        }
    }

    @Test func afterCloseItDoesNothing() throws {
        weak var kept: Keepsake?
        try connection.close()
        do {
            let keepsake = Keepsake()
            kept = keepsake
            connection.progressHandler { withExtendedLifetime(keepsake) { true } }
        }
        #expect(kept == nil)
        connection.progressHandler(nil)
    }
}
