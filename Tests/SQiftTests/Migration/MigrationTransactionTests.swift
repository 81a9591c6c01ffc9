import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

// Each migration's transaction is the migrator's: a migration can't begin or end one.
struct MigrationTransactionTests {
    private let connection: Connection
    private static let statements = [
        "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END", "END TRANSACTION", "ROLLBACK",
        "rollback transaction",
        "/* c */ COMMIT;",
    ]

    init() throws {
        connection = try Connection.withTable(rows: 1)
    }

    /// Expects that a migration fails because SQLite denies it something, and that it is absent.
    private func expectDenied(
        _ migration: Migration,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try expectUntouched(connection, .failed, sourceLocation: sourceLocation) {
            try migrate(connection, [migration, creating("later")])
        }
        let code = (error?.underlyingError as? SQLiteError)?.resultCode
        #expect(code == .authorization, "\(error?.message ?? "")", sourceLocation: sourceLocation)
        // Afterwards nothing is denied any more.
        try connection.execute("BEGIN; COMMIT; BEGIN; ROLLBACK")
        try connection.transaction { try connection.run("UPDATE t SET x = x") }
    }

    @Test(arguments: statements)
    func aScriptIsDeniedIt(statement: SQL) throws {
        for script in [
            "INSERT INTO t VALUES(2); \(statement); INSERT INTO t VALUES(3)",
            "DROP TABLE t; \(statement)", statement,
        ] {
            try expectDenied(Migration("script", sql: script))
        }
    }

    @Test(arguments: statements)
    func aClosureIsDeniedIt(statement: SQL) throws {
        try expectDenied(
            Migration("run") { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                try connection.run(statement)
            }
        )
        try expectDenied(
            Migration("prepare") { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                try connection.prepare(statement).run()
            }
        )
        try expectDenied(
            Migration("nested") { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                try connection.transaction {
                    try connection.savepoint { try connection.execute(statement) }
                }
            }
        )
    }

    @Test(arguments: ["BEGIN", "COMMIT", "ROLLBACK", "END"])
    func aStatementThatWasPreparedBeforeIsDenied(statement: SQL) throws {
        nonisolated(unsafe) let prepared = try connection.prepare(statement)
        try expectDenied(
            Migration("prepared") { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                try prepared.run()
            }
        )
    }

    @Test(arguments: ["BEGIN", "COMMIT", "ROLLBACK", "END"])
    func aStatementInTheCacheIsDenied(statement: SQL) throws {
        let opening = statement == "BEGIN" ? "BEGIN" : "BEGIN IMMEDIATE"
        try connection.run(opening)
        try connection.run(statement == "BEGIN" ? "COMMIT" : statement)
        try expectDenied(
            Migration("cached") { connection in
                try connection.run("INSERT INTO t VALUES(2)")
                try connection.run(statement)
            }
        )
    }

    @Test func aClosureThatPassesOverTheDenialIsWholeAllTheSame() throws {
        let migration = Migration("passes over") { connection in
            for statement in Self.statements {
                try connection.run("INSERT INTO t VALUES(2)")
                try? connection.execute(statement)
            }
        }
        try migrate(connection, [migration])
        try expectRows(1 + Self.statements.count, on: connection)
        #expect(try recordedNames(on: connection) == ["passes over"])

        let failing = Migration("fails") { connection in
            try connection.run("DELETE FROM t")
            _ = try? connection.run("COMMIT")
            throw TestError()
        }
        try expectUntouched(connection, .failed) { try migrate(connection, [migration, failing]) }
    }

    @Test func theHandleIsDeniedItToo() throws {
        let migration = Migration("handle") { connection in
            try connection.run("INSERT INTO t VALUES(2)")
            let code = try connection.withUnsafeHandle { sqlite3_exec($0, "COMMIT", nil, nil, nil) }
            #expect(code == SQLITE_AUTH)
            throw TestError()
        }
        try expectUntouched(connection, .failed) { try migrate(connection, [migration]) }
    }

    @Test func savepointsAreAllowed() throws {
        let script = Migration(
            "script",
            sql: """
                SAVEPOINT a; INSERT INTO t VALUES(2); RELEASE a;
                SAVEPOINT b; INSERT INTO t VALUES(3); ROLLBACK TO b; RELEASE b
                """
        )
        let closure = Migration("closure") { connection in
            try connection.transaction { try connection.run("INSERT INTO t VALUES(4)") }
            try? connection.transaction {
                try connection.run("INSERT INTO t VALUES(5)")
                throw TestError()
            }
            try connection.savepoint(named: "a 'name'") {
                try connection.run("INSERT INTO t VALUES(6)")
            }
        }
        let open = Migration("open", sql: "SAVEPOINT left_open; INSERT INTO t VALUES(7)")
        try migrate(connection, [script, closure, open])
        #expect(try connection.query("SELECT x FROM t ORDER BY x") == [1, 2, 4, 6, 7])
        #expect(!connection.isInsideTransaction)
        #expect(try recordedNames(on: connection) == ["script", "closure", "open"])
    }

    // MARK: The user's authorizer

    @Test func theUsersAuthorizerIsAskedDuringARunAndThereAfterwards() throws {
        let asked = Notes<String>()
        try connection.authorizer { action, first, _, _, _ in
            if action == .insert, let first {
                asked.note(first)
            }
            return action == .delete && first == "t" ? .deny : .ok
        }
        try migrate(connection, [Migration("allowed", sql: "INSERT INTO t VALUES(2)")])
        #expect(asked.all.contains("t"))

        try expectUntouched(connection, .failed, code: .authorization) {
            try migrate(
                connection,
                [
                    Migration("allowed", sql: "INSERT INTO t VALUES(2)"),
                    Migration("denied", sql: "DELETE FROM t"),
                ]
            )
        }

        _ = asked.take()
        try connection.run("INSERT INTO t VALUES(9)")
        #expect(asked.take() == ["t"])
        expectSQLiteError(.authorization) { try connection.run("DELETE FROM t") }
        try connection.execute("BEGIN; COMMIT")
    }

    @Test func aClosureThatSetsAnAuthorizerIsStillDeniedTransactions() throws {
        for isRemoving in [true, false] {
            try connection.authorizer { _, _, _, _, _ in .ok }
            try expectDenied(
                Migration("sets one") { connection in
                    try connection.run("INSERT INTO t VALUES(2)")
                    try connection.authorizer(isRemoving ? nil : { _, _, _, _, _ in .ok })
                    try connection.run("COMMIT")
                }
            )
        }
    }

    @Test func anAuthorizerThatForbidsTransactionsKeepsMigrationsFromRunning() throws {
        try connection.authorizer { action, _, _, _, _ in action == .transaction ? .deny : .ok }
        expectThrows(MigratorError.self) { try migrate(connection, [creating("a")]) }
        try connection.authorizer(nil)
        #expect(try tables(of: connection) == ["t"])
        #expect(try migrate(connection, [creating("a")]).migrations == ["a"])
    }

    // MARK: A transaction around

    @Test func aMigratorInATransactionThrows() throws {
        let migrator = connection.migrator([creating("a")])
        for (begin, end) in [
            ("BEGIN", "COMMIT"), ("SAVEPOINT s", "RELEASE s"), ("BEGIN IMMEDIATE", "ROLLBACK"),
        ] {
            try connection.execute(begin)
            migratorError(.insideTransaction) { try migrator.run() }
            migratorError(.insideTransaction) { _ = try migrator.rehearse() }
            #expect(connection.isInsideTransaction)
            try connection.execute(end)
        }
        let caught = expectThrows(MigratorError.self) {
            try connection.transaction { _ = try migrator.run() }
        }
        #expect(caught?.reason == .insideTransaction)
        #expect(try tables(of: connection) == ["t"])
        #expect(try migrator.run().migrations == ["a"])
    }

    @Test func aMigratorInAMigrationThrows() throws {
        let migration = Migration("outer") { connection in
            try migrate(connection, [creating("inner")])
        }
        let error = try expectUntouched(connection, .failed) {
            try migrate(connection, [migration])
        }
        #expect((error?.underlyingError as? MigratorError)?.reason == .insideTransaction)
    }
}
