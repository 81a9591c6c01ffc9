import Foundation
import Testing

@testable import SQift

private final class Witness {}

private final class Sum {
    var sum = 0
    var rows = 0
}

/// Counts the living ones, by a counter that it is given.
private final class Pattern {
    final class Counter { var living = 0, made = 0 }
    let text: String
    private let counter: Counter

    init(_ text: String, _ counter: Counter) {
        (self.text, self.counter) = (text, counter)
        (counter.living, counter.made) = (counter.living + 1, counter.made + 1)
    }

    deinit { counter.living -= 1 }
}

@Suite struct FunctionValueTests {
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
        ("'abc'", .text, .text), ("'12'", .text, .integer), ("' 1.5 '", .text, .double), ("''", .text, .text),
        ("'12x'", .text, .text), ("x'3132'", .data, .data), ("x''", .data, .data),
    ])
    func theTypeIsTheStorageClass(expression: SQL, type: Value.DataType, numericType: Value.DataType) throws {
        try #expect(reading(expression) { $0.type } == type)
        try #expect(reading(expression) { $0.numericType } == numericType)
        let flags = try reading(expression) { [$0.isNull, $0.isInteger, $0.isDouble, $0.isText, $0.isData] }
        #expect(flags == [.null, .integer, .double, .text, .data].map { $0 == type })
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
            { $0.integer }, { $0.long }, { $0.double }, { $0.text }, { $0.data }, { $0.date as Any }, { $0.type },
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
        try connection.addScalarFunction(named: "f", argumentCount: -1) { _, values in .long(Int64(values.count)) }
        try connection.addScalarFunction(named: "f", argumentCount: 2) { _, values in .text("two \(values.count)") }
        let many = (0..<127).map { "\($0)" }.joined(separator: ",")
        let row: Row? = try connection.query("SELECT f(), f(1), f(1, 2), f(\(many))")
        #expect(row?.description == "[0, 1, 'two 2', 127]")
    }

    // MARK: Results

    @Test func aResultIsStoredAsItsCaseSays() throws {
        let results: [(Result, BindingValue)] = [
            (.null, .null), (.integer(.min), .integer(-2_147_483_648)), (.long(.max), .integer(.max)),
            (.double(-0.5), .real(-0.5)), (.double(.infinity), .real(.infinity)), (.text("a\0é"), .text("a\0é")),
            (.text(""), .text("")), (.date(Date(timeIntervalSince1970: 0.25)), .text("1970-01-01T00:00:00.250")),
            (.data(Data([0, 255])), .blob(Data([0, 255]))), (.data(Data()), .blob(Data())),
            (.zeroData(3), .blob(Data(count: 3))), (.zeroData(0), .blob(Data())),
        ]
        for (result, expected) in results {
            try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in result }
            try #expect(connection.query("SELECT f()") == expected)
            try connection.addAggregateFunction(
                named: "g",
                argumentCount: 0,
                contextObjectFactory: { Sum() },
                stepFunction: { _, _ in },
                finalFunction: { _ in result }
            )
            try #expect(connection.query("SELECT g()") == expected)
        }
    }

    @Test func aResultThatCannotBeStoredIsAnError() throws {
        for result in [Result.double(.nan), .date(Date(timeIntervalSince1970: 1e12)), .zeroData(.max)] {
            try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in result }
            #expect(sqliteError { try connection.run("SELECT f()") } != nil, "\(result)")
        }
    }

    @Test(arguments: [nil, 1, 19, 2067, 5])
    func anErrorHasItsMessageAndItsCode(code: Int32?) throws {
        try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in
            .error(message: "sorry, é", code: code)
        }
        let error = sqliteError { try connection.run("SELECT f()") }
        #expect(error?.message == "sorry, é")
        #expect(error?.extendedResultCode.rawValue == code ?? 1)
    }

    @Test(arguments: [0, -1, 100, 101] as [Int32])
    func anErrorWhoseCodeIsNoErrorFailsTheStatementToo(code: Int32) throws {
        try connection.addScalarFunction(named: "f", argumentCount: 0) { _, _ in .error(message: "no", code: code) }
        var rows = 0
        let error = sqliteError {
            try connection.forEachRow("SELECT f()") { _ in
                rows += 1
                if rows > 3 { throw Refusal(reason: "rows without end") }
            }
        }
        #expect(error?.message == "no")
    }

    @Test func deterministicFunctionsAreAcceptedInIndexes() throws {
        try connection.execute("CREATE TABLE t(x)")
        try connection.addScalarFunction(named: "steady", argumentCount: 1, deterministic: true) { .long($1[0].long) }
        try connection.addScalarFunction(named: "fickle", argumentCount: 1) { .long($1[0].long) }
        try connection.run("CREATE INDEX i ON t(steady(x))")
        #expect(sqliteError { try connection.run("CREATE INDEX j ON t(fickle(x))") } != nil)
    }

    // MARK: Auxiliary data

    @Test func anObjectIsKeptForAConstantArgumentAndReleasedAtTheEnd() throws {
        let counter = Pattern.Counter()
        try connection.addScalarFunction(named: "f", argumentCount: 2) { context, values in
            let known = context.auxiliaryData[0] as? Pattern
            let pattern = known ?? Pattern(values[0].text, counter)
            if known == nil { context.auxilaryData[0] = pattern }
            #expect(Bool(context.auxilaryData[0] === pattern))
            #expect(context.auxiliaryData[1] == nil)
            return .text(pattern.text + values[1].text)
        }
        let texts: [String] = try connection.query(numbers(to: 100, selecting: "f('a' || ?, n)"), "b")
        #expect(texts == (1...100).map { "ab\($0)" })
        #expect((counter.made, counter.living) == (1, 0))
        let again: [String] = try connection.query(numbers(to: 100, selecting: "f('a' || ?, n)"), "c")
        #expect(again.last == "ac100")
        #expect((counter.made, counter.living) == (2, 0))
    }

    @Test func anObjectIsNotKeptForAnotherValue() throws {
        let counter = Pattern.Counter()
        try connection.addScalarFunction(named: "f", argumentCount: 1) { context, values in
            let pattern = context.auxiliaryData[0] as? Pattern ?? Pattern(values[0].text, counter)
            context.auxiliaryData[0] = pattern
            return .text(pattern.text)
        }
        let texts: [String] = try connection.query(numbers(to: 50, selecting: "f(n)"))
        #expect(texts == (1...50).map { "\($0)" })
        #expect((counter.made, counter.living) == (50, 0))
        try #expect(connection.query("SELECT f('a') || f('b') || f('a')") == "aba")
        #expect(counter.living == 0)
    }

    @Test func anObjectIsReplacedAndRemoved() throws {
        let counter = Pattern.Counter()
        try connection.addScalarFunction(named: "f", argumentCount: 1) { context, _ in
            context.auxiliaryData[0] = Pattern("first", counter)
            #expect((context.auxiliaryData[0] as? Pattern)?.text == "first")
            let second = Pattern("second", counter)
            context.auxiliaryData[0] = second
            context.auxiliaryData[0] = second
            #expect(counter.living == 1)
            context.auxiliaryData[0] = nil
            #expect(context.auxiliaryData[0] == nil)
            for index in [Int32(40), .max] {
                context.auxiliaryData[index] = second
                #expect(Bool(context.auxiliaryData[index] === second))
            }
            return .null
        }
        try connection.run("SELECT f(1)")
        #expect((counter.made, counter.living) == (2, 0))
    }

    @Test func whatIsKeptAtNegativeIndexesByOtherFunctionsIsOutOfReach() throws {
        try connection.addScalarFunction(named: "f", argumentCount: 1) { context, _ in
            // Where json_extract keeps its parsed text, in 3.40.
            for index in [Int32.min, -429_938, -1] {
                context.auxiliaryData[index] = Witness()
                #expect(context.auxiliaryData[index] == nil)
            }
            return .null
        }
        try connection.execute("CREATE TABLE j(j); INSERT INTO j VALUES('{\"a\": 1}'), ('{\"a\": 2}')")
        try connection.run("SELECT json_extract(j, '$.a'), f(1), json_extract(j, '$.a') FROM j")
    }

    @Test func anEarlyEndReleasesTheObject() throws {
        let counter = Pattern.Counter()
        try connection.addScalarFunction(named: "f", argumentCount: 2) { context, values in
            if context.auxiliaryData[0] == nil { context.auxiliaryData[0] = Pattern("x", counter) }
            return values[1].long == 3 ? .error(message: "three", code: nil) : .null
        }
        _ = sqliteError { let _: [Int?] = try connection.query(numbers(to: 9, selecting: "f('a', n)")) }
        #expect(counter.living == 0)
        let _: [Int?] = try connection.query(numbers(to: 9, selecting: "f('a', n)") + " LIMIT 1")
        #expect(counter.living == 0)
        #expect(counter.made == 2)
    }

    // MARK: Aggregates

    private func addSum(_ name: String, to connection: Connection, _ make: @escaping () -> AnyObject = { Sum() }) throws
    {
        try connection.addAggregateFunction(
            named: name,
            argumentCount: 1,
            contextObjectFactory: make,
            stepFunction: { context, values in
                guard let sum = context.stepObject as? Sum else { return }
                sum.sum += Int(values[0].long)
                sum.rows += 1
                #expect(Bool(context.stepObject === sum))
            },
            finalFunction: { context in
                guard let sum = context.finalObject as? Sum else { return .text("empty") }
                return .text("\(sum.sum)/\(sum.rows)")
            }
        )
    }

    @Test func anObjectIsMadeForEachGroup() throws {
        weak var last: Sum?
        var made = 0
        try addSum("total3", to: connection) {
            let sum = Sum()
            (last, made) = (sum, made + 1)
            return sum
        }
        try connection.execute("CREATE TABLE t(g, n); INSERT INTO t VALUES('a', 1), ('b', 2), ('a', 3), ('b', NULL)")
        let groups: [String: String] = try connection.query("SELECT g, total3(n) FROM t GROUP BY g")
        #expect(groups == ["a": "4/2", "b": "2/2"])
        #expect(made == 2)
        try #expect(connection.query("SELECT total3(n) || ' ' || total3(n * 2) FROM t") == "6/4 12/4")
        #expect(made == 4)
        #expect(last == nil)
    }

    @Test func anEmptyGroupHasNoFinalObject() throws {
        try addSum("total3", to: connection) {
            Issue.record("no object is needed")
            return Sum()
        }
        try #expect(connection.query("SELECT total3(1) WHERE 0") == "empty")
        let none: [String] = try connection.query("SELECT total3(1) WHERE 0 GROUP BY 1 + 1")
        #expect(none == [])
    }

    @Test func aStatementThatEndsEarlyReleasesItsObjects() throws {
        weak var last: Sum?
        try addSum("total3", to: connection) {
            let sum = Sum()
            last = sum
            return sum
        }
        let error = sqliteError {
            try connection.run(numbers(to: 9, selecting: "total3(abs(CASE n WHEN 5 THEN 1 << 63 ELSE 1 END))"))
        }
        #expect(error?.message == "integer overflow")
        #expect(last == nil)
    }

    // MARK: What is kept

    @Test func valuesAndContextsThatWereKeptAnswerNothing() throws {
        var values: [Value] = []
        var contexts: [Connection.ScalarFunctionContext] = []
        var groups: [Connection.AggregateFunctionContext] = []
        func expectNothing() {
            for value in values {
                #expect(value.isNull)
                #expect(value.numericType == .null)
                #expect((value.integer, value.long, value.double) == (0, 0, 0))
                #expect(value.text == "")
                #expect(value.data == Data())
                #expect(value.buffer.isEmpty)
                #expect(value.date == nil)
            }
            for context in contexts {
                context.auxiliaryData[0] = Witness()
                #expect(context.auxiliaryData[0] == nil)
            }
            for group in groups {
                #expect(group.finalObject == nil)
                #expect(Bool(group.stepObject is Sum))
                #expect(group.finalObject == nil)
            }
        }
        do {
            let connection = try Connection()
            try connection.addScalarFunction(named: "f", argumentCount: 1) { context, arguments in
                expectNothing()
                values += arguments
                contexts.append(context)
                return .long(arguments[0].long)
            }
            try connection.addAggregateFunction(
                named: "g",
                argumentCount: 1,
                contextObjectFactory: { Sum() },
                stepFunction: { context, arguments in
                    expectNothing()
                    _ = context.stepObject
                    values += arguments
                    groups.append(context)
                },
                finalFunction: { context in
                    expectNothing()
                    #expect(Bool(context.finalObject is Sum))
                    groups.append(context)
                    return .null
                }
            )
            try connection.run("SELECT f(value), g(f('x')) FROM json_each('[1,2,3]')")
            expectNothing()
        }
        #expect(values.count >= 6)
        #expect(groups.count == 4)
        expectNothing()
    }

    @Test func closuresAreReleasedWhenTheyAreNoLongerNeeded() throws {
        func add(_ witness: Witness, to connection: Connection) throws {
            try connection.addScalarFunction(named: "f", argumentCount: 1) { _, _ in
                withExtendedLifetime(witness) { .null }
            }
            try connection.addAggregateFunction(
                named: "g",
                argumentCount: 1,
                contextObjectFactory: { witness },
                stepFunction: { context, _ in withExtendedLifetime(witness) { _ = context.stepObject } },
                finalFunction: { _ in withExtendedLifetime(witness) { .null } }
            )
        }
        let releases: [(Connection) throws -> Void] = [
            {
                try $0.removeFunction(named: "f", argumentCount: 1)
                try $0.removeFunction(named: "g", argumentCount: 1)
            },
            { try add(Witness(), to: $0) },
            { try $0.close() },
        ]
        for release in releases {
            let connection = try Connection()
            weak var witness: Witness?
            do {
                let held = Witness()
                witness = held
                try add(held, to: connection)
            }
            try connection.run("SELECT f(1)")
            try connection.run("SELECT g(1)")
            #expect(witness != nil)
            try release(connection)
            #expect(witness == nil)
        }
    }
}
