import Foundation
import SQiftTestSupport
import Testing

import SQift

struct CursorTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection
    private let sql = "SELECT x FROM t ORDER BY x"

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection.withTable(rows: 1, 2, 3, path: path)
    }

    // MARK: Rows

    @Test func everyFormOfParametersGivesTheSameRows() throws {
        let sql = "SELECT x FROM t WHERE x > ? AND ? IS NULL ORDER BY x"
        let named = "SELECT x FROM t WHERE x > :a AND $b IS NULL ORDER BY x"
        let array: [(any Bindable)?] = [1, nil]
        let names: [String: (any Bindable)?] = ["a": 1, "$b": nil]
        let statement = try connection.prepare(sql, 1, nil)
        let cursors = [
            try connection.cursor("SELECT x FROM t WHERE x > 1 ORDER BY x"),
            try connection.cursor(sql, [1, nil]),
            try connection.cursor(sql, 1, Int?.none),
            try connection.cursor(sql, .list(array)),
            try connection.cursor(named, ["a": 1, "$b": nil]),
            try connection.cursor(named, .named(names)),
            try statement.cursor(),
        ]
        for cursor in cursors {
            #expect(try rest(of: cursor) == [2, 3])
        }
    }

    @Test func whatCannotBeBoundOrPreparedThrowsAndLeavesNothingOpen() throws {
        for error in [
            sqliteError { try connection.cursor("SELECT ?") },
            sqliteError { try connection.cursor("SELECT ?", 1, 2) },
            sqliteError { try connection.cursor("SELECT ?", [1, 2]) },
            sqliteError { try connection.cursor("SELECT :a", ["b": 1]) },
            sqliteError { _ = try connection.cursor("SELECT 1; SELECT 2") },
            sqliteError { try connection.prepare("SELECT ?").cursor() },
        ] {
            expect(error, .misuse)
        }
        expectSQLiteError(.error) { try connection.cursor("nonsense") }
        #expect(try rest(of: connection.cursor("SELECT ?", 7)) == [7])
        try connection.close()
    }

    @Test func aCachedStatementThatCannotBeBoundIsGivenBack() throws {
        let sql = "SELECT ?"
        try connection.run(sql, 1)
        expectSQLiteError(.misuse) { try connection.cursor(sql) }
        #expect(try rest(of: connection.cursor(sql, 7)) == [7])
        #expect(try preparedSQL(on: connection).filter { $0 == sql }.count == 1)
        try connection.close()
    }

    @Test func rowsAreReadLiveOrDecoded() throws {
        let cars = try makeCars()
        let sql = "SELECT name, price FROM cars ORDER BY name"
        var names: [String] = []
        let live = try cars.cursor(sql)
        while let row = try live.next() {
            names.append(try row.get("name"))
        }
        #expect(names == StockCar.all.map(\.name))

        let decoded = try cars.cursor(sql)
        #expect(try decoded.next(as: StockCar.self) == StockCar.all[0])
        let second: StockCar? = try decoded.next()
        #expect(second == StockCar.all[1])
        let third = try decoded.next(as: Row.self)
        #expect(try isAtEnd(decoded))
        #expect(third?.description == "['Volvo', NULL]")
    }

    @Test func afterTheLastRowThereIsNoneAgainAndAgain() throws {
        let silent = try connection.cursor("PRAGMA data_version")
        for cursor in try [connection.cursor(sql), connection.prepare(sql).cursor(), silent] {
            _ = try rest(of: cursor)
            for _ in 0..<3 {
                #expect(try isAtEnd(cursor))
                #expect(try rest(of: cursor) == [])
            }
        }
    }

    @Test func aLongResultIsReadToItsEnd() throws {
        let cursor = try connection.cursor(numbers(to: 100_000))
        var sum = 0
        while let row = try cursor.next() {
            sum += try row.get(0)
        }
        #expect(sum == 5_000_050_000)
    }

    @Test(arguments: [false, true])
    func aColumnThatIsAddedMeanwhileIsInTheNextRun(isCached: Bool) throws {
        let all = "SELECT * FROM t"
        let statement = try connection.prepare(all)
        var rows: [String] = []
        let cursor = try isCached ? connection.cursor(all) : statement.cursor()
        while let row = try cursor.next() {
            #expect(row.columnNames == ["x"])
            rows.append(row.description)
            if rows.count == 1 {
                try connection.run("ALTER TABLE t ADD COLUMN y DEFAULT 9")
            }
        }
        #expect(rows == ["[1]", "[2]", "[3]"])

        let next = try isCached ? connection.cursor(all) : statement.cursor()
        while let row = try next.next() {
            #expect(row.columnNames == ["x", "y"])
            rows.append(row.description)
        }
        #expect(rows.suffix(3) == ["[1, 9]", "[2, 9]", "[3, 9]"])
    }

    // MARK: Several at once

    @Test func twoSortedResultsAreMerged() throws {
        try connection.execute("CREATE TABLE u(x); INSERT INTO u VALUES(0), (2), (5)")
        let cursors = try [connection.cursor(sql), connection.cursor("SELECT x FROM u ORDER BY x")]
        var heads = try cursors.map { try $0.next(as: Int.self) }
        var merged: [Int] = []
        while let least = heads.compactMap(\.self).min() {
            merged.append(least)
            let index = try #require(heads.firstIndex(of: least))
            heads[index] = try cursors[index].next(as: Int.self)
        }
        #expect(merged == [0, 1, 2, 2, 3, 5])
    }

    @Test func cursorsOverTheSameSQLAreIndependent() throws {
        let (one, other) = (try connection.cursor(sql), try connection.cursor(sql))
        #expect(try one.next(as: Int.self) == 1)
        #expect(try one.next(as: Int.self) == 2)
        #expect(try other.next(as: Int.self) == 1)
        #expect(try connection.query(sql) == [1, 2, 3])
        other.close()
        let third = try connection.cursor(sql)
        #expect(try rest(of: one) == [3])
        #expect(try rest(of: third) == [1, 2, 3])
    }

    @Test func loopsThatAreLeftLeaveNothingOpen() throws {
        var pairs: [[Int]] = []
        let outer = try connection.cursor(sql)
        while let x = try outer.next(as: Int.self) {
            let inner = try connection.cursor(sql)
            while let y = try inner.next(as: Int.self), y <= x {
                pairs.append([x, y])
            }
        }
        #expect(pairs == [[1, 1], [2, 1], [2, 2], [3, 1], [3, 2], [3, 3]])
        _ = try connection.cursor(sql)
        expectThrows(TestError.self) {
            let cursor = try connection.cursor(sql)
            while try cursor.next() != nil {
                throw TestError()
            }
        }
        #expect(try preparedSQL(on: connection) == [sql])
        #expect(try canWrite(toFileAt: path))
        try connection.run("DROP TABLE t")
    }

    // MARK: Its row

    @Test func aRowKeepsTheCursorThatItCameFrom() throws {
        #expect(try connection.cursor(sql).next()?.detached().description == "[1]")
        #expect(try connection.cursor(sql).next().map { try $0.get("x") as Int } == 1)
        if let row = try connection.cursor(sql).next() {
            #expect(row.description == "[1]")
            #expect(try !canWrite(toFileAt: path))
        }
        #expect(try canWrite(toFileAt: path))
        try connection.run("DROP TABLE t")
    }

    @Test func aRowOfAPreparedStatementKeepsItsCursorToo() throws {
        #expect(try connection.prepare(sql).cursor().next()?.detached().description == "[1]")
        let row = try Connection(path: path).cursor(sql).next()
        #expect(row?.description == "[1]")
    }

    // MARK: Its end

    enum Ending: CaseIterable {
        case lastRow, decodingError, sqlError, close, release

        var sql: SQL {
            let failing = "CASE x WHEN 1 THEN 1 ELSE abs(-9223372036854775808) END"
            return "SELECT \(self == .sqlError ? failing : "x") FROM t WHERE x > ?"
        }
    }

    /// Reads the first row, and ends the cursor. Returns it, unless it is to be released.
    private func end(_ cursor: Cursor, by ending: Ending) throws -> Cursor? {
        #expect(try cursor.next(as: Int.self) == 1)
        #expect(try !canWrite(toFileAt: path))
        switch ending {
        case .lastRow:
            #expect(try rest(of: cursor) == [2, 3])
        case .decodingError:
            expectExtractionError(row: 2, sql: ending.sql) { try cursor.next(as: Data.self) }
        case .sqlError:
            expectSQLiteError(message: "integer overflow") { try cursor.next() }
        case .close:
            cursor.close()
        case .release:
            return nil
        }
        return cursor
    }

    @Test(arguments: Ending.allCases)
    func aPreparedStatementIsResetAtItsEnd(ending: Ending) throws {
        let statement = try connection.prepare(ending.sql, 0)
        let cursor = try end(statement.cursor(), by: ending)
        #expect(!statement.isBusy)
        #expect(try canWrite(toFileAt: path))
        try statement.bind(9).run()
        let next = try statement.bind(0).cursor()
        #expect(try next.next(as: Int.self) == 1)
        withExtendedLifetime(cursor) {}
    }

    @Test(arguments: Ending.allCases)
    func aCachedStatementIsResetAtItsEndAndKeepsNothingOpen(ending: Ending) throws {
        let cursor = try end(connection.cursor(ending.sql, 0), by: ending)
        #expect(try canWrite(toFileAt: path))
        try connection.run("DROP TABLE t")
        try connection.close()
        withExtendedLifetime(cursor) {}
    }

    @Test func itsStatementCannotBeUsedMeanwhile() throws {
        let statement = try connection.prepare("SELECT x FROM t WHERE x > ? ORDER BY x", 0)
        let cursor = try statement.cursor()
        for expected in 1...2 {
            for error in [
                sqliteError { try statement.bind(1) },
                sqliteError { try statement.run() },
                sqliteError { try statement.query() as [Int] },
                sqliteError { try statement.cursor() },
            ] {
                expect(error, .misuse)
            }
            #expect(try cursor.next(as: Int.self) == expected)
        }
        cursor.close()
        #expect(try rest(of: statement.bind(1).cursor()) == [2, 3])
    }

    @Test func onceClosedOrFailedItThrows() throws {
        let closed = try connection.cursor(sql)
        closed.close()
        closed.close()
        let mistaken = try connection.cursor(sql)
        expectThrows(ExtractionError.self) { try mistaken.next(as: Data.self) }
        let failed = try connection.cursor("SELECT abs(-9223372036854775808)")
        expectThrows(SQLiteError.self) { try failed.next() }
        for cursor in [closed, closed, mistaken, mistaken, failed, failed] {
            expectSQLiteError(.misuse) { try cursor.next() }
            expectSQLiteError(.misuse) { try cursor.next(as: Int.self) }
        }
    }

    @Test func aPreparedStatementIsKeptUntilItIsReleased() throws {
        var cursor: Cursor? = try connection.prepare(sql).cursor()
        #expect(try cursor.map(rest) == [1, 2, 3])
        expectSQLiteError(.busy) { try connection.close() }
        cursor = nil
        try connection.close()
    }

    @Test func anInterruptEndsIt() throws {
        let cursor = try connection.cursor(numbers(to: 1000))
        #expect(try cursor.next(as: Int.self) == 1)
        connection.interrupt()
        expectSQLiteError(.interrupt) { try cursor.next() }
        expectSQLiteError(.misuse) { try cursor.next() }
        #expect(try rest(of: connection.cursor(sql)) == [1, 2, 3])
    }

    @Test func aRollbackOfTheSchemaEndsIt() throws {
        try connection.execute("BEGIN; CREATE TABLE u(x)")
        let cursor = try connection.cursor("SELECT x FROM t")
        #expect(try cursor.next(as: Int.self) == 1)
        try connection.execute("ROLLBACK")
        expectSQLiteError(.abort) { try cursor.next() }
    }

    @Test func aStatementThatWritesIsRefused() throws {
        let sql = "INSERT INTO t VALUES(4), (5) RETURNING x"
        expectSQLiteError(.misuse) { try connection.cursor(sql) }
        let statement = try connection.prepare(sql)
        expectSQLiteError(.misuse) { try statement.cursor() }
        #expect(try values(on: Connection(path: path)) == [1, 2, 3])
        #expect(try statement.query() as [Int] == [4, 5])
    }

    @Test func itsRowIsStaleAfterTheNextCall() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let cursor = try Connection().cursor("SELECT 1 AS a UNION SELECT 2")
            let first = try cursor.next()
            _ = try cursor.next()
            print(first?["a"] as Int? ?? 0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("SQift: a row was read after"))
    }
}

/// The values of the rows that are left.
private func rest(of cursor: Cursor) throws -> [Int] {
    var values: [Int] = []
    while let value = try cursor.next(as: Int.self) {
        values.append(value)
    }
    return values
}

private func isAtEnd(_ cursor: Cursor) throws -> Bool {
    try cursor.next() == nil
}
