import Foundation
import SQift
import SQiftTestSupport
import Testing

struct FunctionAggregateTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.withAggregates()
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
        expectSQLiteError(containing: "strict") { try connection.run("SELECT strict(n) FROM t") }
    }

    @Test func aStatementThatEndsEarlyReleasesItsStates() throws {
        let sql =
            "SELECT g, plain(n), total2(n), total2(n) OVER (ORDER BY n ROWS 1 PRECEDING) FROM t GROUP BY g, n"
        try withLedger { ledger in
            let rows: [Row] = try connection.query(sql + " LIMIT 1")
            #expect(rows.count == 1)
            expectThrows(TestError.self) {
                try connection.forEachRow(sql) { _ in throw TestError() }
            }
            #expect(ledger.made > 3)
        }
        try withLedger { ledger in
            expectSQLiteError(message: "integer overflow") {
                try connection.run(
                    "SELECT plain(n), total2(n), abs(CASE n WHEN 20 THEN 1 << 63 END) FROM t GROUP BY 1=1"
                )
                try connection.run(
                    "SELECT plain(n), total2(abs(CASE n WHEN 20 THEN 1 << 63 ELSE 1 END)) FROM t"
                )
            }
        }
    }

    @Test func anInterruptedStatementReleasesItsStates() throws {
        try addInterrupting(to: connection)
        try withLedger { ledger in
            expectSQLiteError(.interrupt) {
                try connection.run(
                    numbers(to: 10_000, selecting: "plain(interrupt_at(n, 5000)), total2(n)")
                )
            }
            #expect(ledger.made == 2)
        }
    }

    @Test func theResultOfAFailedGroupIsNotAskedFor() throws {
        try withLedger { ledger in
            expectSQLiteError { try connection.run("SELECT plain(-1) FROM t") }
            #expect(ledger.finalized == 0)
        }
    }

    // MARK: Adding and removing

    @Test func anAggregateIsReplacedAndRemovedAsAFunctionIs() throws {
        try connection.forEachRow("SELECT 1") { _ in
            expectSQLiteError(.busy) {
                try connection.addAggregateFunction(
                    named: "PLAIN",
                    argumentCount: 1,
                    Aggregates.Tally.self
                )
            }
        }
        try #expect(connection.query("SELECT plain(n) FROM t") == 35)
        try connection.addAggregateFunction(named: "PLAIN", argumentCount: 1, Aggregates.Tally.self)
        try #expect(connection.query("SELECT plain(n) FROM t") == "6/6")
        try connection.addFunction(named: "plain") { (a: Int?) in "scalar" }
        try #expect(connection.query("SELECT plain(n) FROM t LIMIT 1") == "scalar")
        try connection.removeFunction(named: "Joined", argumentCount: 1)
        expectSQLiteError(message: "no such function: joined") {
            try connection.run("SELECT joined(g) FROM t")
        }
    }

    private func expectMisuse(
        addingAs name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectSQLiteError(.misuse, sourceLocation: sourceLocation) {
            try connection.addAggregateFunction(
                named: name,
                argumentCount: 1,
                Aggregates.Plain.self
            )
        }
        expectSQLiteError(.misuse, sourceLocation: sourceLocation) {
            try connection.addWindowFunction(named: name, argumentCount: 1, Aggregates.Total.self)
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256), "a\0b"])
    func aBadNameOfAnAggregateIsMisuse(name: String) {
        expectMisuse(addingAs: name)
    }

    @Test func aClosedConnectionTakesNoAggregate() throws {
        try connection.close()
        expectMisuse(addingAs: "f")
    }

    @Test func aDirectOnlyAggregateIsRefusedInAView() throws {
        try connection.addAggregateFunction(
            named: "direct",
            argumentCount: 1,
            directOnly: true,
            Aggregates.Tally.self
        )
        try connection.addWindowFunction(
            named: "direct",
            argumentCount: 2,
            directOnly: true,
            Aggregates.Tally.self
        )
        try connection.execute(
            "CREATE VIEW v AS SELECT direct(n) FROM t; CREATE VIEW w AS SELECT direct(n, n) FROM t"
        )
        try #expect(connection.query("SELECT direct(n) || direct(n, n) FROM t") == "6/66/12")
        for view in "vw" {
            expectSQLiteError(containing: "unsafe use of direct()") {
                try connection.run("SELECT * FROM \(view)")
            }
        }
    }
}
