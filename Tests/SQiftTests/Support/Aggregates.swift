import SQift
import Testing

/// Aggregates and window functions.
package enum Aggregates {
    /// Counts itself. A state that holds it shows by it whether it was released.
    package final class Token {
        package let ledger = Ledger.current

        package init() {
            ledger.count(living: 1, made: 1)
        }

        deinit {
            ledger.count(living: -1)
        }
    }

    /// The sum of integers; NULL if there are none. It throws for certain numbers.
    package struct Total: WindowFunction {
        package var sum = 0
        package var count = 0
        package let token = Token()

        package init() {}

        package mutating func step(_ arguments: Row) throws {
            guard let value: Int = arguments[0] else { return }
            if value == -1 {
                throw TestError(reason: "step")
            }
            sum += value
            count += 1
        }

        package mutating func inverse(_ arguments: Row) throws {
            guard let value: Int = arguments[0] else { return }
            if value == -2 {
                throw TestError(reason: "inverse")
            }
            sum -= value
            count -= 1
        }

        package func value() throws -> Int? {
            if sum == -3 {
                throw TestError(reason: "value")
            }
            return count == 0 ? nil : sum
        }
    }

    /// The same without `inverse`, and with `finalize`.
    package struct Plain: AggregateFunction {
        package var total = Total()

        package init() {}

        package mutating func step(_ arguments: Row) throws {
            try total.step(arguments)
        }

        package mutating func finalize() throws -> Int? {
            total.token.ledger.count(finalized: 1)
            if total.sum == -4 {
                throw SQLiteError(code: .constraintCheck, message: "finalize")
            }
            return try total.value()
        }
    }

    /// How many rows, and how many values they had.
    package struct Tally: WindowFunction {
        package var rows = 0
        package var values = 0

        package init() {}

        package mutating func step(_ arguments: Row) {
            rows += 1
            values += arguments.columnCount
        }

        package mutating func inverse(_ arguments: Row) {
            rows -= 1
            values -= arguments.columnCount
        }

        package func value() -> String {
            "\(rows)/\(values)"
        }
    }

    /// The texts in the order in which they came, separated by commas.
    package struct Joined: WindowFunction {
        package var texts: [String] = []

        package init() {}

        package mutating func step(_ arguments: Row) throws {
            if let text: String = try arguments.get(0) {
                texts.append(text)
            }
        }

        package mutating func inverse(_ arguments: Row) throws {
            guard let text: String = try arguments.get(0) else { return }
            #expect(texts.first == text)
            texts.removeFirst()
        }

        package func value() -> String? {
            texts.isEmpty ? nil : texts.joined(separator: ",")
        }
    }
}

extension Connection {
    /// Opens a database with the aggregates `plain`, `total2`, `tally` and `joined`, and a table
    /// `t(g, n)` of three groups.
    package static func withAggregates() throws -> Connection {
        let connection = try Connection()
        try connection.addAggregateFunction(named: "plain", argumentCount: 1, Aggregates.Plain.self)
        try connection.addWindowFunction(
            named: "total2",
            argumentCount: 1,
            deterministic: true,
            Aggregates.Total.self
        )
        try connection.addWindowFunction(named: "tally", argumentCount: -1, Aggregates.Tally.self)
        try connection.addWindowFunction(named: "joined", argumentCount: 1, Aggregates.Joined.self)
        try connection.execute(
            """
            CREATE TABLE t(g, n);
            INSERT INTO t VALUES
                ('a', 1), ('b', 10), ('a', 2), ('c', NULL), ('b', 20), ('a', 2)
            """
        )
        return connection
    }
}
