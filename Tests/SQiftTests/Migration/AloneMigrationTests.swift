import Foundation
import SQift
import SQiftTestSupport
import Testing

// Migrations that run outside any transaction.
struct AloneMigrationTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            "PRAGMA synchronous = OFF; CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(100000))"
        )
    }

    private func alone(_ name: String, _ sql: SQL) -> Migration {
        Migration(name, sql: sql, options: .withoutTransaction)
    }

    @Test func aVacuumRuns() throws {
        try connection.execute("DELETE FROM t")
        let pages: Int = try connection.query("PRAGMA page_count")
        try migrate(connection, [alone("compact", "-- Makes it small.\nVACUUM;\n")])
        #expect(try connection.query("PRAGMA page_count") < pages)
        #expect(try recordedNames(on: connection) == ["compact"])
        #expect(
            try migrate(connection, [alone("compact", "-- Makes it small.\nVACUUM;\n")]).migrations
                == []
        )
    }

    @Test func inATransactionAVacuumFails() throws {
        try expectUntouched(connection, .failed) {
            try migrate(connection, [Migration("compact", sql: "VACUUM")])
        }
    }

    @Test func theJournalModeChanges() throws {
        try migrate(connection, [alone("wal", "PRAGMA journal_mode = WAL"), creating("a")])
        #expect(try connection.query("PRAGMA journal_mode") == "wal")
        #expect(try tables(of: connection) == ["a", "t"])
        try migrate(
            connection,
            [
                alone("wal", "PRAGMA journal_mode = WAL"), creating("a"),
                alone("back", "PRAGMA journal_mode = DELETE"),
            ]
        )
        #expect(try connection.query("PRAGMA journal_mode") == "delete")
    }

    @Test func thePageSizeChanges() throws {
        try migrate(
            connection,
            [
                Migration("page size", options: .withoutTransaction) { connection in
                    try connection.execute("PRAGMA page_size = 8192; VACUUM")
                }
            ]
        )
        #expect(try connection.query("PRAGMA page_size") == 8192)
    }

    @Test(arguments: [
        "INSERT INTO t VALUES(2); INSERT INTO t VALUES(3)", "VACUUM; VACUUM",
        "DROP TABLE t; nonsense",
        "BEGIN; INSERT INTO t VALUES(2); COMMIT",
    ])
    func moreThanOneStatementIsRefused(sql: SQL) throws {
        try migrate(connection, [creating("first")])
        try expectUntouched(connection, .failed, at: "two") {
            try migrate(connection, [creating("first"), alone("two", sql)])
        }
    }

    @Test func oneThatLeavesATransactionOpenHasFailed() throws {
        try migrate(connection, [creating("first")])
        let closures: [@Sendable (Connection) throws -> Void] = [
            { try $0.execute("BEGIN; INSERT INTO t VALUES(2)") },
            { try $0.execute("SAVEPOINT s; DROP TABLE t") },
        ]
        for closure in closures {
            let migration = Migration("opens", options: .withoutTransaction, body: closure)
            try expectUntouched(connection, .failed, at: "opens") {
                try migrate(connection, [creating("first"), migration, creating("later")])
            }
            try expectUnlocked(folder)
        }
        try expectUntouched(connection, .failed) {
            try migrate(connection, [creating("first"), alone("begin", "BEGIN")])
        }
    }

    @Test func oneThatThrowsInATransactionThatItBeganLeavesNone() throws {
        try migrate(connection, [creating("first")])
        for sql in [
            "BEGIN; DELETE FROM t", "SAVEPOINT s; DROP TABLE t", "BEGIN IMMEDIATE; nonsense",
        ] {
            let migration = Migration("opens", options: .withoutTransaction) { connection in
                try connection.execute(sql)
                throw TestError()
            }
            try expectUntouched(connection, .failed) {
                try migrate(connection, [creating("first"), migration])
            }
            try expectUnlocked(folder)
            if connection.isInsideTransaction {
                try connection.execute("ROLLBACK")
            }
        }
    }

    @Test func aClosureMayHaveTransactionsOfItsOwn() throws {
        let migration = Migration("own", options: .withoutTransaction) { connection in
            #expect(!connection.isInsideTransaction)
            try connection.transaction { try connection.run("INSERT INTO t VALUES(2)") }
            try connection.execute("BEGIN; INSERT INTO t VALUES(3); COMMIT")
        }
        try migrate(connection, [migration])
        try expectRows(3, on: connection)
        #expect(try recordedNames(on: connection) == ["own"])
    }

    @Test func whatItSwitchesDoesNotReachTheNextOne() throws {
        try connection.execute(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(p REFERENCES p ON DELETE CASCADE);
            INSERT INTO p VALUES(1);
            INSERT INTO c VALUES(1)
            """
        )
        let replacing = Migration(
            "replace",
            sql: "DROP TABLE p; CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES(1)"
        )
        try migrate(connection, [alone("switch", "PRAGMA foreign_keys = ON"), replacing])
        try expectRows(1, of: "c", on: connection)
    }

    @Test func aFileWithACommentOnlyHasNotTheOneStatement() throws {
        let files = try MigrationFolder([
            "1-nothing.sql": "-- sqift: withoutTransaction\n-- Was a VACUUM.\n"
        ])
        migratorError(.failed) { try migrate(connection, files.load()) }
    }

    @Test func aFileSaysSo() throws {
        let files = try MigrationFolder([
            "1-wal.sql": "-- sqift: withoutTransaction\nPRAGMA journal_mode = WAL;\n"
        ])
        try migrate(connection, files.load())
        #expect(try connection.query("PRAGMA journal_mode") == "wal")
    }

    @Test func whatItFailsAtIsNamed() throws {
        let sql = "-- A comment\n\nINSERT INTO nowhere\nVALUES(1)"
        migratorError(.failed, containing: "alone", "nowhere", "line 3") {
            try migrate(connection, [alone("alone", sql)])
        }
    }
}
