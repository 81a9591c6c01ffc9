import Foundation
import SQift

/// The library's main job from the schema to an error message, on a database of its own.
struct Demo {
    private static let rowCount = 100_000

    struct Car: ExpressibleByRow {
        let name: String
        let price: Int?
        let built: Date

        init(row: Row) throws {
            name = try row.get("name")
            price = try row.get("price")
            built = try row.get("built")
        }
    }

    struct ChangeOfMind: Error {}

    func run() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("cars.sqlite").path
            print("SQLite \(Connection.sqliteVersion), \(path)\n")
            let connection = try step("open") { try Connection(path: path) }
            try fill(connection)
            try query(connection)
            try rollBack(connection)
            try fail(connection)
            try step("close") { try connection.close() }
        }
    }

    private func fill(_ connection: Connection) throws {
        try step("create the schema") {
            try connection.execute(
                """
                CREATE TABLE cars(
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL,
                    price INTEGER,
                    built TEXT NOT NULL
                );
                CREATE INDEX cars_by_price ON cars(price);
                """)
        }
        try step("insert \(Demo.rowCount) rows through bound parameters, in one transaction") {
            try connection.transaction(transactionType: .immediate) {
                let insert = try connection.prepare("INSERT INTO cars(name, price, built) VALUES(?, ?, ?)")
                for number in 0..<Demo.rowCount {
                    let price = number % 10 == 0 ? nil : 10_000 + number % 90_000
                    try insert.bind("Car № \(number)", price, Date(timeIntervalSince1970: Double(number) * 3600)).run()
                }
            }
        }
    }

    private func query(_ connection: Connection) throws {
        let count: Int = try step("one value: count the rows") { try connection.query("SELECT count(*) FROM cars") }
        print("    \(count)")
        let names: [String] = try step("an array of values, with a parameter") {
            try connection.query("SELECT name FROM cars WHERE price < ? ORDER BY price LIMIT 3", 10_005)
        }
        print("    \(names)")
        var total = 0
        try step("every row by index: add the prices") {
            try connection.forEachRow("SELECT id, price FROM cars") { total += try $0.get(1) ?? 0 }
        }
        print("    \(total)")
        var latest: Date?
        try step("every row by name: find the latest date") {
            try connection.forEachRow("SELECT name, built FROM cars") { row in
                let built: Date = try row.get("built")
                latest = max(latest ?? built, built)
            }
        }
        print("    \(latest.map { "\($0)" } ?? "none")")
        let cars: [Car] = try step("every row into a struct") {
            try connection.query("SELECT name, price, built FROM cars ORDER BY id")
        }
        print("    \(cars.count) cars, the last one \(cars.last?.name ?? "none")")
    }

    private func rollBack(_ connection: Connection) throws {
        let before: Int = try connection.query("SELECT count(*) FROM cars")
        do {
            try step("delete everything in a transaction that throws") {
                try connection.transaction {
                    try connection.run("DELETE FROM cars")
                    throw ChangeOfMind()
                }
            }
        } catch is ChangeOfMind {
            let after: Int = try connection.query("SELECT count(*) FROM cars")
            print("    \(before) rows before, \(after) rows after")
        }
    }

    private func fail(_ connection: Connection) throws {
        do { try connection.run("SELECT name, prize FROM cars WHERE price > ?", 50_000) } catch let error as SQLiteError
        {
            print("an error, and where in the SQL it is\n    \(error)")
            if let picture = picture(of: error) { print(picture) }
        }
    }
}
