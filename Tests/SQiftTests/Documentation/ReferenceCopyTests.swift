import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The examples in the comments of `Backup` and `Migration`.
struct ReferenceCopyTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection
    private let migrations = [
        Migration("2024-05-add-tags", sql: "CREATE TABLE tags(name TEXT NOT NULL UNIQUE)"),
        Migration("2024-06-add-slugs", sql: "ALTER TABLE articles ADD COLUMN slug TEXT"),
    ]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection(path: path)
        try connection.execute("CREATE TABLE articles(title TEXT)")
    }

    private var migrator: Migrator { Migrator(connection: connection, migrations: migrations) }

    // MARK: Backups

    @Test func intoMemory() throws {
        let memory = try Connection()
        try connection.backup(to: memory)

        #expect(try memory.tableExists("articles"))
    }

    @Test func stepByStep() throws {
        let copy = try Connection()
        var printed: [Double] = []
        func print(_ fraction: Double) {
            printed.append(fraction)
        }

        let backup = try Backup(from: connection, to: copy)
        while try backup.step(pages: 100) {
            print(backup.progress.fractionCompleted)
        }
        try backup.finish()

        #expect(printed == [])
        #expect(try copy.tableExists("articles"))
    }

    @Test(.encryption) func anotherKey() throws {
        let oldKey: Data? = nil
        let newKey = Data("horse".utf8)
        try connection.close()

        var configuration = Connection.Configuration()
        configuration.key = oldKey  // nil for a file that isn't encrypted
        try Connection.changeKey(of: path, configuration: configuration, to: newKey)

        configuration.key = newKey
        #expect(try Connection(path: path, configuration: configuration).tableExists("articles"))
    }

    // MARK: Migrations

    @Test func migrationsFromSQLAndSwift() throws {
        try connection.execute(
            "ALTER TABLE articles ADD COLUMN slug TEXT; INSERT INTO articles VALUES('News', NULL)"
        )

        let migrations = [
            Migration("2024-05-add-tags", sql: "CREATE TABLE tags(name TEXT NOT NULL UNIQUE)"),
            Migration("2024-06-backfill-slugs") { connection in
                try connection.run("UPDATE articles SET slug = lower(title)")
            },
        ]

        try Migrator(connection: connection, migrations: migrations).run()
        #expect(try connection.query("SELECT slug FROM articles") == ["news"])
    }

    @Test func migrationsFromAFolder() throws {
        let folder = folder.url.appendingPathComponent("migrations")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("CREATE TABLE tags(name TEXT)".utf8)
            .write(to: folder.appendingPathComponent("0001-add-tags.sql"))

        let migrations = try Migration.load(from: folder)
        try Migrator(connection: connection, migrations: migrations).run()

        #expect(migrations.map(\.name) == ["0001-add-tags"])
        #expect(try connection.tableExists("tags"))
    }

    @Test func stepsOfARun() throws {
        try connection.close()
        let database = try Database(path: path)
        var printed: [String] = []
        func print(_ step: Migrator.Step) {
            printed.append("\(step)")
        }

        try database.writeWithoutTransaction { connection in
            let migrator = Migrator(connection: connection, migrations: migrations)
            try migrator.run { step in print(step) }  // 3 of 7, add-tags
        }

        #expect(printed == ["1 of 2, 2024-05-add-tags", "2 of 2, 2024-06-add-slugs"])
    }

    @Test func aRunWithABackup() throws {
        let backupPath = folder.path("backup.sqlite")
        var printed: [String] = []
        func print(_ step: Migrator.Step) {
            printed.append("\(step)")
        }
        func print(_ names: [String], _ changes: [Migrator.SchemaChange]) {
            printed.append("\(names) \(changes)")
        }

        let report = try migrator.run(backupTo: .onDisk(backupPath)) { step in
            print(step)  // 1 of 2, 2024-05-add-tags
        }
        print(report.migrations, report.schemaChanges)

        #expect(printed.first == "1 of 2, 2024-05-add-tags")
        let names = #"["2024-05-add-tags", "2024-06-add-slugs"]"#
        #expect(printed.last == "\(names) [changed table articles, new table tags]")
        #expect(try !Connection(path: backupPath).tableExists("tags"))
    }

    @Test func rehearsals() throws {
        let migrator = Migrator(connection: connection, migrations: [migrations[0]])
        var printed: [String] = []
        func print(_ text: some Any) {
            printed.append("\(text)")
        }

        print(try migrator.pending())  // ["2024-05-add-tags"]
        let report = try migrator.rehearse()
        print(report.migrations)  // ["2024-05-add-tags"]
        print(report.schemaChanges)  // [new table tags]

        let names = #"["2024-05-add-tags"]"#
        #expect(printed == [names, names, "[new table tags]"])
        #expect(try !connection.tableExists("tags"))
    }

    @Test func drift() throws {
        let cars = Migration("2024-07-add-cars", sql: "CREATE TABLE cars(name TEXT)")
        let migrator = Migrator(connection: connection, migrations: [cars])
        try connection.execute("DROP TABLE articles")
        try migrator.run()
        try connection.execute("ALTER TABLE cars ADD COLUMN price INTEGER")
        var printed: [String] = []
        func print(_ change: Migrator.SchemaChange, _ before: String, _ after: String) {
            printed += ["\(change)", before, after]
        }

        for change in try migrator.schemaDrift() {
            print(change, change.before ?? "", change.after ?? "")  // changed table cars …
        }

        let before = "CREATE TABLE cars(name TEXT)"
        let after = "CREATE TABLE cars(name TEXT, price INTEGER)"
        #expect(printed == ["changed table cars", before, after])
    }

    @Test func rebuildingATable() throws {
        try connection.execute(
            """
            CREATE TABLE people(id INTEGER PRIMARY KEY);
            INSERT INTO people VALUES(1);
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner_id INTEGER);
            INSERT INTO cars VALUES(1, 'Audi', NULL)
            """
        )
        let migrations = [
            Migration("2024-07-cars-have-owners") { connection in
                let columns = """
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL,
                    owner INTEGER NOT NULL REFERENCES people
                    """
                try connection.rebuildTable("cars", columns: columns) { old, new in
                    try connection.run(
                        "INSERT INTO \(new) SELECT id, name, coalesce(owner_id, 1) FROM \(old)"
                    )
                }
            }
        ]

        try Migrator(connection: connection, migrations: migrations).run()
        #expect(try connection.query("SELECT owner FROM cars") == [1])
    }
}
