import Foundation
import SQiftTestSupport
import Testing

import SQift

/// The shapes with a closure on a statement, and what every query leaves behind. The other shapes:
/// QueryResultTests.
struct StatementQueryTests {
    private let connection: Connection

    init() throws {
        connection = try makeCars()
    }

    @Test func aClosureForTheFirstRow() throws {
        let statement = try connection.prepare(
            "SELECT name FROM cars WHERE price > ? ORDER BY price"
        )
        let one: String? = try statement.bind(1).query { try $0.get(0) }
        let none: String? = try statement.bind(1_000_000).query { try $0.get(0) }
        #expect(one == "Skoda")
        #expect(none == nil)
        #expect(!statement.isBusy)
    }

    @Test func aClosureForAnArray() throws {
        let statement = try connection.prepare(
            "SELECT name, price FROM cars WHERE price > ? ORDER BY price"
        )
        let all: [StockCar] = try statement.bind(1).query { try StockCar(row: $0) }
        let none: [StockCar] = try statement.bind(1_000_000).query { try StockCar(row: $0) }
        #expect(all == [StockCar.all[1], StockCar.all[0]])
        #expect(none == [])
    }

    @Test func aClosureForADictionary() throws {
        let statement = try connection.prepare("SELECT type, name FROM cars")
        let last: [String: String] = try statement.query { (try $0.get(0), try $0.get(1)) }
        #expect(last == ["Sedan": "Skoda", "Wagon": "Volvo"])
        let groups: [String: [String]] = try statement.query { groups, row in
            let type: String = row[0]
            return (type, (groups[type] ?? []) + [row[1]])
        }
        #expect(groups == ["Sedan": ["Audi", "Skoda"], "Wagon": ["Volvo"]])
    }

    @Test func rowByRow() throws {
        let statement = try connection.prepare("SELECT name FROM cars")
        var names: [String] = []
        try statement.forEachRow { names.append(try $0.get("name")) }
        #expect(names == ["Audi", "Skoda", "Volvo"])
        try connection.execute("DELETE FROM cars")
        try statement.forEachRow { names.append(try $0.get("name")) }
        #expect(names.count == 3)
    }

    @Test func anErrorOfAClosureComesOutUnchangedAndLeavesTheStatementResetAndUsable() throws {
        let statement = try connection.prepare("SELECT name FROM cars")
        let bodies: [() throws -> Void] = [
            { _ = try statement.query { _ in throw TestError(reason: "2") } as Int? },
            { _ = try statement.query { _ in throw TestError(reason: "2") } as [Int] },
            {
                _ =
                    try statement.query { _ -> (Int, Int) in throw TestError(reason: "2") }
                    as [Int: Int]
            },
            {
                _ =
                    try statement.query { _, _ -> (Int, Int) in throw TestError(reason: "2") }
                    as [Int: Int]
            },
            { try statement.forEachRow { _ in throw TestError(reason: "2") } },
        ]
        for body in bodies {
            #expect(throws: TestError(reason: "2")) { try body() }
            #expect(!statement.isBusy)
            #expect(try statement.query() == ["Audi", "Skoda", "Volvo"])
        }
    }

    @Test func anExtractionErrorInsideAClosureIsToldItsRow() throws {
        let statement = try connection.prepare("SELECT name, price FROM cars")
        expectExtractionError(column: "price", row: 3) {
            try statement.query { try $0.get("price") as Int } as [Int]
        }
        #expect(!statement.isBusy)
    }
}
