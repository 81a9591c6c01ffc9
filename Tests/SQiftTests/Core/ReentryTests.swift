import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Calls that come back to the connection from inside SQLite or from inside a conversion.
struct ReentryTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.withTable()
    }

    @Test func aFailedPrepareLeavesNoStatementBehind() throws {
        expectThrows(SQLiteError.self) { try connection.prepare("SELECT ?", Double.nan) }
        expectThrows(SQLiteError.self) { try connection.prepare("SELECT ?", [1, 2]) }
        expectThrows(SQLiteError.self) { try connection.prepare("SELECT :a", ["b": 1]) }
        #expect(try preparedSQL(on: connection) == [])
        try connection.close()
    }

    @Test func aFunctionMayUseTheConnectionItRunsOn() throws {
        var seen: [Int] = []
        try addCallback("call_inner", to: connection) { [unowned connection] argument in
            let value: Int? = try? connection.query("SELECT ? * 2", Int(argument) ?? 0)
            seen.append(value ?? -1)
            _ = try? connection.execute("CREATE TABLE IF NOT EXISTS made(x)")
            _ = try? connection.savepoint { try connection.run("INSERT INTO made VALUES(1)") }
        }
        #expect(try connection.query(numbers(to: 3, selecting: "call_inner(n)")) == [1, 2, 3])
        #expect(seen == [2, 4, 6])
        #expect(try count("made", on: connection) == 3)
        #expect(!connection.isInsideTransaction)
    }

    @Test func aFunctionCannotCloseTheConnectionItRunsOn() throws {
        var error: SQLiteError?
        try addCallback("close", to: connection) { [unowned connection] _ in
            error = sqliteError { try connection.close() }
        }
        #expect(try connection.query("SELECT close(1)") == 1)
        expect(error, .busy, containing: "SELECT close(1)")
        try connection.close()
    }

    @Test func aRollbackWhileARowIsReadLeavesTheRowReadable() throws {
        try connection.execute("INSERT INTO t VALUES('one'), ('two')")
        var seen: [String] = []
        try? connection.forEachRow("SELECT x, rowid FROM t ORDER BY rowid") { row in
            try? connection.transaction {
                try connection.run("UPDATE t SET x = 'changed'")
                throw TestError()
            }
            try seen.append(row.get("x"))
            try #expect(row.get(1) == seen.count)
        }
        #expect(seen.starts(with: ["one"]))
        #expect(try connection.query("SELECT x FROM t ORDER BY rowid") == ["one", "two"])
    }
}
