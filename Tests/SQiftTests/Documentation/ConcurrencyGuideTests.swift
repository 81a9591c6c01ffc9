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

    @Test func settings() throws {
        var configuration = Database.Configuration()
        // Commits are much faster, and a power cut may undo the last ones.
        configuration.synchronous = .normal
        configuration.maximumReaderCount = 8
        configuration.acquisitionTimeout = 2  // then AccessError.Reason.poolExhausted
        configuration.writerConnectionPreparation = { connection in
            try connection.execute("PRAGMA cache_size = -8000")
        }
        let database = try Database(path: path, configuration: configuration)

        let size: Int = try database.executeWrite { try $0.query("PRAGMA cache_size") }
        #expect(size == -8000)
    }

    @Test func severalProcesses() throws {
        let path = folder.path("shared.sqlite")

        var configuration = Database.Configuration()
        if !Connection.hasWALResetFix {
            configuration.journalMode = .truncate
        }
        configuration.busyTimeout = 30
        let database = try Database(path: path, configuration: configuration)

        let mode: String = try database.executeWrite { try $0.query("PRAGMA journal_mode") }
        #expect(mode == (Connection.hasWALResetFix ? "wal" : "truncate"))
    }

    @Test func laterPreparations() throws {
        database.prepareConnections { connection in
            try connection.addFunction(named: "slug", deterministic: true) { (text: String) in
                text.lowercased().replacingOccurrences(of: " ", with: "-")
            }
        }

        let slug: String = try database.read { try $0.query("SELECT slug('Land Rover')") }
        #expect(slug == "land-rover")
    }

    @Test func snapshots() async throws {
        let snapshot = try await database.snapshot()
        let count: Int = try await snapshot.read { try $0.query("SELECT count(*) FROM cars") }
        // As many names.
        let all: [String] = try await snapshot.read { try $0.query("SELECT name FROM cars") }
        try snapshot.close()

        #expect(count == all.count)
    }

    @Test func theAppsLife() async throws {
        // Rolls back running accesses, and refuses those that wait or come later.
        try await database.suspend()
        database.resume()
        database.releaseMemory()  // of idle connections; never blocks
        try await database.close()  // waits for running accesses; interrupting: true doesn't

        await #expect(throws: AccessError.self) { try await database.read { _ in } }
    }

    @Test func pages() async throws {
        func page(after id: Int64) async throws -> [(Int64, String)] {
            try await database.read { connection in
                try connection.query(
                    "SELECT id, name FROM cars WHERE id > ? ORDER BY id LIMIT 100",
                    id
                ) { row in
                    (try row.get(0), try row.get(1))
                }
            }
        }

        try await database.write { connection in
            for number in 1...150 {
                try connection.run("INSERT INTO cars(name) VALUES(?)", "Car \(number)")
            }
        }
        let first = try await page(after: 0)
        let second = try await page(after: first.last?.0 ?? 0)
        #expect(first.count == 100)
        #expect(second.map(\.1).last == "Car 150")
    }
}
