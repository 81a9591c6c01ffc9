import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ConnectionRunTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private let positional = "INSERT INTO t VALUES(?, ?, ?)"
    private let named = "INSERT INTO t VALUES(:a, @b, $c)"

    private func makeTable() throws -> Connection {
        try connection.execute("CREATE TABLE t(a, b, c)")
        return connection
    }

    private func rows(_ connection: Connection) throws -> [String] {
        try (connection.query("SELECT * FROM t") as [Row]).map(\.description)
    }

    // MARK: Parameters

    @Test func everyFormOfRunPrepareAndBindStoresTheSameRow() throws {
        let connection = try makeTable()
        let array: [(any Bindable)?] = [1, "x", nil]
        let dictionaries: [[String: (any Bindable)?]] = [
            [":a": 1, "@b": "x", "$c": nil], ["a": 1, "b": "x", "c": nil],
            [":a": 1, "b": "x", "$c": nil],
        ]
        try connection.run("INSERT INTO t VALUES(1, 'x', NULL)")
        try connection.run(positional, 1, "x", nil)
        try connection.run(positional, 1, "x", Int?.none)
        try connection.run(positional, array)
        try connection.prepare("INSERT INTO t VALUES(1, 'x', NULL)").run()
        try connection.prepare(positional, 1, "x", nil).run()
        try connection.prepare(positional, 1, "x", Int?.none).run()
        try connection.prepare(positional, array).run()
        let statement = try connection.prepare(positional)
        try statement.bind(1, "x", nil).run()
        try statement.bind(1, "x", Int?.none).run()
        try statement.bind(array).run()
        let namedStatement = try connection.prepare(named)
        for dictionary in dictionaries {
            try connection.run(named, dictionary)
            try connection.run(named, parameters: dictionary)
            try connection.prepare(named, dictionary).run()
            try namedStatement.bind(dictionary).run()
        }
        #expect(try rows(connection) == Array(repeating: "[1, 'x', NULL]", count: 11 + 12))
    }

    @Test(arguments: 0..<8)
    func aWrongCountThrowsInEveryForm(count: Int) throws {
        guard count != 3 else { return }
        let connection = try makeTable()
        let values: [(any Bindable)?] = Array(repeating: 1, count: count)
        for error in [
            sqliteError { try connection.run(positional, values) },
            sqliteError { try connection.prepare(positional, values) },
            sqliteError { try connection.prepare(positional).bind(values) },
            sqliteError { try connection.query(positional, values) as Int? },
            sqliteError { try connection.query(positional, values) { _ in 1 } as [Int] },
        ] {
            #expect(error?.code == ResultCode.misuse.rawValue)
            #expect(error?.sql == positional)
            #expect(error?.message.contains("3") == true)
            #expect(error?.message.contains("\(count)") == true)
        }
        #expect(try rows(connection) == [])
    }

    @Test func aWrongCountThrowsInThePackForm() throws {
        let connection = try makeTable()
        expectThrows(SQLiteError.self) { try connection.run(positional, 1) }
        expectThrows(SQLiteError.self) { try connection.run(positional, 1, 2) }
        expectThrows(SQLiteError.self) { try connection.run(positional, 1, 2, 3, 4) }
        expectThrows(SQLiteError.self) { try connection.run("DELETE FROM t", 1) }
        expectThrows(SQLiteError.self) { try connection.run(positional) }
        expectThrows(SQLiteError.self) { try connection.query("SELECT 1", 1) as Int }
        expectThrows(SQLiteError.self) { try connection.prepare(positional).bind(1, 2) }
        #expect(try rows(connection) == [])
    }

    @Test(arguments: [
        ["a": 1, "b": 2], ["a": 1, "b": 2, "c": 3, "d": 4], ["a": 1, "b": 2, "x": 3], [:],
        ["a": 1, ":a": 1, "b": 2, "c": 3],
        ["a": 1, "b": 2, ":c": 3], ["A": 1, "b": 2, "c": 3], ["": 1, "b": 2, "c": 3],
    ])
    func anUnknownDoubledOrMissingNameThrows(parameters: [String: Int]) throws {
        let connection = try makeTable()
        expectThrows(SQLiteError.self) { try connection.run(named, parameters) }
        expectThrows(SQLiteError.self) { try connection.run(named, parameters: parameters) }
        expectThrows(SQLiteError.self) { try connection.prepare(named, parameters) }
        expectThrows(SQLiteError.self) { try connection.prepare(named).bind(parameters) }
        expectThrows(SQLiteError.self) { try connection.query(named, parameters) as Int? }
        #expect(try rows(connection) == [])
    }

    @Test func aNameMayOccurTwiceInTheSQL() throws {
        let row: Row? = try connection.query("SELECT :a, :b, :a", ["a": "x", "b": 2])
        #expect(row?.description == "['x', 2, 'x']")
    }

    @Test func theSameNameWithTwoPrefixesIsTwoParameters() throws {
        let row: Row? = try connection.query("SELECT :a, @a, $a", [":a": 1, "@a": 2, "$a": 3])
        #expect(row?.description == "[1, 2, 3]")
        expectThrows(SQLiteError.self) { try connection.run("SELECT :a, @a", ["a": 1]) }
    }

    @Test func numberedParametersTakeTheirPlace() throws {
        let row: [Row] = try connection.query("SELECT ?2, ?1, ?2", "first", "second")
        #expect(row.first?.description == "['second', 'first', 'second']")
        let gap: [Row] = try connection.query("SELECT ?3", 1, 2, 3)
        #expect(gap.first?.description == "[3]")
    }

    @Test func theThousandsOfParametersThatSQLiteAllowsCanBeBound() throws {
        let values = Array(1...2000)
        let marks = Array(repeating: "(?)", count: values.count).joined(separator: ",")
        #expect(
            try connection.query("SELECT sum(column1) FROM (VALUES \(marks))", values) == 2_001_000
        )
    }

    @Test func theRunBeforeLeavesNoValueBehind() throws {
        let connection = try makeTable()
        let statement = try connection.prepare(named)
        try statement.bind(["a": "long text that stays", "b": Data([1, 2, 3]), "c": 1.5]).run()
        try statement.bind(["a": nil, "b": nil, "c": nil]).run()
        expectThrows(SQLiteError.self) { try statement.bind(["a": 1]) }
        #expect(
            try rows(connection) == [
                "['long text that stays', x'010203', 1.5]", "[NULL, NULL, NULL]",
            ]
        )
    }

    @Test func bindingAfterAFailedStepDoesNotThrowTheOldErrorAgain() throws {
        try connection.execute("CREATE TABLE u(v UNIQUE)")
        let insert = try connection.prepare("INSERT INTO u VALUES(?)", 1)
        try insert.run()
        expectThrows(SQLiteError.self) { try insert.run() }
        try insert.bind(2).run()
        #expect(try connection.query("SELECT v FROM u") == [1, 2])
    }

    // MARK: run

    @Test func runPassesOverRows() throws {
        let connection = try makeTable()
        try connection.run("VALUES(1), (2)")
        try connection.run("INSERT INTO t VALUES(?, 2, 3) RETURNING a", 1)
        #expect(try rows(connection) == ["[1, 2, 3]"])
        #expect(connection.changes == 1)
    }

    @Test func updateAndDeleteWithoutWhereTouchEveryRow() throws {
        let connection = try makeTable()
        try connection.run("INSERT INTO t(a) VALUES(1), (2), (3)")
        try connection.run("UPDATE t SET b = ?", "x")
        #expect(connection.changes == 3)
        try connection.run("DELETE FROM t")
        #expect(connection.changes == 3)
        try connection.run("DELETE FROM t")
        #expect(connection.changes == 0)
    }

    @Test func aFailingStatementStoresNothing() throws {
        try connection.execute("CREATE TABLE u(v UNIQUE)")
        expectSQLiteError(.constraintUnique, sql: "INSERT INTO u VALUES(?), (?), (?)") {
            try connection.run("INSERT INTO u VALUES(?), (?), (?)", 1, 2, 1)
        }
        #expect(try connection.query("SELECT count(*) FROM u") == 0)
    }

    @Test func anErrorNeverShowsABoundValue() throws {
        try connection.execute("CREATE TABLE u(v UNIQUE); INSERT INTO u VALUES('secret')")
        let error = sqliteError { try connection.run("INSERT INTO u VALUES(?)", "secret") }
        #expect(error?.description.contains("secret") == false)
        let extraction = extractionError { try connection.query("SELECT ?", "secret") as Int }
        #expect(extraction?.description.contains("secret") == false)
    }

    @Test(arguments: ["", " \n", "-- comment", "/* comment */", ";"])
    func sqlWithoutAStatementThrows(sql: String) throws {
        #expect(sqliteError { try connection.run(sql) }?.code == ResultCode.misuse.rawValue)
        #expect(sqliteError { try connection.prepare(sql) }?.code == ResultCode.misuse.rawValue)
        #expect(
            sqliteError { try connection.query(sql) as Int? }?.code
                == ResultCode.misuse.rawValue
        )
    }

    @Test func aSecondStatementThrowsAndTheFirstDoesNotRun() throws {
        let connection = try makeTable()
        let sql = "INSERT INTO t(a) VALUES(1); INSERT INTO t(a) VALUES(2)"
        #expect(sqliteError { try connection.run(sql) }?.code == ResultCode.misuse.rawValue)
        #expect(sqliteError { try connection.prepare(sql) }?.code == ResultCode.misuse.rawValue)
        #expect(try rows(connection) == [])
        try connection.run("INSERT INTO t(a) VALUES(1); -- done\n ; ")
        #expect(try rows(connection).count == 1)
    }
}
