import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The examples in the comments of `Core`.
struct ReferenceCoreTests {
    private struct Car: Decodable, ExpressibleByRow, Equatable {
        let name: String
        let price: Int?
        var wheelSize = 15

        init(_ name: String, _ price: Int?) {
            self.name = name
            self.price = price
        }

        init(row: Row) throws {
            self.init(try row.get("name"), try row.get("price"))
        }
    }

    private struct Person: ExpressibleByRow, Equatable {
        let name: String

        init(row: Row) throws {
            name = try row.get("name")
        }
    }

    private let connection: Connection
    private let cars = [Car("Audi", 52_642), Car("Skoda", 9_000)]

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            CREATE TABLE wheels(car TEXT NOT NULL UNIQUE, size INTEGER);
            CREATE TABLE users(email TEXT NOT NULL UNIQUE);
            INSERT INTO cars VALUES('Audi', 52642), ('Skoda', 9000), ('Prototype', NULL);
            INSERT INTO users VALUES('eva@example.org')
            """
        )
    }

    private func names() throws -> [String] {
        try connection.query("SELECT name FROM cars ORDER BY name")
    }

    @Test func aConnection() throws {
        let folder = try TemporaryFolder()
        let path = folder.path()

        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        let sql = "SELECT price FROM cars WHERE name = ?"
        let price: Int? = try connection.query(sql, "Audi")

        #expect(price == 52_642)
    }

    // MARK: Statements

    @Test func scripts() throws {
        let connection = try Connection()

        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            CREATE INDEX cars_by_price ON cars(price)
            """
        )

        #expect(try connection.indexes(on: "cars").map(\.name) == ["cars_by_price"])
    }

    @Test func scriptsWithValues() throws {
        try connection.execute(
            """
            CREATE TABLE orders(day TEXT);
            CREATE TABLE archive(day TEXT);
            INSERT INTO orders VALUES('2023-12-31'), ('2024-01-01')
            """
        )

        let script = """
            INSERT INTO archive SELECT * FROM orders WHERE day < :day;
            DELETE FROM orders WHERE day < :day
            """
        try connection.execute(script, parameters: ["day": "2024-01-01"])

        let days: [String] = try connection.query("SELECT day FROM archive")
        #expect(days == ["2023-12-31"])
    }

    @Test func parametersAsLiterals() throws {
        let name = "Skoda"
        var printed = 0
        func print(_ row: Row) {
            printed += 1
        }

        try connection.forEachRow("SELECT * FROM cars WHERE name = ?", ["Audi"]) { print($0) }
        try connection.forEachRow("SELECT * FROM cars WHERE name = :name", ["name": name]) {
            print($0)
        }

        #expect(printed == 2)
    }

    // MARK: Transactions

    @Test func transactions() throws {
        try connection.execute(
            "CREATE TABLE a(id INTEGER, balance INTEGER); INSERT INTO a VALUES(1, 100), (2, 0)"
        )
        let amount = 30
        let from = 1
        let to = 2

        try connection.transaction(transactionType: .immediate) {
            try connection.run("UPDATE a SET balance = balance - ? WHERE id = ?", amount, from)
            try connection.run("UPDATE a SET balance = balance + ? WHERE id = ?", amount, to)
        }

        let balances: [Int] = try connection.query("SELECT balance FROM a ORDER BY id")
        #expect(balances == [70, 30])
    }

    @Test func savepoints() throws {
        try connection.execute("DELETE FROM cars; INSERT INTO wheels VALUES('Audi', 18)")

        try connection.transaction {
            for car in cars {
                // If one fails, what it has written is undone, and the others are kept.
                try? connection.savepoint {
                    try connection.run("INSERT INTO cars VALUES(?, ?)", car.name, car.price)
                    try connection.run(
                        "INSERT INTO wheels VALUES(?, ?)",
                        car.name,
                        car.wheelSize
                    )
                }
            }
        }

        #expect(try names() == ["Skoda"])
    }

    @Test func namedSavepoints() throws {
        try connection.savepoint(named: "attempt") {
            try connection.run("DELETE FROM cars")
            try connection.run("ROLLBACK TO attempt")  // the cars are there again
            try connection.run("DELETE FROM cars WHERE price IS NULL")
        }

        #expect(try names() == ["Audi", "Skoda"])
    }

    // MARK: Rows

    @Test func cursors() throws {
        var printed: [String] = []
        func print(_ name: String) {
            printed.append(name)
        }

        let cursor = try connection.cursor("SELECT name, price FROM cars ORDER BY name")
        while let row = try cursor.next() {
            print(try row.get("name") as String)
        }

        #expect(printed == ["Audi", "Prototype", "Skoda"])
    }

    @Test func cells() throws {
        var printed: [String] = []
        func print(_ name: String, _ price: Int) {
            printed.append("\(name) \(price)")
        }

        try connection.forEachRow("SELECT name, price FROM cars") { row in
            let name: String = try row.get("name")
            let price: Int? = try row.get(1)
            print(name, price ?? 0)
        }

        #expect(printed == ["Audi 52642", "Skoda 9000", "Prototype 0"])
    }

    @Test func shapes() throws {
        try connection.run("DELETE FROM cars WHERE price IS NULL")

        let count: Int = try connection.query("SELECT count(*) FROM cars")
        let first: String? = try connection.query("SELECT name FROM cars ORDER BY price")
        let names: [String] = try connection.query("SELECT name FROM cars")
        let prices: [String: Int] = try connection.query("SELECT name, price FROM cars")

        #expect(count == 2)
        #expect(first == "Skoda")
        #expect(names == ["Audi", "Skoda"])
        #expect(prices == ["Audi": 52_642, "Skoda": 9_000])
    }

    @Test func slices() throws {
        try connection.execute(
            """
            DROP TABLE cars;
            CREATE TABLE cars(name TEXT, price INTEGER, owner INTEGER);
            CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO people VALUES(1, 'Eva');
            INSERT INTO cars VALUES('Audi', 52642, 1), ('Skoda', 9000, NULL)
            """
        )

        let sql = "SELECT c.*, p.* FROM cars c LEFT JOIN people p ON p.id = c.owner"
        let cars: [(car: Car, owner: Person?)] = try connection.query(sql) { row in
            (car: try Car(row: row), owner: try row.slice(3..<5).map(Person.init(row:)))
        }

        #expect(cars.map(\.car.name) == ["Audi", "Skoda"])
        #expect(cars.map(\.owner?.name) == ["Eva", nil])
    }

    @Test func typesOfOnesOwn() throws {
        struct Celsius: Binding {
            typealias BindingType = Double
            let degrees: Double

            var bindingValue: BindingValue { .real(degrees) }

            static func fromBindingValue(_ value: Any) -> Celsius? {
                (value as? Double).map(Celsius.init)
            }
        }

        let cold: Celsius = try connection.query("SELECT ?", Celsius(degrees: -4))
        #expect(cold.degrees == -4)
    }

    // MARK: Waiting and stopping

    @Test func deadlines() throws {
        let deadline = ContinuousClock.now + .seconds(2)
        connection.progressHandler { ContinuousClock.now > deadline }

        #expect(try names().count == 3)
    }

    @Test func interrupting() throws {
        let handle = connection.interruptHandle
        Task.detached {
            try await Task.sleep(for: .seconds(5))
            handle.interrupt()
        }

        #expect(try names().count == 3)
    }

    // MARK: Errors

    @Test func errors() throws {
        var printed = ""
        func print(_ error: SQLiteError) {
            printed = "\(error)"
        }

        do {
            try connection.execute("SELEC 1")
        } catch let error as SQLiteError {
            print(error)  // SQLITE_ERROR: near "SELEC": syntax error, at byte 0 of: SELEC 1
        }

        #expect(printed.hasPrefix("SQLITE_ERROR: near \"SELEC\": syntax error"))
        if Capability.errorOffset {
            #expect(printed == "SQLITE_ERROR: near \"SELEC\": syntax error, at byte 0 of: SELEC 1")
        }
    }

    @Test func errorsByTheirCode() throws {
        let email = "eva@example.org"
        var printed: [String] = []
        func print(_ text: String) {
            printed.append(text)
        }

        do {
            try connection.run("INSERT INTO users(email) VALUES(?)", email)
        } catch let error as SQLiteError where error.extendedResultCode == .constraintUnique {
            print("that address is taken")
        }
        do {
            try connection.run("INSERT INTO users(email) VALUES(?)", email)
        } catch let error as SQLiteError where .constraintUnique ~= error.extendedResultCode {
            print("that address is taken")
        }

        #expect(printed == ["that address is taken", "that address is taken"])
    }
}
