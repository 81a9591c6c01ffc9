import Foundation
import SQift
import SQiftTestSupport
import Testing

func problem(with file: String, _ error: any Error) -> String {
    let cause = (error as? MigratorError)?.underlyingError ?? error
    guard let error = cause as? SQLiteError else { return "\(cause)" }
    switch error.resultCode {
    case .notADatabase: return "\(file) isn't a database, or it is encrypted"
    case .corrupt: return "\(file) is damaged, restore a backup"
    case .cantOpen: return "\(file) can't be opened: \(error.message)"
    case .readOnly: return "\(file) or its folder can't be written"
    case .full: return "the disk is full"
    case .busy: return "another program has locked \(file)"
    default: return "\(error)"
    }
}

/// The blocks of Docs/Cookbook.md about files and processes.
struct CookbookFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    @Test func whatIsWrongWithAFileIsSaid() throws {
        func opening(_ path: String) -> String {
            do {
                let database = try Database(path: path)
                try database.executeWrite { connection in
                    let migrations = [Migration("1", sql: "CREATE TABLE cars(name TEXT)")]
                    try Migrator(connection: connection, migrations: migrations).run()
                }
                return "nothing"
            } catch {
                return problem(with: "it", error)
            }
        }
        #expect(opening(path) == "nothing")
        #expect(opening(folder.path("gone/it")).hasPrefix("it can't be opened: "))
        let other = folder.path("other")
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: other))
        #expect(opening(other) == "it isn't a database, or it is encrypted")

        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 255, count: 100))
        try handle.close()
        #expect(opening(path) == "it is damaged, restore a backup")
    }

    @Test func anAttachedDatabaseIsThereForReadersToo() async throws {
        let archivePath = folder.path("archive.sqlite")

        let attach: @Sendable (Connection) throws -> Void = { connection in
            try connection.attachDatabase(from: .onDisk(archivePath), withName: "archive")
        }
        var configuration = Database.Configuration()
        configuration.writerConnectionPreparation = { connection in
            try attach(connection)
            try connection.execute("PRAGMA archive.journal_mode = wal")
        }
        configuration.readerConnectionPreparation = attach
        let database = try Database(path: path, configuration: configuration)
        try await database.write { connection in
            try connection.execute(
                """
                CREATE TABLE orders(id INTEGER PRIMARY KEY, year INTEGER);
                CREATE TABLE archive.orders(id INTEGER PRIMARY KEY, year INTEGER);
                INSERT INTO orders VALUES(1, 2019), (2, 2026)
                """
            )
        }
        try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO archive.orders SELECT * FROM orders WHERE year < :year;
                DELETE FROM orders WHERE year < :year
                """,
                parameters: ["year": 2020]
            )
        }

        let (new, old): ([Int], [Int]) = try await database.read { connection in
            (
                try connection.query("SELECT id FROM main.orders"),
                try connection.query("SELECT id FROM archive.orders")
            )
        }
        #expect(new == [2])
        #expect(old == [1])
        let mode: String = try await database.read { connection in
            try connection.query("PRAGMA archive.journal_mode")
        }
        #expect(mode == "wal")
    }

    @Test func aDatabaseIsAttachedForOneCopy() async throws {
        let otherPath = folder.path("other.sqlite")
        try {
            let other = try Connection(path: otherPath)
            try other.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
            try other.close()
        }()
        let database = try folder.open()
        try await database.write { try $0.execute("CREATE TABLE cars(name TEXT)") }

        try await database.writeWithoutTransaction { connection in
            try connection.attachDatabase(from: .onDisk(otherPath), withName: "other")
            defer { try? connection.detachDatabase(named: "other") }
            try connection.transaction {
                try connection.run("INSERT INTO main.cars(name) SELECT name FROM other.cars")
            }
        }

        let names: [String] = try await database.read { try $0.query("SELECT name FROM cars") }
        #expect(names == ["Audi"])
        // What is misspelt is created.
        let misspelt = try Connection()
        try misspelt.attachDatabase(from: .onDisk(folder.path("othr.sqlite")), withName: "other")
        #expect(try folder.files().contains("othr.sqlite"))

        let attached: [String] = try await database.writeWithoutTransaction { connection in
            try connection.query("SELECT name FROM pragma_database_list")
        }
        #expect(attached == ["main"])

        let error = expectThrows(SQLiteError.self) {
            try database.writeWithoutTransaction { connection in
                try connection.attachDatabase(from: .onDisk(otherPath), withName: "writer_only")
            }
            return try database.read {
                try $0.query("SELECT name FROM writer_only.cars") as [String]
            }
        }
        #expect(error?.message == "no such table: writer_only.cars")
    }

    @Test func aBundledDatabaseIsOneFileThatNobodyWrites() async throws {
        let bundlePath = folder.path("bundled.sqlite")
        let database = try folder.open()
        try await database.write { connection in
            try connection.execute(
                "CREATE TABLE cities(name TEXT); INSERT INTO cities VALUES('Ulm')"
            )
        }

        try await database.writeWithoutTransaction { connection in
            try connection.vacuum(into: .onDisk(bundlePath))
        }
        let shipped = try {
            var configuration = Database.Configuration()
            configuration.accessMode = .readOnly(immutable: true)
            let cities = try Database(path: bundlePath, configuration: configuration)
            return cities
        }()

        let names: [String] = try await shipped.read { try $0.query("SELECT name FROM cities") }
        #expect(names == ["Ulm"])
        let mode: String = try await shipped.read { try $0.query("PRAGMA journal_mode") }
        #expect(mode == "delete")
        try await shipped.close()
        try await database.close()
        #expect(try folder.files() == ["bundled.sqlite", "test.sqlite"])
        try FileManager.default.removeItem(atPath: path)

        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.copyItem(atPath: bundlePath, toPath: path)
        }
        let own = try Database(path: path)

        try await own.write { try $0.run("INSERT INTO cities VALUES('Bonn')") }
        let count: Int = try await own.read { try $0.query("SELECT count(*) FROM cities") }
        #expect(count == 2)
    }

    @Test func aSuspendedDatabaseHoldsNoLock() async throws {
        let database = try folder.open()
        try await database.write { try $0.execute("CREATE TABLE t(x)") }

        func exerciseLife() async throws {
            // In a background task, when the app has left the screen.
            try await database.suspend()
            // When it is back.
            database.resume()
        }
        try await exerciseLife()
        try await database.suspend()
        await #expect(throws: AccessError.self) {
            try await database.write { try $0.run("INSERT INTO t VALUES(1)") }
        }

        let other = try folder.connection()
        try other.run("INSERT INTO t VALUES(2)")
        let checkpoint = try other.checkpoint(mode: .truncate)
        #expect(checkpoint.isComplete)
        try other.close()

        database.resume()
        let found: [Int] = try await database.read { try $0.query("SELECT x FROM t") }
        #expect(found == [2])
    }
}
