import Foundation
import SQift
import SQiftTestSupport
import Testing

private enum Colour: String {
    case red, green
}

extension Colour: Binding {}

private struct Point: CodableBinding, Equatable {
    typealias BindingType = Data
    var x: Double
    var y: Double
}

private struct Zeros: Bindable {
    let count: Int
    var bindingValue: BindingValue { .null }
    func bind(to slot: borrowing ParameterSlot) throws {
        try slot.bind(zeroBlobOf: count)
    }
}

private struct Silent: Bindable {
    var bindingValue: BindingValue { .integer(1) }
    func bind(to slot: borrowing ParameterSlot) throws {}
}

struct FunctionTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    // MARK: Arguments

    @Test func functionsTakeAsManyArgumentsAsTheirClosures() throws {
        try connection.addFunction(named: "f") { 7 }
        try connection.addFunction(named: "f") { (a: Int) in a * 10 }
        try connection.addFunction(named: "f") { (a: String, b: Int) in "\(a)/\(b)" }
        try connection.addFunction(named: "f") { (a: Int, b: String, c: Double) in "\(a) \(b) \(c)"
        }
        try connection.addFunction(named: "f") {
            (a: Int, b: Int8, c: UInt16, d: String, e: Bool, f: Double, g: String, h: Int?) in
            "\(a) \(b) \(c) \(d) \(e) \(f) \(g) \(h as Any)"
        }
        try #expect(connection.query("SELECT f()") == 7)
        try #expect(connection.query("SELECT f(4)") == 40)
        try #expect(connection.query("SELECT f('a', 2)") == "a/2")
        try #expect(connection.query("SELECT f(1, 'b', 2.5)") == "1 b 2.5")
        try #expect(
            connection.query("SELECT f(1, -2, 3, 'd', 1, 0.5, 'g', NULL)")
                == "1 -2 3 d true 0.5 g nil"
        )
        expectSQLiteError(message: "wrong number of arguments to function f()") {
            try connection.run("SELECT f(1, 2, 3, 4)")
        }
    }

    @Test func optionalArgumentsTakeNULLAndNilIsNULL() throws {
        try connection.addFunction(named: "f") { (a: Int?, b: String?) in
            a.map { "\($0)" } ?? b
        }
        let texts: [String?] = try connection.query(
            "SELECT f(column1, column2) FROM (VALUES(1, 'a'), (NULL, 'b'), (2, NULL), (NULL, NULL))"
        )
        #expect(texts == ["1", "b", "2", nil])
        try #expect(connection.query("SELECT typeof(f(NULL, NULL))") == "null")
    }

    @Test func anOptionalArgumentOfAnotherTypeIsStillAnError() throws {
        try connection.addFunction(named: "f") { (a: Int?) in a }
        let message = try #require(sqliteError { try connection.run("SELECT f('x')") }?.message)
        for part in ["f", "argument 1", "TEXT", "Int"] {
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test(arguments: [
        ("whole(1, 'x')", "whole", "argument 2", "TEXT", "Int"),
        ("whole(x'00', 1)", "whole", "argument 1", "BLOB", "Int"),
        ("whole(1, NULL)", "whole", "argument 2", "NULL", "Int"),
        ("whole(1.5, 1)", "whole", "argument 1", "REAL", "Int"),
        ("whole(1e300, 1)", "whole", "argument 1", "REAL", "Int"),
        ("byte(256)", "byte", "argument 1", "INTEGER", "UInt8"),
        ("byte(-1)", "byte", "argument 1", "INTEGER", "UInt8"),
        ("words('a', 1)", "words", "argument 2", "INTEGER", "String"),
        ("words(x'61', 'b')", "words", "argument 1", "BLOB", "String"),
        ("blob('a')", "blob", "argument 1", "TEXT", "Data"),
        ("colour('blue')", "colour", "argument 1", "TEXT", "Colour"),
        ("date('yesterday-ish', 1)", "date", "argument 1", "TEXT", "Date"),
        ("point('{}')", "point", "argument 1", "TEXT", "Point"),
    ])
    func anArgumentThatDoesNotFitIsAnError(call: (String, String, String, String, String)) throws {
        try connection.addFunction(named: "whole") { (a: Int, b: Int) in a + b }
        try connection.addFunction(named: "byte") { (a: UInt8) in a }
        try connection.addFunction(named: "words") { (a: String, b: String) in a + b }
        try connection.addFunction(named: "blob") { (a: Data) in a }
        try connection.addFunction(named: "colour") { (a: Colour) in a }
        try connection.addFunction(named: "date") { (a: Date, b: Int) in a }
        try connection.addFunction(named: "point") { (a: Point) in a }
        let error = try #require(sqliteError { try connection.run("SELECT \(call.0)") })
        #expect(error.resultCode == .error)
        for part in [call.1, call.2, call.3, call.4] {
            #expect(error.message.contains(part), "\(error)")
        }
    }

    @Test(arguments: [0, 1, 2, 126, 127])
    func aVariadicFunctionTakesAnyNumberOfArguments(count: Int) throws {
        try connection.addFunction(named: "f") { (values: [BindingValue]) in
            values.map(\.description).joined(separator: "+")
        }
        let list = (0..<count).map { "\($0)" }
        try #expect(
            connection.query("SELECT f(\(list.joined(separator: ",")))")
                == list.joined(separator: "+")
        )
    }

    @Test func aVariadicFunctionSeesEveryStorageClass() throws {
        try connection.addFunction(named: "f") { (values: [BindingValue]) in "\(values)" }
        let text: String = try connection.query(
            "SELECT f(NULL, -1, 1.5, 'it''s', x'00ff', x'', '')"
        )
        #expect(text == "[NULL, -1, 1.5, 'it''s', x'00ff', x'', '']")
    }

    @Test func theOverloadWithTheNumberOfArgumentsIsPreferred() throws {
        try connection.addFunction(named: "f") { (values: [BindingValue]) in "any \(values.count)" }
        try connection.addFunction(named: "f") { (a: Int, b: Int) in "two" }
        try connection.addFunction(named: "F") { "none" }
        let row: Row? = try connection.query("SELECT f(), f(1), f(1, 2), f(1, 2, 3)")
        #expect(row?.description == "['none', 'any 1', 'two', 'any 3']")
    }

    // MARK: Values

    private func expectEcho<T: Binding & Equatable>(
        _ values: T...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try connection.addFunction(named: "echo") { (value: T) in value }
        try connection.addFunction(named: "echo_optional") { (value: T?) in value }
        for value in values {
            let echo: T = try connection.query("SELECT echo(?)", value)
            #expect(echo == value, sourceLocation: sourceLocation)
            let same: Bool = try connection.query(
                "SELECT echo(?1) IS ?1 AND typeof(echo(?1)) = typeof(?1)",
                value
            )
            #expect(same, "\(value)", sourceLocation: sourceLocation)
            let optional: T? = try connection.query("SELECT echo_optional(?)", value)
            #expect(optional == value, sourceLocation: sourceLocation)
        }
        try #expect(
            connection.query("SELECT echo_optional(NULL) IS NULL") == true,
            sourceLocation: sourceLocation
        )
    }

    @Test func everyTypePassesThroughAFunctionUnchanged() throws {
        try expectEcho(Int.min, -1, 0, 1, Int.max)
        try expectEcho(Int8.min, Int8.max)
        try expectEcho(Int16.min, Int16.max)
        try expectEcho(Int32.min, Int32.max)
        try expectEcho(Int64.min, Int64.max)
        try expectEcho(UInt8.min, UInt8.max)
        try expectEcho(UInt16.max)
        try expectEcho(UInt32.max)
        try expectEcho(UInt64(Int64.max), UInt64(Int64.max) + 1, UInt64.max)
        try expectEcho(UInt.max)
        try expectEcho(true, false)
        try expectEcho(
            0.1,
            -0.0,
            .infinity,
            -.infinity,
            .leastNonzeroMagnitude,
            .greatestFiniteMagnitude
        )
        try expectEcho(Float(0.1), Float.greatestFiniteMagnitude)
        try expectEcho("", "a\0b\0", "\0", "été 日本 😀 e\u{301}")
        try expectEcho(Data(), Data([0]), Data([0xff, 0, 0xc3]))
        try expectEcho(Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -1.5))
        try expectEcho(UUID())
        try expectEcho(try #require(URL(string: "https://example.com/a%20b?c=d#e")))
        try expectEcho(try #require(Decimal(string: "-12345678901234567890.123456789")))
        try expectEcho(Colour.red, Colour.green)
        try expectEcho(Point(x: 1, y: -2.5))
        try expectEcho(BindingValue.integer(1), .real(1), .text("1"), .blob(Data([1])))
    }

    @Test func theClosureReceivesWhatTheStatementHolds() throws {
        var dates: [Date] = []
        try connection.addFunction(named: "f") {
            (date: Date, point: Point, colour: Colour, flag: Bool) in
            dates.append(date)
            return point.x + (flag ? 1 : 0) + (colour == .green ? 10 : 0)
        }
        try #expect(
            connection.query("SELECT f('2001-09-09 01:46:40', '{\"x\":100,\"y\":2}', 'green', 2)")
                == 111
        )
        #expect(dates == [Date(timeIntervalSince1970: 1_000_000_000)])
    }

    @Test func aResultThatCannotBeStoredIsAnError() throws {
        try connection.addFunction(named: "nan") { Double.nan }
        try connection.addFunction(named: "point") { Point(x: .infinity, y: 0) }
        try connection.addFunction(named: "late") { Date(timeIntervalSince1970: 1e12) }
        let error = sqliteError { try connection.run("SELECT nan()") }
        #expect(error?.resultCode == .mismatch)
        #expect(error?.message.contains("nan") == true)
        #expect(error?.message.contains("NaN") == true)
        for call in ["point()", "late()"] {
            expectSQLiteError { try connection.run("SELECT \(call)") }
        }
    }

    @Test func aResultThatBindsNothingIsAnErrorAsForAParameter() throws {
        try connection.addFunction(named: "f") { Silent() }
        expectSQLiteError { let _: Int? = try connection.query("SELECT ?", Silent()) }
        expectSQLiteError { let _: Int? = try connection.query("SELECT f()") }
    }

    @Test func zerosBecomeABlobOfThem() throws {
        try connection.addFunction(named: "zeros") { (count: Int) in Zeros(count: count) }
        try #expect(connection.query("SELECT zeros(5)") == Data(count: 5))
        try #expect(connection.query("SELECT typeof(zeros(0)) || length(zeros(0))") == "blob0")
        try #expect(connection.query("SELECT length(zeros(100000000))") == 100_000_000)
        expectSQLiteError(.tooBig) { try connection.run("SELECT zeros(99999999999)") }
    }

    @Test func aTextBeyondTheLimitIsTooBig() throws {
        try connection.setLimit(.length, to: 1000)
        try connection.addFunction(named: "f") { (count: Int) in
            String(repeating: "x", count: count)
        }
        try #expect(connection.query("SELECT length(f(1000))") == 1000)
        expectSQLiteError(.tooBig) { try connection.run("SELECT length(f(1001))") }
    }

    @Test func largeTextsPassInAndOut() throws {
        let text = String(repeating: "0123456789é", count: 900_000)
        try connection.addFunction(named: "f") { (text: String) in text + "!" }
        let result: String = try connection.query("SELECT f(?)", text)
        #expect(result.utf8.count == text.utf8.count + 1)
        #expect(result == text + "!")
    }

    @Test func textsAreConvertedInADatabaseOfUTF16() throws {
        try connection.execute(
            "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(x); INSERT INTO t VALUES('é😀')"
        )
        try connection.addFunction(named: "f") { (text: String) in text + "\0" + text }
        try #expect(connection.query("SELECT f(x) FROM t") == "é😀\0é😀")
    }

    // MARK: Calls in calls

    @Test func aFunctionMayQueryAndWriteToTheConnection() throws {
        try connection.execute(
            "CREATE TABLE log(x); CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1), ('b', 2)"
        )
        try connection.addFunction(named: "lookup") { [unowned connection] (key: String) in
            try connection.run("INSERT INTO log VALUES(?)", key)
            return try connection.query("SELECT v FROM t WHERE k = ?", key) as Int?
        }
        let values: [Int?] = try connection.query(
            "SELECT lookup(value) FROM json_each('[\"b\",\"c\",\"a\"]')"
        )
        #expect(values == [2, nil, 1])
        try expectRows(3, of: "log", on: connection)
    }

    @Test func aFunctionMayCallItselfThroughSQL() throws {
        try connection.addFunction(named: "factorial") {
            [unowned connection] (n: Int, label: String) in
            let rest: Int =
                n <= 1 ? 1 : try connection.query("SELECT factorial(?, ?)", n - 1, "inner")
            #expect(label == (n == 12 ? "outer" : "inner"))
            return n * rest
        }
        try #expect(connection.query("SELECT factorial(12, 'outer')") == 479_001_600)
    }

    @Test func aVariadicFunctionKeepsItsArgumentsDuringANestedCall() throws {
        try connection.addFunction(named: "f") { [unowned connection] (values: [BindingValue]) in
            guard values.count > 1 else { return "\(values)" }
            let inner: String = try connection.query("SELECT f('inner')")
            return "\(values)" + inner
        }
        try #expect(
            connection.query("SELECT f(1, 2) || f(3, 4)") == "[1, 2]['inner'][3, 4]['inner']"
        )
    }

    @Test func anErrorOfANestedCallIsTheOuterOneAgain() throws {
        try connection.addFunction(named: "f") { [unowned connection] (n: Int) throws -> Int in
            if n == 0 {
                throw SQLiteError(code: .constraintUnique, message: "deep")
            }
            return try connection.query("SELECT f(?)", n - 1)
        }
        expectSQLiteError(extended: .constraintUnique, message: "deep") {
            try connection.run("SELECT f(5)")
        }

        try connection.addFunction(named: "g") { [unowned connection] in
            (try? connection.query("SELECT f(3)") as Int) ?? -1
        }
        try #expect(connection.query("SELECT g()") == -1)
    }

    @Test func functionsAreArgumentsOfFunctions() throws {
        try connection.addFunction(named: "f") { (n: Int) in n * 2 + 1 }
        try connection.addFunction(named: "g") { (a: Int, b: String) in "\(a)\(b)" }
        try #expect(connection.query("SELECT f(f(1))") == 7)
        try #expect(connection.query("SELECT g(f(f(f(0))), g(f(2), 'x'))") == "75x")
    }

    @Test func aFunctionIsCalledForEachRowWithItsValues() throws {
        try connection.addFunction(named: "f") { (n: Int, text: String) in "\(n)\(text)" }
        let texts: [String] = try connection.query(numbers(to: 1000, selecting: "f(n, 'x' || n)"))
        #expect(texts == (1...1000).map { "\($0)x\($0)" })
    }
}
