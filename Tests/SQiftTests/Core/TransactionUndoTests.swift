import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What a failed rollback leaves.
struct TransactionUndoTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t(x)")
    }

    @Test func nothingRunsInATransactionThatCannotBeRolledBack() throws {
        try connection.withUnsafeHandle { forbidRollback(true, on: $0) }
        expectThrows(TestError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                throw TestError()
            }
        }
        #expect(connection.isInsideTransaction)
        var prepared: Statement? = try connection.prepare("SELECT 1")
        for error in [
            sqliteError { try connection.run("INSERT INTO t VALUES(2)") },
            sqliteError { try prepared?.run() },
            sqliteError { try connection.execute("SELECT 1") },
            sqliteError { try connection.transaction {} },
            sqliteError { try connection.savepoint {} },
            sqliteError { try connection.cursor("SELECT 1") },
            sqliteError {
                try connection.openBlob(table: "t", column: "x", rowID: 1, readOnly: true)
            },
            sqliteError { try connection.backup(to: Connection()) },
        ] {
            expect(error, .abortRollback, containing: "the connection is broken")
            #expect(error?.message.contains("not authorized") == true)
        }

        // It stays broken, and can only be closed.
        try connection.withUnsafeHandle { forbidRollback(false, on: $0) }
        expectSQLiteError(.abort) { try connection.run("SELECT 1") }
        prepared = nil
        try connection.close()
        try #expect(count("t", on: Connection(path: folder.path())) == 0)
    }

    @Test func aSavepointThatCannotBeRolledBackTakesTheTransactionWithIt() throws {
        expectThrows(SQLiteError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                try connection.withUnsafeHandle { forbidRollback(true, on: $0) }
                expectThrows(TestError.self) {
                    try connection.savepoint {
                        try connection.run("INSERT INTO t VALUES(2)")
                        throw TestError()
                    }
                }
            }
        }
        try connection.close()
        try #expect(count("t", on: Connection(path: folder.path())) == 0)
    }

    @Test func aClosureThatEndsTheOuterTransactionDoesNotBlockTheConnection() throws {
        try connection.execute("BEGIN")
        expectThrows(TestError.self) {
            try connection.savepoint {
                try connection.execute("ROLLBACK")
                throw TestError()
            }
        }
        try connection.run("INSERT INTO t VALUES(3)")
        #expect(try connection.query("SELECT x FROM t") == [3])
    }

    @Test(arguments: ["RELEASE own", "ROLLBACK TO own"], [false, true])
    func aClosureThatEndsASavepointAroundItsOwnDoesNotBreakTheConnection(
        sql: String,
        isThrowing: Bool
    ) throws {
        try connection.transaction {
            try connection.execute("SAVEPOINT own")
            let error = expectThrows((any Error).self) {
                try connection.savepoint {
                    try connection.execute(sql)
                    if isThrowing {
                        throw TestError()
                    }
                }
            }
            #expect(error is TestError == isThrowing)
            try connection.run("INSERT INTO t VALUES(1)")
        }
        #expect(try connection.query("SELECT x FROM t") == [1])
    }

    @Test func aSavepointThatIsNotAllowedLeavesTheConnectionUsable() throws {
        try connection.withUnsafeHandle {
            _ = sqlite3_set_authorizer(
                $0,
                { _, action, _, _, _, _ in action == SQLITE_SAVEPOINT ? SQLITE_DENY : SQLITE_OK },
                nil
            )
        }
        try connection.transaction {
            expectSQLiteError(.authorization) {
                try connection.savepoint { try connection.run("INSERT INTO t VALUES(1)") }
            }
            try connection.run("INSERT INTO t VALUES(2)")
        }
        #expect(try connection.query("SELECT x FROM t") == [2])
        try connection.run("INSERT INTO t VALUES(3)")
    }

    @Test func aSecondTransactionDoesNotMakeAFailedOneForgotten() throws {
        try connection.execute("INSERT INTO t VALUES(0), (1), (2)")
        expectSQLiteError(.interrupt) {
            try connection.forEachRow("SELECT x FROM t") { _ in
                expectThrows(TestError.self) {
                    try connection.transaction {
                        try connection.run("INSERT INTO t VALUES(100)")
                        connection.interrupt()
                        throw TestError()
                    }
                }
                for _ in 0..<2 {
                    expectThrows(SQLiteError.self) {
                        try connection.transaction { try connection.run("SELECT 1") }
                    }
                    expectThrows(SQLiteError.self) {
                        try connection.savepoint { try connection.run("SELECT 1") }
                    }
                }
            }
        }
        #expect(!connection.isInsideTransaction)
        #expect(try connection.query("SELECT count(*) FROM t WHERE x = 100") == 0)
    }

    /// A full-text index is written inside COMMIT, which an interrupt then rolls back.
    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5"), "SQLite was built without FTS5"))
    func aCommitStoppedAnywhereIsReportedAsWhatItWas() throws {
        /// Interrupts at the nth operation, counted from when the closure ends.
        final class Stop {
            var countdown = 0
            var database: OpaquePointer?
        }
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5(body)")
        let stop = Stop()
        // SQift's own handler isn't asked during COMMIT.
        try connection.withUnsafeHandle { database in
            stop.database = database
            sqlite3_progress_handler(
                database,
                1,
                { context in
                    guard let context else { return 0 }
                    let stop = Unmanaged<Stop>.fromOpaque(context).takeUnretainedValue()
                    guard stop.countdown > 0 else { return 0 }
                    stop.countdown -= 1
                    if stop.countdown == 0 {
                        sqlite3_interrupt(stop.database)
                    }
                    return 0
                },
                Unmanaged.passUnretained(stop).toOpaque()
            )
        }
        var outcomes: Set<Bool> = []
        for operation in 1...120 {
            let isCommitted: Bool
            do {
                try connection.transaction {
                    try connection.run("INSERT INTO words VALUES(?)", "word\(operation)")
                    stop.countdown = operation
                }
                isCommitted = true
            } catch {
                isCommitted = false
            }
            stop.countdown = 0
            outcomes.insert(isCommitted)
            let isThere: Bool = try connection.query(
                "SELECT count(*) FROM words WHERE words MATCH ?",
                "word\(operation)"
            )
            #expect(isThere == isCommitted, "stopped at operation \(operation)")
            #expect(!connection.isInsideTransaction)
        }
        #expect(outcomes == [true, false])
        try connection.withUnsafeHandle { sqlite3_progress_handler($0, 0, nil, nil) }
        withExtendedLifetime(stop) {}
    }

    @Test func noProgressHandlerIsAskedDuringCommit() throws {
        var isAtTheEnd = false
        var calls = 0
        connection.progressHandler(every: 1) {
            calls += isAtTheEnd ? 1 : 0
            return isAtTheEnd
        }
        try connection.transaction {
            try connection.savepoint {
                try connection.run("INSERT INTO t VALUES(1)")
                isAtTheEnd = true
            }
        }
        isAtTheEnd = false
        #expect(calls == 0)
        #expect(try connection.query("SELECT x FROM t") == [1])
    }
}
