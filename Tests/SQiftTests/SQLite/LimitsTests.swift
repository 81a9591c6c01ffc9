import CSQift
import SQift
import SQiftTestSupport
import Testing

struct LimitsTests {
    typealias Limit = Connection.Limit

    private let connection: Connection

    init() throws {
        connection = try Connection.withTable()
    }

    /// Expects that `sql` works before the limit is set and not after it.
    private func expect(_ limit: Limit, _ value: Int, forbids sql: SQL, allows smaller: SQL) throws
    {
        try connection.run(sql)
        try #expect(connection.setLimit(limit, to: value) == value)
        #expect(connection.limit(limit) == value)
        try connection.run(smaller)
        // Cached statements have been compiled already.
        let error = sqliteError { try connection.run(sql + " ") }
        #expect(error != nil, "\(limit)")
    }

    @Test func theNumbersAreSQLites() {
        let numbers: [Limit: Int32] = [
            .length: SQLITE_LIMIT_LENGTH, .sqlLength: SQLITE_LIMIT_SQL_LENGTH,
            .column: SQLITE_LIMIT_COLUMN,
            .exprDepth: SQLITE_LIMIT_EXPR_DEPTH, .compoundSelect: SQLITE_LIMIT_COMPOUND_SELECT,
            .vdbeOp: SQLITE_LIMIT_VDBE_OP, .functionArg: SQLITE_LIMIT_FUNCTION_ARG,
            .attached: SQLITE_LIMIT_ATTACHED,
            .likePatternLength: SQLITE_LIMIT_LIKE_PATTERN_LENGTH,
            .variableNumber: SQLITE_LIMIT_VARIABLE_NUMBER,
            .triggerDepth: SQLITE_LIMIT_TRIGGER_DEPTH,
            // SQLITE_LIMIT_PARSER_DEPTH, which not every header has.
            .parserDepth: 12,
        ]
        #expect(numbers.count == Limit.allCases.count)
        for limit in Limit.allCases {
            #expect(limit.rawValue == numbers[limit], "\(limit)")
        }
    }

    // MARK: Effects

    @Test func lengthLimitsValues() throws {
        try expect(
            .length,
            1000,
            forbids: "SELECT hex(zeroblob(600))",
            allows: "SELECT hex(zeroblob(400))"
        )
        expectSQLiteError(extended: .tooBig) {
            try connection.run("INSERT INTO t VALUES(zeroblob(1001))")
        }
        expectSQLiteError(.tooBig) {
            try connection.run("SELECT ?", String(repeating: "x", count: 1001))
        }
        try connection.run("SELECT ?", String(repeating: "x", count: 1000))
    }

    @Test func sqlLengthLimitsStatements() throws {
        let long = "SELECT '" + String(repeating: "x", count: 200) + "'"
        try expect(.sqlLength, 100, forbids: long, allows: "SELECT 1")
        expectSQLiteError(.tooBig) { _ = try connection.prepare(long) }
        expectSQLiteError(.tooBig) { try connection.execute(long) }
    }

    @Test func columnLimitsTablesAndResults() throws {
        try expect(
            .column,
            6,
            forbids: "SELECT 1, 2, 3, 4, 5, 6, 7",
            allows: "SELECT 1, 2, 3, 4, 5, 6"
        )
        expectSQLiteError {
            try connection.run("CREATE TABLE u(a, b, c, d, e, f, g)")
        }
        try connection.run("CREATE TABLE v(a, b, c, d, e, f)")
        expectSQLiteError {
            try connection.run("SELECT 1 GROUP BY 1, 1, 1, 1, 1, 1, 1")
        }
    }

    @Test func expressionsTermsAndArgumentsAreLimited() throws {
        let deep = "SELECT " + Array(repeating: "1", count: 30).joined(separator: " + ")
        let three = "SELECT 1 UNION SELECT 2 UNION SELECT 3"
        try expect(.exprDepth, 20, forbids: deep, allows: "SELECT 1 + 1 + 1")
        try expect(.compoundSelect, 2, forbids: three, allows: "SELECT 1 UNION SELECT 2")
        try expect(.functionArg, 2, forbids: "SELECT max(1, 2, 3)", allows: "SELECT max(1, 2)")
    }

    @Test func attachedLimitsDatabases() throws {
        try connection.setLimit(.attached, to: 1)
        try connection.attachDatabase(from: .inMemory, withName: "a")
        expectSQLiteError {
            try connection.attachDatabase(from: .inMemory, withName: "b")
        }
        try connection.setLimit(.attached, to: 0)
        try connection.detachDatabase(named: "a")
        expectSQLiteError {
            try connection.attachDatabase(from: .inMemory, withName: "a")
        }
    }

    @Test func likePatternLengthLimitsPatterns() throws {
        try connection.run("INSERT INTO t VALUES('abcdef')")
        try expect(
            .likePatternLength,
            4,
            forbids: "SELECT x FROM t WHERE x LIKE '%bcd%'",
            allows: "SELECT x FROM t WHERE x LIKE '%bc%'"
        )
        expectSQLiteError {
            try connection.run("SELECT x FROM t WHERE x GLOB '*bcd*'")
        }
    }

    @Test func variableNumberLimitsParameters() throws {
        _ = try connection.prepare("SELECT ?3")
        try connection.setLimit(.variableNumber, to: 2)
        expectSQLiteError { _ = try connection.prepare("SELECT ?3") }
        expectSQLiteError { _ = try connection.prepare("SELECT ?, ?, ?") }
        #expect(try connection.query("SELECT ? + ?", 1, 2) == 3)
    }

    @Test func triggerDepthLimitsTriggers() throws {
        try connection.execute(
            """
            PRAGMA recursive_triggers = ON;
            CREATE TRIGGER down AFTER INSERT ON t WHEN new.x > 0 BEGIN INSERT INTO t VALUES(new.x - 1); END;
            INSERT INTO t VALUES(10);
            DELETE FROM t
            """
        )
        try connection.setLimit(.triggerDepth, to: 5)
        expectSQLiteError { try connection.run("INSERT INTO t VALUES(10)") }
        try expectRows(0, on: connection)
        try connection.run("INSERT INTO t VALUES(3)")
        try expectRows(4, on: connection)
    }

    // MARK: Values

    /// The parser's depth is a limit of newer libraries.
    private var knownLimits: [Limit] {
        Limit.allCases.filter { $0 != .parserDepth || connection.limit($0) >= 0 }
    }

    @Test func aLimitThatSQLiteLacksIsIgnored() throws {
        guard connection.limit(.parserDepth) < 0 else {
            // SQLite always allows 50.
            let opening = String(repeating: "(", count: 150)
            let closing = String(repeating: ")", count: 150)
            let deep = "SELECT \(opening)1\(closing)"
            try expect(.parserDepth, 100, forbids: deep, allows: "SELECT ((1))")
            return
        }
        try #expect(connection.setLimit(.parserDepth, to: 5) == -1)
        #expect(connection.limit(.parserDepth) == -1)
    }

    @Test(arguments: Limit.allCases)
    func aLimitIsHeldDownToTheBuilds(limit: Limit) throws {
        guard knownLimits.contains(limit) else { return }
        let initial = connection.limit(limit)
        #expect(initial >= 0)
        let most = try connection.setLimit(limit, to: .max)
        #expect(most >= initial)
        #expect(connection.limit(limit) == most)
        try #expect(connection.setLimit(limit, to: most + 1) == most)
        let other = limit == .length ? 100 : 1
        let lowered = try connection.setLimit(limit, to: min(other, most))
        #expect(lowered == min(other, most))
        #expect(connection.limit(limit) == lowered)
    }

    @Test(arguments: [-1, Int.min])
    func aNegativeLimitThrows(value: Int) throws {
        for limit in Limit.allCases {
            let before = connection.limit(limit)
            expectSQLiteError(extended: .misuse, containing: "\(limit)") {
                try connection.setLimit(limit, to: value)
            }
            #expect(connection.limit(limit) == before)
        }
    }

    @Test func aLimitIsOneConnections() throws {
        let other = try Connection()
        let before = other.limit(.column)
        try connection.setLimit(.column, to: 5)
        #expect(other.limit(.column) == before)
    }

    @Test func afterCloseItIsZeroAndCannotBeSet() throws {
        #expect(connection.limit(.column) > 0)
        try connection.close()
        for limit in Limit.allCases {
            #expect(connection.limit(limit) == 0)
        }
        expectSQLiteError(extended: .misuse) { try connection.setLimit(.column, to: 5) }
    }
}
