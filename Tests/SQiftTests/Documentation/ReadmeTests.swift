import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car: ExpressibleByRow {
    let name: String

    init(row: Row) throws {
        name = try row.get("name")
    }
}

enum Fuel: String, Binding {
    case petrol, diesel, electric
}

struct Engine: CodableBinding {
    var cylinders: Int
}

struct Kilometres: Binding {
    typealias BindingType = Double
    var value: Double

    var bindingValue: BindingValue { .real(value) }

    static func fromBindingValue(_ value: Any) -> Kilometres? {
        (value as? Double).map(Kilometres.init)
    }
}

/// The README's blocks, each on the database of the quick start.
struct ReadmeTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection(path: path)
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            INSERT INTO cars VALUES('Audi', 52642), ('Skoda', 9000), ('Prototype', NULL);
            """
        )
    }

    @Test func quickStart() throws {
        let error = #expect(throws: ExtractionError.self) { try start() }
        let message = try #require(error).description
        let readme = try String(
            contentsOf: packageFolder.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        #expect(readme.filter { !$0.isWhitespace }.contains(message.filter { !$0.isWhitespace }))
    }

    private func start() throws {
        struct Car: Decodable, ExpressibleByRow {
            let name: String
            let price: Int?
        }

        let connection = try Connection()  // in memory; Connection(path: "cars.sqlite") for a file
        try connection.execute("CREATE TABLE cars(name TEXT NOT NULL, price INTEGER)")
        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        try connection.run(
            "INSERT INTO cars VALUES(:name, :price)",
            ["name": "Prototype", "price": nil]
        )

        let cars: [Car] = try connection.query("SELECT * FROM cars WHERE price < ?", 60_000)
        let dearest: Int? = try connection.query("SELECT max(price) FROM cars")  // 52642
        let prices: [Int] = try connection.query("SELECT price FROM cars")  // throws:
        Issue.record("\(cars), \(dearest ?? 0), \(prices)")
    }

    @Test func parameters() throws {
        let name: String? = "Beetle"
        try connection.run("INSERT INTO cars VALUES(?, ?)", name, 1_200)
        try connection.run("INSERT INTO cars VALUES(?, ?)", ["Golf", nil])
        try connection.run(
            "INSERT INTO cars VALUES(:name, :price)",
            ["name": "Polo", "price": 900]
        )

        let prices: [Int?] = try connection.query(
            "SELECT price FROM cars ORDER BY rowid LIMIT -1 OFFSET 3"
        )
        #expect(prices == [1_200, nil, 900])
    }

    @Test func results() throws {
        let count: Int = try connection.query("SELECT count(*) FROM cars")
        let price: Int? = try connection.query("SELECT price FROM cars WHERE name = ?", "Audi")
        let names: [String] = try connection.query("SELECT name FROM cars")
        let prices: [String: Int?] = try connection.query("SELECT name, price FROM cars")
        let first: Car? = try connection.query("SELECT * FROM cars ORDER BY price")

        #expect(count == 3)
        #expect(price == 52_642)
        #expect(names == ["Audi", "Skoda", "Prototype"])
        #expect(prices == ["Audi": 52_642, "Skoda": 9_000, "Prototype": nil])
        #expect(first?.name == "Prototype")
    }

    @Test func rows() throws {
        if let row = try connection.query(
            "SELECT rowid, name, price FROM cars WHERE name = ?",
            "Audi"
        ) {
            let id: Int64 = try row.get(0)
            let name: String = try row.get("NAME")  // case-insensitive; the leftmost wins
            let price: Int? = row["price"]  // nil for NULL and for what doesn't fit
            print(id, name, price ?? 0, row.columnNames, row)
        }
    }

    @Test func values() throws {
        try connection.execute("CREATE TABLE motors(fuel TEXT, engine TEXT, range REAL)")
        let engine = Engine(cylinders: 6)
        try connection.run(
            "INSERT INTO motors VALUES(?, ?, ?)",
            Fuel.diesel,
            engine,
            Kilometres(value: 700)
        )
        let fuel: Fuel = try connection.query(
            "SELECT fuel FROM motors WHERE json_extract(engine, '$.cylinders') = 6"
        )

        #expect(fuel == .diesel)
        let range: Kilometres = try connection.query("SELECT range FROM motors")
        #expect(range.value == 700)
    }

    @Test func transactions() throws {
        let left = try connection.transaction(transactionType: .immediate) {
            try connection.run("DELETE FROM cars WHERE price IS NULL")
            return try connection.query("SELECT count(*) FROM cars") as Int
        }

        #expect(left == 2)
    }

    /// In a process of its own, which changes its folder.
    @Test func manyThreads() async {
        await #expect(processExitsWith: .success) {
            struct Cars {
                static func main() async throws {
                    let database = try Database(path: "cars.sqlite")
                    try await database.write { connection in
                        try connection.execute(
                            "CREATE TABLE IF NOT EXISTS cars(name TEXT, price INTEGER)"
                        )
                        try connection.run("INSERT INTO cars VALUES(?, ?)", "Lada", 1_500)
                    }
                    let names: [String] = try await database.read {
                        try $0.query("SELECT name FROM cars")
                    }
                    print(names)
                }
            }

            let folder = try TemporaryFolder()
            try #require(FileManager.default.changeCurrentDirectoryPath(folder.url.path))
            try await Cars.main()
            #expect(try folder.files().contains("cars.sqlite"))
        }
    }

    @Test func migratingAndBackingUp() async throws {
        let database = try Database(path: path)
        let oldPath = path + ".old"
        let backupPath = path + ".backup"

        let migrations = [
            Migration(
                "2024-05-wheels",
                sql: "CREATE TABLE wheels(car TEXT NOT NULL, size INTEGER)"
            ),
            Migration("2024-06-tidy") { try $0.run("UPDATE cars SET name = trim(name)") },
        ]
        try await database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).run(
                backupTo: .onDisk(oldPath)
            )
        }
        try await database.backup(to: .onDisk(backupPath))
        try await database.restore(from: .onDisk(backupPath))

        #expect(try await database.read { try $0.tableExists("wheels") })
        #expect(try !Connection(path: oldPath).tableExists("wheels"))
    }
}
