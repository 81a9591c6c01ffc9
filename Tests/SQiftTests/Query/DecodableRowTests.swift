import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct Car: Decodable, ExpressibleByRow, Equatable {
    let name: String
    let price: Int?

    static let all = [
        Car(name: "Audi", price: 52642), Car(name: "Skoda", price: 9000),
        Car(name: "Volvo", price: nil),
    ]
}

private struct Owner: Decodable, ExpressibleByRow, Equatable {
    let name: String
    let age: Int
}

private struct Renamed: Decodable, ExpressibleByRow, Equatable {
    let name: String
    let cost: Int?

    enum CodingKeys: String, CodingKey {
        case name = "Model Name"
        case cost = "größe"
    }
}

private struct Year: Decodable, ExpressibleByRow, Equatable {
    let modelYear: Int

    static var columnNamesAreSnakeCase: Bool { true }
}

private struct Model: Decodable, ExpressibleByRow, Equatable {
    let modelYear: Int
    let baseURL: URL?
    let name: String

    static var columnNamesAreSnakeCase: Bool { true }
}

private struct OldModel: Decodable, ExpressibleByRow, Equatable {
    let model_Year: Int
    let base_URL: String

    static var columnNamesAreSnakeCase: Bool { true }
}

/// The same key as a `Model`'s, but with a column of the same spelling.
private struct PlainModel: Decodable, ExpressibleByRow {
    let modelYear: Int?
}

private struct OwnInitialiser: Decodable, ExpressibleByRow {
    let name: String

    init(row: Row) throws {
        let stored: String = try row.get(0)
        name = "my " + stored
    }
}

private struct Forward: Decodable, ExpressibleByRow {
    let a: Int
    let b: Int
    let c: Int

    var values: [Int] { [a, b, c] }
}

private struct Backward: Decodable, ExpressibleByRow {
    let c: Int
    let b: Int
    let a: Int

    var values: [Int] { [a, b, c] }
}

private struct Sparse: Decodable, ExpressibleByRow, Equatable {
    let first: Int?
    let b: Int
    let second: String?
    let d: Int
    let third: [Int]?
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}

/// A hundred columns, `c0` to `c99`.
private struct Wide: Decodable, ExpressibleByRow {
    static let count = 100

    let values: [Int]
    let missing: Int?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        values = try (0..<Wide.count).map { number in
            try container.decode(Int.self, forKey: AnyKey(stringValue: "c\(number)"))
        }
        missing = try container.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: "missing"))
    }
}

/// Types that are decoded from rows: shapes, names of columns, and statements. Values:
/// DecodableRowValueTests.
struct DecodableRowTests {
    private let connection: Connection

    init() throws {
        connection = try makeCars()
    }

    // MARK: Shapes

    @Test func aDecodableTypeNeedsNothingMore() throws {
        let sql = "SELECT * FROM cars ORDER BY name"
        let cars: [Car] = try connection.query(sql)
        let first: Car? = try connection.query(sql)
        let one: Car = try connection.query("SELECT * FROM cars WHERE name = ?", "Skoda")
        #expect(cars == Car.all)
        #expect(try connection.query(sql) == Car.all[0])
        #expect(first == Car.all[0])
        #expect(one == Car.all[1])
    }

    @Test func aResultWithoutARowIsNilAnEmptyArrayOrAnError() throws {
        let sql = "SELECT * FROM cars WHERE 0"
        let none: Car? = try connection.query(sql)
        let empty: [Car] = try connection.query(sql)
        let error = extractionError { try connection.query(sql) as Car }
        #expect(none == nil)
        #expect(empty == [])
        expect(error, .noRow, expectedType: "Car")
    }

    @Test func rowsOfEveryKindAreDecoded() throws {
        let sql = "SELECT price, type, name FROM cars ORDER BY name"
        let prepared: [Car] = try connection.prepare(sql).query()
        let inClosure: [Car] = try connection.query(sql) { try Car(row: $0) }
        let rows: [Row] = try connection.query(sql)
        let detached = try rows.map { try Car(row: $0) }
        #expect(prepared == Car.all)
        #expect(inClosure == Car.all)
        #expect(detached == Car.all)
    }

    @Test func aPartOfARowIsDecoded() throws {
        try connection.execute(
            "CREATE TABLE owners(name, age, car); INSERT INTO owners VALUES('Ada', 36, 'Audi')"
        )
        let sql = """
            SELECT c.name, c.price, o.name, o.age
            FROM cars c LEFT JOIN owners o ON o.car = c.name ORDER BY c.name
            """
        var cars: [Car?] = []
        var owners: [Owner?] = []
        try connection.forEachRow(sql) { row in
            cars.append(try row.slice(0..<2).map(Car.init(row:)))
            owners.append(try row.slice(2..<4).map(Owner.init(row:)))
        }
        let expectedCars: [Car?] = Car.all
        #expect(cars == expectedCars)
        #expect(owners == [Owner(name: "Ada", age: 36), nil, nil])
    }

    @Test func anOwnInitialiserWins() throws {
        let names: [OwnInitialiser] = try connection.query("SELECT name FROM cars ORDER BY name")
        let one: OwnInitialiser = try connection.query("SELECT 'car'")
        #expect(names.map(\.name) == ["my Audi", "my Skoda", "my Volvo"])
        #expect(one.name == "my car")
    }

    // MARK: Names

    @Test(arguments: [("name", "price"), ("NAME", "Price"), ("nAmE", "PRICE")])
    func aKeyMatchesAColumnInEitherCase(name: String, price: String) throws {
        let sql = "SELECT 1 AS other, 7 AS \(price), 'a' AS \(name)"
        #expect(try connection.query(sql) as [Car] == [Car(name: "a", price: 7)])
    }

    @Test func theRawValueOfAKeyIsTheColumnsName() throws {
        let upper: Renamed = try connection.query("SELECT 2 AS GRößE, 'b' AS \"MODEL NAME\"")
        #expect(
            try connection.query("SELECT 1 AS größe, 'a' AS \"Model Name\"")
                == Renamed(name: "a", cost: 1)
        )
        #expect(upper == Renamed(name: "b", cost: 2))
    }

    @Test func onlyASCIILettersMatchInEitherCase() throws {
        #expect(
            try connection.query("SELECT 1 AS GRÖßE, 'a' AS \"model name\"")
                == Renamed(name: "a", cost: nil)
        )
    }

    @Test func theLeftmostOfEqualNamesCounts() throws {
        #expect(
            try connection.query("SELECT 'a' AS name, 'b' AS NAME, 1 AS price")
                == Car(name: "a", price: 1)
        )
    }

    @Test func aTypeMayHaveItsColumnsInSnakeCase() throws {
        let url = "https://example.com"
        let sql = "SELECT '\(url)' AS base_url, name, 1999 AS model_year FROM cars ORDER BY name"
        let models: [Model] = try connection.query(sql)
        let expected = ["Audi", "Skoda", "Volvo"].map { name in
            Model(modelYear: 1999, baseURL: URL(string: url), name: name)
        }
        #expect(models == expected)
    }

    @Test func anUnderscoreInAPropertysNameIsNotDoubled() throws {
        #expect(
            try connection.query("SELECT 1999 AS model_year, 'a' AS base_url")
                == OldModel(model_Year: 1999, base_URL: "a")
        )
    }

    @Test func snakeCaseMatchesInEitherCaseToo() throws {
        let missing: Model = try connection.query("SELECT 2 AS model_year, 'b' AS name")
        #expect(
            try connection.query(
                "SELECT 1 AS MODEL_YEAR, NULL AS Base_URL, 'a' AS name"
            ) == Model(modelYear: 1, baseURL: nil, name: "a")
        )
        #expect(missing == Model(modelYear: 2, baseURL: nil, name: "b"))
    }

    @Test func oneStatementServesTypesThatSpellTheirColumnsDifferently() throws {
        let sql = "SELECT 1 AS modelYear, 2 AS model_year, 'a' AS name"
        var years: [Int?] = []
        for _ in 0..<2 {
            let plain: PlainModel = try connection.query(sql)
            let snake: Model = try connection.query(sql)
            years += [plain.modelYear, snake.modelYear]
        }
        #expect(years == [1, 2, 1, 2])
    }

    @Test func aColumnInSnakeCaseIsNotFoundInAnotherWayAfterwards() throws {
        let sql = "SELECT 2 AS model_year, 'a' AS name UNION ALL SELECT 3, 'b'"
        let snake: [Model] = try connection.query(sql)
        let plain: [PlainModel] = try connection.query(sql)
        var number = 0
        let error = extractionError {
            try connection.forEachRow(sql) { row in
                number += 1
                _ = try number == 1 ? Model(row: row).modelYear : row.get("modelYear")
            }
        }
        #expect(snake.map(\.modelYear) == [2, 3])
        #expect(plain.map(\.modelYear) == [nil, nil])
        expect(error, .noColumn, row: 2)
    }

    // MARK: Statements

    @Test func aTypeIsDecodedFromSeveralStatementsInTurn() throws {
        let queries = [
            "SELECT name, price FROM cars ORDER BY name",
            "SELECT price, name FROM cars ORDER BY name",
            "SELECT 1 AS x, price, 'y' AS y, name FROM cars ORDER BY name",
            "SELECT * FROM cars ORDER BY name",
        ]
        for sql in queries + queries.reversed() + queries {
            let cars: [Car] = try connection.query(sql)
            #expect(cars == Car.all, "\(sql)")
        }
    }

    @Test func typesWithOtherKeysTakeTurnsInOneStatement() throws {
        let sql = numbers(to: 100, selecting: "n AS a, 10 * n AS b, 100 * n AS c")
        var number = 0
        var found: [[Int]] = []
        try connection.forEachRow(sql) { row in
            number += 1
            found.append(
                try number.isMultiple(of: 3) ? Backward(row: row).values : Forward(row: row).values
            )
        }
        let expected = (1...100).map { [$0, 10 * $0, 100 * $0] }
        #expect(found == expected)
    }

    @Test func oneRowIsDecodedAsSeveralTypes() throws {
        let sql = numbers(to: 10, selecting: "n AS a, 10 * n AS b, 100 * n AS c")
        try connection.forEachRow(sql) { row in
            let forward = try Forward(row: row).values
            let backward = try Backward(row: row).values
            let again = try Forward(row: row).values
            let expected: [Int] = [try row.get("a"), try row.get("b"), try row.get("c")]
            #expect(forward == expected)
            #expect(backward == expected)
            #expect(again == expected)
        }
    }

    @Test func aStatementFollowsTheSchema() throws {
        let sql = "SELECT * FROM cars ORDER BY name"
        let statement = try connection.prepare(sql)
        let before: [Car] = try connection.query(sql)
        let preparedBefore: [Car] = try statement.query()
        try connection.execute(
            """
            DROP TABLE cars;
            CREATE TABLE cars(price, extra, name);
            INSERT INTO cars VALUES(1, 'x', 'Fiat'), (NULL, 'y', 'Opel');
            """
        )
        let after: [Car] = try connection.query(sql)
        let preparedAfter: [Car] = try statement.query()
        try connection.execute("ALTER TABLE cars RENAME COLUMN price TO cost")
        let withoutPrice: [Car] = try connection.query(sql)
        let other = [Car(name: "Fiat", price: 1), Car(name: "Opel", price: nil)]

        #expect(before == Car.all)
        #expect(preparedBefore == Car.all)
        #expect(after == other)
        #expect(preparedAfter == other)
        #expect(withoutPrice == [Car(name: "Fiat", price: nil), Car(name: "Opel", price: nil)])
    }

    @Test func missingColumnsAmongOthersAreNilInEveryRow() throws {
        let sql = numbers(to: 300, selecting: "10 * n AS d, n AS b")
        let rows: [Sparse] = try connection.query(sql)
        let expected = (1...300).map { number in
            Sparse(first: nil, b: number, second: nil, d: 10 * number, third: nil)
        }
        #expect(rows == expected)
    }

    @Test func moreThanSixtyFourColumnsAreDecoded() throws {
        let columns = (0..<Wide.count).reversed().map { "\($0) * n AS c\($0)" }
        let sql = numbers(to: 20, selecting: columns.joined(separator: ", "))
        for _ in 0..<2 {
            let rows: [Wide] = try connection.query(sql)
            let expected = (1...20).map { factor in (0..<Wide.count).map { $0 * factor } }
            #expect(rows.map(\.values) == expected)
            #expect(rows.map(\.missing) == Array(repeating: nil, count: 20))
        }
    }

    /// A cached statement keeps where it has found a type's columns, until SQLite compiles it again.
    @Test func columnsAreFoundAgainAfterAChangeOfTheSchema() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE cars(owner, model_year, price)")
        try connection.run("INSERT INTO cars VALUES('Ada', 1998, 52)")
        #expect(try connection.query("SELECT * FROM cars") == Year(modelYear: 1998))

        try connection.run("ALTER TABLE cars DROP COLUMN owner")
        #expect(try connection.query("SELECT * FROM cars") == Year(modelYear: 1998))
    }
}
