// Only the library makes `TableChanges`.
import CSQift
import SQiftTestSupport
import Testing

@testable import SQift

/// What listeners hear of transactions and savepoints that end in different ways.
struct ChangedInTransactionsTests {
    private let connection: Connection
    private let heard: Notes<TableChanges>

    init() throws {
        connection = try Connection()
        try connection.execute(Self.schema)
        heard = connection.hearChanges()
    }

    private static let schema = """
        PRAGMA foreign_keys = ON;
        CREATE TABLE t(x UNIQUE);
        CREATE TABLE u(x);
        CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE parents(id INTEGER PRIMARY KEY);
        CREATE TABLE children(parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
        CREATE TABLE strict(p NOT NULL REFERENCES parents(id));
        INSERT INTO t VALUES(0);
        """

    private func insert(into table: String, _ value: Int = 1) throws {
        try connection.run("INSERT INTO \(table) VALUES(?)", value)
    }

    // MARK: Commits

    @Test func eachTransactionIsReported() throws {
        try connection.transaction { try insert(into: "t") }
        try insert(into: "u")
        try connection.savepoint { try insert(into: "w") }
        try connection.savepoint(named: "s") { try insert(into: "t", 2) }
        heard.expect(.commit("t"), .commit("u"), .commit("w"), .commit("t"))
    }

    /// `savepoint` then throws, and what it did is there.
    @Test func aCommitInsideASavepointIsReported() throws {
        expectSQLiteError {
            try connection.transaction {
                try insert(into: "t")
                try connection.savepoint {
                    try insert(into: "u")
                    try connection.execute("COMMIT")
                }
            }
        }
        heard.expect(.commit("t", "u"))
    }

    private static let scripts: [(String, [Set<String>])] = [
        ("BEGIN; INSERT INTO u VALUES(1); COMMIT", [["u"]]),
        ("BEGIN IMMEDIATE; INSERT INTO u VALUES(1); END TRANSACTION", [["u"]]),
        ("SAVEPOINT s; INSERT INTO u VALUES(1); RELEASE s", [["u"]]),
        ("SAVEPOINT a; SAVEPOINT b; INSERT INTO u VALUES(1); RELEASE a", [["u"]]),
        ("SAVEPOINT a; INSERT INTO u VALUES(1); SAVEPOINT b; COMMIT", [["u"]]),
        ("INSERT INTO u VALUES(1); DELETE FROM t; DELETE FROM w", [["u"], ["t"]]),
        ("BEGIN; DELETE FROM t; COMMIT; BEGIN; INSERT INTO u VALUES(1); COMMIT", [["t"], ["u"]]),
        ("BEGIN; DELETE FROM t; INSERT INTO t VALUES(0); COMMIT", [["t"]]),
        ("BEGIN; DELETE FROM w; DELETE FROM u; COMMIT", []),
    ]

    @Test(.enabled(if: Capability.countsEmptiedTables), arguments: scripts)
    func transactionsInScriptsAreReported(sql: String, commits: [Set<String>]) throws {
        try connection.execute(sql)
        #expect(heard.all == commits.map { TableChanges(tables: $0) })
    }

    // MARK: Rollbacks

    @Test(arguments: [
        "BEGIN; INSERT INTO u VALUES(1); ROLLBACK",
        "SAVEPOINT s; INSERT INTO u VALUES(1); ROLLBACK",
        "BEGIN; ROLLBACK",
    ])
    func aRollbackInAScriptIsNotReported(sql: String) throws {
        try connection.execute(sql)
        heard.expect()
    }

    @Test func aCommitThatTheHookRefusesIsARollback() throws {
        connection.commitHook { true }
        let first = sqliteError { try insert(into: "u") }
        let second = sqliteError { try connection.transaction { try insert(into: "u") } }
        #expect(first?.resultCode == .constraint)
        #expect(second?.resultCode == .constraint)
        heard.expect()
        connection.commitHook(nil)
        try insert(into: "w")
        heard.expect(.commit("w"))
    }

    @Test func aFailedCommitThatLeavesTheTransactionOpenIsNotReportedYet() throws {
        try connection.execute("BEGIN; INSERT INTO children VALUES(99)")
        expectSQLiteError(.constraint) { try connection.execute("COMMIT") }
        heard.expect()
        try insert(into: "parents", 99)
        try connection.execute("COMMIT")
        heard.expect(.commit("children", "parents"))
    }

    @Test func aBusyCommitIsReportedWhenItSucceeds() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection.withTable(rows: 1, path: folder.path())
        let reader = try folder.connection()
        try reader.execute("BEGIN; SELECT * FROM t")
        let heard = writer.hearChanges()
        try writer.execute("BEGIN; INSERT INTO t VALUES(2)")
        expectSQLiteError(.busy) { try writer.execute("COMMIT") }
        heard.expect()
        try reader.execute("COMMIT")
        try writer.execute("COMMIT")
        heard.expect(.commit("t"))
    }

    /// An interrupt at the end of a COMMIT makes it fail although it has taken effect.
    @Test func whatIsToldOfAnInterruptedTransactionIsWhatHappened() throws {
        var (commits, rollbacks, step) = (0, 0, 0)
        var isInterrupted = true
        while isInterrupted, step < 10_000 {
            step += 1
            var left = step
            connection.progressHandler(every: 1) {
                left -= 1
                return left == 0
            }
            do {
                try connection.transaction {
                    try insert(into: "u", step)
                    try insert(into: "w", step)
                }
            } catch {}
            isInterrupted = left <= 0
            connection.progressHandler(nil)

            let query = "SELECT count(*) FROM u WHERE x = ?"
            let isStored: Bool = try connection.query(query, step) == 1
            let told = heard.take()
            if isStored {
                commits += 1
                #expect(told == [.commit("u", "w")], "step \(step)")
            } else {
                rollbacks += 1
                #expect(told == [], "step \(step)")
            }
        }
        #expect(!isInterrupted)
        #expect(commits > 0)
        #expect(rollbacks > 0)
    }

    // MARK: Savepoints

    @Test func aTransactionInATransactionIsASavepoint() throws {
        try connection.transaction {
            try insert(into: "t")
            connection.undoing { try insert(into: "u") }
            try connection.transaction { try insert(into: "w") }
            heard.expect()
        }
        heard.expect(.commit("t", "w"))
    }

    // MARK: Failed statements

    @Test(arguments: [
        "INSERT INTO t VALUES(5), (0)",
        "INSERT OR ROLLBACK INTO t VALUES(5), (0)",
        "UPDATE t SET x = x / 0 + json('broken')",
        "INSERT INTO strict VALUES(99)",
        "INSERT INTO children VALUES(99)",
    ])
    func aFailedStatementOfItsOwnIsNotReported(sql: String) throws {
        expectSQLiteError { try connection.run(sql) }
        heard.expect()
        try insert(into: "u")
        heard.expect(.commit("u"))
    }

    @Test(arguments: [
        "INSERT INTO t VALUES(5), (0)",
        "INSERT INTO w VALUES(1), (1)",
        "UPDATE t SET x = json('broken')",
        "INSERT INTO strict VALUES(99)",
    ])
    func aFailedStatementInATransactionIsNotReported(sql: String) throws {
        try connection.transaction {
            try insert(into: "u")
            expectSQLiteError { try connection.run(sql) }
        }
        heard.expect(.commit("u"))
    }

    @Test func aTransactionThatTheHandleReplacesIsForgotten() throws {
        try connection.transaction {
            try insert(into: "t")
            connection.undoingSavepoint {
                try connection.withUnsafeHandle { handle in
                    #expect(sqlite3_exec(handle, "ROLLBACK; BEGIN", nil, nil, nil) == SQLITE_OK)
                }
            }
            try insert(into: "u")
        }
        heard.expect(.commit("u"))
    }

    @Test func aStatementThatDoesNotCompileIsNotReported() throws {
        expectSQLiteError { try connection.run("INSERT INTO missing VALUES(1)") }
        heard.expect()
        try insert(into: "u")
        heard.expect(.commit("u"))
    }

    @Test func whatAScriptCommittedBeforeItsErrorIsReported() throws {
        expectSQLiteError {
            try connection.execute("DELETE FROM t; INSERT INTO u VALUES(1), (2), (json('no'))")
        }
        heard.expect(.commit("t"))
    }
}
