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

    @Test(arguments: 0..<8)
    func everyQueryLeavesTheStatementResetSoThatNoLockLingers(shape: Int) throws {
        let folder = try TemporaryFolder()
        let reader = try Connection(path: folder.path())
        try reader.execute("CREATE TABLE t(k, v); INSERT INTO t VALUES(1, 2), (3, 4)")
        let statement = try reader.prepare("SELECT k, v FROM t")
        switch shape {
        case 0: _ = try statement.query() as Int
        case 1: _ = try statement.query() as Int?
        case 2: _ = try statement.query() as [Int]
        case 3: _ = try statement.query() as Row?
        case 4: _ = try statement.query() as [Int: Int]
        case 5: _ = try statement.query { try $0.get(0) } as Int?
        case 6: try statement.run()
        default:
            expectThrows(TestError.self) {
                try statement.forEachRow { _ in throw TestError() }
            }
        }
        #expect(!statement.isBusy)
        // In a rollback journal a lingering read lock would keep the writer out.
        let writer = try Connection(path: folder.path())
        try writer.execute("BEGIN EXCLUSIVE; INSERT INTO t VALUES(5, 6); COMMIT")
        #expect(try reader.query("SELECT count(*) FROM t") == 3)
    }

    @Test func aStatementIsRunAgainWithNewValues() throws {
        let insert = try connection.prepare("INSERT INTO cars VALUES(?, ?, ?)")
        #expect(try connection.query("SELECT count(*) FROM cars") == 3)
        try insert.bind("Fiat", "Mini", 1).run()
        #expect(connection.changes == 1)
        try insert.bind("Opel", nil, nil).run()
        try insert.bind(["Ford", "Van", 2]).run()
        let rows: [Row] = try connection.query("SELECT * FROM cars WHERE rowid > 3")
        #expect(
            rows.map(\.description) == [
                "['Fiat', 'Mini', 1]", "['Opel', NULL, NULL]", "['Ford', 'Van', 2]",
            ]
        )
    }

    @Test func aStatementUsedByItsOwnClosureThrows() throws {
        let statement = try connection.prepare("SELECT name FROM cars WHERE price > ?", 0)
        var names: [String] = []
        try statement.forEachRow { row in
            expectThrows(SQLiteError.self) { try statement.run() }
            expectThrows(SQLiteError.self) { try statement.bind(1) }
            expectThrows(SQLiteError.self) { try statement.query() as [String] }
            names.append(try row.get(0))
        }
        #expect(names == ["Audi", "Skoda"])
    }

    @Test func anUnboundStatementThrowsInsteadOfReadingNulls() throws {
        let statement = try connection.prepare("SELECT name FROM cars WHERE price > ?")
        expectThrows(SQLiteError.self) { try statement.query() as [String] }
        expectThrows(SQLiteError.self) { try statement.query() as Row? }
        expectThrows(SQLiteError.self) { try statement.forEachRow { _ in } }
        expectThrows(SQLiteError.self) { try statement.query { _ in 1 } as [Int] }
        #expect(try statement.bind(10_000).query() == ["Audi"])
    }

    @Test func theColumnNamesFollowTheSchema() throws {
        let statement = try connection.prepare("SELECT * FROM cars LIMIT 1")
        let before: Row? = try statement.query()
        try connection.execute("ALTER TABLE cars ADD COLUMN color TEXT DEFAULT 'red'")
        let after: Row? = try statement.query()
        #expect(before?.columnNames == ["name", "type", "price"])
        #expect(after?.columnNames == ["name", "type", "price", "color"])
        #expect(after?["color"] == "red")
        try connection.execute("ALTER TABLE cars RENAME COLUMN color TO paint")
        let cars: [Row] = try connection.query("SELECT * FROM cars LIMIT 1")
        #expect(cars.first?.hasColumn("paint") == true)
    }
}
