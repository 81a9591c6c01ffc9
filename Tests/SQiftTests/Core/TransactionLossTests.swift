import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Transactions that end before their closure does.
struct TransactionLossTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t(x UNIQUE ON CONFLICT ABORT)")
        try addInterrupting(to: connection)
    }

    /// Makes SQLite, or a script, end the open transaction.
    private func lose(by way: String) throws {
        switch way {
        case "interrupt":
            let sql = "INSERT INTO t " + numbers(to: 100, selecting: "1000 + interrupt_at(n, 50)")
            expectSQLiteError(.interrupt) { try connection.run(sql) }
        case "full":
            let pages: Int = try connection.query("PRAGMA page_count")
            try connection.execute("PRAGMA max_page_count = \(pages + 2)")
            expectSQLiteError(.full) {
                try connection.run("INSERT INTO t VALUES(zeroblob(1000000))")
            }
        case "or rollback":
            expectSQLiteError(.constraintUnique) {
                try connection.run("INSERT OR ROLLBACK INTO t VALUES(1), (1)")
            }
        case "trigger":
            try connection.execute(
                "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT raise(ROLLBACK, 'veto'); END"
            )
            expectSQLiteError(message: "veto") { try add(1, on: connection) }
        case "ROLLBACK": try connection.execute("ROLLBACK")
        default: try connection.execute("COMMIT")
        }
        #expect(!connection.isInsideTransaction)
    }

    static let ways = ["interrupt", "full", "or rollback", "trigger", "ROLLBACK", "COMMIT"]

    private func expectUsable(
        _ expected: [Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
        try connection.execute("PRAGMA max_page_count = 100000; DROP TRIGGER IF EXISTS r")
        let other = try Connection(path: folder.path())
        let stored: [Int] = try other.query("SELECT x FROM t ORDER BY x")
        #expect(stored == expected, sourceLocation: sourceLocation)
        try connection.transaction { try add(-1, on: connection) }
        let found: [Int] = try connection.query("SELECT x FROM t ORDER BY x")
        #expect(found == [-1] + expected, sourceLocation: sourceLocation)
    }

    // MARK: Afterwards

    @Test(arguments: ways)
    func aBodyThatReturnsAfterLosingItsTransactionThrows(way: String) throws {
        let error = sqliteError {
            try connection.transaction {
                try add(7, on: connection)
                try lose(by: way)
            }
        }
        #expect(error != nil)
        try expectUsable(way == "COMMIT" ? [7] : [])
    }

    @Test(arguments: ways)
    func everyFurtherStatementThrowsInsteadOfRunningByItself(way: String) throws {
        let prepared = try connection.prepare("INSERT INTO t VALUES(99)")
        _ = sqliteError {
            try connection.transaction {
                try add(7, on: connection)
                try lose(by: way)
                for error in [
                    sqliteError { try add(8, on: connection) },
                    sqliteError { try prepared.run() },
                    sqliteError { try connection.execute("INSERT INTO t VALUES(9)") },
                    sqliteError { try connection.query("SELECT count(*) FROM t") as Int },
                    sqliteError { try connection.query("SELECT x FROM t") as [Row] },
                    sqliteError { try connection.forEachRow("SELECT 1") { _ in } },
                    sqliteError { try connection.transaction { try add(10, on: connection) } },
                    sqliteError { try connection.savepoint { try add(11, on: connection) } },
                    sqliteError {
                        try connection.execute("BEGIN; INSERT INTO t VALUES(12); COMMIT")
                    },
                    sqliteError { try connection.execute("COMMIT") },
                ] {
                    expect(error, .abort)
                    #expect(!connection.isInsideTransaction)
                }
            }
        }
        try expectUsable(way == "COMMIT" ? [7] : [])
    }

    @Test(arguments: ways)
    func theErrorThatEndsTheClosureSurvives(way: String) throws {
        #expect(throws: TestError(reason: "mine")) {
            try connection.transaction {
                try add(7, on: connection)
                try lose(by: way)
                throw TestError(reason: "mine")
            }
        }
        try expectUsable(way == "COMMIT" ? [7] : [])
    }

    @Test(arguments: ways)
    func aNestedLossIsALossForTheOutermostOne(way: String) throws {
        var reached = 0
        _ = sqliteError {
            try connection.transaction {
                try add(7, on: connection)
                _ = sqliteError {
                    try connection.savepoint(named: "inner") {
                        try connection.transaction {
                            try add(8, on: connection)
                            try lose(by: way)
                        }
                    }
                }
                reached += 1
                let write = sqliteError { try add(9, on: connection) }
                let savepoint = sqliteError { try connection.savepoint { reached += 1 } }
                expect(write, .abort)
                expect(savepoint, .abort)
            }
        }
        #expect(reached == 1)
        try expectUsable(way == "COMMIT" ? [7, 8] : [])
    }

    @Test(arguments: ways)
    func anOutermostSavepointIsLostInTheSameWay(way: String) throws {
        _ = sqliteError {
            try connection.savepoint(named: "s") {
                try add(7, on: connection)
                try lose(by: way)
                expectSQLiteError(.abort) { try add(8, on: connection) }
            }
        }
        try expectUsable(way == "COMMIT" ? [7] : [])
    }

    @Test(arguments: ways)
    func aTransactionInTheCallersOwnIsLostUntilItEnds(way: String) throws {
        try connection.execute("BEGIN")
        try add(6, on: connection)
        _ = sqliteError {
            try connection.transaction {
                try add(7, on: connection)
                try lose(by: way)
                expectSQLiteError(.abort) { try add(8, on: connection) }
            }
        }
        try expectUsable(way == "COMMIT" ? [6, 7] : [])
    }

    @Test func aFullDatabaseThatUndoesTheStatementOnlyLosesNothing() throws {
        try connection.execute("CREATE TABLE u(x UNIQUE, data)")
        let pages: Int = try connection.query("PRAGMA page_count")
        try connection.transaction {
            try add(7, on: connection)
            try connection.execute("PRAGMA max_page_count = \(pages + 20)")
            expectSQLiteError(.full) {
                try connection.run(
                    "INSERT INTO u " + numbers(to: 100, selecting: "n, zeroblob(3000)")
                )
            }
            // Whether it is still open is SQLite's to say; here it is, since a statement of several
            // rows has a journal.
            try #require(connection.isInsideTransaction)
            try add(8, on: connection)
        }
        try #expect(count("u", on: connection) == 0)
        try expectUsable([7, 8])
    }

    @Test func aTransactionThatTheClosureReplacedByItsOwnIsClosedAfterwards() throws {
        do {
            try connection.transaction {
                try add(7, on: connection)
                try connection.execute("COMMIT; BEGIN")
                try add(8, on: connection)
            }
        } catch is SQLiteError {
            // Throwing is fine too; a transaction that stays open is not.
        }
        #expect(!connection.isInsideTransaction)
        try connection.transaction { try add(9, on: connection) }
        #expect(!connection.isInsideTransaction)
    }

    // MARK: Interrupted

    @Test func anInterruptedWriteThrowsInterruptFromTheTransaction() throws {
        expectSQLiteError(.interrupt) {
            try connection.transaction {
                try add(7, on: connection)
                try connection.run(
                    "INSERT INTO t " + numbers(to: 100, selecting: "1000 + interrupt_at(n, 50)")
                )
            }
        }
        try expectUsable([])
    }

    @Test func anInterruptedReadLosesNothing() throws {
        try connection.transaction {
            try add(7, on: connection)
            expectSQLiteError(.interrupt) {
                try connection.run(numbers(to: 100, selecting: "interrupt_at(n, 50)"))
            }
            #expect(connection.isInsideTransaction)
            try add(8, on: connection)
        }
        try expectUsable([7, 8])
    }

    @Test func anInterruptedReadThatEndsTheClosureIsRolledBack() throws {
        expectSQLiteError(.interrupt) {
            try connection.transaction {
                try add(7, on: connection)
                try connection.forEachRow(numbers(to: 100)) { row in
                    if try row.get(0) == 5 {
                        connection.interrupt()
                    }
                }
            }
        }
        try expectUsable([])
    }

    @Test func aTransactionInsideAnInterruptedQueryIsRolledBack() throws {
        var calls = 0
        expectSQLiteError(.interrupt) {
            try connection.forEachRow(numbers(to: 100)) { _ in
                calls += 1
                try? connection.transaction {
                    try add(calls, on: connection)
                    connection.interrupt()
                    throw TestError()
                }
                _ = sqliteError { try add(1000, on: connection) }
            }
        }
        #expect(calls == 1)
        try expectUsable([])
    }

    @Test func theErrorOfATransactionInsideAnInterruptedQueryComesOut() throws {
        #expect(throws: TestError(reason: "mine")) {
            try connection.forEachRow(numbers(to: 100)) { _ in
                try connection.transaction {
                    try add(7, on: connection)
                    connection.interrupt()
                    throw TestError(reason: "mine")
                }
            }
        }
        try expectUsable([])
    }

    @Test func aSavepointInsideAnInterruptedQueryIsUndoneAndTheOuterWorkStays() throws {
        try connection.transaction {
            try add(1, on: connection)
            expectSQLiteError(.interrupt) {
                try connection.forEachRow(numbers(to: 100)) { _ in
                    try? connection.savepoint {
                        try add(2, on: connection)
                        connection.interrupt()
                        throw TestError()
                    }
                }
            }
            try add(3, on: connection)
        }
        try expectUsable([1, 3])
    }

    @Test func nestedSavepointsInsideAnInterruptedQueryAreAllUndone() throws {
        try connection.transaction {
            try add(1, on: connection)
            try? connection.forEachRow(numbers(to: 100)) { _ in
                try connection.savepoint(named: "a") {
                    try add(2, on: connection)
                    try connection.savepoint(named: "b") {
                        try add(3, on: connection)
                        connection.interrupt()
                        throw TestError()
                    }
                }
            }
            try add(4, on: connection)
        }
        try expectUsable([1, 4])
    }

    @Test func anInnerSavepointThatFailedInAnInterruptedQueryDoesNotCommitWithTheOuterOne() throws {
        // The inner savepoint's error is swallowed, and the outer one returns while nothing can be
        // rolled back.
        try connection.transaction {
            try add(1, on: connection)
            try? connection.forEachRow(numbers(to: 100)) { _ in
                try connection.savepoint(named: "outer") {
                    try add(2, on: connection)
                    try? connection.savepoint(named: "inner") {
                        try add(3, on: connection)
                        connection.interrupt()
                        throw TestError()
                    }
                }
            }
            #expect(try connection.query("SELECT x FROM t ORDER BY x") == [1])
        }
        try expectUsable([1])
    }

    @Test func aCommitInsideAnInterruptedQueryIsRolledBackAsAWhole() throws {
        try? connection.forEachRow(numbers(to: 100)) { _ in
            try connection.transaction {
                try add(7, on: connection)
                connection.interrupt()
            }
        }
        let found: [Int] = try connection.query("SELECT x FROM t ORDER BY x")
        try expectUsable(found)
        #expect(found == [])
    }

    @Test func aPreparedQueryAroundAnInterruptedTransactionUndoesItAtItsEnd() throws {
        let statement = try connection.prepare(numbers(to: 100))
        expectThrows(TestError.self) {
            try statement.forEachRow { _ in
                try connection.transaction {
                    try add(7, on: connection)
                    connection.interrupt()
                    throw TestError()
                }
            }
        }
        #expect(!connection.isInsideTransaction)
        let found: [Int] = try statement.query()
        #expect(found.count == 100)
        try expectUsable([])
    }
}
