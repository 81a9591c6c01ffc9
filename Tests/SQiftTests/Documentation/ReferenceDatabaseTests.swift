import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car: Decodable, ExpressibleByRow, Equatable {
    let name: String
    let price: Int?
}

/// The examples in the comments of `Concurrency`, `Database` and `Observation`, and on the first
/// page of the reference.
struct ReferenceDatabaseTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
                CREATE TABLE orders(id INTEGER PRIMARY KEY);
                INSERT INTO cars(name, price) VALUES('Audi', 52642), ('Prototype', NULL)
                """
            )
        }
    }

    private func names() throws -> [String] {
        try database.read { try $0.query("SELECT name FROM cars ORDER BY name") }
    }

    // MARK: Accesses

    @Test func firstPage() throws {
        let path = folder.path("connection.sqlite")
        try Connection(path: path).execute("CREATE TABLE cars(name TEXT NOT NULL, price INTEGER)")

        let connection = try Connection(path: path)
        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        let sql = "SELECT name FROM cars WHERE price < ?"
        let names: [String] = try connection.query(sql, 60_000)

        #expect(names == ["Audi"])
    }

    @Test func firstPageWithADatabase() async throws {
        let database = try Database(path: path)
        try await database.write { try $0.run("DELETE FROM cars WHERE price IS NULL") }
        let prices: [Int] = try await database.read { connection in
            try connection.query("SELECT price FROM cars")
        }

        #expect(prices == [52_642])
    }

    @Test func aDatabase() async throws {
        let database = try Database(path: path)
        try await database.write { connection in
            try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        }
        let names: [String] = try await database.read { connection in
            try connection.query("SELECT name FROM cars")
        }

        #expect(names == ["Audi", "Prototype", "Audi"])
    }

    @Test func inMemory() async throws {
        let database = try Database.inMemory()
        try await database.write { try $0.execute("CREATE TABLE cars(name TEXT NOT NULL)") }

        #expect(try await database.read { try $0.tableExists("cars") })
    }

    @Test func readingOnThisThread() throws {
        let cars: [Car] = try database.read { connection in
            try connection.query("SELECT name, price FROM cars")
        }

        #expect(cars.count == 2)
    }

    @Test func reading() async throws {
        let cars: [Car] = try await database.read { connection in
            try connection.query("SELECT name, price FROM cars")
        }

        #expect(cars.count == 2)
    }

    @Test func writingOnThisThread() throws {
        let left: Int = try database.write { connection in
            try connection.run("DELETE FROM cars WHERE price IS NULL")
            return try connection.query("SELECT count(*) FROM cars")
        }
        try database.writeWithoutTransaction { try $0.execute("VACUUM") }

        #expect(left == 1)
    }

    @Test func writing() async throws {
        let left: Int = try await database.write { connection in
            try connection.run("DELETE FROM cars WHERE price IS NULL")
            return try connection.query("SELECT count(*) FROM cars")
        }
        try await database.writeWithoutTransaction { try $0.execute("VACUUM") }

        #expect(left == 1)
    }

    @Test func anyReader() throws {
        func carNames(in reader: any DatabaseReader) throws -> [String] {
            try reader.read { try $0.query("SELECT name FROM cars") }
        }

        #expect(try carNames(in: database) == ["Audi", "Prototype"])
    }

    @Test func aQueue() async throws {
        let queue = ConnectionQueue(connection: try Connection(path: path))
        try await queue.write { try $0.run("INSERT INTO cars(name) VALUES(?)", "Audi") }
        let names: [String] = try await queue.read { try $0.query("SELECT name FROM cars") }

        #expect(names == ["Audi", "Prototype", "Audi"])
    }

    @Test func aPool() async throws {
        let pool = ConnectionPool(storageLocation: .onDisk(path))
        let count: Int = try await pool.read { try $0.query("SELECT count(*) FROM cars") }
        let names: [String] = try await pool.read { try $0.query("SELECT name FROM cars") }

        #expect(names.count == count)
    }

    @Test func errorsByTheirReason() throws {
        struct Overload: Error {}
        func cars() throws -> [Car] {
            do {
                return try database.read { try $0.query("SELECT * FROM cars") as [Car] }
            } catch let error as AccessError where error.reason == .poolExhausted {
                throw Overload()
            }
        }

        #expect(try cars().count == 2)
    }

    @Test func preparingConnections() throws {
        database.prepareConnections { connection in
            try connection.addFunction(named: "slug") { (text: String) in text.lowercased() }
        }

        let slug: String = try database.read { try $0.query("SELECT slug('Audi')") }
        #expect(slug == "audi")
    }

    // MARK: Snapshots, backups, suspending

    @Test func aSnapshotOnThisThread() throws {
        let snapshot = try database.snapshot()
        let count: Int = try snapshot.read { try $0.query("SELECT count(*) FROM cars") }
        let names: [String] = try snapshot.read {
            try $0.query("SELECT name FROM cars")
        }  // as many

        #expect(names.count == count)
    }

    @Test func aSnapshot() async throws {
        let snapshot = try await database.snapshot()
        let count: Int = try await snapshot.read { try $0.query("SELECT count(*) FROM cars") }
        let names: [String] = try await snapshot.read { try $0.query("SELECT name FROM cars") }
        try snapshot.close()

        #expect(names.count == count)
    }

    @Test func backingUpWithProgress() async throws {
        let path = folder.path("backup.sqlite")
        let printed = SharedNotes<Double>()
        let print: @Sendable (Double) -> Void = { printed.note($0) }

        try await database.backup(to: .onDisk(path)) { progress in
            print(progress.fractionCompleted)
        }

        #expect(printed.all.last == 1)
    }

    @Test func restoringOnThisThread() throws {
        let backupPath = folder.path("backup.sqlite")

        try database.backup(to: .onDisk(backupPath))
        try database.restore(from: .onDisk(backupPath))

        #expect(try names() == ["Audi", "Prototype"])
    }

    @Test func restoring() async throws {
        let backupPath = folder.path("backup.sqlite")

        try await database.backup(to: .onDisk(backupPath))
        try await database.restore(from: .onDisk(backupPath))

        #expect(try await database.read { try $0.tableExists("cars") })
    }

    @Test func suspending() async throws {
        try await database.suspend()  // when the app goes to the background
        database.resume()  // when it comes back

        #expect(try await database.read { try $0.tableExists("cars") })
    }

    // MARK: Changes

    @Test func changesOfTables() async throws {
        let printed = SharedNotes<Set<String>>()
        func print(_ text: String, _ tables: Set<String>) {
            printed.note(tables)
            try? database.close()
        }
        // The loop may begin to listen after the first write.
        let task = Task {
            repeat {
                try await database.write { try $0.run("INSERT INTO orders DEFAULT VALUES") }
            } while printed.all.isEmpty
        }

        for await changes in database.changes(in: ["orders"]) {
            print("changed:", changes.tables)
        }

        _ = await task.result
        #expect(printed.all == [["orders"]])
    }

    @Test func changesThatAreReported() async throws {
        struct Importer {
            func write(to path: String) throws {
                try Connection(path: path).run("DELETE FROM cars")
            }
        }
        let importer = Importer()
        var changes = database.changes().makeAsyncIterator()

        try importer.write(to: path)
        database.notifyChanges(in: ["cars"])

        let change = await changes.next()
        #expect(change?.tables == ["cars"])
        #expect(try names() == [])
    }

    @Test func changesForAClosure() async throws {
        let hasPrinted = Gate()
        let print: @Sendable (String, Set<String>) -> Void = { _, tables in
            #expect(tables == ["cars"])
            hasPrinted.open()
        }
        let first = database.onChanges(in: ["cars"]) { print("changed:", $0.tables) }
        try await database.write { try $0.run("DELETE FROM cars") }
        await hasPrinted.opened()
        first.end()

        let listener = database.onChanges(in: ["cars"]) { changes in
            print("changed:", changes.tables)
        }
        // From now on, each commit that changes the table prints: changed: ["cars"]
        listener.end()
    }

    @Test func valuesOfAQuery() async throws {
        let printed = SharedNotes<[String]>()
        func print(_ names: [String]) {
            printed.note(names)
            try? database.close()
        }

        let values = database.values { try $0.query("SELECT name FROM cars") as [String] }
        for try await names in values {
            print(names)
        }

        #expect(printed.all == [["Audi", "Prototype"]])
    }

    @Test func commitsOfOneConnection() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY)")
        var sent = 0
        func sendMails() {
            sent += 1
        }

        connection.didCommit { changes in
            if changes.concerns("orders") { sendMails() }
        }

        try connection.run("INSERT INTO orders DEFAULT VALUES")
        #expect(sent == 1)
    }
}
