import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What Docs/Troubleshooting.md quotes is what the library says.
struct TroubleshootingTests {
    private let folder: TemporaryFolder
    private let path: String
    private let guide: String
    private let connection: Connection

    init() throws {
        connection = try Connection()
        folder = try TemporaryFolder()
        path = folder.path("cars.sqlite")
        let file = packageFolder.appendingPathComponent("Docs/Troubleshooting.md")
        // Long messages are wrapped there.
        guide = try String(contentsOf: file, encoding: .utf8).split { $0.isWhitespace }
            .joined(separator: " ")
    }

    /// Expects that the call throws, and that the guide quotes the error's description.
    private func expectQuoted<T>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> T
    ) {
        do {
            _ = try body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch {
            // The guide's example files are in no folder.
            let message = "\(error)".replacingOccurrences(of: folder.url.path + "/", with: "")
            let isQuoted = guide.contains(message)
            #expect(isQuoted, "the guide lacks: \(message)", sourceLocation: sourceLocation)
        }
    }

    /// Makes the table that most of the guide's examples use, with one row.
    private func makeCars() throws {
        try connection.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
    }

    private func carsDatabase(busyTimeout: Double = 5) throws -> Database {
        var configuration = Database.Configuration()
        configuration.busyTimeout = busyTimeout
        let database = try Database(path: path, configuration: configuration)
        try database.write { try $0.execute("CREATE TABLE cars(name TEXT, price INTEGER)") }
        return database
    }

    // MARK: Locks

    @Test func databaseIsLocked() throws {
        let one = try Connection(path: path)
        try one.execute("CREATE TABLE cars(name TEXT)")
        try one.transaction(transactionType: .immediate) {
            let other = try Connection(path: path)
            expectQuoted { try other.run("INSERT INTO cars VALUES('Audi')") }
        }
    }

    @Test func busySnapshot() throws {
        let database = try carsDatabase()
        var configuration = Connection.Configuration()
        configuration.busyTimeout = 5
        let connection = try Connection(path: path, configuration: configuration)
        func sell() throws {
            let price = 1
            try connection.transaction(transactionType: .immediate) {
                let stock: Int = try connection.query("SELECT count(*) FROM cars")
                try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi \(stock)", price)
            }
        }

        expectQuoted {
            try connection.transaction {
                let _: Int = try connection.query("SELECT count(*) FROM cars")
                try database.write { try $0.run("DELETE FROM cars") }
                try connection.run("INSERT INTO cars VALUES('Audi', 1)")
            }
        }
        try sell()
        let names: [String] = try database.read { try $0.query("SELECT name FROM cars") }
        #expect(names == ["Audi 0"])
    }

    @Test func aDatabaseInsideItself() throws {
        let database = try carsDatabase()
        expectQuoted {
            try database.write { _ in
                try database.read { try $0.query("SELECT count(*) FROM cars") as Int }
            }
        }
    }

    @Test func aWALThatGrows() throws {
        let database = try carsDatabase(busyTimeout: 0)
        let snapshot = try database.snapshot()
        try database.write { try $0.run("INSERT INTO cars VALUES('Audi', 1)") }
        expectQuoted { try database.checkpoint(mode: .truncate) }

        let result = try database.checkpoint(mode: .passive)
        print(result.checkpointedFrames, "of", result.logFrames)
        #expect(!result.isComplete)

        try snapshot.close()
        let complete = try database.checkpoint(mode: .truncate).isComplete
        #expect(complete)
        #expect(folder.size("cars.sqlite-wal") == 0)
    }

    @Test func aBackupThatIsOpen() throws {
        let database = try carsDatabase(busyTimeout: 0)
        let backupPath = folder.path("backup.sqlite")
        try database.backup(to: .onDisk(backupPath))
        let backup = try Database(path: backupPath)
        let _: Int = try backup.read { try $0.query("SELECT count(*) FROM cars") }
        expectQuoted { try database.backup(to: .onDisk(backupPath)) }

        try backup.close()
        try database.backup(to: .onDisk(backupPath))
    }

    // MARK: Files

    @Test func malformed() throws {
        try {
            let connection = try Connection(path: path)
            try connection.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
            try connection.close()
        }()
        let pageSize: Int = try Connection().query("PRAGMA page_size")
        try overwrite(path, at: pageSize, with: Data(repeating: 0xff, count: pageSize))
        let connection = try Connection(path: path)
        expectQuoted { try connection.query("SELECT name FROM cars") as [String] }
    }

    @Test func theDamageIsFound() throws {
        try {
            let connection = try Connection(path: path)
            let schema = "CREATE TABLE t(x TEXT); CREATE INDEX i ON t(x)"
            try connection.execute(schema + "; INSERT INTO t VALUES('Audi')")
            try connection.close()
        }()
        try damageIndex(path)
        let connection = try Connection(path: path)

        let problems = try connection.integrityCheck()
        #expect(
            problems.sorted() == ["row 1 missing from index i", "wrong # of entries in index i"]
        )
        try connection.execute("REINDEX")
        #expect(try connection.integrityCheck() == [])
    }

    @Test func diskFull() throws {
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE files(content BLOB); PRAGMA max_page_count = 3")
        expectQuoted { try connection.run("INSERT INTO files VALUES(zeroblob(?))", 100_000) }
    }

    @Test func notADatabase() throws {
        let text = Data(String(repeating: "name,price\n", count: 1000).utf8)
        try text.write(to: URL(fileURLWithPath: path))
        expectQuoted { try Database(path: path) }
    }

    @Test(.encryption) func aWrongKey() throws {
        var configuration = Database.Configuration(key: Keys.one)
        try Database(path: path, configuration: configuration).close()
        expectQuoted { try Database(path: path) }
        configuration.connection.key = Keys.other
        expectQuoted { try Database(path: path, configuration: configuration) }
    }

    @Test(.encryption) func aKeyForAPlainFile() throws {
        try Connection(path: path).execute("CREATE TABLE t(x)")
        expectQuoted { try Database(path: path, configuration: .init(key: Keys.one)) }
    }

    @Test(.enabled(if: !Capability.encryption, "this SQLite can encrypt"))
    func aKeyThatNobodyCanUse() {
        expectQuoted { try Database(path: path, configuration: .init(key: Keys.one)) }
    }

    @Test func aMissingFolder() {
        expectQuoted { try Database(path: folder.path("data/cars.sqlite")) }
    }

    @Test func aReadThatWrites() throws {
        let database = try carsDatabase()
        expectQuoted { try database.read { try $0.run("DELETE FROM cars") } }
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func aFolderThatIsNotWritable() throws {
        try carsDatabase().close()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer {
            try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        }
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let connection = try Connection(path: path, configuration: configuration)
        expectQuoted { try connection.query("SELECT name FROM cars") as [String] }
    }

    // MARK: Connections and rows

    @Test func aClosedConnection() throws {
        try connection.close()
        expectQuoted { try connection.run("SELECT 1") }
        let database = try carsDatabase()
        try database.close()
        expectQuoted { try database.read { try $0.tableExists("cars") } }
    }

    @Test func aConnectionThatCannotBeClosedYet() throws {
        let statement = try connection.prepare("SELECT 1")
        expectQuoted { try connection.close() }
        withExtendedLifetime(statement) {}
    }

    @Test func aMigratorInsideALoop() throws {
        try makeCars()
        try connection.forEachRow("SELECT name FROM cars") { _ in
            expectQuoted { try Migrator(connection: connection, migrations: []).run() }
        }
    }

    @Test func aRowThatIsGone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let connection = try Connection()
            try connection.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
            var kept: Row?
            try connection.forEachRow("SELECT name FROM cars") { row in
                kept = row
            }
            print(try kept?.get("name") as String? ?? "")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let message = try #require(text.split(separator: "\n").first { $0.hasPrefix("SQift: ") })
        let isQuoted = guide.contains(message)
        #expect(isQuoted, "the guide lacks: \(message)")
    }

    @Test func rowsThatAreKept() throws {
        try makeCars()

        var kept: [Row] = []
        try connection.forEachRow("SELECT name FROM cars") { row in
            kept.append(row.detached())
        }

        let name: String? = try kept.first?.get("name")
        #expect(name == "Audi")
    }

    @Test func aTableThatIsMissing() throws {
        let one = try Connection()
        try one.execute("CREATE TABLE cars(name TEXT)")
        let other = try Connection()
        expectQuoted { try other.query("SELECT name FROM cars") as [String] }
    }

    @Test func aPoolInMemory() {
        let pool = ConnectionPool(storageLocation: .inMemory)
        expectQuoted { try pool.read { try $0.query("SELECT 1") as Int } }
    }

    // MARK: Foreign keys

    @Test func foreignKeys() throws {
        let database = try Database.inMemory()
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE owners(id INTEGER PRIMARY KEY);
                CREATE TABLE cars(owner INTEGER REFERENCES owners)
                """
            )
        }
        expectQuoted { try database.write { try $0.run("INSERT INTO cars VALUES(1)") } }

        try database.writeWithoutTransaction { connection in
            try connection.execute("PRAGMA foreign_keys = off; INSERT INTO cars VALUES(1)")
            for violation in try connection.foreignKeyViolations() {
                print(violation)
            }
            #expect(try connection.foreignKeyViolations().map(\.table) == ["cars"])
        }
    }

    @Test func aForeignKeyToColumnsThatAreNotUnique() throws {
        let database = try Database.inMemory()
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE shops(city TEXT);
                CREATE TABLE stock(city TEXT REFERENCES shops(city))
                """
            )
        }
        expectQuoted { try database.write { try $0.run("INSERT INTO stock VALUES('Ulm')") } }
    }

    // MARK: Migrations

    @Test(arguments: [
        ("0001-cars", "BEGIN; CREATE TABLE cars(name TEXT); COMMIT;"),
        ("0001-wal", "PRAGMA journal_mode = WAL"),
        ("0002-price", "SELECT 1;\n-- migrate:down\nSELECT 2;"),
    ])
    func aMigrationThatIsRefused(name: String, sql: SQL) throws {
        try Data(sql.utf8).write(to: folder.url.appendingPathComponent("\(name).sql"))
        let migrations = try Migration.load(from: folder.url)
        expectQuoted { try Migrator(connection: connection, migrations: migrations).run() }
    }

    // MARK: Values and parameters

    @Test func nullAndNoRow() throws {
        try connection.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
        expectQuoted { try connection.query("SELECT price FROM cars") as Int }
        try connection.run("INSERT INTO cars VALUES('Audi', NULL)")
        expectQuoted { try connection.query("SELECT price FROM cars") as Int }
        expectQuoted {
            try connection.query("SELECT name FROM cars WHERE price IN (?)", 1, 2) as [String]
        }
    }

    @Test func aListIsOneValue() throws {
        try connection.execute(
            "CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi'), ('Golf'), ('Prototype')"
        )
        let names: Set = ["Audi", "Golf"]
        let found: [String] = try connection.query(
            "SELECT name FROM cars WHERE name IN (?)",
            SetBinding(elements: names)
        )
        let doomed: Int = try connection.query(
            "SELECT count(*) FROM cars WHERE name NOT IN (?)",
            SetBinding(elements: names)
        )

        try connection.run(
            "DELETE FROM cars WHERE name NOT IN (SELECT value FROM json_each(?))",
            SetBinding(elements: names)
        )

        #expect(found == [])
        #expect(doomed == 3)
        let left: [String] = try connection.query("SELECT name FROM cars")
        #expect(left == ["Audi", "Golf"])
    }

    // MARK: Speed

    @Test func thePlanOfASlowQuery() throws {
        func plan(of sql: SQL, on connection: Connection) throws -> [String] {
            let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
            // Each parameter needs a value, and any will do.
            let values = [(any Bindable)?](repeating: nil, count: statement.parameterCount)
            return try statement.bind(values).query { row in try row.get("detail") }
        }

        try connection.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
        let sql = "SELECT price FROM cars WHERE name = ?"
        let before = try plan(of: sql, on: connection)
        try connection.execute("CREATE INDEX cars_by_name ON cars(name)")
        let after = try plan(of: sql, on: connection)

        // SQLite before 3.36 says SCAN TABLE.
        #expect(before.map { $0.replacingOccurrences(of: "TABLE ", with: "") } == ["SCAN cars"])
        #expect(after.first?.hasSuffix("cars USING INDEX cars_by_name (name=?)") == true)

        try connection.execute("PRAGMA analysis_limit = 400; PRAGMA optimize")
        let isQuoted = guide.contains("SEARCH cars USING INDEX cars_by_name (name=?)")
        #expect(isQuoted)
    }
}
