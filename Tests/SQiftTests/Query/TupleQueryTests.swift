import Foundation
import SQiftTestSupport
import Testing

import SQift

private typealias Twelve = (
    Int, Int8, UInt64, Double, Float, Bool, String, Data, Date, UUID, String?, Int?
)

/// Rows as tuples of their first columns.
struct TupleQueryTests {
    private let connection: Connection
    private let all = "SELECT name, price FROM cars ORDER BY name"
    private let positional =
        "SELECT price, name FROM cars WHERE type = ? AND price > ? ORDER BY price"
    private let named =
        "SELECT price, name FROM cars WHERE type = :type AND price > @price ORDER BY price"
    private let array: [(any Bindable)?] = ["Sedan", 1]
    private let dictionary: [String: (any Bindable)?] = ["type": "Sedan", "@price": 1]

    init() throws {
        connection = try makeCars()
    }

    // MARK: Parameters

    @Test func everyRowInEveryFormOfParameters() throws {
        let none = try connection.query(all, as: (String, Int?).self)
        #expect(none.elementsEqual([("Audi", 52642), ("Skoda", 9000), ("Volvo", nil)], by: ==))

        let results = [
            try connection.query(positional, "Sedan", 1, as: (Int, String).self),
            try connection.query(positional, .list(array), as: (Int, String).self),
            try connection.query(named, .named(dictionary), as: (Int, String).self),
        ]
        for rows in results {
            #expect(rows.elementsEqual([(9000, "Skoda"), (52642, "Audi")], by: ==))
        }

        let literalNil = try connection.query(
            "SELECT name, type FROM cars WHERE price IS ?",
            [nil],
            as: (String, String).self
        )
        #expect(literalNil.elementsEqual([("Volvo", "Wagon")], by: ==))
    }

    @Test func variablesThatMayBeNilAreParameters() throws {
        let nothing: Int? = nil
        let erased: any Bindable = "Audi"
        let rows = try connection.query(
            "SELECT name, ? FROM cars WHERE price IS ?",
            nothing,
            nothing,
            as: (String, Int?).self
        )
        let found = try connection.query(
            "SELECT price, name FROM cars WHERE name = ?",
            [erased],
            as: (Int, String).self
        )
        #expect(rows.elementsEqual([("Volvo", nil)], by: ==))
        #expect(found.map { $0.0 } == [52642])
    }

    @Test func aWrongCountOfParametersThrows() throws {
        let type = (Int, String).self
        let errors = [
            sqliteError { try connection.query(positional, "Sedan", as: type) },
            sqliteError { try connection.query(positional, as: type) },
            sqliteError { try connection.query(all, [1], as: type) },
            sqliteError { try connection.query(named, ["type": "x"], as: type) },
            sqliteError { try connection.query(positional, "Sedan", 1, 2, as: type) },
        ]
        for error in errors {
            expect(error, .misuse)
        }
    }

    @Test func aResultWithoutARowIsEmpty() throws {
        let rows = try connection.query(positional, "Truck", 1, as: (Int, String).self)
        #expect(rows.isEmpty)
    }

    // MARK: Numbers of columns

    @Test func aSingleColumnIsNoTuple() throws {
        let prices: [Int?] = try connection.query(
            "SELECT price FROM cars ORDER BY name",
            as: Int?.self
        )
        #expect(
            try connection.query(
                "SELECT name FROM cars ORDER BY name",
                as: String.self
            ) == ["Audi", "Skoda", "Volvo"]
        )
        #expect(prices == [52642, 9000, nil])
    }

    @Test func threeColumnsAreReadInTheirOrder() throws {
        let rows = try connection.query(
            "SELECT name, type, price FROM cars ORDER BY name",
            as: (String, String, Int?).self
        )
        #expect(
            rows.elementsEqual(
                [("Audi", "Sedan", 52642), ("Skoda", "Sedan", 9000), ("Volvo", "Wagon", nil)],
                by: ==
            )
        )
    }

    @Test func twelveColumnsOfAsManyTypesAreRead() throws {
        let uuidText = "0A0B0C0D-0102-0304-0506-0708090A0B0C"
        let sql = """
            SELECT 1, -2, -1, 0.5, 0.25, 1, 'text', x'00ff', '1970-01-02', '\(uuidText)', NULL, 12
            """
        let rows = try connection.query(sql, as: Twelve.self)
        let row = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(row.0 == 1)
        #expect(row.1 == -2)
        #expect(row.2 == .max)
        #expect(row.3 == 0.5)
        #expect(row.4 == 0.25)
        #expect(row.5 == true)
        #expect(row.6 == "text")
        #expect(row.7 == Data([0, 255]))
        #expect(row.8 == Date(timeIntervalSince1970: 86_400))
        #expect(row.9.uuidString == uuidText)
        #expect(row.10 == nil)
        #expect(row.11 == 12)
    }

    @Test func columnsBeyondTheTupleAreIgnored() throws {
        let sql = "VALUES(1, 'a', NULL), (2, 'b', x'')"
        let rows = try connection.query(sql, as: (Int, String).self)
        let numbers = try connection.query("VALUES(1, 'a'), (2, 'b')", as: Int.self)
        #expect(rows.elementsEqual([(1, "a"), (2, "b")], by: ==))
        #expect(numbers == [1, 2])
    }

    @Test func tooFewColumnsThrow() throws {
        let statement = try connection.prepare("SELECT 1 AS a")
        let errors = [
            extractionError { try connection.query("SELECT 1 AS a", as: (Int, Int).self) },
            extractionError { try connection.query("SELECT 1 AS a", as: (Int, Int?).self) },
            extractionError { try statement.query(as: (Int, Int, Int).self) },
        ]
        for error in errors {
            expect(error, .noColumn, index: 1)
            #expect(error?.availableColumns == ["a"])
            #expect(error?.sql == "SELECT 1 AS a")
        }
        #expect(!statement.isBusy)
    }

    // MARK: Errors

    @Test func nullForATypeThatIsNotOptionalNamesTheRow() {
        let error = expectExtractionError(
            .null,
            column: "price",
            index: 1,
            row: 3,
            storageClass: .null,
            expectedType: "Int",
            sql: all
        ) { try connection.query(all, as: (String, Int).self) }
        #expect(error?.description.contains("row 3") == true)
    }

    @Test func aMismatchNamesTheRowToo() {
        let sql = "VALUES(1, 'a'), (2, 3)"
        let second = extractionError { try connection.query(sql, as: (Int, String).self) }
        let first = extractionError { try connection.query(sql, as: (String, String).self) }
        let single = extractionError { try connection.query("VALUES(1), (2.5)", as: Int.self) }
        expect(second, .mismatch, index: 1, row: 2)
        #expect(first?.row == 1)
        #expect(first?.index == 0)
        expect(single, .notExact, row: 2)
    }

    @Test func aFailureLeavesNothingOpen() throws {
        _ = extractionError { try connection.query(all, as: (String, Int).self) }
        let rows = try connection.query(all, as: (String, Int?).self)
        #expect(rows.count == 3)
        try connection.execute("DROP TABLE cars")
        try connection.close()
    }

    // MARK: Statements

    @Test func aStatementReadsTuplesToo() throws {
        let statement = try connection.prepare(positional)
        let rows = try statement.bind("Sedan", 1).query(as: (Int, String).self)
        #expect(!statement.isBusy)
        let prices: [Int] = try statement.query(as: Int.self)
        let none = try statement.bind("Truck", 1).query(as: (Int, String).self)
        #expect(!statement.isBusy)

        #expect(rows.elementsEqual([(9000, "Skoda"), (52642, "Audi")], by: ==))
        #expect(prices == [9000, 52642])
        #expect(none.isEmpty)
    }

    @Test func aStatementIsResetAfterAFailure() throws {
        let statement = try connection.prepare(all)
        for _ in 0..<2 {
            expectExtractionError(row: 3) { try statement.query(as: (String, Int).self) }
            #expect(!statement.isBusy)
            expectExtractionError(.mismatch) { try statement.query(as: (String, Data).self) }
            #expect(!statement.isBusy)
        }
        let rows = try statement.query(as: (String, Int?).self)
        #expect(rows.count == 3)
        try connection.execute("DROP TABLE cars")
    }

    @Test func anUnboundStatementThrows() throws {
        let statement = try connection.prepare(positional)
        expectSQLiteError(.misuse) { try statement.query(as: (Int, String).self) }
    }

    @Test func aWriteThatReturnsRowsRunsToItsEnd() throws {
        let insert = "INSERT INTO cars(name, price) VALUES(?, 1), (?, 2) RETURNING name, price"
        let rows = try connection.query(insert, "Fiat", "Opel", as: (String, Int).self)
        #expect(rows.map { $0.0 } == ["Fiat", "Opel"])
        #expect(try count("cars", on: connection) == 5)
    }
}
