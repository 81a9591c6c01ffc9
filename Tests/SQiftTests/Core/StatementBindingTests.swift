import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct StatementBindingTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(a, b)")
    }

    private func texts(_ statement: Statement) throws -> String {
        let row: Row? = try statement.query()
        return row?.description ?? "no row"
    }

    // MARK: The forms

    @Test func everyFormOfBindBindsTheSame() throws {
        let statement = try connection.prepare("SELECT :a, :b")
        #expect(try texts(statement.bind(1, "x")) == "[1, 'x']")
        #expect(try texts(statement.bind(2, nil)) == "[2, NULL]")
        #expect(try texts(statement.bind(nil, nil)) == "[NULL, NULL]")
        #expect(try texts(statement.bind([3, "y"])) == "[3, 'y']")
        #expect(try texts(statement.bind(["a": 4, "b": nil])) == "[4, NULL]")
        let values: [(any Bindable)?] = [5, nil]
        #expect(try texts(statement.bind(values)) == "[5, NULL]")
        #expect(try texts(statement.bind(Int?.none, Double?(1.5))) == "[NULL, 1.5]")
    }

    @Test func manyTypesFitInOneCall() throws {
        let statement = try connection.prepare("SELECT ?, ?, ?, ?, ?, ?, ?, ?")
        let data = Data([0, 255])
        let bound = try statement.bind(1, 2.5, "x", data, true, UInt8(7), Float(0.5), String?.none)
        #expect(try texts(bound) == "[1, 2.5, 'x', x'00ff', 1, 7, 0.5, NULL]")
    }

    @Test func aStatementWithoutParametersTakesNone() throws {
        let statement = try connection.prepare("SELECT 1")
        #expect(try texts(statement.bind([])) == "[1]")
        #expect(try texts(statement.bind([:])) == "[1]")
        #expect(try texts(statement.bind()) == "[1]")
        #expect(try texts(connection.prepare("SELECT 1", [])) == "[1]")
        expectSQLiteError(.misuse) { try statement.bind(1) }
        expectSQLiteError(.misuse) { try statement.bind(["a": 1]) }
    }

    // MARK: Counts

    @Test func aWrongCountThrows() throws {
        let sql = "INSERT INTO t VALUES(?, ?)"
        let statement = try connection.prepare(sql)
        for error in [
            sqliteError { try statement.bind(1) },
            sqliteError { try statement.bind(1, 2, 3) },
            sqliteError { try statement.bind(nil) },
            sqliteError { try connection.run(sql) },
            sqliteError { try connection.run(sql, 1) },
            sqliteError { try connection.prepare(sql, 1) },
            sqliteError { try connection.query(sql, 1, 2, 3) as Int? },
        ] {
            expect(error, .misuse, sql: sql)
        }
        #expect(try count("t", on: connection) == 0)
    }

    @Test func numberedParametersCountToTheLargestNumber() throws {
        let statement = try connection.prepare("SELECT ?3, ?1, ?3")
        #expect(statement.parameterCount == 3)
        #expect(try texts(statement.bind("a", "b", "c")) == "['c', 'a', 'c']")
        expectSQLiteError(.misuse) { try statement.bind("a", "b") }
    }

    @Test func asManyParametersAsSQLiteAllowsAreBound() throws {
        let limit = try connection.withUnsafeHandle {
            Int(sqlite3_limit($0, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
        }
        let placeholders = Array(repeating: "?", count: limit).joined(separator: ",")
        let values = Array(1...limit)
        let found: Bool = try connection.query("SELECT \(limit) IN (\(placeholders))", values)
        #expect(found)
        let missing: Bool = try connection.query("SELECT 0 IN (\(placeholders))", values)
        #expect(!missing)

        expectSQLiteError(message: "too many SQL variables") {
            try connection.prepare("SELECT 0 IN (\(placeholders),?)")
        }
        expectSQLiteError(containing: "variable number must be between ?1 and ?\(limit)") {
            try connection.prepare("SELECT ?\(limit + 1)")
        }
    }

    // MARK: Names

    @Test func aNameWithoutItsPrefixIsTheFirstOfItsParametersByPrefix() throws {
        let all = try connection.prepare("SELECT $id, @id, :id")
        #expect(try texts(all.bind(["id": 1, "@id": 2, "$id": 3])) == "[3, 2, 1]")
        let two = try connection.prepare("SELECT $id, @id")
        #expect(try texts(two.bind(["id": 1, "$id": 2])) == "[2, 1]")
    }

    @Test(arguments: [":", "@", "$"])
    func aNameIsFoundWithAndWithoutItsPrefix(prefix: String) throws {
        let statement = try connection.prepare("SELECT \(prefix)id, \(prefix)größe, \(prefix)id")
        #expect(try texts(statement.bind(["id": 1, "größe": 2])) == "[1, 2, 1]")
        #expect(try texts(statement.bind([prefix + "id": 3, prefix + "größe": 4])) == "[3, 4, 3]")
        #expect(try texts(statement.bind([prefix + "id": 5, "größe": nil])) == "[5, NULL, 5]")
        #expect(try texts(statement.bind(6, 7)) == "[6, 7, 6]")
    }

    @Test func anotherPrefixIsAnotherName() throws {
        let statement = try connection.prepare("SELECT :id")
        expectSQLiteError(.misuse) { try statement.bind(["@id": 1]) }

        let both = try connection.prepare("SELECT :id, @id, $id")
        #expect(both.parameterCount == 3)
        #expect(try texts(both.bind([":id": 1, "@id": 2, "$id": 3])) == "[1, 2, 3]")
        expectThrows(SQLiteError.self) { try both.bind(["id": 1]) }
    }

    @Test func aNumberIsANameToo() throws {
        #expect(try connection.query("SELECT ?1 + ?2", ["1": 10, "?2": 5]) == 15)
        #expect(try connection.query("SELECT ?1 + ?2", encoding: [1: 10, 2: 5]) == 15)
        try connection.execute("CREATE TABLE numbers AS SELECT ?1 AS n", parameters: ["1": 7])
        #expect(try connection.query("SELECT n FROM numbers") == 7)
    }

    @Test func anUnknownNameThrows() throws {
        let sql = "INSERT INTO t VALUES(:a, :b)"
        let statement = try connection.prepare(sql)
        for error in [
            sqliteError { try statement.bind(["a": 1, "b": 2, "nonsense": 3]) },
            sqliteError { try connection.run(sql, ["a": 1, "nonsense": 3]) },
            sqliteError { try connection.run(sql, parameters: ["a": 1, "b": 2, ":nonsense": 3]) },
            sqliteError { try connection.prepare(sql, ["a": 1, "b": 2, "nonsense": nil]) },
        ] {
            expect(error, .misuse, sql: sql)
        }
        expectSQLiteError(containing: #""nonsense", only [":a", ":b"]"#) {
            try statement.bind(["a": 1, "b": 2, "nonsense": 3])
        }
        #expect(try count("t", on: connection) == 0)
    }

    @Test func aNameLeftUnsetThrowsAndIsNamed() throws {
        let sql = "INSERT INTO t VALUES(:a, :b)"
        for error in [
            sqliteError { try connection.prepare(sql).bind(["a": 1]) },
            sqliteError { try connection.run(sql, ["a": 1]) },
            sqliteError { try connection.run(sql, parameters: [":a": 1]) },
        ] {
            expect(error, .misuse, containing: ":b")
        }
        expectThrows(SQLiteError.self) { try connection.run(sql, [String: (any Bindable)?]()) }
        #expect(try count("t", on: connection) == 0)
    }

    @Test func aNameGivenTwiceThrows() throws {
        let statement = try connection.prepare("SELECT :id")
        expectSQLiteError(.misuse) { try statement.bind(["id": 1, ":id": 2]) }
        expectThrows(SQLiteError.self) { try statement.run() }
    }

    @Test func aNamelessParameterCannotBeSetByName() throws {
        let statement = try connection.prepare("SELECT ?, :id")
        expectThrows(SQLiteError.self) { try statement.bind(["id": 1]) }
        #expect(try texts(statement.bind(1, 2)) == "[1, 2]")
    }

    // MARK: Unbound statements and earlier values

    @Test func aStatementWithoutItsValuesCannotRun() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(?, 1)")
        for error in [
            sqliteError { try statement.run() },
            sqliteError { try statement.query() as Int? },
            sqliteError { try statement.query() as [Row] },
            sqliteError { try statement.forEachRow { _ in } },
            sqliteError { try statement.query { _ in 1 } as [Int] },
        ] {
            expect(error, .misuse, sql: statement.sql)
        }
        #expect(try count("t", on: connection) == 0)
        try statement.bind(1).run()
        #expect(try count("t", on: connection) == 1)
    }

    @Test func aFailedBindLeavesTheStatementUnbound() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(:a, :b)", "old", "old")
        let failures: [() throws -> Void] = [
            { try statement.bind("new") },
            { try statement.bind("new", Double.nan) },
            { try statement.bind(["new", Double.nan]) },
            { try statement.bind(["a": "new"]) },
            { try statement.bind(["a": "new", "b": 1, "c": 2]) },
            { try statement.bind(["a": "new", "b": Double.nan]) },
        ]
        for failure in failures {
            expectThrows(SQLiteError.self) { try failure() }
            expectSQLiteError(.misuse) { try statement.run() }
        }
        #expect(try count("t", on: connection) == 0)
        expectSQLiteError(.misuse) { try connection.run(statement.sql) }
    }

    @Test func aFailedBindForgetsTheEarlierValues() throws {
        let statement = try connection.prepare("SELECT :a, :b")
        let failures: [() throws -> Void] = [
            { try statement.bind("new", Double.nan) },
            // sqift: unchecked
            { try statement.bind(["a": "new", "c": 2]) },
            // sqift: unchecked
            { try statement.bind("new") }, { try statement.bind([]) },
        ]
        for failure in failures {
            try statement.bind("old", "old")
            expectThrows(SQLiteError.self) { try failure() }
            #expect(statement.expandedSQL == "SELECT NULL, NULL")
        }
    }

    @Test func valuesOfAnEarlierRunNeverReturn() throws {
        let statement = try connection.prepare("SELECT :a, :b")
        #expect(try texts(statement.bind("secret", Data([1]))) == "['secret', x'01']")
        #expect(try texts(statement.bind(nil, nil)) == "[NULL, NULL]")
        #expect(try texts(statement.bind(["a": nil, "b": 2])) == "[NULL, 2]")
        #expect(try texts(statement.bind("", Data())) == "['', x'']")
    }

    @Test func boundValuesStayForTheNextRun() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(?, ?)", "kept", 1)
        try statement.run()
        try statement.run()
        let kept: [String] = try connection.query("SELECT a FROM t")
        #expect(kept == ["kept", "kept"])
    }

    @Test func aBoundValueIsACopy() throws {
        let statement = try connection.prepare("SELECT ?, ?, ?")
        var short = String("short".reversed())
        var data = Data(repeating: 7, count: 10)
        var long = String(repeating: "x", count: 100_000)
        try statement.bind(short, data, long)
        short.append("er")
        data[0] = 0
        long.removeAll()
        let row: Row? = try statement.query()
        #expect(try row?.get(0) == "trohs")
        #expect(try row?.get(1) == Data(repeating: 7, count: 10))
        #expect(try row?.get(2) == String(repeating: "x", count: 100_000))
    }

    @Test func aValueBeyondSQLitesLimitThrows() throws {
        try connection.withUnsafeHandle { _ = sqlite3_limit($0, SQLITE_LIMIT_LENGTH, 1000) }
        let statement = try connection.prepare("INSERT INTO t VALUES(?, ?)")
        for error in [
            sqliteError { try statement.bind("short", String(repeating: "x", count: 1001)) },
            sqliteError { try statement.bind(["short", Data(count: 1001)]) },
            sqliteError {
                try connection.run(statement.sql, ["short", String(repeating: "x", count: 1001)])
            },
        ] {
            expect(error, .tooBig, sql: statement.sql)
        }
        expectSQLiteError(.misuse) { try statement.run() }
        try statement.bind("short", 1).run()
        #expect(try texts(connection.prepare("SELECT a, b FROM t")) == "['short', 1]")
    }

    @Test func textsOfEveryKindOfStringAreBound() throws {
        let statement = try connection.prepare("SELECT ?")
        let part = String("xxübergrößeyy".dropFirst(2).dropLast(2))
        let bridged = NSString(string: "bridged ü\0日").substring(from: 0)
        for text in [part, bridged, "", "\0", "a\0b\0", "\u{FEFF}x", "\u{10FFFF}"] {
            let found: String = try statement.bind(text).query()
            #expect(Array(found.utf8) == Array(text.utf8))
        }
    }

    @Test func countsAreInTheSingularOrThePlural() throws {
        let one = try connection.prepare("SELECT ?")
        let two = try connection.prepare("SELECT ?, ?")
        expectSQLiteError(message: "the statement has 1 parameter, but got 2 values") {
            try one.bind(1, 2)
        }
        expectSQLiteError(message: "the statement has 2 parameters, but got 1 value") {
            try two.bind(1)
        }
        expectSQLiteError(message: "the statement has 2 parameters, but got 0 values") {
            try two.bind([])
        }
    }
}
