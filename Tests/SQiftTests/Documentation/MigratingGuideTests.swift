import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/Migrating.md.
struct MigratingGuideTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    @Test func theFirstMigrations() throws {
        let migrations = [
            Migration(
                "2024-05-02-cars",
                sql: "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"
            ),
            Migration("2024-05-20-add-prices", sql: "ALTER TABLE cars ADD COLUMN price INTEGER"),
            Migration("2024-06-11-tidy-names") { connection in
                try connection.run("UPDATE cars SET name = trim(name)")
            },
        ]

        let database = try Database(path: path)
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).run()
        }

        #expect(
            try database.read { try $0.columns(in: "cars").map(\.name) } == ["id", "name", "price"]
        )
    }

    @Test func withoutATransaction() throws {
        let compact = Migration("2024-07-01-compact", sql: "VACUUM", options: .withoutTransaction)

        let migrator = Migrator(connection: try Connection(path: path), migrations: [compact])
        #expect(try migrator.run().migrations == ["2024-07-01-compact"])
    }

    private static let cars = Migration(
        "cars",
        sql: """
            CREATE TABLE people(id INTEGER PRIMARY KEY);
            INSERT INTO people VALUES(1);
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price INTEGER);
            CREATE INDEX cars_by_name ON cars(name);
            CREATE TABLE keys(car INTEGER REFERENCES cars ON DELETE CASCADE);
            INSERT INTO cars VALUES(1, 'Audi', 5);
            INSERT INTO keys VALUES(1)
            """
    )

    @Test func changingATable() throws {
        let rebuilding =
            Migration("2024-08-03-cars-have-owners") { connection in
                let columns = """
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL CHECK(name <> ''),
                    price INTEGER,
                    owner INTEGER NOT NULL DEFAULT 1 REFERENCES people
                    """
                try connection.rebuildTable("cars", columns: columns) { old, new in
                    try connection.run(
                        "INSERT INTO \(new)(id, name, price) SELECT id, name, price FROM \(old)"
                    )
                }
            }

        let connection = try Connection(path: path)
        try connection.run("PRAGMA foreign_keys = ON")
        try Migrator(connection: connection, migrations: [Self.cars, rebuilding]).run()
        #expect(try connection.query("SELECT owner FROM cars") == 1)
        #expect(try connection.query("SELECT count(*) FROM keys") == 1)
        #expect(try connection.indexes(on: "cars").map(\.name) == ["cars_by_name"])
    }

    @Test func progressRehearsalAndBackup() throws {
        let backupPath = folder.path("backup.sqlite")
        let connection = try Connection(path: path)
        let migrator = Migrator(connection: connection, migrations: [Self.cars])

        let rehearsal = try migrator.rehearse { copy in
            try copy.addFunction(named: "slug") { (text: String) in text.lowercased() }
        }
        for change in rehearsal.schemaChanges { print(change) }  // new table people

        let report = try migrator.run(
            willRun: { step in print(step) },  // 3 of 7, 2024-06-11-tidy-names
            didRun: { step in print("done:", step.name) }
        )
        print(
            report.migrations,
            report.changedRowCount,
            report.schemaChanges,
            report.foreignKeyViolations
        )

        #expect(rehearsal.schemaChanges.map(\.description).contains("new table people"))
        #expect(report.migrations == ["cars"])
        #expect(report.changedRowCount == 3)
        try backUpFirst(connection, backupPath)
        #expect(try Connection(path: backupPath).tableExists("cars"))
    }

    private func backUpFirst(_ connection: Connection, _ backupPath: String) throws {
        let migrator = Migrator(
            connection: connection,
            migrations: [Self.cars, Migration("drop", sql: "DROP TABLE keys; DROP TABLE cars")]
        )
        try migrator.run(backupTo: .onDisk(backupPath))
    }

    @Test func fromNumbersToNames() throws {
        let connection = try Connection(path: path)
        let numbered = Migrator(connection: connection, desiredSchemaVersion: 3)
        try numbered.runMigrationsIfNecessary { version in
            switch version {
            case 1: "CREATE TABLE cars(name TEXT)"
            case 2: "CREATE TABLE people(name TEXT)"
            default: "CREATE INDEX cars_by_name ON cars(name)"
            }
        }

        let named = [
            Migration("1-cars", sql: "CREATE TABLE cars(name TEXT)", replacesVersion: 1),
            Migration("2-people", sql: "CREATE TABLE people(name TEXT)", replacesVersion: 2),
            Migration(
                "3-index",
                sql: "CREATE INDEX cars_by_name ON cars(name)",
                replacesVersion: 3
            ),
            Migration("2024-09-01-wheels", sql: "ALTER TABLE cars ADD COLUMN wheels INTEGER"),
        ]

        #expect(
            try Migrator(connection: connection, migrations: named).run().migrations == [
                "2024-09-01-wheels"
            ]
        )
        #expect(
            try Migrator(connection: Connection(), migrations: named).run().migrations.count == 4
        )
    }

    @Test func squashing() throws {
        let squashed = [
            Migration(
                "2024-10-01-base",
                sql: "CREATE TABLE cars(name TEXT); CREATE TABLE people(name TEXT)",
                replaces: [["1-cars", "2-people"]]
            )
        ]

        let connection = try Connection(path: path)
        let old = [
            Migration("1-cars", sql: "CREATE TABLE cars(name TEXT)"),
            Migration("2-people", sql: "CREATE TABLE people(name TEXT)"),
        ]
        try Migrator(connection: connection, migrations: old).run()
        let migrator = Migrator(connection: connection, migrations: squashed)
        #expect(try migrator.run().migrations == [])
    }

    @Test func squashingAgain() throws {
        let squashedAgain = [
            Migration(
                "2025-10-01-base",
                sql: "CREATE TABLE cars(name TEXT, tag TEXT); CREATE TABLE people(name TEXT)",
                replaces: [
                    ["1-cars", "2-people", "3-tags"],
                    ["2024-10-01-base", "3-tags"],
                ]
            )
        ]

        for names in [["1-cars", "2-people", "3-tags"], ["2024-10-01-base", "3-tags"]] {
            let connection = try Connection()
            let old = names.map { Migration($0) { _ in } }
            try Migrator(connection: connection, migrations: old).run()
            let migrator = Migrator(connection: connection, migrations: squashedAgain)
            #expect(try migrator.run().migrations == [])
        }
    }

    @Test func drift() throws {
        let connection = try Connection(path: path)
        let migrator = Migrator(connection: connection, migrations: [Self.cars])
        try migrator.run()
        try connection.execute("CREATE INDEX made_by_hand ON cars(price)")

        for change in try migrator.schemaDrift() {
            print(change)  // new index made_by_hand
        }

        #expect(try migrator.schemaDrift().map(\.description) == ["new index made_by_hand"])
    }
}
