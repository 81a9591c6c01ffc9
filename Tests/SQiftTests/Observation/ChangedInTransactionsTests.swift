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

    private func undone(_ body: () throws -> Void) {
        expectThrows(TestError.self) {
            try connection.savepoint {
                try body()
                throw TestError()
            }
        }
    }

    // MARK: Commits

    @Test func aTransactionIsReportedOnceWithAllItsTables() throws {
        try connection.transaction {
            try insert(into: "t")
            try insert(into: "u")
            try insert(into: "t", 2)
            try insert(into: "w")
            #expect(heard.all == [])
        }
        #expect(heard.all == [.commit("t", "u", "w")])
    }

    @Test func eachTransactionIsReported() throws {
        try connection.transaction { try insert(into: "t") }
        try insert(into: "u")
        try connection.savepoint { try insert(into: "w") }
        try connection.savepoint(named: "s") { try insert(into: "t", 2) }
        #expect(heard.all == [.commit("t"), .commit("u"), .commit("w"), .commit("t")])
    }

    /// `savepoint` then throws, and what it did is there.
    @Test func aCommitInsideASavepointIsReported() throws {
        let error = sqliteError {
            try connection.transaction {
                try insert(into: "t")
                try connection.savepoint {
                    try insert(into: "u")
                    try connection.execute("COMMIT")
                }
            }
        }
        #expect(error != nil)
        #expect(heard.all == [.commit("t", "u")])
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

    @Test func aTransactionWhoseClosureThrowsIsNotReported() throws {
        func fail() throws {
            try insert(into: "u")
            throw TestError()
        }
        expectThrows(TestError.self) { try connection.transaction { try fail() } }
        expectThrows(TestError.self) { try connection.savepoint { try fail() } }
        #expect(heard.all == [])
    }

    @Test(arguments: [
        "BEGIN; INSERT INTO u VALUES(1); ROLLBACK",
        "SAVEPOINT s; INSERT INTO u VALUES(1); ROLLBACK",
        "BEGIN; ROLLBACK",
    ])
    func aRollbackInAScriptIsNotReported(sql: String) throws {
        try connection.execute(sql)
        #expect(heard.all == [])
    }

    @Test func afterARollbackNothingIsLeftForTheNextCommit() throws {
        try connection.execute("BEGIN; INSERT INTO t VALUES(1); DELETE FROM t; ROLLBACK")
        #expect(heard.take() == [])
        try insert(into: "u")
        #expect(heard.all == [.commit("u")])
    }

    @Test func aRollbackOfRollBackConflictsEndsTheTransaction() throws {
        let error = sqliteError {
            try connection.transaction {
                try insert(into: "u")
                try connection.run("INSERT OR ROLLBACK INTO t VALUES(0)")
            }
        }
        #expect(error?.resultCode == .constraint)
        #expect(heard.take() == [])
        try insert(into: "w")
        #expect(heard.all == [.commit("w")])
    }

    @Test func anInterruptedWriteEndsTheTransaction() throws {
        try addInterrupting(to: connection)
        let error = sqliteError {
            try connection.transaction {
                try insert(into: "w")
                let numbers = numbers(to: 1000, selecting: "interrupt_at(n, 500)")
                try connection.run("INSERT INTO u \(numbers)")
            }
        }
        #expect(error?.resultCode == .interrupt)
        #expect(heard.take() == [])
        try insert(into: "u")
        #expect(heard.all == [.commit("u")])
    }

    @Test func aCommitThatTheHookRefusesIsARollback() throws {
        connection.commitHook { true }
        let first = sqliteError { try insert(into: "u") }
        let second = sqliteError { try connection.transaction { try insert(into: "u") } }
        #expect(first?.resultCode == .constraint)
        #expect(second?.resultCode == .constraint)
        #expect(heard.take() == [])
        connection.commitHook(nil)
        try insert(into: "w")
        #expect(heard.all == [.commit("w")])
    }

    @Test func aDeferredForeignKeyMakesTheCommitARollback() throws {
        let error = sqliteError {
            try connection.transaction { try insert(into: "children", 99) }
        }
        #expect(error?.resultCode == .constraint)
        #expect(heard.all == [])
    }

    @Test func aFailedCommitThatLeavesTheTransactionOpenIsNotReportedYet() throws {
        try connection.execute("BEGIN; INSERT INTO children VALUES(99)")
        let error = sqliteError { try connection.execute("COMMIT") }
        #expect(error?.resultCode == .constraint)
        #expect(heard.all == [])
        try insert(into: "parents", 99)
        try connection.execute("COMMIT")
        #expect(heard.all == [.commit("children", "parents")])
    }

    @Test func aBusyCommitIsReportedWhenItSucceeds() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection.withTable(rows: 1, path: folder.path())
        let reader = try folder.connection()
        try reader.execute("BEGIN; SELECT * FROM t")
        let heard = writer.hearChanges()
        try writer.execute("BEGIN; INSERT INTO t VALUES(2)")
        let error = sqliteError { try writer.execute("COMMIT") }
        #expect(error?.resultCode == .busy)
        #expect(heard.all == [])
        try reader.execute("COMMIT")
        try writer.execute("COMMIT")
        #expect(heard.all == [.commit("t")])
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

    @Test func anUndoneSavepointIsNotReported() throws {
        try connection.transaction {
            try insert(into: "u")
            undone {
                try insert(into: "t")
                try connection.run("DELETE FROM t")
                try insert(into: "w")
                try connection.execute("CREATE TABLE new(x)")
            }
        }
        #expect(heard.all == [.commit("u")])
    }

    @Test func whatWasWrittenBeforeAndAfterAnUndoneSavepointIsReported() throws {
        try connection.transaction {
            try insert(into: "t")
            undone { try insert(into: "t", 2) }
            undone { try insert(into: "u") }
            try insert(into: "w")
        }
        #expect(heard.all == [.commit("t", "w")])
    }

    @Test func nestedSavepointsAreReportedAsFarAsTheyWereKept() throws {
        try connection.transaction {
            try connection.savepoint {
                try insert(into: "t")
                undone {
                    try insert(into: "u")
                    try connection.savepoint { try insert(into: "u", 2) }
                }
                try connection.savepoint(named: "kept") { try insert(into: "w") }
            }
            undone {
                try connection.savepoint { try insert(into: "parents") }
                undone { try insert(into: "children") }
            }
        }
        #expect(heard.all == [.commit("t", "w")])
    }

    @Test func aTransactionInATransactionIsASavepoint() throws {
        try connection.transaction {
            try insert(into: "t")
            expectThrows(TestError.self) {
                try connection.transaction {
                    try insert(into: "u")
                    throw TestError()
                }
            }
            try connection.transaction { try insert(into: "w") }
            #expect(heard.all == [])
        }
        #expect(heard.all == [.commit("t", "w")])
    }

    @Test func savepointsAreUndoneInATransactionWrittenInSQL() throws {
        try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        undone { try insert(into: "u") }
        try connection.savepoint { try insert(into: "w") }
        try connection.execute("COMMIT")
        #expect(heard.all == [.commit("t", "w")])
    }

    /// It may report `w`, which is undone.
    @Test func rollbackToInSQLReportsWhatIsKept() throws {
        try connection.execute(
            """
            BEGIN; INSERT INTO t VALUES(1);
            SAVEPOINT s; INSERT INTO w VALUES(1); ROLLBACK TO s;
            INSERT INTO u VALUES(1); RELEASE s; COMMIT
            """
        )
        try #require(heard.all.count == 1)
        let tables = heard.all[0].tables
        #expect(tables.isSuperset(of: ["t", "u"]))
        #expect(tables.isSubset(of: ["t", "u", "w"]))
    }

    @Test func aTransactionThatIsLostInASavepointIsARollback() throws {
        let error = sqliteError {
            try connection.transaction {
                try insert(into: "u")
                try connection.savepoint {
                    try connection.run("INSERT OR ROLLBACK INTO t VALUES(0)")
                }
            }
        }
        #expect(error?.resultCode == .constraint)
        #expect(heard.all == [])
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
        let error = sqliteError { try connection.run(sql) }
        #expect(error != nil)
        #expect(heard.take() == [])
        try insert(into: "u")
        #expect(heard.all == [.commit("u")])
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
            let error = sqliteError { try connection.run(sql) }
            #expect(error != nil)
        }
        #expect(heard.all == [.commit("u")])
    }

    @Test(arguments: [true, false])
    func theRowsBeforeAFailureOfOrFailAreReported(isInTransaction: Bool) throws {
        func write() throws {
            let error = sqliteError { try connection.run("INSERT OR FAIL INTO t VALUES(5), (0)") }
            #expect(error?.resultCode == .constraint)
        }
        try isInTransaction ? connection.transaction(closure: write) : write()
        try #expect(count("t", on: connection) == 2)
        #expect(heard.all == [.commit("t")])
    }

    @Test func orFailThatFailsAtItsFirstRowIsNotReported() throws {
        try connection.transaction {
            let error = sqliteError { try connection.run("INSERT OR FAIL INTO t VALUES(0), (5)") }
            #expect(error?.resultCode == .constraint)
        }
        #expect(heard.all == [])
    }

    @Test func aTransactionThatTheHandleReplacesIsForgotten() throws {
        try connection.transaction {
            try insert(into: "t")
            expectThrows(TestError.self) {
                try connection.savepoint {
                    try connection.withUnsafeHandle { handle in
                        #expect(sqlite3_exec(handle, "ROLLBACK; BEGIN", nil, nil, nil) == SQLITE_OK)
                    }
                    throw TestError()
                }
            }
            try insert(into: "u")
        }
        #expect(heard.all == [.commit("u")])
    }

    @Test func aStatementThatDoesNotCompileIsNotReported() throws {
        let error = sqliteError { try connection.run("INSERT INTO missing VALUES(1)") }
        #expect(error != nil)
        #expect(heard.all == [])
        try insert(into: "u")
        #expect(heard.all == [.commit("u")])
    }

    @Test func whatAScriptCommittedBeforeItsErrorIsReported() throws {
        let error = sqliteError {
            try connection.execute("DELETE FROM t; INSERT INTO u VALUES(1), (2), (json('no'))")
        }
        #expect(error != nil)
        #expect(heard.all == [.commit("t")])
    }
}
