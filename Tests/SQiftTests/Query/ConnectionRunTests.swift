import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ConnectionRunTests {
    private let connection: Connection

    private let positional = "INSERT INTO t VALUES(?, ?, ?)"
    private let named = "INSERT INTO t VALUES(:a, @b, $c)"

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(a, b, c)")
    }

    @Test func everyFormOfRunPrepareAndBindStoresTheSameRow() throws {
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
        let rows: [Row] = try connection.query("SELECT * FROM t")
        #expect(
            rows.map(\.description) == Array(repeating: "[1, 'x', NULL]", count: 11 + 12)
        )
    }

    @Test(arguments: 0..<8)
    func aWrongCountThrowsInEveryForm(count: Int) throws {
        guard count != 3 else { return }
        let values: [(any Bindable)?] = Array(repeating: 1, count: count)
        for error in [
            sqliteError { try connection.run(positional, values) },
            sqliteError { try connection.prepare(positional, values) },
            sqliteError { try connection.prepare(positional).bind(values) },
            sqliteError { try connection.query(positional, values) as Int? },
            sqliteError { try connection.query(positional, values) { _ in 1 } as [Int] },
        ] {
            expect(error, .misuse, containing: "3", sql: positional)
            #expect(error?.message.contains("\(count)") == true)
        }
        #expect(try SQiftTestSupport.count("t", on: connection) == 0)
    }

    @Test(arguments: [
        ["a": 1, "b": 2], ["a": 1, "b": 2, "c": 3, "d": 4], ["a": 1, "b": 2, "x": 3], [:],
        ["a": 1, ":a": 1, "b": 2, "c": 3],
        ["a": 1, "b": 2, ":c": 3], ["A": 1, "b": 2, "c": 3], ["": 1, "b": 2, "c": 3],
    ])
    func anUnknownDoubledOrMissingNameThrows(parameters: [String: Int]) throws {
        expectThrows(SQLiteError.self) { try connection.run(named, parameters) }
        expectThrows(SQLiteError.self) { try connection.run(named, parameters: parameters) }
        expectThrows(SQLiteError.self) { try connection.prepare(named, parameters) }
        expectThrows(SQLiteError.self) { try connection.prepare(named).bind(parameters) }
        expectThrows(SQLiteError.self) { try connection.query(named, parameters) as Int? }
        #expect(try SQiftTestSupport.count("t", on: connection) == 0)
    }

}
