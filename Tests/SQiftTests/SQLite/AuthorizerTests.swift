import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What an authorizer's answers do; which actions there are is in AuthorizerActionTests.swift.
struct AuthorizerTests {
    typealias Action = Connection.AuthorizerAction

    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 'one'), (2, 'two')")
    }

    /// Answers `result` where `action` is about to be done, to this name if there is one.
    private func answer(
        _ result: Connection.AuthorizerResult,
        to action: Action,
        _ name: String? = nil,
        second: String? = nil
    ) throws {
        try connection.authorizer { asked, first, other, _, _ in
            asked == action && (name == nil || name == first) && (second == nil || second == other)
                ? result : .ok
        }
    }

    // MARK: Answers

    @Test func denyingMakesTheStatementFail() throws {
        try answer(.deny, to: .read, "t", second: "b")
        expectSQLiteError(extended: .authorization) { try connection.run("SELECT b FROM t") }
        #expect(try connection.query("SELECT a FROM t") == [1, 2])
    }

    @Test func ignoringReadsNull() throws {
        try answer(.ignore, to: .read, "t", second: "b")
        let found: [String?] = try connection.query("SELECT b FROM t")
        #expect(found == [nil, nil])
        #expect(try connection.query("SELECT a FROM t") == [1, 2])
    }

    @Test func ignoringLeavesAnUpdateOfAColumnOut() throws {
        try answer(.ignore, to: .update, "t", second: "b")
        try connection.run("UPDATE t SET a = a + 10, b = 'new'")
        #expect(try connection.query("SELECT a || b FROM t") == ["11one", "12two"])
    }

    @Test(arguments: [
        (Action.insert, "INSERT INTO t VALUES(3, 'three')"),
        (.dropTable, "DROP TABLE t"),
    ])
    func ignoringLeavesTheActionOut(action: Action, sql: SQL) throws {
        try answer(.ignore, to: action, "t")
        try connection.run(sql)
        try expectRows(2, on: connection)
    }

    @Test(arguments: [Int32(3), -1, 99, .max])
    func anotherNumberIsAMalfunction(code: Int32) throws {
        try answer(.custom(code), to: .select)
        expectSQLiteError(.error, containing: "authorizer malfunction") {
            try connection.run("SELECT a FROM t")
        }
        try connection.authorizer(nil)
        try expectRows(2, on: connection)
    }

    @Test func resultsCompare() {
        let results: Set<Connection.AuthorizerResult> = [
            .ok, .deny, .ignore, .custom(3), .custom(4), .ok, .custom(3),
        ]
        #expect(results.count == 5)
    }

    @Test func nothingIsWrittenByADeniedScript() throws {
        try answer(.deny, to: .delete)
        expectSQLiteError(extended: .authorization) {
            try connection.execute("BEGIN; DELETE FROM t; COMMIT")
        }
        try connection.execute("ROLLBACK")
        try expectRows(2, on: connection)
    }

    @Test func theReadOnlyAuthorizerLetsOnlyReadingPass() throws {
        let folder = try TemporaryFolder()
        try connection.execute("CREATE INDEX i ON t(a)")
        try connection.authorizer(Connection.readOnlyAuthorizer)
        #expect(try connection.query("SELECT sum(a) FROM t") == 3)
        #expect(try connection.query(numbers(to: 5, selecting: "count(*)")) == 5)
        let forbidden = [
            "INSERT INTO t VALUES(3, 3)", "UPDATE t SET a = 0", "DELETE FROM t", "DROP TABLE t",
            "CREATE TABLE u(x)",
            "PRAGMA user_version", "PRAGMA user_version = 5", "BEGIN", "SAVEPOINT s", "VACUUM",
            "ANALYZE",
            "ATTACH '\(folder.path())' AS b", "CREATE TEMP TABLE u(x)",
            "ALTER TABLE t ADD COLUMN c", "REINDEX",
        ]
        for sql in forbidden {
            let code = sqliteError { try connection.run(sql) }?.resultCode
            #expect(code == .authorization, "\(sql)")
        }
        try connection.authorizer(nil)
        #expect(try connection.query("SELECT sum(a) FROM t") == 3)
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }

    // MARK: Statements that exist already

    @Test func cachedStatementsAreCompiledAgain() throws {
        let sql = "SELECT b FROM t WHERE a = 1"
        func value() throws -> String? {
            try connection.query(sql)
        }
        try #expect(value() == "one")
        try answer(.ignore, to: .read, "t", second: "b")
        try #expect(value() == nil)
        try connection.authorizer { _, _, _, _, _ in .ok }
        try #expect(value() == "one")
        try answer(.deny, to: .read, "t", second: "b")
        expectSQLiteError(extended: .authorization) { _ = try value() }
        try answer(.ignore, to: .read, "t", second: "b")
        try #expect(value() == nil)
        try connection.authorizer(nil)
        try #expect(value() == "one")
        try connection.authorizer(nil)
        try #expect(value() == "one")
    }

    @Test func preparedStatementsAreCompiledAgain() throws {
        let read = try connection.prepare("SELECT b FROM t WHERE a = ?", 1)
        let write = try connection.prepare("UPDATE t SET b = ?", "new")
        func value() throws -> String? {
            try read.query()
        }
        try #expect(value() == "one")
        try answer(.ignore, to: .read, "t", second: "b")
        try #expect(value() == nil)
        try answer(.deny, to: .update)
        expectSQLiteError(extended: .authorization) { try write.run() }
        try #expect(value() == "one")
        try answer(.deny, to: .select)
        expectSQLiteError(extended: .authorization) { _ = try value() }
        try connection.authorizer(nil)
        try #expect(value() == "one")
        try write.run()
        try #expect(value() == "new")
    }

    @Test func removingNoneChangesNothing() throws {
        try connection.authorizer(nil)
        try #expect(connection.query("SELECT count(*) FROM t") == 2)
    }

    @Test func aStatementPreparedUnderItIsReadAgainAfterItsRemoval() throws {
        try answer(.ignore, to: .read, "t", second: "b")
        let statement = try connection.prepare("SELECT b FROM t")
        let hidden: [String?] = try statement.query()
        #expect(hidden == [nil, nil])
        try connection.authorizer(nil)
        #expect(try statement.query() == ["one", "two"])
    }

    @Test func aRunningQueryGoesOnWhereItChanges() throws {
        let sql = "SELECT a, b FROM t ORDER BY a"
        for change in 0..<3 {
            func expectRefusedIfDenied(_ sql: SQL) throws {
                if change == 0 {
                    expectSQLiteError(extended: .authorization) { try connection.run(sql) }
                } else {
                    try connection.run(sql)
                }
            }
            var seen: [Int] = []
            try connection.forEachRow(sql) { row in
                try seen.append(row.get(0))
                switch change {
                case 0: try answer(.deny, to: .read)
                case 1: try connection.authorizer { _, _, _, _, _ in .ok }
                default: try connection.authorizer(nil)
                }
                try expectRefusedIfDenied("SELECT a FROM t WHERE a > 0")
            }
            #expect(seen == [1, 2])
            try expectRefusedIfDenied(sql)
            try connection.authorizer(nil)
        }
    }

    // MARK: Transactions

    @Test func aTransactionThatMayNotBeginThrows() throws {
        try answer(.deny, to: .transaction, "BEGIN")
        expectSQLiteError(extended: .authorization) {
            try connection.transaction { try connection.run("DELETE FROM t") }
        }
        #expect(!connection.isInsideTransaction)
        try expectRows(2, on: connection)
    }

    @Test func aTransactionThatMayNotCommitIsUndone() throws {
        try answer(.deny, to: .transaction, "COMMIT")
        expectSQLiteError(extended: .authorization) {
            try connection.transaction { try connection.run("DELETE FROM t WHERE a = 1") }
        }
        #expect(!connection.isInsideTransaction)
        try connection.authorizer(nil)
        try expectRows(2, on: connection)
        try connection.transaction { try connection.run("DELETE FROM t WHERE a = 1") }
        try expectRows(1, on: connection)
    }

    @Test func aTransactionThatMayNotEndIsUndoneNevertheless() throws {
        expectSQLiteError(extended: .authorization) {
            try connection.transaction {
                try connection.run("DELETE FROM t WHERE a = 1")
                try answer(.deny, to: .transaction)
            }
        }
        #expect(!connection.isInsideTransaction)
        try expectRows(2, on: connection)
    }

    @Test func aSavepointThatMayNotBeginThrows() throws {
        try answer(.deny, to: .savepoint)
        try connection.transaction {
            expectSQLiteError(extended: .authorization) { try connection.savepoint {} }
            try connection.run("DELETE FROM t WHERE a = 1")
        }
        #expect(!connection.isInsideTransaction)
        try expectRows(1, on: connection)
    }

    @Test func aDenialInsideATransactionUndoesIt() throws {
        try answer(.deny, to: .update)
        expectSQLiteError(extended: .authorization) {
            try connection.transaction {
                try connection.run("DELETE FROM t WHERE a = 1")
                try connection.run("UPDATE t SET a = 5")
            }
        }
        #expect(!connection.isInsideTransaction)
        try expectRows(2, on: connection)
    }

    // MARK: Setting it

    @Test func itIsReplacedAndRemoved() throws {
        let told = Notes<Int>()
        func note(_ number: Int) -> Connection.Authorizer {
            { _, _, _, _, _ in
                told.note(number)
                return .ok
            }
        }
        try connection.authorizer(note(1))
        try connection.run("SELECT 1")
        #expect(told.take() == [1])
        try connection.authorizer(note(2))
        try connection.run("SELECT 2")
        try connection.run("SELECT 2")
        #expect(told.take() == [2])
        try connection.authorizer(nil)
        try connection.run("SELECT 3")
        #expect(told.take() == [])
    }

    @Test func closuresAreReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return try connection.authorizer(nil) }
            try connection.authorizer { _, _, _, _, _ in withExtendedLifetime(keepsake) { .ok } }
        }
    }

    @Test func afterCloseItThrows() throws {
        try connection.close()
        expectSQLiteError(extended: .misuse) { try connection.authorizer { _, _, _, _, _ in .ok } }
        expectSQLiteError(extended: .misuse) { try connection.authorizer(nil) }
    }

    @Test(arguments: [Connection.AuthorizerResult.ignore, .deny, .custom(99)])
    func aTransactionIsNeverIgnored(answer: Connection.AuthorizerResult) throws {
        let connection = try Connection.withTable()
        try connection.authorizer { action, operation, _, _, _ in
            action == .transaction && operation == "COMMIT" ? answer : .ok
        }
        expectSQLiteError {
            try connection.transaction { try connection.run("INSERT INTO t VALUES(1)") }
        }
        #expect(!connection.isInsideTransaction)
        try connection.authorizer { action, operation, _, _, _ in
            action == .savepoint && operation == "ROLLBACK" ? answer : .ok
        }
        // What undoes a failed transaction or savepoint asks no authorizer.
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES(2)")
            connection.undoingSavepoint {
                try connection.run("INSERT INTO t VALUES(3)")
            }
            try connection.run("INSERT INTO t VALUES(4)")
        }
        #expect(!connection.isInsideTransaction)
        #expect(try connection.query("SELECT x FROM t ORDER BY x") == [2, 4])
    }
}
