import Foundation
import SQift

/// Shows the library's main features, from a schema to an error message, with a database of its
/// own.
struct Demo {
    private static let rowCount = 100_000

    struct Car: Codable, ExpressibleByRow {
        let name: String
        let price: Int?
        let built: Date
    }

    struct ChangeOfMind: Error {}

    func run() async throws {
        let folder = try makeTemporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("cars.sqlite").path
        try workAlone(path)
        try await workTogether(path, backup: folder.appendingPathComponent("backup.sqlite").path)
    }

    /// Works with one connection.
    private func workAlone(_ path: String) throws {
        print("SQLite \(Connection.sqliteVersion), \(path)\n")
        let connection = try timeStep("open") { try Connection(path: path) }
        try fill(connection)
        try query(connection)
        try rollBack(connection)
        try fail(connection)
        try timeStep("close") { try connection.close() }
    }

    /// Works with a database that many tasks share.
    private func workTogether(_ path: String, backup: String) async throws {
        print()
        let database = try timeStep("open the same file for many tasks, in WAL") {
            try Database(path: path)
        }
        let report = try await timeStep("migrate: add a table, fill it from the other one") {
            try await database.writeWithoutTransaction { connection in
                try Migrator(connection: connection, migrations: Demo.migrations).run()
            }
        }
        for change in report.schemaChanges {
            print("    \(change)")
        }
        let readCount = try await timeStep("1,000 writes, and reads meanwhile") {
            try await Demo.readWhileWriting(database)
        }
        print("    \(counted(readCount, "read"))")
        try await timeStep("back up, check and sync") {
            try await database.backup(to: .onDisk(backup))
        }
        let comparison = try timeStep("verify the backup") { try Verify(path, backup).run() }
        comparison.printText()
        try await timeStep("delete everything, and restore it from the backup") {
            try await database.write { try $0.execute("DROP TABLE years; DELETE FROM cars") }
            try await database.restore(from: .onDisk(backup))
        }
        let count: Int = try await database.read { try $0.query("SELECT count(*) FROM cars") }
        print("    \(count) rows")
        try await database.close()
    }

    private static let migrations = [
        Migration(
            "1-years",
            sql: "CREATE TABLE years(year TEXT NOT NULL UNIQUE, cars INTEGER NOT NULL)"
        ),
        Migration("2-fill-years") {
            try $0.run(
                """
                INSERT INTO years
                SELECT substr(built, 1, 4) AS year, count(*) FROM cars GROUP BY year
                """
            )
        },
    ]

    private static func readWhileWriting(_ database: Database) async throws -> Int {
        let reading = Task {
            var count = 0
            while !Task.isCancelled {
                do {
                    try await database.read {
                        _ = try $0.query("SELECT count(*) FROM years") as Int
                    }
                } catch is CancellationError {
                    break
                }
                count += 1
            }
            return count
        }
        for number in 0..<1000 {
            try await database.write {
                try $0.run("UPDATE cars SET price = ? WHERE id = ?", number, number + 1)
            }
        }
        reading.cancel()
        return try await reading.value
    }

    private func fill(_ connection: Connection) throws {
        try timeStep("create the schema") {
            try connection.execute(
                """
                CREATE TABLE cars(
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL,
                    price INTEGER,
                    built TEXT NOT NULL
                );
                CREATE INDEX cars_by_price ON cars(price);
                """
            )
        }
        try timeStep("insert \(Demo.rowCount) rows through bound parameters, in one transaction") {
            try connection.transaction(transactionType: .immediate) {
                try connection.run(
                    "INSERT INTO cars(name, price, built) VALUES(:name, :price, :built)",
                    encoding: Car(
                        name: "Car № 0",
                        price: nil,
                        built: .init(timeIntervalSince1970: 0)
                    )
                )
                let insert = try connection.prepare(
                    "INSERT INTO cars(name, price, built) VALUES(?, ?, ?)"
                )
                for number in 1..<Demo.rowCount {
                    let price = number % 10 == 0 ? nil : 10_000 + number % 90_000
                    try insert.bind(
                        "Car № \(number)",
                        price,
                        Date(timeIntervalSince1970: Double(number) * 3600)
                    ).run()
                }
            }
        }
    }

    private func query(_ connection: Connection) throws {
        let count: Int = try timeStep("one value: count the rows") {
            try connection.query("SELECT count(*) FROM cars")
        }
        print("    \(count)")
        var total = 0
        try timeStep("every row by index: add the prices") {
            try connection.forEachRow("SELECT id, price FROM cars") { total += try $0.get(1) ?? 0 }
        }
        print("    \(total)")
        let dates = try timeStep("two columns as a tuple: the first and the latest date") {
            try connection.query(
                "SELECT min(built), max(built) FROM cars",
                as: (Date, Date).self
            ).first
        }
        print("    \(dates.map { "\($0), \($1)" } ?? "none")")
        let cars: [Car] = try timeStep("every row into a Decodable struct") {
            try connection.query("SELECT name, price, built FROM cars ORDER BY id")
        }
        print("    \(cars.count) cars, the last one \(cars.last?.name ?? "none")")
    }

    private func rollBack(_ connection: Connection) throws {
        let before: Int = try connection.query("SELECT count(*) FROM cars")
        do {
            try timeStep("delete everything in a transaction that throws") {
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
        do {
            try connection.run("SELECT name, prize FROM cars WHERE price > ?", 50_000)
        } catch let error as SQLiteError {
            print("an error, and where in the SQL it is\n    \(error)")
            if let excerpt = error.excerpt {
                print(excerpt)
            }
        }
    }
}
