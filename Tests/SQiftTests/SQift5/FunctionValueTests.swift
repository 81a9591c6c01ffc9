import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct FunctionValueTests {
    typealias Value = Connection.FunctionValue
    typealias Result = Connection.FunctionResult

    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    /// What `read` makes of an SQL expression as an argument.
    private func reading<T>(_ expression: SQL, _ read: @escaping (Value) -> T) throws -> T {
        var result: T?
        try connection.addScalarFunction(named: "reading", argumentCount: 1) { _, values in
            result = values.first.map(read)
            return .null
        }
        try connection.run("SELECT reading(\(expression))")
        return try #require(result)
    }

    // MARK: Values

    @Test(arguments: [
        ("NULL", Connection.FunctionValue.DataType.null, Connection.FunctionValue.DataType.null),
        ("1", .integer, .integer), ("1.5", .double, .double),
        ("'abc'", .text, .text), ("'12'", .text, .integer), ("' 1.5 '", .text, .double),
        ("''", .text, .text),
        ("'12x'", .text, .text), ("x'3132'", .data, .data), ("x''", .data, .data),
    ])
    func theTypeIsTheStorageClass(
        expression: SQL,
        type: Value.DataType,
        numericType: Value.DataType
    ) throws {
        try #expect(reading(expression) { $0.type } == type)
        try #expect(reading(expression) { $0.numericType } == numericType)
        let flags = try reading(expression) {
            [$0.isNull, $0.isInteger, $0.isDouble, $0.isText, $0.isData]
        }
        #expect(flags == [.null, .integer, .double, .text, .data].map { $0 == type })
    }

    @Test(arguments: [
        "0", "-0", "+5", "007", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "-9223372036854775809", "1.", ".5", "-.5", "+1.5e3", "1e5", "1E-5",
        "1.e+5", "1e999", "1e-999", "123456789012345678901234567890.5", " \t\n\u{B}\u{C}\r7 \r\n ",
        "", " ", "+", "-", ".", "e5", ".e5", "1e", "1e+", "+-1", "--1", "1-", "1.5.5", "1e5.5",
        "1 2", "0x10", "inf", "-inf", "infinity", "nan", "1_000", "1,5", "\u{A0}1",
        "1\u{A0}",
        "１", "5\u{301}", "abc", "1.5 ", "1 .5",
    ])
    func aTextIsANumberWhereSQLiteSaysSo(text: String) throws {
        // SQLite's own answer, which makes its argument a number: hence from a function of its own.
        try connection.withUnsafeHandle { handle in
            let code = sqlite3_create_function_v2(
                handle,
                "numeric_type",
                1,
                SQLITE_UTF8,
                nil,
                { context, _, values in
                    sqlite3_result_int(context, sqlite3_value_numeric_type(values?[0]))
                },
                nil,
                nil,
                nil
            )
            try #require(code == SQLITE_OK)
        }
        let types: [Int32: Value.DataType] = [
            SQLITE_INTEGER: .integer, SQLITE_FLOAT: .double, SQLITE_TEXT: .text,
        ]
        var found: Value.DataType?
        try connection.addScalarFunction(named: "reading", argumentCount: 1) { _, values in
            found = values.first?.numericType
            return .null
        }
        try connection.run("SELECT reading(?)", text)
        let code: Int32 = try connection.query("SELECT numeric_type(?)", text)
        #expect(found == types[code])
    }

    @Test(arguments: [
        ("NULL", 0, 0.0, "", [UInt8]()),
        ("-7", -7, -7, "-7", Array("-7".utf8)),
        (
            "9223372036854775807", .max, 9.223372036854775807e18, "9223372036854775807",
            Array("9223372036854775807".utf8)
        ),
        (
            "-9223372036854775808", .min, -9.223372036854775808e18, "-9223372036854775808",
            Array("-9223372036854775808".utf8)
        ),
        ("-2.75", -2, -2.75, "-2.75", Array("-2.75".utf8)),
        ("1e300", .max, 1e300, "1.0e+300", Array("1.0e+300".utf8)),
        ("'12.9 apples'", 12, 12.9, "12.9 apples", Array("12.9 apples".utf8)),
        ("'apples'", 0, 0, "apples", Array("apples".utf8)),
        ("'é' || char(0) || '日'", 0, 0, "é\0日", Array("é\0日".utf8)),
        ("x'3432c3a900'", 42, 42, "42é\0", [0x34, 0x32, 0xc3, 0xa9, 0]),
        ("x''", 0, 0, "", []),
        ("''", 0, 0, "", []),
    ])
    func valuesAreConvertedAsSQLiteDoes(
        expression: SQL,
        long: Int64,
        double: Double,
        text: String,
        bytes: [UInt8]
    ) throws {
        try #expect(reading(expression) { $0.long } == long)
        try #expect(reading(expression) { $0.integer } == Int32(truncatingIfNeeded: long))
        try #expect(reading(expression) { $0.double } == double)
        try #expect(reading(expression) { $0.text } == text)
        try #expect(reading(expression) { $0.data } == Data(bytes))
        try #expect(reading(expression) { Array($0.buffer) } == bytes)
    }

    @Test func bytesThatAreNotUTF8AreInTheBufferAsTheyAre() throws {
        try #expect(reading("CAST(x'61ff62' AS TEXT)") { Array($0.buffer) } == [0x61, 0xff, 0x62])
        try #expect(reading("CAST(x'61ff62' AS TEXT)") { $0.text } == "a\u{fffd}b")
    }

    @Test func aDateIsATextThatIsOne() throws {
        let date = Date(timeIntervalSince1970: 1_000_000_000.5)
        for text in ["2001-09-09T01:46:40.500", "2001-09-09 01:46:40.500"] {
            try #expect(reading("'\(text)'") { $0.date } == date)
        }
        for expression in ["NULL", "1000000000", "1e9", "'soon'", "''", "x'323030312d30392d3039'"] {
            try #expect(reading(expression) { $0.date } == nil, "\(expression)")
        }
    }

    @Test(arguments: ["NULL", "1", "1.5", "'abc'", "' 012 '", "'1.50'", "x'3132'", "x''"])
    func readingAPropertyDoesNotChangeTheOthers(expression: SQL) throws {
        let names = ["integer", "long", "double", "text", "data", "date", "type", "numericType"]
        let reads: [(Value) -> Any] = [
            { $0.integer }, { $0.long }, { $0.double }, { $0.text }, { $0.data },
            { $0.date as Any }, { $0.type },
            { $0.numericType },
        ]
        let type = try reading(expression) { $0.type }
        let text = try reading(expression) { $0.text }
        for (name, read) in zip(names, reads) {
            let after = try reading(expression) { value in
                _ = read(value)
                return (value.type, value.text)
            }
            #expect(after.0 == type, "\(expression) after \(name)")
            #expect(after.1 == text, "\(expression) after \(name)")
        }
    }

    @Test func theNumberOfValuesIsTheNumberOfArguments() throws {
        try connection.addScalarFunction(named: "f", argumentCount: -1) { _, values in
            .long(Int64(values.count))
        }
        try connection.addScalarFunction(named: "f", argumentCount: 2) { _, values in
            .text("two \(values.count)")
        }
        let many = (0..<127).map { "\($0)" }.joined(separator: ",")
        let row: Row? = try connection.query("SELECT f(), f(1), f(1, 2), f(\(many))")
        #expect(row?.description == "[0, 1, 'two 2', 127]")
    }

    // MARK: Results

    @Test func aResultIsStoredAsItsCaseSays() throws {
        let results: [(Result, BindingValue)] = [
            (.null, .null), (.integer(.min), .integer(-2_147_483_648)),
            (.long(.max), .integer(.max)),
            (.double(-0.5), .real(-0.5)), (.double(.infinity), .real(.infinity)),
            (.text("a\0é"), .text("a\0é")),
            (.text(""), .text("")),
            (.date(Date(timeIntervalSince1970: 0.25)), .text("1970-01-01T00:00:00.250")),
            (.data(Data([0, 255])), .blob(Data([0, 255]))), (.data(Data()), .blob(Data())),
            (.zeroData(3), .blob(Data(count: 3))), (.zeroData(0), .blob(Data())),
        ]
        for (result, expected) in results {
            try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in result }
            try #expect(connection.query("SELECT f()") == expected)
            try connection.addAggregateFunction(
                named: "g",
                argumentCount: 0,
                contextObjectFactory: { NSObject() },
                stepFunction: { _, _ in },
                finalFunction: { _ in result }
            )
            try #expect(connection.query("SELECT g()") == expected)
        }
    }

    @Test func aResultThatCannotBeStoredIsAnError() throws {
        for result in [
            Result.double(.nan), .date(Date(timeIntervalSince1970: 1e12)), .zeroData(.max),
        ] {
            try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in result }
            #expect(sqliteError { try connection.run("SELECT f()") } != nil, "\(result)")
        }
    }

    @Test(arguments: [nil, 1, 19, 2067, 5])
    func anErrorHasItsMessageAndItsCode(code: Int32?) throws {
        try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in
            .error(message: "sorry, é", code: code)
        }
        let error = expectSQLiteError(message: "sorry, é") { try connection.run("SELECT f()") }
        #expect(error?.extendedResultCode.rawValue == code ?? 1)
    }

    @Test(arguments: [0, -1, 100, 101] as [Int32])
    func anErrorWhoseCodeIsNoErrorFailsTheStatementToo(code: Int32) throws {
        try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in
            .error(message: "no", code: code)
        }
        var rows = 0
        expectSQLiteError(message: "no") {
            try connection.forEachRow("SELECT f()") { _ in
                rows += 1
                if rows > 3 {
                    throw TestError(reason: "rows without end")
                }
            }
        }
    }

    @Test func deterministicFunctionsAreAcceptedInIndexes() throws {
        try connection.execute("CREATE TABLE t(x)")
        try connection.addScalarFunction(named: "steady", argumentCount: 1, deterministic: true) {
            .long($1[0].long)
        }
        try connection.addScalarFunction(named: "fickle", argumentCount: 1) { .long($1[0].long) }
        try connection.run("CREATE INDEX i ON t(steady(x))")
        #expect(sqliteError { try connection.run("CREATE INDEX j ON t(fickle(x))") } != nil)
    }
}
