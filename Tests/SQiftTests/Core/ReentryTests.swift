import Foundation
import SQiftTestSupport
import Testing

import SQift

/// A value that uses the connection while it is being bound.
private struct Meddler: Bindable {
    let meddle: () throws -> Void

    var bindingValue: BindingValue { .text("meddler") }

    func bind(to slot: borrowing ParameterSlot) throws {
        try meddle()
        try slot.bind(bindingValue)
    }
}

/// A value that leaves its parameter as it is.
private struct Shy: Bindable {
    var bindingValue: BindingValue { .null }

    func bind(to slot: borrowing ParameterSlot) throws {}
}

/// Calls that come back to the connection from inside SQLite or from inside a conversion.
struct ReentryTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.withTable()
    }

    @Test func aValueMayRunTheSameSQLWhileItIsBound() throws {
        let sql = "INSERT INTO t VALUES(?)"
        try connection.run(sql, Meddler { [connection] in try connection.run(sql, "inner") })
        #expect(try connection.query("SELECT x FROM t ORDER BY rowid") == ["inner", "meddler"])
    }

    @Test func aStatementDoesNotRunWithHalfOfItsValues() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(?)")
        _ = try? statement.bind(Meddler { try statement.run() })
        #expect(try connection.query("SELECT count(*) FROM t WHERE x IS NULL") == 0)
    }

    @Test func anErrorOfAValueComesOutUnchanged() throws {
        let failing = Meddler { throw TestError(reason: "value") }
        let statement = try connection.prepare("INSERT INTO t VALUES(?)")
        #expect(throws: TestError(reason: "value")) { try statement.bind(failing) }
        #expect(throws: TestError(reason: "value")) { try statement.bind([failing]) }
        #expect(throws: TestError(reason: "value")) { try connection.run(statement.sql, failing) }
        expectSQLiteError(.misuse) { try statement.run() }
        try connection.run(statement.sql, 1)
        #expect(try count("t", on: connection) == 1)
    }

    @Test func aValueThatBindsNothingDoesNotBringBackAnEarlierOne() throws {
        let statement = try connection.prepare("SELECT ?, ?")
        let binds: [() throws -> Statement] = [
            { try statement.bind("overwritten", Shy()) },
            { try statement.bind(["overwritten", Shy()]) },
        ]
        for bind in binds {
            try statement.bind("secret", "secret").run()
            // Throwing is fine, and so is NULL.
            let row: Row? = try? bind().query()
            #expect(row?.description.contains("secret") != true)
        }
    }

    @Test func aFailedPrepareLeavesNoStatementBehind() throws {
        let failing = Meddler { throw TestError() }
        expectThrows(TestError.self) { try connection.prepare("SELECT ?", failing) }
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
