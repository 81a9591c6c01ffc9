import Foundation
import SQift
import SQiftTestSupport
import Testing

struct FunctionWindowTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.withAggregates()
    }

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
        expectSQLiteError(containing: "may not be used as a window function") {
            try connection.run("SELECT plain(n) OVER () FROM t")
        }
    }

    @Test func anErrorInTheMiddleOfAWindowReleasesItsStates() throws {
        try withLedger { ledger in
            for frame in [
                "ROWS 2 PRECEDING", "ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE TIES",
            ] {
                let sql =
                    "SELECT total2(CASE n WHEN 20 THEN -1 ELSE n END) OVER (PARTITION BY g ORDER BY n \(frame))"
                expectSQLiteError { let _: [Int?] = try connection.query(sql + " FROM t") }
                #expect(ledger.living == 0)
                let _: Int? = try connection.query(
                    "SELECT total2(n) OVER (ORDER BY n \(frame)) FROM t LIMIT 1"
                )
                #expect(ledger.living == 0)
            }
        }
    }
}
