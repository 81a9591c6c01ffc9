import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Every shape of result, from a statement and from a connection.
struct QueryResultTests {
    private let connection: Connection

    init() throws {
        connection = try makeCars()
    }

    /// Reads the result both ways, and again with the cached statement, and expects the same from
    /// all.
    private func query<Result: QueryResult & Equatable>(
        _ sql: SQL,
        as type: Result.Type = Result.self,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result {
        let statement = try connection.prepare(sql)
        let first: Result = try connection.query(sql)
        let again: Result = try connection.query(sql)
        let prepared: Result = try statement.query()
        let preparedAgain: Result = try statement.query()
        #expect(again == first, sourceLocation: sourceLocation)
        #expect(prepared == first, sourceLocation: sourceLocation)
        #expect(preparedAgain == first, sourceLocation: sourceLocation)
        #expect(!statement.isBusy, sourceLocation: sourceLocation)
        return first
    }

    /// The error of both ways, in a database of its own, after which the statement is reset and of
    /// use.
    private func failure<Result: QueryResult>(
        _ sql: SQL,
        as type: Result.Type,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ExtractionError {
        let connection = try makeCars()
        let statement = try connection.prepare(sql)
        let one = extractionError(
            { _ = try connection.query(sql) as Result },
            sourceLocation: sourceLocation
        )
        let two = extractionError(
            { _ = try statement.query() as Result },
            sourceLocation: sourceLocation
        )
        #expect(one == two, sourceLocation: sourceLocation)
        #expect(!statement.isBusy, sourceLocation: sourceLocation)
        #expect(throws: Never.self, sourceLocation: sourceLocation) { try statement.run() }
        // No lock is left behind: the table can be dropped.
        #expect(throws: Never.self, sourceLocation: sourceLocation) {
            try connection.execute("DROP TABLE cars")
        }
        return try #require(one, sourceLocation: sourceLocation)
    }

    // MARK: T

    @Test func aValueIsTheFirstColumnOfTheFirstRow() throws {
        #expect(try query("SELECT 1") == 1)
        #expect(try query("SELECT name, price FROM cars") == "Audi")
        #expect(try query("SELECT count(*) FROM cars") == 3)
        #expect(try query("SELECT 1.5") == 1.5)
    }

    @Test func aValueThrowsForNoRow() throws {
        let error = try failure("SELECT name FROM cars WHERE 0", as: String.self)
        expect(error, .noRow, expectedType: "String", sql: "SELECT name FROM cars WHERE 0")
    }

    @Test func aValueThrowsForNull() throws {
        let error = try failure("SELECT NULL AS n", as: Int.self)
        expect(error, .null, column: "n", index: 0, storageClass: .null)
    }

    @Test func aValueThrowsForAMismatch() throws {
        let error = try failure("SELECT name FROM cars", as: Int.self)
        expect(error, .mismatch, column: "name", storageClass: .text, expectedType: "Int")
    }

    @Test func aStatementWithoutAResultHasNoRow() throws {
        expect(try failure("UPDATE cars SET price = 1", as: Int.self), .noRow)
        #expect(try query("UPDATE cars SET price = 1", as: Int?.self) == nil)
        #expect(try query("UPDATE cars SET price = 1", as: [Int].self) == [])
        #expect(try query("UPDATE cars SET price = 1", as: [Int: Int].self) == [:])
    }

    // MARK: T?

    @Test func anOptionalValueIsNilForNoRowAndForNull() throws {
        #expect(try query("SELECT price FROM cars") == Int?.some(52642))
        #expect(try query("SELECT price FROM cars WHERE 0") == Int?.none)
        #expect(try query("SELECT price FROM cars WHERE name = 'Volvo'") == Int?.none)
        #expect(try query("SELECT NULL") == String?.none)
    }

    @Test func anOptionalValueThrowsForAMismatch() throws {
        expect(try failure("SELECT name FROM cars", as: Int?.self), .mismatch)
        expect(try failure("SELECT 300", as: UInt8?.self), .notExact)
        expect(try failure("SELECT 0.5", as: Int?.self), .notExact)
        expect(try failure("SELECT x''", as: String?.self), .mismatch)
    }

    // MARK: [T]

    @Test func anArrayHasAllRowsInTheirOrder() throws {
        #expect(
            try query("SELECT name FROM cars ORDER BY name DESC") == ["Volvo", "Skoda", "Audi"]
        )
        #expect(try query("SELECT name FROM cars LIMIT 1") == ["Audi"])
        #expect(try query("SELECT name FROM cars WHERE 0") == [String]())
        let many: [Int] = try query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) SELECT i FROM n"
        )
        #expect(many == Array(1...10000))
    }

    @Test(arguments: [
        ("VALUES(NULL)", 1), ("VALUES(1), (NULL)", 2), ("VALUES(1), (2), (NULL), (4)", 3),
    ])
    func anArrayThrowsForNullWithTheRowsNumber(sql: String, row: Int) throws {
        let error = try failure(sql, as: [Int].self)
        expect(error, .null, index: 0, row: row)
        #expect(error.description.contains("row \(row)"))
    }

    @Test(arguments: [
        ("VALUES('a')", 1), ("VALUES(1), ('a')", 2), ("VALUES(1), (2), (x''), (NULL)", 3),
    ])
    func anArrayThrowsForAMismatchWithTheRowsNumber(sql: String, row: Int) throws {
        #expect(try failure(sql, as: [Int].self).reason == .mismatch)
        expect(try failure(sql, as: [Int].self), row: row)
        expect(try failure(sql, as: [Int?].self), row: row)
    }

    @Test func anArrayThrowsForAnOverflowWithTheRowsNumber() throws {
        let error = try failure("VALUES(1), (127), (128)", as: [Int8].self)
        expect(error, .notExact, row: 3)
    }

    @Test func anErrorOfAnotherStatementGetsNoRowsNumber() throws {
        let error = #expect(throws: ExtractionError.self) {
            let _: [Int] = try connection.query("VALUES(1), (2)") { _ in
                try connection.query("SELECT 'a'")
            }
        }
        #expect(error?.sql == "SELECT 'a'")
        #expect(error?.row == nil)
    }

    @Test func anArrayOfOptionalsKeepsNulls() throws {
        #expect(try query("SELECT price FROM cars") == [52642, 9000, Int?.none])
        #expect(try query("VALUES(NULL), (NULL)") == [String?.none, nil])
        #expect(try query("SELECT 1 WHERE 0") == [Int?]())
    }

    // MARK: ExpressibleByRow

    @Test func aRowTypeIsMadeFromTheFirstRow() throws {
        #expect(try query("SELECT * FROM cars") == StockCar.all[0])
        #expect(try query("SELECT * FROM cars") == StockCar?.some(StockCar.all[0]))
        #expect(try query("SELECT * FROM cars WHERE 0") == StockCar?.none)
        let error = try failure("SELECT * FROM cars WHERE 0", as: StockCar.self)
        expect(error, .noRow, expectedType: "StockCar")
    }

    @Test func rowTypesAreMadeFromAllRows() throws {
        #expect(try query("SELECT * FROM cars") == StockCar.all)
        #expect(try query("SELECT * FROM cars WHERE name = 'Volvo'") == [StockCar.all[2]])
        #expect(try query("SELECT * FROM cars WHERE 0") == [StockCar]())
    }

    @Test func aRowTypeThatDoesNotFitThrowsWithTheRowsNumber() throws {
        let null = try failure("VALUES('a', 1), (NULL, 2)", as: [Named].self)
        expect(null, .null, row: 2)
        let missing = try failure("SELECT name FROM cars", as: [StockCar].self)
        expect(missing, .noColumn, column: "price", row: 1)
        expect(try failure("SELECT name FROM cars", as: StockCar?.self), .noColumn)
    }

    private struct Named: ExpressibleByRow {
        let name: String
        init(row: Row) throws {
            name = try row.get(0)
        }
    }

    // MARK: Row

    @Test func noRowIsNilAndARowOfNullsIsARow() throws {
        let missing: Row? = try connection.query("SELECT * FROM cars WHERE 0")
        #expect(missing == nil)
        let null: Row? = try connection.query("SELECT NULL")
        #expect(null?.description == "[NULL]")
        let statement = try connection.prepare("SELECT NULL WHERE 0")
        let none: Row? = try statement.query()
        #expect(none == nil)
        #expect(!statement.isBusy)
    }

    // MARK: Dictionaries

    @Test func aDictionaryIsMadeFromTwoColumns() throws {
        #expect(
            try query("SELECT name, price FROM cars WHERE price > 0") == [
                "Audi": 52642, "Skoda": 9000,
            ]
        )
        #expect(try query("SELECT name, price FROM cars WHERE 0") == [String: Int]())
        #expect(try query("SELECT 1, 'a'") == [1: "a"])
        #expect(try query("SELECT 1, 'a', x''") == [1: "a"])
    }

    @Test func theLastRowOfARepeatedKeyCounts() throws {
        #expect(try query("VALUES('a', 1), ('b', 2), ('a', 3)") == ["a": 3, "b": 2])
    }

    @Test func aDictionaryOfOptionalsKeepsNulls() throws {
        #expect(
            try query("SELECT name, price FROM cars") == [
                "Audi": 52642, "Skoda": 9000, "Volvo": Int?.none,
            ]
        )
        #expect(try query("VALUES('a', 1), ('a', NULL)") == ["a": Int?.none])
    }

    @Test func aDictionaryThrowsForWhatDoesNotFit() throws {
        let nullValue = try failure("SELECT name, price FROM cars", as: [String: Int].self)
        expect(nullValue, .null, column: "price", index: 1, row: 3)
        let nullKey = try failure("VALUES('a', 1), (NULL, 2)", as: [String: Int].self)
        expect(nullKey, index: 0, row: 2)
        expect(try failure("VALUES('a', 'b')", as: [String: Int].self), .mismatch)
        expect(try failure("VALUES(1, 2)", as: [String: Int].self), index: 0)
        expect(try failure("VALUES('a', 'b')", as: [String: Int?].self), .mismatch)
        let oneColumn = try failure("SELECT 'a'", as: [String: Int].self)
        expect(oneColumn, .noColumn, index: 1)
    }

    private enum Bad: String, Binding { case bytes = "\u{FFFD}" }

    /// Strings of such keys can be equal, and would share one entry.
    @Test func aKeyThatIsNotUTF8IsAnError() throws {
        let sql = "SELECT 'é', 1 UNION ALL SELECT CAST(x'efbfbd' AS TEXT), 2"
        let malformed = "\(sql) UNION ALL SELECT CAST(x'ff' AS TEXT), 3"
        let error = try failure(malformed, as: [String: Int].self)
        let one = try failure("SELECT CAST(x'ff' AS TEXT), 1", as: [Bad: Int].self)
        let other = try failure("SELECT CAST(x'ff' AS TEXT), 1", as: [BindingValue: Int].self)

        expect(error, .mismatch, index: 0, row: 3, storageClass: .text, expectedType: "String")
        #expect(error.expectedForm == "UTF-8, as a key; or read CAST(… AS BLOB) as Data")
        #expect([one, other].map(\.row) == [1, 1])
        #expect(try query(sql) == ["é": 1, "\u{FFFD}": 2])
        #expect(try query("SELECT CAST('é' AS BLOB), 1") == [Data("é".utf8): 1])
    }
}
