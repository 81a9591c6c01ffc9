import Foundation
import SQift
import SQiftTestSupport
import Testing

#if canImport(SwiftUI)
    import SwiftUI
#endif

private nonisolated let migrations = [
    Migration(
        "2026-01-10-cars",
        sql: "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"
    ),
    Migration(
        "2026-02-03-owners",
        sql: "CREATE TABLE owners(name TEXT NOT NULL, car INTEGER NOT NULL REFERENCES cars)"
    ),
]

func testDatabase() throws -> Database {
    let database = try Database.inMemory()
    try database.writeWithoutTransaction { connection in
        try Migrator(connection: connection, migrations: migrations).run()
    }
    return database
}

/// Migrated once, by the first test that needs it.
private let template = Result { try testDatabase() }

func testDatabase(in folder: URL) throws -> Database {
    let path = folder.appendingPathComponent("test.sqlite").path
    try template.get().backup(to: .onDisk(path))
    var configuration = Database.Configuration()
    configuration.synchronous = .off
    return try Database(path: path, configuration: configuration)
}

struct CarsHandler: Sendable {
    struct Car: Codable, ExpressibleByRow, Sendable {
        let id: Int
        let name: String
    }

    struct Response: Sendable {
        var status = 200
        var body = Data()
    }

    let database: Database

    func list() async throws -> Response {
        let cars: [Car] = try await database.read { connection in
            try connection.query("SELECT id, name FROM cars ORDER BY id LIMIT 100")
        }
        return Response(body: try JSONEncoder().encode(cars))
    }

    func create(name: String) async throws -> Response {
        do {
            try await database.write { try $0.run("INSERT INTO cars(name) VALUES(?)", name) }
            return Response(status: 201)
        } catch let error as SQLiteError where error.extendedResultCode == .constraintUnique {
            return Response(status: 409)
        }
    }
}

extension CarsHandler {
    /// Sends the cars of one state, a line of JSON for each, as fast as the client takes them.
    func export(send: (Data) async throws -> Void) async throws {
        let snapshot = try await database.snapshot()
        defer { try? snapshot.close() }

        var page: [Car] = []
        repeat {
            page = try await snapshot.read { [last = page.last?.id ?? 0] connection in
                let sql = "SELECT id, name FROM cars WHERE id > ? ORDER BY id LIMIT 1000"
                return try connection.query(sql, last)
            }
            for car in page {
                try await send(JSONEncoder().encode(car) + Data("\n".utf8))
            }
        } while !page.isEmpty
    }
}

/// Does the work until it ends or Ctrl-C cancels it. Returns the exit code.
func runUntilInterrupted(_ work: @escaping @Sendable () async throws -> Void) async -> Int32 {
    signal(SIGINT, SIG_IGN)
    let task = Task { try await work() }
    let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    interrupts.setEventHandler { task.cancel() }
    interrupts.resume()
    defer { interrupts.cancel() }
    do {
        try await task.value
        return 0
    } catch is CancellationError {
        return 130
    } catch {
        print(error)
        return 1
    }
}

enum ShopError: Error, Equatable {
    case outOfStock
}

func sell(_ product: Int, count: Int, in database: Database) async throws {
    try await database.write { connection in
        do {
            let sql = "UPDATE products SET stock = stock - ? WHERE id = ?"
            try connection.run(sql, count, product)
        } catch let error as SQLiteError
            where error.extendedResultCode == .constraintCheck
            && error.message.hasSuffix("stock_not_negative")
        {
            throw ShopError.outOfStock
        }
    }
}

#if canImport(SwiftUI)
    struct RootView: View {
        let path: String
        @State private var database: Database?
        @State private var problem: String?

        var body: some View {
            if let database {
                CarsView(database: database)
            } else {
                Text(problem ?? "Opening …")
                    .task {
                        do {
                            database = try await openDatabase(at: path)
                        } catch {
                            problem = "\(error)"
                        }
                    }
            }
        }
    }

    private struct CarsView: View {
        let database: Database

        var body: some View {
            Text("Cars")
        }
    }
#endif

public enum Tags {
    /// The names begin with the package's, so that none is the app's.
    public static let migrations = [
        Migration("tags-2026-01", sql: "CREATE TABLE tags(name TEXT NOT NULL UNIQUE)")
    ]
}

func openDatabase(at path: String) async throws -> Database {
    let database = try Database(path: path)
    try await database.writeWithoutTransaction { connection in
        try Migrator(connection: connection, migrations: migrations).run()
    }
    return database
}

/// The blocks of Docs/Cookbook.md about applications.
struct CookbookApplicationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func eachTestHasItsOwnDatabase() throws {
        let database = try testDatabase()
        try database.write { try $0.execute("INSERT INTO cars(name) VALUES('Audi'), ('Lada')") }
        let count: Int = try database.read { try $0.query("SELECT count(*) FROM cars") }
        #expect(count == 2)

        let other = try testDatabase()
        let none: Int = try other.read { try $0.query("SELECT count(*) FROM cars") }
        #expect(none == 0)
        // As in production.
        let error = expectThrows(SQLiteError.self) {
            try database.write { try $0.run("INSERT INTO owners VALUES('Ada', 99)") }
        }
        expect(error, .constraintForeignKey)
    }

    @Test func aTemplateIsMigratedOnce() throws {
        let otherFolder = try TemporaryFolder()
        let first = try testDatabase(in: folder.url)
        let second = try testDatabase(in: otherFolder.url)
        try first.write { try $0.run("INSERT INTO cars(name) VALUES('Audi')") }

        let cars: [String] = try second.read { try $0.query("SELECT name FROM cars") }
        #expect(cars.isEmpty)
        let pending = try second.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).pending()
        }
        #expect(pending.isEmpty)
        try first.close()
        try second.close()
    }

    @Test func slowStatementsAreLoggedWithoutTheirValues() throws {
        let database = try testDatabase()
        let logged = SharedNotes<String>()
        let log: @Sendable (String) -> Void = { logged.note($0) }
        let limit = -1.0

        database.prepareConnections { connection in
            let profiles = Connection.TraceEvent.profileMask
            connection.traceEvent(mask: profiles, expandsSQL: false) { event in
                guard case .profile(let sql, let seconds) = event, seconds > limit else { return }
                log("\(Int(seconds * 1000)) ms: \(sql)")
            }
        }

        try database.write { try $0.run("INSERT INTO cars(name) VALUES(?)", "a secret") }
        let insert = logged.all.first { $0.contains("INSERT") }
        #expect(insert?.hasSuffix(" ms: INSERT INTO cars(name) VALUES(?)") == true)
        #expect(!logged.all.contains { $0.contains("a secret") })
    }

    @Test func aHandlerTurnsErrorsIntoStatuses() async throws {
        let database = try testDatabase()
        let handler = CarsHandler(database: database)

        let created = try await handler.create(name: "Audi")
        #expect(created.status == 201)
        try await #expect(handler.create(name: "Audi").status == 409)
        let list = try await handler.list()
        let cars = try JSONDecoder().decode([CarsHandler.Car].self, from: list.body)
        #expect(cars.map(\.name) == ["Audi"])
    }

    @Test func aLargeResponseIsSentInPagesOfOneState() async throws {
        let database = try await openDatabase(at: folder.path())
        try await database.write { connection in
            for number in 1...2500 {
                try connection.run("INSERT INTO cars(name) VALUES(?)", "\(number)")
            }
        }

        var lines: [Data] = []
        try await CarsHandler(database: database).export { line in
            if lines.isEmpty {
                try await database.write { try $0.run("DELETE FROM cars WHERE id > 1500") }
            }
            lines.append(line)
        }
        let cars = try lines.map { try JSONDecoder().decode(CarsHandler.Car.self, from: $0) }
        #expect(cars.map(\.id) == Array(1...2500))
        try await database.close()
    }

    @Test func ctrlCCancelsTheWork() async {
        await #expect(processExitsWith: .exitCode(130)) {
            let database = try Database.inMemory()
            let code = await runUntilInterrupted {
                // The first signals may come before somebody listens to them.
                Thread.detachNewThread {
                    while kill(getpid(), SIGINT) == 0 {
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                }
                try await database.write { connection in
                    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
                    try connection.run("\(endless) SELECT count(*) FROM n")
                }
            }
            exit(code)
        }
    }

    @Test func withoutCtrlCTheWorkEnds() async {
        await #expect(processExitsWith: .success) {
            let done = await runUntilInterrupted {}
            let failed = await runUntilInterrupted { throw ShopError.outOfStock }
            #expect(done == 0)
            #expect(failed == 1)
        }
    }

    @Test func aDatabaseIsOpenedAndMigratedOffTheMainActor() async throws {
        let database = try await openDatabase(at: folder.path())
        let tables = try await database.read { try $0.tableExists("owners") }
        #expect(tables)
        try await database.close()
    }

    @Test func aConstraintBecomesAnErrorOfYourOwn() async throws {
        let database = try Database.inMemory()
        try await database.write { connection in
            try connection.execute(
                """
                CREATE TABLE products(
                    id INTEGER PRIMARY KEY,
                    stock INTEGER NOT NULL CONSTRAINT stock_not_negative CHECK(stock >= 0)
                );
                INSERT INTO products VALUES(1, 5)
                """
            )
        }
        try await sell(1, count: 3, in: database)
        await #expect(throws: ShopError.outOfStock) { try await sell(1, count: 3, in: database) }
        #expect(try await database.read { try $0.query("SELECT stock FROM products") } == 2)
    }

    @Test func aPackageBringsItsMigrations() throws {
        let connection = try Connection()

        try Migrator(connection: connection, migrations: Tags.migrations + migrations).run()

        #expect(try connection.tableExists("tags"))
        let error = expectThrows(MigratorError.self) {
            try Migrator(connection: connection, migrations: migrations).run()
        }
        #expect(error?.reason == .databaseIsNewer)
    }
}
