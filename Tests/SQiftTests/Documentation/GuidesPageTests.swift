import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car: Codable, ExpressibleByRow {
    let name: String
    let price: Int?
}

/// The blocks of Docs/README.md.
struct GuidesPageTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backupPath: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        backupPath = folder.path("backup.sqlite")
    }

    private func makeCars() throws -> Connection {
        let connection = try Connection(path: path)
        let car = Car(name: "Golf", price: 900)

        try connection.execute("CREATE TABLE cars(name TEXT NOT NULL, price INTEGER)")
        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        try connection.run("INSERT INTO cars VALUES(:name, :price)", ["name": "Fox", "price": nil])
        try connection.run("INSERT INTO cars VALUES(:name, :price)", encoding: car)

        return connection
    }

    @Test func opening() throws {
        let connection = try Connection(path: path)
        let inMemory = try Connection()
        let database = try Database(path: path)
        let forTests = try Database.inMemory()

        let isThere = try [connection, inMemory].map { try $0.tableExists("cars") }
        #expect(isThere == [false, false])
        #expect(try database.read { try !$0.tableExists("cars") })
        #expect(try forTests.read { try !$0.tableExists("cars") })
    }

    @Test func querying() throws {
        let connection = try makeCars()

        let count: Int = try connection.query("SELECT count(*) FROM cars")
        let price: Int? = try connection.query("SELECT price FROM cars WHERE name = ?", "Audi")
        let names: [String] = try connection.query("SELECT name FROM cars")
        let prices: [String: Int?] = try connection.query("SELECT name, price FROM cars")
        let cars: [Car] = try connection.query("SELECT * FROM cars")
        let pairs = try connection.query("SELECT name, price FROM cars", as: (String, Int?).self)
        try connection.forEachRow("SELECT name FROM cars") { print(try $0.get("name") as String) }
        let cursor = try connection.cursor("SELECT name FROM cars")
        let statement = try connection.prepare("DELETE FROM cars WHERE name = ?")

        #expect(count == 3)
        #expect(price == 52_642)
        #expect(names == ["Audi", "Fox", "Golf"])
        #expect(prices["Fox"] == .some(nil))
        #expect(cars.map(\.name) == names)
        #expect(pairs.map(\.0) == names)
        #expect(try cursor.next() != nil)
        try statement.bind("Fox").run()
        #expect(connection.changes == 1)
    }

    @Test func transactions() throws {
        let connection = try makeCars()

        try connection.transaction { try connection.run("DELETE FROM cars WHERE price IS NULL") }
        try connection.savepoint { try connection.run("DELETE FROM cars WHERE price > 50000") }

        let names: [String] = try connection.query("SELECT name FROM cars")
        #expect(names == ["Golf"])
    }

    @Test func threadsAndTasks() async throws {
        try makeCars().close()
        let database = try Database(path: path)

        let left: Int = try await database.read { try $0.query("SELECT count(*) FROM cars") }
        try await database.write { try $0.run("INSERT INTO cars VALUES('Lada', 1500)") }
        try await database.writeWithoutTransaction { try $0.execute("VACUUM") }

        #expect(left == 3)
        let count: Int = try await database.read { try $0.query("SELECT count(*) FROM cars") }
        #expect(count == 4)
    }

    @Test func migrationsAndBackups() async throws {
        let database = try Database(path: path)

        let migrations = [Migration("2026-01-wheels", sql: "CREATE TABLE wheels(size INTEGER)")]
        try await database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).run()
        }
        try await database.backup(to: .onDisk(backupPath))
        try await database.restore(from: .onDisk(backupPath))

        #expect(try await database.read { try $0.tableExists("wheels") })
    }
}
