import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct SoldOut: Error {}

/// The blocks of Docs/Concurrency.md.
struct ConcurrencyGuideTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { connection in
            try connection.execute(
                "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price INTEGER, stock INTEGER)"
            )
        }
    }

    @Test func aDatabase() async throws {
        let path = folder.path("second.sqlite")
        try await Database(path: path).write {
            try $0.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
        }

        let database = try Database(path: path)
        try await database.write { connection in
            try connection.run("INSERT INTO cars(name, price) VALUES(?, ?)", "Audi", 52_642)
        }
        let names: [String] = try await database.read { try $0.query("SELECT name FROM cars") }

        #expect(names == ["Audi"])
    }

    @Test func aProgram() async throws {
        struct Program {
            static func main() async throws {
                let database = try Database(storageLocation: .inMemory, configuration: .init())
                let version: String = try await database.read {
                    try $0.query("SELECT sqlite_version()")
                }
                print(version)
                try await database.close()
            }
        }

        try await Program.main()
    }

    @Test func checkThenAct() async throws {
        let name = "Audi"
        try await database.write { try $0.run("INSERT INTO cars(name, stock) VALUES('Audi', 1)") }
        func buy() async throws {
            try await database.write { connection in
                let stock: Int = try connection.query("SELECT stock FROM cars WHERE name = ?", name)
                guard stock > 0 else { throw SoldOut() }
                try connection.run("UPDATE cars SET stock = stock - 1 WHERE name = ?", name)
            }
        }
        try await buy()
        await #expect(throws: SoldOut.self) { try await buy() }
    }

    @Test func passingTheConnectionOn() throws {
        func addCar(_ name: String, on connection: Connection) throws {
            try connection.run("INSERT INTO cars(name) VALUES(?)", name)
        }

        try database.write { connection in
            try addCar("Skoda", on: connection)
            try addCar("Lada", on: connection)
        }

        let count: Int = try database.read { try $0.query("SELECT count(*) FROM cars") }
        #expect(count == 2)
    }

    @Test func snapshots() async throws {
        let snapshot = try await database.snapshot()
        let count: Int = try await snapshot.read { try $0.query("SELECT count(*) FROM cars") }
        // As many names.
        let all: [String] = try await snapshot.read { try $0.query("SELECT name FROM cars") }
        try snapshot.close()

        #expect(count == all.count)
    }
}
