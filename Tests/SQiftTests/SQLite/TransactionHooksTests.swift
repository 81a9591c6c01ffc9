import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The commit hook and the rollback hook.
struct TransactionHooksTests {
    private let connection: Connection
    private let told = Notes<String>()

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE t(x UNIQUE);
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)
            """
        )
        connection.rollbackHook { [told] in told.note("rollback") }
    }

    private func askBeforeCommits(refusing isRefused: Bool) {
        connection.commitHook { [told] in
            told.note("commit")
            return isRefused
        }
    }

    private func expectUsable() throws {
        #expect(!connection.isInsideTransaction)
        connection.commitHook(nil)
        try connection.transaction { try connection.run("INSERT INTO t VALUES('usable')") }
        try expectRows(1, on: connection)
    }

    // MARK: Commits

    /// SQLite commits where a statement that reads is reset in the hook, and calls the hook again.
    @Test(arguments: [false, true])
    func aCursorThatEndsInItLetsNoStatementRun(isTransaction: Bool) throws {
        var cursor: Cursor?
        var depth = 0
        var refusals: [ResultCode?] = []
        connection.commitHook { [connection] in
            depth += 1
            defer { depth -= 1 }
            guard depth == 1 else { return false }
            cursor = nil
            refusals = [
                sqliteError { try connection.query("SELECT count(*) FROM t") as Int }?.resultCode,
                sqliteError { try connection.run("INSERT INTO t VALUES(99)") }?.resultCode,
                sqliteError { try connection.close() }?.resultCode,
            ]
            return false
        }
        let write = { [connection] in
            try connection.run("INSERT INTO t VALUES(1)")
            cursor = try connection.cursor("SELECT x FROM t")
            _ = try cursor?.next()
        }
        if isTransaction {
            try connection.transaction(closure: write)
        } else {
            try connection.execute("BEGIN")
            try write()
            try connection.execute("COMMIT")
        }
        #expect(refusals == [.misuse, .misuse, .busy])
        #expect(try connection.query("SELECT x FROM t") == [1])
        connection.commitHook(nil)
    }

    @Test func itIsAskedBeforeEachCommit() throws {
        askBeforeCommits(refusing: false)
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(told.take() == ["commit"])
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES(2)")
            try connection.savepoint { try connection.run("INSERT INTO t VALUES(3)") }
            #expect(told.take() == [])
        }
        #expect(told.take() == ["commit"])
        try connection.savepoint { try connection.run("INSERT INTO t VALUES(4)") }
        #expect(told.take() == ["commit"])
        try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(5); COMMIT")
        #expect(told.take() == ["commit"])
        try expectRows(5, on: connection)
    }

    @Test func trueMakesACommitARollback() throws {
        typealias Type = Connection.TransactionType
        let insert = "INSERT INTO t VALUES(1)"
        let transactions = [Type.deferred, .immediate, .exclusive].map { type in
            { [connection] in
                try connection.transaction(transactionType: type) { _ = try connection.run(insert) }
            }
        }
        let commits: [() throws -> Void] =
            transactions + [
                { try connection.run(insert) },
                { try connection.savepoint(named: "s") { _ = try connection.run(insert) } },
                { try connection.execute("BEGIN; \(insert); COMMIT") },
                { let _: Int = try connection.query("\(insert) RETURNING x") },
            ]
        for (index, commit) in commits.enumerated() {
            askBeforeCommits(refusing: true)
            let error = sqliteError(commit)
            #expect(error?.extendedResultCode == .constraintCommitHook, "\(index)")
            #expect(error?.extendedResultCode.rawValue == 531, "\(index)")
            #expect(told.take() == ["commit", "rollback"], "\(index)")
            try expectRows(0, on: connection)
            try expectUsable()
            try connection.run("DELETE FROM t")
            _ = told.take()
        }
    }

    @Test func itIsNotAskedWhereNothingWasWritten() throws {
        askBeforeCommits(refusing: true)
        try connection.transaction {}
        try connection.transaction { _ = try count("t", on: connection) }
        try connection.savepoint { _ = try count("t", on: connection) }
        _ = try count("t", on: connection)
        #expect(told.take() == [])
    }

    @Test func insideItStatementsThrow() throws {
        let codes = Notes<ResultCode?>()
        connection.commitHook { [unowned connection] in
            let ofQuery = sqliteError { let _: Int = try connection.query("SELECT 7") }
            codes.note(ofQuery?.extendedResultCode)
            let ofTransaction = sqliteError {
                try connection.transaction { try connection.run("INSERT INTO t VALUES(9)") }
            }
            codes.note(ofTransaction?.extendedResultCode)
            return false
        }
        try connection.run("INSERT INTO t VALUES(1)")
        try connection.transaction { try connection.run("INSERT INTO t VALUES(2)") }
        try connection.execute("BEGIN; INSERT INTO t VALUES(3); COMMIT")
        #expect(codes.take() == Array(repeating: .misuse, count: 6))
        #expect(!connection.isInsideTransaction)
        connection.commitHook(nil)
        try expectRows(3, on: connection)
    }

    // MARK: Rollbacks

    @Test func itHearsOfRollback() throws {
        try connection.execute("BEGIN; INSERT INTO t VALUES(1); ROLLBACK")
        #expect(told.take() == ["rollback"])
        try connection.execute("BEGIN; ROLLBACK")
        #expect(told.take() == ["rollback"])
        try connection.transaction { try connection.run("INSERT INTO t VALUES(1)") }
        #expect(told.take() == [])
    }

    @Test func itHearsOfAFailedStatement() throws {
        try connection.run("INSERT INTO t VALUES(1)")
        expectSQLiteError { try connection.run("INSERT INTO t VALUES(1)") }
        #expect(told.take() == ["rollback"])
        expectSQLiteError {
            try connection.transaction {
                try connection.run("INSERT OR ROLLBACK INTO t VALUES(2), (1)")
            }
        }
        #expect(told.take() == ["rollback"])
        try expectRows(1, on: connection)
    }

    @Test func itHearsOfAClosureThatThrows() throws {
        connection.undoing {
            try connection.run("INSERT INTO t VALUES(1)")
        }
        #expect(told.take() == ["rollback"])
        connection.undoingSavepoint {
        }
        #expect(told.take() == ["rollback"])
        try connection.transaction {
            connection.undoingSavepoint {
            }
        }
        #expect(told.take() == [])
        try expectUsable()
    }

    @Test func aFailedCommitIsHeardOfOnlyWhenItIsRolledBack() throws {
        try connection.execute("BEGIN; INSERT INTO children VALUES(1)")
        expectSQLiteError(extended: .constraintForeignKey) { try connection.execute("COMMIT") }
        #expect(told.take() == [])
        #expect(connection.isInsideTransaction)
        try connection.execute("ROLLBACK")
        #expect(told.take() == ["rollback"])

        expectSQLiteError(extended: .constraintForeignKey) {
            try connection.transaction { try connection.run("INSERT INTO children VALUES(1)") }
        }
        #expect(told.take() == ["rollback"])
        try expectRows(0, of: "children", on: connection)
        try expectUsable()
    }

    @Test func itHearsOfCloseInsideATransaction() throws {
        try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        do {
            let statement = try connection.prepare("SELECT 1")
            expectSQLiteError { try connection.close() }
            withExtendedLifetime(statement) {}
        }
        #expect(told.take() == [])
        #expect(connection.isInsideTransaction)
        try connection.close()
        #expect(told.take() == ["rollback"])
        try connection.close()
        #expect(told.take() == [])
    }

    @Test func closeOutsideATransactionIsNoRollback() throws {
        try connection.run("INSERT INTO t VALUES(1)")
        try connection.close()
        #expect(told.take() == [])
    }

    @Test func insideARollbackStatementsThrow() throws {
        let codes = Notes<ResultCode?>()
        connection.rollbackHook { [unowned connection] in
            let error = sqliteError { let _: Int = try connection.query("SELECT 7") }
            codes.note(error?.extendedResultCode)
        }
        try connection.execute("BEGIN; INSERT INTO t VALUES(1); ROLLBACK")
        #expect(codes.take() == [.misuse])
        connection.undoing {
            try connection.run("INSERT INTO t VALUES(1)")
        }
        #expect(codes.take() == [.misuse])
        connection.rollbackHook(nil)
        try expectUsable()
    }

    // MARK: Beside the transactions' own bookkeeping

    @Test(arguments: 0..<3)
    func aLostTransactionStillThrows(setting: Int) throws {
        switch setting {
        case 0: connection.rollbackHook(nil)
        case 1: connection.rollbackHook { [told] in told.note("another") }
        default: break
        }
        askBeforeCommits(refusing: false)
        expectSQLiteError(extended: .abortRollback) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                expectSQLiteError { try connection.run("INSERT OR ROLLBACK INTO t VALUES(2), (1)") }
                expectSQLiteError(extended: .abortRollback) {
                    try connection.run("INSERT INTO t VALUES(3)")
                }
            }
        }
        #expect(told.take() == [[], ["another"], ["rollback"]][setting])
        try expectRows(0, on: connection)
        try expectUsable()
    }

    /// Every commit is stopped by the progress handler where it has done its work, and before.
    @Test(arguments: [true, false])
    func anInterruptedCommitIsKnownFromARefusedOne(isRefused: Bool) throws {
        askBeforeCommits(refusing: isRefused)
        for steps in 1...200 {
            var left = steps
            connection.progressHandler(every: 1) {
                left -= 1
                return left == 0
            }
            var isDone = false
            do {
                try connection.transaction { try connection.run("INSERT INTO t VALUES(1)") }
                isDone = true
            } catch let error as SQLiteError {
                let isExpected = [ResultCode.interrupt, .abort, .constraint].contains(
                    error.resultCode
                )
                #expect(isExpected, "after \(steps): \(error)")
            }
            connection.progressHandler(nil)
            #expect(!connection.isInsideTransaction)
            try #expect(count("t", on: connection) == (isDone ? 1 : 0), "stopped after \(steps)")
            #expect(!(isDone && isRefused))
            connection.commitHook(nil)
            try connection.run("DELETE FROM t")
            askBeforeCommits(refusing: isRefused)
            if left > 0 {
                return
            }
        }
        Issue.record("it never came to its end")
    }

    // MARK: Setting them

    @Test func hooksAreReplacedAndRemoved() throws {
        askBeforeCommits(refusing: true)
        connection.commitHook { [told] in
            told.note("second")
            return false
        }
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(told.take() == ["second"])
        connection.commitHook(nil)
        connection.rollbackHook(nil)
        try connection.run("INSERT INTO t VALUES(2)")
        try connection.execute("BEGIN; ROLLBACK")
        #expect(told.take() == [])
    }

    @Test func hooksMayReplaceAndRemoveThemselves() throws {
        let keepsake = Keepsake()
        connection.commitHook { [unowned connection, told] in
            connection.commitHook {
                connection.commitHook(nil)
                withExtendedLifetime(keepsake) { told.note("second") }
                return true
            }
            withExtendedLifetime(keepsake) { told.note("first") }
            return false
        }
        connection.rollbackHook { [unowned connection, told] in
            connection.rollbackHook(nil)
            withExtendedLifetime(keepsake) { told.note("rollback") }
        }
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(
            sqliteError { try connection.run("INSERT INTO t VALUES(2)") }?.code == SQLITE_CONSTRAINT
        )
        try connection.run("INSERT INTO t VALUES(3)")
        try connection.execute("BEGIN; ROLLBACK")
        #expect(told.take() == ["first", "second", "rollback"])
    }

    @Test func closuresAreReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.commitHook(nil) }
            connection.commitHook { withExtendedLifetime(keepsake) { false } }
        }
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.rollbackHook(nil) }
            connection.rollbackHook { withExtendedLifetime(keepsake) {} }
        }
    }

    @Test func afterCloseTheyDoNothing() throws {
        weak var kept: Keepsake?
        try connection.close()
        do {
            let keepsake = Keepsake()
            kept = keepsake
            connection.commitHook { withExtendedLifetime(keepsake) { true } }
            connection.rollbackHook { withExtendedLifetime(keepsake) {} }
        }
        #expect(kept == nil)
        connection.commitHook(nil)
        connection.rollbackHook(nil)
    }
}
