import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car: Codable, ExpressibleByRow, Equatable {
    let name: String
    let price: Int?
}

/// The examples in the comments of `Query`, `Values` and `SQift5`, and on the pages of `query`.
struct ReferenceQueryTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            INSERT INTO cars VALUES('Audi', 52642), ('Skoda', 9000)
            """
        )
    }

    private func names() throws -> [String] {
        try connection.query("SELECT name FROM cars ORDER BY name")
    }

    // MARK: Running

    @Test func running() throws {
        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        try connection.run(
            "INSERT INTO cars VALUES(:name, :price)",
            ["name": "Polo", "price": nil]
        )
        let count = try connection.run("DELETE FROM cars WHERE price IS NULL")  // 1

        #expect(count == 1)
        #expect(try names() == ["Audi", "Audi", "Skoda"])
    }

    @Test func preparing() throws {
        let prices = ["Audi": 50_000, "Skoda": 8_000]

        let update = try connection.prepare("UPDATE cars SET price = ? WHERE name = ?")
        for (name, price) in prices {
            try update.bind(price, name).run()
        }

        #expect(try connection.query("SELECT name, price FROM cars") == prices)
    }

    @Test func preparingForMany() throws {
        let cars = [Car(name: "Golf", price: 900), Car(name: "Fox", price: nil)]

        let insert = try connection.prepare("INSERT INTO cars(name, price) VALUES(?, ?)")
        for car in cars {
            try insert.bind(car.name, car.price).run()
        }

        #expect(try names() == ["Audi", "Fox", "Golf", "Skoda"])
    }

    @Test func encoding() throws {
        let car = Car(name: "Golf", price: 900)

        let insert = try connection.prepare("INSERT INTO cars VALUES(:name, :price)")
        try insert.bind(encoding: car).run()

        #expect(try names() == ["Audi", "Golf", "Skoda"])
    }

    // MARK: Querying

    @Test func queryPage() throws {
        try connection.run("INSERT INTO cars VALUES('Prototype', NULL)")

        let count: Int = try connection.query("SELECT count(*) FROM cars")
        let sql = "SELECT price FROM cars WHERE name = ?"
        let price: Int? = try connection.query(sql, "Audi")
        let names: [String] = try connection.query("SELECT name FROM cars")
        let prices: [String: Int?] = try connection.query("SELECT name, price FROM cars")
        let cars: [Car] = try connection.query("SELECT * FROM cars")
        let row: Row? = try connection.query("SELECT * FROM cars")

        #expect(count == 3)
        #expect(price == 52_642)
        #expect(names == ["Audi", "Skoda", "Prototype"])
        #expect(prices["Prototype"] == .some(nil))
        #expect(cars.map(\.name) == names)
        #expect(row?["name"] == "Audi")
    }

    @Test func queryPageWithAClosure() throws {
        let sql = "SELECT name, price FROM cars"
        let lengths: [Int] = try connection.query(sql) { row in
            (try row.get(0) as String).count
        }
        let first: String? = try connection.query(sql) { row in
            try row.get(0)
        }
        let prices: [String: Int] = try connection.query(sql) { row in
            (try row.get(0), try row.get(1))
        }

        #expect(lengths == [4, 5])
        #expect(first == "Audi")
        #expect(prices == ["Audi": 52_642, "Skoda": 9_000])
    }

    @Test func queryComments() throws {
        let names: [String] = try connection.query("SELECT name FROM cars WHERE price < ?", 60_000)
        let price: Int? = try connection.query("SELECT price FROM cars WHERE name = ?", "Audi")
        let prices: [String: Int?] = try connection.query("SELECT name, price FROM cars")

        #expect(names == ["Audi", "Skoda"])
        #expect(price == 52_642)
        #expect(prices == ["Audi": 52_642, "Skoda": 9_000])
    }

    @Test func aDictionary() throws {
        let prices: [String: Int] = try connection.query("SELECT name, price FROM cars") { row in
            (try row.get(0), try row.get(1))
        }

        #expect(prices == ["Audi": 52_642, "Skoda": 9_000])
    }

    @Test func tuples() throws {
        var printed: [String] = []
        func print(_ name: String, _ price: Int) {
            printed.append("\(name) \(price)")
        }

        let cars = try connection.query("SELECT name, price FROM cars", as: (String, Int?).self)
        for (name, price) in cars { print(name, price ?? 0) }

        #expect(printed == ["Audi 52642", "Skoda 9000"])
    }

    @Test func structsByHand() throws {
        struct Car: ExpressibleByRow {
            let name: String
            let price: Int?

            init(row: Row) throws {
                name = try row.get("name")
                price = try row.get("price")
            }
        }

        let cars: [Car] = try connection.query("SELECT name, price FROM cars")
        #expect(cars.map(\.name) == ["Audi", "Skoda"])
        #expect(cars.map(\.price) == [52_642, 9_000])
    }

    @Test func rowByRow() throws {
        var total = 0
        try connection.forEachRow("SELECT price FROM cars WHERE price < ?", 60_000) { row in
            total += try row.get(0)
        }

        #expect(total == 61_642)
    }

    @Test func valueByValue() throws {
        var printed: [String] = []
        func print(_ name: String) {
            printed.append(name)
        }

        let cursor = try connection.cursor("SELECT name FROM cars WHERE price < ?", 60_000)
        while let name = try cursor.next(as: String.self) {
            print(name)
        }

        #expect(printed == ["Audi", "Skoda"])
    }

    @Test func resultsSoFar() throws {
        let statement = try connection.prepare(
            "SELECT iif(price > 10000, 'dear', 'cheap') AS type, name FROM cars"
        )

        let groups: [String: [String]] = try statement.query { groups, row in
            let type: String = try row.get("type")
            return (type, groups[type, default: []] + [try row.get("name")])
        }

        #expect(groups == ["dear": ["Audi"], "cheap": ["Skoda"]])
    }

    // MARK: Values

    @Test func valuesAsJSON() throws {
        struct Address: CodableBinding {
            var street: String
            var city: String
        }

        let home = Address(street: "Main Street 1", city: "Ulm")
        let read: Address = try connection.query("SELECT ?", home)
        #expect(read.city == "Ulm")
    }

    @Test func listsOfValues() throws {
        let names = ["Audi", "Lada"]

        let cars: [Car] = try connection.query(
            "SELECT * FROM cars WHERE name IN (SELECT value FROM json_each(?))",
            ArrayBinding(elements: names)
        )

        #expect(cars == [Car(name: "Audi", price: 52_642)])
    }

    @Test func datesAsNumbers() throws {
        try connection.execute(
            "CREATE TABLE accounts(opened INTEGER); INSERT INTO accounts VALUES(1000000000)"
        )

        let sql = "SELECT max(opened) FROM accounts WHERE opened < ?"
        let last: UnixDate? = try connection.query(sql, UnixDate(Date()))

        #expect(last?.date == Date(timeIntervalSince1970: 1_000_000_000))
    }

    @Test func datesInMilliseconds() throws {
        let startOfDay = Date(timeIntervalSince1970: 1_000_000_000)
        try connection.execute(
            """
            CREATE TABLE events(time INTEGER);
            INSERT INTO events VALUES(999999999999), (1000000000000), (1000000000001)
            """
        )

        let sql = "SELECT count(*) FROM events WHERE time >= ?"
        let today: Int = try connection.query(sql, UnixMilliseconds(startOfDay))

        #expect(today == 2)
    }
}
