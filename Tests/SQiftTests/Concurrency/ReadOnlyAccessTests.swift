import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A read on a connection that could write.
struct ReadOnlyAccessTests {
    private let queue: ConnectionQueue
    private let database: Database

    init() throws {
        queue = ConnectionQueue(connection: try Connection())
        database = try Database.inMemory()
        for writer in [queue, database] as [any DatabaseWriter] {
            try writer.write { connection in
                try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(3))")
            }
        }
    }

    private static let writes = [
        "INSERT INTO t VALUES(1)", "UPDATE t SET x = 1", "DELETE FROM t WHERE 0",
        "INSERT INTO t VALUES(1) RETURNING x", "CREATE TEMP TABLE other(x)", "DROP TABLE t",
        "PRAGMA user_version = 3", "PRAGMA journal_mode = OFF", "PRAGMA journal_mode(OFF)",
        "VACUUM", "ANALYZE", "SELECT 1; INSERT INTO t VALUES(1)",
    ]

    @Test(arguments: writes) func itRefusesToWrite(sql: String) throws {
        for reader in [queue, database] as [any DatabaseReader] {
            let error = sqliteError { try reader.read { try $0.execute(sql) } }
            #expect(error?.resultCode == .readOnly)
            #expect(error?.message.hasPrefix("attempt to write a readonly database") == true)
            #expect(error?.message.contains("use write") == true)
            // Also where the closure passes over the error.
            try reader.read { connection in
                try? connection.execute(sql)
                try expectRows(1, on: connection)
            }
            try expectRows(1, in: reader)
        }
    }

    @Test(arguments: ["BEGIN IMMEDIATE", "VACUUM", "INSERT INTO t VALUES(1)"])
    func outsideATransactionItRefusesToWriteToo(sql: String) throws {
        let error = sqliteError { try database.executeRead { try $0.run(sql) } }
        #expect(error?.resultCode == .readOnly)
        #expect(error?.sql == sql)
    }

    @Test(arguments: [
        (
            "DROP TRIGGER IF EXISTS d", "SELECT 1",
            "CREATE TRIGGER d DELETE ON t BEGIN SELECT 1; END"
        ),
        (
            "CREATE TRIGGER IF NOT EXISTS d DELETE ON t BEGIN SELECT 1; END",
            "CREATE TRIGGER d DELETE ON t BEGIN SELECT 1; END", "DROP TRIGGER d"
        ),
    ])
    func itRefusesAStatementThatWasNoWriteBefore(sql: SQL, first: SQL, then: SQL) throws {
        for writer in [queue, database] as [any DatabaseWriter] {
            try writer.write { try $0.execute(first) }
            try writer.read { try $0.execute("\(sql); SAVEPOINT s; RELEASE s") }
            _ = try writer.read { try $0.run(sql) }
            try writer.write { try $0.execute(then) }
            expectSQLiteError(.readOnly) { try writer.read { try $0.run(sql) } }
        }
    }

    @Test func itRefusesToBeOverwritten() throws {
        let other = try Connection.withTable(rows: 7)
        for reader in [queue, database] as [any DatabaseReader] {
            expectSQLiteError(.readOnly, containing: "use write") {
                try reader.read { try other.backup(to: $0) }
            }
            try expectRows(1, in: reader)
        }
        expectSQLiteError(.readOnly) { try database.executeRead { try other.backup(to: $0) } }
        try expectRows(1, in: database)
    }

    @Test func itRefusesABlobForWriting() throws {
        try queue.read { connection in
            expectSQLiteError(.readOnly) {
                try connection.openBlob(table: "t", column: "x", rowID: 1)
            }
            let blob = try connection.openBlob(table: "t", column: "x", rowID: 1, readOnly: true)
            #expect(blob.count == 3)
            try blob.close()
        }
    }

    @Test func whatTheClosureSwitchesDoesNotLetItWrite() throws {
        expectSQLiteError(.readOnly) {
            try queue.read { connection in
                try connection.execute("PRAGMA query_only = OFF")
                try connection.run("INSERT INTO t VALUES(1)")
            }
        }
    }

    @Test func itAnswersWhatDoesNotWrite() throws {
        for reader in [queue, database] as [any DatabaseReader] {
            try reader.read { connection in
                #expect(try connection.query("PRAGMA journal_mode") == "memory")
                try connection.run("EXPLAIN QUERY PLAN UPDATE t SET x = 1")
                try connection.run("PRAGMA table_info(t)")
                try connection.execute("SELECT * FROM sqlite_schema; PRAGMA user_version")
                try connection.savepoint { try connection.run("SELECT * FROM t") }
            }
        }
    }

    @Test func theNextAccessWrites() throws {
        expectSQLiteError { try queue.read { try $0.run("DELETE FROM t") } }
        try queue.write { try $0.run("INSERT INTO t VALUES(1)") }
        try queue.execute { try $0.run("INSERT INTO t VALUES(1)") }
        try expectRows(3, in: queue)
    }
}
