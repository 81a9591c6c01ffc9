import Foundation
import SQift
import SQiftTestSupport
import Testing

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

    deinit {
        counter.living -= 1
    }
}

/// What functions in SQift 5.1's form keep: auxiliary data, a group's object, and what they
/// shouldn't.
struct FunctionContextTests {
    typealias Value = Connection.FunctionValue

    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    // MARK: Auxiliary data

    @Test func anObjectIsKeptForAConstantArgumentAndReleasedAtTheEnd() throws {
        let counter = Pattern.Counter()
        try connection.addScalarFunction(named: "f", argumentCount: 2) { context, values in
            let known = context.auxiliaryData[0] as? Pattern
            let pattern = known ?? Pattern(values[0].text, counter)
            if known == nil {
                context.auxiliaryData[0] = pattern
            }
            #expect(Bool(context.auxiliaryData[0] === pattern))
            #expect(context.auxiliaryData[1] == nil)
            return .text(pattern.text + values[1].text)
        }
        let texts: [String] = try connection.query(
            numbers(to: 100, selecting: "f('a' || ?, n)"),
            "b"
        )
        #expect(texts == (1...100).map { "ab\($0)" })
        #expect((counter.made, counter.living) == (1, 0))
        let again: [String] = try connection.query(
            numbers(to: 100, selecting: "f('a' || ?, n)"),
            "c"
        )
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
        try connection.execute(
            "CREATE TABLE j(j); INSERT INTO j VALUES('{\"a\": 1}'), ('{\"a\": 2}')"
        )
        try connection.run("SELECT json_extract(j, '$.a'), f(1), json_extract(j, '$.a') FROM j")
    }

    @Test func anEarlyEndReleasesTheObject() throws {
        let counter = Pattern.Counter()
        try connection.addScalarFunction(named: "f", argumentCount: 2) { context, values in
            if context.auxiliaryData[0] == nil {
                context.auxiliaryData[0] = Pattern("x", counter)
            }
            return values[1].long == 3 ? .error(message: "three", code: nil) : .null
        }
        expectSQLiteError {
            let _: [Int?] = try connection.query(numbers(to: 9, selecting: "f('a', n)"))
        }
        #expect(counter.living == 0)
        let _: [Int?] = try connection.query(numbers(to: 9, selecting: "f('a', n)") + " LIMIT 1")
        #expect(counter.living == 0)
        #expect(counter.made == 2)
    }

    // MARK: Aggregates

    private func addSum(
        _ name: String,
        to connection: Connection,
        _ make: @escaping () -> AnyObject = { Sum() }
    ) throws {
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
        try connection.execute(
            "CREATE TABLE t(g, n); INSERT INTO t VALUES('a', 1), ('b', 2), ('a', 3), ('b', NULL)"
        )
        let groups: [String: String] = try connection.query("SELECT g, total3(n) FROM t GROUP BY g")
        #expect(groups == ["a": "4/2", "b": "2/2"])
        #expect(made == 2)
        try #expect(
            connection.query("SELECT total3(n) || ' ' || total3(n * 2) FROM t") == "6/4 12/4"
        )
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
        expectSQLiteError(message: "integer overflow") {
            try connection.run(
                numbers(to: 9, selecting: "total3(abs(CASE n WHEN 5 THEN 1 << 63 ELSE 1 END))")
            )
        }
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
        try expectReleased { connection, keepsake in
            guard let keepsake else {
                try connection.removeFunction(named: "f", argumentCount: 1)
                return try connection.removeFunction(named: "g", argumentCount: 1)
            }
            try connection.addScalarFunction(named: "f", argumentCount: 1) { _, _ in
                withExtendedLifetime(keepsake) { .null }
            }
            try connection.addAggregateFunction(
                named: "g",
                argumentCount: 1,
                contextObjectFactory: { keepsake },
                stepFunction: { context, _ in
                    withExtendedLifetime(keepsake) { _ = context.stepObject }
                },
                finalFunction: { _ in withExtendedLifetime(keepsake) { .null } }
            )
            try connection.run("SELECT f(1)")
            try connection.run("SELECT g(1)")
        }
    }
}
