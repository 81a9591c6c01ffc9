import Foundation
import Testing

@testable import SQift

/// Counts itself; held by a state, it tells whether that was released.
private final class Token {
    let ledger = Ledger.current
    init() {
        ledger.count(living: 1, made: 1)
    }
    deinit {
        ledger.count(living: -1)
    }
}

/// The sum of integers, NULL where there were none; it throws where it is told to.
private struct Total: WindowFunction {
    var sum = 0
    var count = 0
    let token = Token()

    mutating func step(_ arguments: Row) throws {
        guard let value: Int = arguments[0] else { return }
        if value == -1 {
            throw Refusal(reason: "step")
        }
        (sum, count) = (sum + value, count + 1)
    }

    mutating func inverse(_ arguments: Row) throws {
        guard let value: Int = arguments[0] else { return }
        if value == -2 {
            throw Refusal(reason: "inverse")
        }
        (sum, count) = (sum - value, count - 1)
    }

    func value() throws -> Int? {
        if sum == -3 {
            throw Refusal(reason: "value")
        }
        return count == 0 ? nil : sum
    }
}

/// The same without `inverse`, and with an end of its own.
private struct Plain: AggregateFunction {
    var total = Total()

    mutating func step(_ arguments: Row) throws {
        try total.step(arguments)
    }

    mutating func finalize() throws -> Int? {
        total.token.ledger.count(finalized: 1)
        if total.sum == -4 {
            throw SQLiteError(code: .constraintCheck, message: "finalize")
        }
        return try total.value()
    }
}

/// How many rows, and how many values they had.
private struct Tally: WindowFunction {
    var rows = 0
    var values = 0

    mutating func step(_ arguments: Row) {
        (rows, values) = (rows + 1, values + arguments.columnCount)
    }
    mutating func inverse(_ arguments: Row) {
        (rows, values) = (rows - 1, values - arguments.columnCount)
    }
    func value() -> String {
        "\(rows)/\(values)"
    }
}

/// The texts in the order in which they came, with commas.
private struct Joined: WindowFunction {
    var texts: [String] = []

    mutating func step(_ arguments: Row) throws {
        if let text: String = try arguments.get(0) {
            texts.append(text)
        }
    }

    mutating func inverse(_ arguments: Row) throws {
        guard let text: String = try arguments.get(0) else { return }
        #expect(texts.first == text)
        texts.removeFirst()
    }

    func value() -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ",")
    }
}

@Suite struct FunctionAggregateTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.addAggregateFunction(named: "plain", argumentCount: 1, Plain.self)
        try connection.addWindowFunction(
            named: "total2",
            argumentCount: 1,
            deterministic: true,
            Total.self
        )
        try connection.addWindowFunction(named: "tally", argumentCount: -1, Tally.self)
        try connection.addWindowFunction(named: "joined", argumentCount: 1, Joined.self)
        try connection.execute(
            """
            CREATE TABLE t(g, n); INSERT INTO t VALUES('a', 1), ('b', 10), ('a', 2), ('c', NULL), ('b', 20), ('a', 2)
            """
        )
    }

    /// Runs `body` with a ledger of its own, and expects that no state outlives it.
    private func withLedger(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Ledger) throws -> Void
    ) throws {
        let ledger = Ledger()
        try Ledger.$current.withValue(ledger) { try body(ledger) }
        #expect(ledger.living == 0, sourceLocation: sourceLocation)
        #expect(ledger.made > 0, sourceLocation: sourceLocation)
    }

    // MARK: Aggregates

    @Test(arguments: ["plain", "total2"])
    func anAggregateTakesAllRowsOfEachGroup(name: String) throws {
        try withLedger { ledger in
            try #expect(connection.query("SELECT \(name)(n) FROM t") == 35)
            #expect(ledger.made == 1)
            let groups: [String: Int?] = try connection.query(
                "SELECT g, \(name)(n) FROM t GROUP BY g"
            ) { row in
                (try row.get(0), try row.get(1))
            }
            #expect(groups == ["a": 5, "b": 30, "c": nil])
        }
    }

    @Test(arguments: ["plain", "total2"])
    func groupsWithoutRowsAreEmpty(name: String) throws {
        try withLedger { ledger in
            let empty: [Int?] = try connection.query("SELECT \(name)(n) FROM t WHERE 0")
            #expect(empty == [nil])
            #expect(ledger.made == 1)
            let none: [Int?] = try connection.query("SELECT \(name)(n) FROM t WHERE 0 GROUP BY g")
            #expect(none == [])
        }
        try #expect(connection.query("SELECT tally() FROM t WHERE 0") == "0/0")
    }

    @Test func severalAggregatesOfAStatementAreKeptApart() throws {
        try withLedger { ledger in
            let row: Row? = try connection.query(
                "SELECT plain(n), plain(n * 2), total2(n), plain(DISTINCT n), plain(n) FILTER (WHERE g = 'a') FROM t"
            )
            #expect(row?.description == "[35, 70, 35, 33, 5]")
            #expect(ledger.made == 5)
        }
    }

    @Test func subqueriesHaveStatesOfTheirOwn() throws {
        try withLedger { _ in
            let row: Row? = try connection.query(
                """
                SELECT plain(n + (SELECT plain(u.n) FROM t AS u WHERE u.g = t.g)),
                    (SELECT plain(s) FROM (SELECT plain(n) AS s FROM t GROUP BY g))
                FROM t WHERE n IS NOT NULL
                """
            )
            #expect(row?.description == "[110, 35]")
        }
    }

    @Test func aVariadicAggregateTakesAnyNumberOfArguments() throws {
        let many = Array(repeating: "n", count: 127).joined(separator: ",")
        let row: Row? = try connection.query(
            "SELECT tally(), tally(n), tally(n, g), tally(\(many)) FROM t"
        )
        #expect(row?.description == "['6/0', '6/6', '6/12', '6/762']")
    }

    @Test func anAggregateMayBeUsedWithinItsOwnStep() throws {
        struct Nesting: AggregateFunction {
            @TaskLocal static var connection: Box?
            struct Box: @unchecked Sendable { unowned let connection: Connection }
            var texts: [String] = []

            mutating func step(_ arguments: Row) throws {
                let depth: Int = try arguments.get(0)
                if depth > 0, let connection = Self.connection?.connection {
                    texts.append(
                        try connection.query(
                            "SELECT nesting(?, 'x') FROM (VALUES(1), (2))",
                            depth - 1
                        )
                    )
                }
                texts.append(try arguments.get(1))
            }
            func finalize() -> String {
                "(" + texts.joined() + ")"
            }
        }
        try connection.addAggregateFunction(named: "nesting", argumentCount: 2, Nesting.self)
        try Nesting.$connection.withValue(Nesting.Box(connection: connection)) {
            let text: String = try connection.query(
                "SELECT nesting(column1, column2) FROM (VALUES(2, 'a'), (1, 'b'))"
            )
            #expect(text == "(((xx)x(xx)x)a(xx)b)")
        }
    }

    @Test func aDetachedRowOutlivesItsStep() throws {
        struct Keeping: AggregateFunction {
            var rows: [Row] = []
            mutating func step(_ arguments: Row) {
                rows.append(arguments.detached())
            }
            func finalize() throws -> String {
                try rows.map { try $0.get(0) as String + ($0.get(1) as String? ?? "-") }.joined()
            }
        }
        try connection.addAggregateFunction(named: "keeping", argumentCount: 2, Keeping.self)
        try #expect(
            connection.query("SELECT keeping(g, 'x' || n) FROM t WHERE g <> 'b'") == "ax1ax2c-ax2"
        )
    }

    // MARK: Errors

    @Test(arguments: [
        ("plain(CASE n WHEN 10 THEN -1 ELSE n END)", "step", ResultCode.error),
        ("total2(CASE n WHEN 10 THEN -1 ELSE n END)", "step", .error),
        ("plain(CASE n WHEN 10 THEN -4 END)", "finalize", .constraintCheck),
        ("total2(CASE n WHEN 10 THEN -3 END)", "value", .error),
        ("total2(CASE n WHEN 10 THEN -3 END) OVER ()", "value", .error),
        (
            "total2(CASE n WHEN 10 THEN -2 ELSE n END) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
            "inverse",
            .error
        ),
        ("total2(CASE n WHEN 10 THEN -1 END) OVER (ROWS 1 PRECEDING)", "step", .error),
    ])
    func whatIsThrownIsTheStatementsError(
        call: (sql: String, reason: String, code: ResultCode)
    ) throws {
        try withLedger { ledger in
            for sql in [
                "SELECT \(call.sql) FROM t", "SELECT g, \(call.sql), plain(n) FROM t GROUP BY g, n",
            ] {
                if call.sql.contains("ROWS"), sql.contains("GROUP") {
                    continue
                }
                let error = try #require(sqliteError { let _: [Row] = try connection.query(sql) })
                #expect(error.message.contains(call.reason), "\(error)")
                #expect(error.extendedResultCode == call.code)
            }
        }
        try #expect(connection.query("SELECT plain(n) FROM t") == 35)
    }

    @Test func anErrorOfAnArgumentNamesTheFunction() throws {
        struct Strict: AggregateFunction {
            var sum = 0
            mutating func step(_ arguments: Row) throws {
                sum += try arguments.get(1) as Int
            }
            func finalize() -> Int {
                sum
            }
        }
        try connection.addAggregateFunction(named: "strict", argumentCount: 2, Strict.self)
        let error = try #require(sqliteError { try connection.run("SELECT strict(n, g) FROM t") })
        for part in ["strict", "argument 2", "TEXT", "Int"] {
            #expect(error.message.contains(part), "\(error)")
        }
        try connection.addAggregateFunction(named: "strict", argumentCount: 1, Strict.self)
        #expect(
            sqliteError { try connection.run("SELECT strict(n) FROM t") }?.message.contains(
                "strict"
            ) == true
        )
    }

    @Test func aStatementThatEndsEarlyReleasesItsStates() throws {
        let sql =
            "SELECT g, plain(n), total2(n), total2(n) OVER (ORDER BY n ROWS 1 PRECEDING) FROM t GROUP BY g, n"
        try withLedger { ledger in
            let rows: [Row] = try connection.query(sql + " LIMIT 1")
            #expect(rows.count == 1)
            _ = expectThrows(Refusal.self) {
                try connection.forEachRow(sql) { _ in throw Refusal() }
            }
            #expect(ledger.made > 3)
        }
        try withLedger { ledger in
            let error = sqliteError {
                try connection.run(
                    "SELECT plain(n), total2(n), abs(CASE n WHEN 20 THEN 1 << 63 END) FROM t GROUP BY 1=1"
                )
                try connection.run(
                    "SELECT plain(n), total2(abs(CASE n WHEN 20 THEN 1 << 63 ELSE 1 END)) FROM t"
                )
            }
            #expect(error?.message == "integer overflow")
        }
    }

    @Test func anInterruptedStatementReleasesItsStates() throws {
        try addInterrupting(to: connection)
        try withLedger { ledger in
            let error = sqliteError {
                try connection.run(
                    numbers(to: 10_000, selecting: "plain(interrupt_at(n, 5000)), total2(n)")
                )
            }
            #expect(error?.resultCode == .interrupt)
            #expect(ledger.made == 2)
        }
    }

    @Test func theResultOfAFailedGroupIsNotAskedFor() throws {
        try withLedger { ledger in
            _ = sqliteError { try connection.run("SELECT plain(-1) FROM t") }
            #expect(ledger.finalized == 0)
        }
    }

    // MARK: Windows

    @Test func windowFunctionsAgreeWithTheBuiltInOnes() throws {
        var random = SeededGenerator(state: 2026)
        try connection.execute("CREATE TABLE w(id INTEGER PRIMARY KEY, p, k INTEGER, n INTEGER, s)")
        for id in 1...40 {
            let n: Int? =
                Int.random(in: 0..<8, using: &random) == 0
                ? nil : Int.random(in: 0...99, using: &random)
            let (p, k) = (
                Int.random(in: 0..<3, using: &random), Int.random(in: 0..<12, using: &random)
            )
            try connection.run(
                "INSERT INTO w VALUES(?, ?, ?, ?, ?)",
                id,
                p,
                k,
                n,
                n.map { "s\($0)" }
            )
        }
        let functions = [
            ("total2(n)", "sum(n)"), ("joined(s)", "group_concat(s)"),
            ("tally()", "count(*) || '/0'"),
        ]
        func bound(_ isStart: Bool) -> (rank: Int, sql: String) {
            let number = Int.random(in: 0...4, using: &random)
            switch Int.random(in: isStart ? 0...3 : 1...4, using: &random) {
            case 0: return (-100, "UNBOUNDED PRECEDING")
            case 1: return (-number, "\(number) PRECEDING")
            case 2: return (0, "CURRENT ROW")
            case 3: return (number, "\(number) FOLLOWING")
            default: return (100, "UNBOUNDED FOLLOWING")
            }
        }
        let exclusions = [
            "", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE TIES", " EXCLUDE GROUP",
            " EXCLUDE NO OTHERS",
        ]
        try withLedger { _ in
            for number in 0..<200 {
                let kind = ["ROWS", "RANGE", "GROUPS"][number % 3]
                var (start, end) = (bound(true), bound(false))
                while start.rank > end.rank
                    || (start.sql.hasSuffix("FOLLOWING") && end.sql.contains("CURRENT"))
                    || (start.sql.hasSuffix("FOLLOWING") && end.sql.hasSuffix("PRECEDING"))
                    || (start.sql.contains("CURRENT") && end.sql.hasSuffix("PRECEDING"))
                {
                    (start, end) = (bound(true), bound(false))
                }
                let exclusion = exclusions[Int.random(in: 0..<exclusions.count, using: &random)]
                let partition = Bool.random(using: &random) ? "PARTITION BY p " : ""
                let order = kind == "ROWS" ? "k, id" : "k"
                let frame =
                    "(\(partition)ORDER BY \(order) \(kind) BETWEEN \(start.sql) AND \(end.sql)\(exclusion))"
                let columns = functions.flatMap { ["\($0.0) OVER win", "\($0.1) OVER win"] }
                    .map { $0.contains("count") ? "count(*) OVER win || '/0'" : $0 }
                let rows: [Row] = try connection.query(
                    "SELECT \(columns.joined(separator: ", ")) FROM w WINDOW win AS \(frame) ORDER BY id"
                )
                try #require(rows.count == 40)
                for row in rows {
                    for pair in 0..<3 {
                        let (own, builtIn) = (
                            try row.bindingValue(at: 2 * pair),
                            try row.bindingValue(at: 2 * pair + 1)
                        )
                        try #require(own == builtIn, "\(columns[2 * pair]) \(frame)")
                    }
                }
            }
        }
    }

    @Test func aWindowFunctionIsAnAggregateToo() throws {
        let row: Row? = try connection.query(
            "SELECT joined(g), tally(), total2(n) FROM t WHERE g < 'c'"
        )
        #expect(row?.description == "['a,b,a,b,a', '5/0', 35]")
    }

    @Test func anAggregateIsNoWindowFunction() throws {
        let error = sqliteError { try connection.run("SELECT plain(n) OVER () FROM t") }
        #expect(error?.message.contains("may not be used as a window function") == true)
    }

    @Test func anErrorInTheMiddleOfAWindowReleasesItsStates() throws {
        try withLedger { ledger in
            for frame in [
                "ROWS 2 PRECEDING", "ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE TIES",
            ] {
                let sql =
                    "SELECT total2(CASE n WHEN 20 THEN -1 ELSE n END) OVER (PARTITION BY g ORDER BY n \(frame))"
                _ = sqliteError { let _: [Int?] = try connection.query(sql + " FROM t") }
                #expect(ledger.living == 0)
                let _: Int? = try connection.query(
                    "SELECT total2(n) OVER (ORDER BY n \(frame)) FROM t LIMIT 1"
                )
                #expect(ledger.living == 0)
            }
        }
    }

    // MARK: Adding and removing

    @Test func anAggregateIsReplacedAndRemovedAsAFunctionIs() throws {
        try connection.forEachRow("SELECT 1") { _ in
            let error = sqliteError {
                try connection.addAggregateFunction(named: "PLAIN", argumentCount: 1, Tally.self)
            }
            #expect(error?.resultCode == .busy)
        }
        try #expect(connection.query("SELECT plain(n) FROM t") == 35)
        try connection.addAggregateFunction(named: "PLAIN", argumentCount: 1, Tally.self)
        try #expect(connection.query("SELECT plain(n) FROM t") == "6/6")
        try connection.addFunction(named: "plain") { (a: Int?) in "scalar" }
        try #expect(connection.query("SELECT plain(n) FROM t LIMIT 1") == "scalar")
        try connection.removeFunction(named: "Joined", argumentCount: 1)
        #expect(
            sqliteError { try connection.run("SELECT joined(g) FROM t") }?.message
                == "no such function: joined"
        )
    }

    @Test(arguments: ["", String(repeating: "x", count: 256), "a\0b"])
    func aBadNameOfAnAggregateIsMisuse(name: String) throws {
        let attempts: [() throws -> Void] = [
            { try connection.addAggregateFunction(named: name, argumentCount: 1, Plain.self) },
            { try connection.addWindowFunction(named: name, argumentCount: 1, Total.self) },
        ]
        for attempt in attempts {
            #expect(sqliteError(attempt)?.resultCode == .misuse)
        }
    }

    @Test func aClosedConnectionTakesNoAggregate() throws {
        try connection.close()
        let attempts: [() throws -> Void] = [
            { try connection.addAggregateFunction(named: "f", argumentCount: 1, Plain.self) },
            { try connection.addWindowFunction(named: "f", argumentCount: 1, Total.self) },
        ]
        for attempt in attempts {
            #expect(sqliteError(attempt)?.resultCode == .misuse)
        }
    }

    @Test func aDirectOnlyAggregateIsRefusedInAView() throws {
        try connection.addAggregateFunction(
            named: "direct",
            argumentCount: 1,
            directOnly: true,
            Tally.self
        )
        try connection.addWindowFunction(
            named: "direct",
            argumentCount: 2,
            directOnly: true,
            Tally.self
        )
        try connection.execute(
            "CREATE VIEW v AS SELECT direct(n) FROM t; CREATE VIEW w AS SELECT direct(n, n) FROM t"
        )
        try #expect(connection.query("SELECT direct(n) || direct(n, n) FROM t") == "6/66/12")
        for view in "vw" {
            let error = sqliteError { try connection.run("SELECT * FROM \(view)") }
            #expect(error?.message.contains("unsafe use of direct()") == true)
        }
    }
}
