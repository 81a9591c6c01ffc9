import Foundation
import SQiftTestSupport
import Testing

import SQift

// How a database's schema differs from the one that its migrations make.
struct SchemaDriftTests {
    private let folder: TemporaryFolder
    private let connection: Connection
    private static let migrations = [
        Migration(
            "tables",
            sql: """
                CREATE TABLE cars(name TEXT);
                CREATE INDEX cars_by_name ON cars(name);
                CREATE TABLE people(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE)
                """
        ),
        Migration("column", sql: "ALTER TABLE cars ADD COLUMN price INTEGER"),
        Migration("rest") { connection in
            try connection.run("CREATE VIEW names AS SELECT name FROM cars")
            try connection.run(Self.watch)
            try connection.run("INSERT INTO people(name) VALUES('Ada')")
        },
    ]
    private static let watch = "CREATE TRIGGER watch AFTER INSERT ON cars BEGIN SELECT 1; END"

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("PRAGMA synchronous = OFF")
    }

    private func drift(
        from migrations: [Migration] = Self.migrations
    ) throws -> [Migrator.SchemaChange] {
        try Migrator(connection: connection, migrations: migrations).schemaDrift()
    }

    // MARK: None

    @Test func whatTheMigrationsMakeIsNone() throws {
        #expect(try drift(from: []) == [])
        try migrate(connection, Self.migrations)
        #expect(try drift() == [])
        try connection.execute("INSERT INTO cars VALUES('Audi', 1); ANALYZE; VACUUM")
        #expect(try drift() == [])
    }

    @Test func theLibrarysOwnTablesAreNone() throws {
        try migrate(connection, Self.migrations)
        try Migrator(connection: connection, desiredSchemaVersion: 1)
            .runMigrationsIfNecessary(migrationSQLForSchemaVersion: { _ in "SELECT 1" })
        #expect(try connection.tableExists("sqift_migrations"))
        #expect(try connection.tableExists("schema_migrations"))
        #expect(try drift() == [])
        let all = try drift(from: [creating("other")]).map(\.name)
        #expect(!all.contains("sqift_migrations"))
        #expect(!all.contains("schema_migrations"))
    }

    @Test func otherSchemasAreNone() throws {
        try migrate(connection, Self.migrations)
        try connection.execute(
            "CREATE TEMP TABLE t(x); ATTACH ':memory:' AS other; CREATE TABLE other.u(x)"
        )
        #expect(try drift() == [])
    }

    @Test func aSquashWithEqualSQLIsNone() throws {
        try migrate(connection, Self.migrations)
        let schema: [SQL] = try connection.query(
            "SELECT sql FROM sqlite_schema WHERE sql NOTNULL AND name NOT LIKE 'sq%' ORDER BY rowid"
        )
        #expect(schema.count == 5)
        let names = Self.migrations.map(\.name)
        let sql = schema.joined(separator: ";\n")
        let other = Migration("squash", sql: sql + "; CREATE TABLE more(x)", replaces: [names])
        #expect(try drift(from: [other]).map(\.name) == ["more"])
        let squash = Migration("squash", sql: sql, replaces: [names])
        #expect(try drift(from: [squash]) == [])
        try migrate(connection, [squash])
        #expect(try drift(from: [squash]) == [])
    }

    // MARK: Changes by hand

    /// A change by hand, and how it is reported.
    struct Change {
        let sql: SQL
        let type: String
        let name: String
        var before: SQL?
        var after: SQL?
    }

    static let changes = [
        Change(
            sql: "CREATE TABLE more(x)",
            type: "table",
            name: "more",
            after: "CREATE TABLE more(x)"
        ),
        Change(
            sql: "DROP TABLE people",
            type: "table",
            name: "people",
            before: "CREATE TABLE people(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE)"
        ),
        Change(
            sql: "ALTER TABLE people ADD COLUMN age",
            type: "table",
            name: "people",
            before: "CREATE TABLE people(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE)",
            after: "CREATE TABLE people(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE, age)"
        ),
        Change(
            sql: "CREATE INDEX cars_by_price ON cars(price)",
            type: "index",
            name: "cars_by_price",
            after: "CREATE INDEX cars_by_price ON cars(price)"
        ),
        Change(
            sql: "DROP INDEX cars_by_name",
            type: "index",
            name: "cars_by_name",
            before: "CREATE INDEX cars_by_name ON cars(name)"
        ),
        Change(
            sql: "DROP VIEW names; CREATE VIEW names AS SELECT price FROM cars",
            type: "view",
            name: "names",
            before: "CREATE VIEW names AS SELECT name FROM cars",
            after: "CREATE VIEW names AS SELECT price FROM cars"
        ),
        Change(sql: "DROP TRIGGER watch", type: "trigger", name: "watch", before: watch),
    ]

    @Test(arguments: changes)
    func aChangeByHandIsNamed(change: Change) throws {
        try migrate(connection, Self.migrations)
        try connection.execute(change.sql)
        let all = try drift()
        #expect(all.count == 1)
        let found = try #require(all.first)
        #expect(found.type == change.type)
        #expect(found.name == change.name)
        #expect(found.before == change.before)
        #expect(found.after == change.after)
    }

    @Test func severalChangesAreAllNamed() throws {
        try migrate(connection, Self.migrations)
        try connection.execute(
            "CREATE TABLE more(x); DROP VIEW names; ALTER TABLE people ADD COLUMN age"
        )
        let expected = ["changed table people", "dropped view names", "new table more"]
        #expect(try drift().map(\.description).sorted() == expected)
    }

    @Test func pendingMigrationsAreDifferences() throws {
        let all = ["cars", "cars_by_name", "names", "people", "watch"]
        let missing = try drift()
        #expect(missing.map(\.name).sorted() == all)
        #expect(missing.allSatisfy { $0.before != nil && $0.after == nil })

        try migrate(connection, Self.migrations, upTo: "tables")
        let changes = Dictionary(uniqueKeysWithValues: try drift().map { ($0.name, $0) })
        #expect(changes.keys.sorted() == ["cars", "names", "watch"])
        #expect(changes["cars"]?.before == "CREATE TABLE cars(name TEXT, price INTEGER)")
        #expect(changes["cars"]?.after == "CREATE TABLE cars(name TEXT)")
    }

    // MARK: The database stays as it is

    @Test(arguments: ["WAL", "DELETE"])
    func nothingIsChanged(journalMode: String) throws {
        try connection.execute("PRAGMA journal_mode = \(journalMode)")
        try migrate(connection, Self.migrations, upTo: "tables")
        let before = try (Contents(connection), contents(of: folder.url), connection.totalChanges)
        #expect(try drift().count == 3)
        #expect(try Contents(connection) == before.0)
        #expect(try contents(of: folder.url)["test.sqlite"] == before.1["test.sqlite"])
        #expect(try contents(of: folder.url)["test.sqlite-wal"] == before.1["test.sqlite-wal"])
        #expect(connection.totalChanges == before.2)
        #expect(!connection.isInsideTransaction)
    }

    @Test func aReadOnlyConnectionCanAsk() throws {
        try migrate(connection, Self.migrations)
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let reader = try Connection(path: folder.path(), configuration: configuration)
        let migrator = Migrator(connection: reader, migrations: Self.migrations)
        #expect(try migrator.schemaDrift() == [])
        try connection.run("DROP VIEW names")
        #expect(try migrator.schemaDrift().map(\.description) == ["dropped view names"])

        let pending = Migrator(
            connection: reader,
            migrations: Self.migrations + [creating("more")]
        )
        #expect(try pending.schemaDrift().map(\.name).sorted() == ["more", "names"])
    }

    // MARK: What the migrations need

    @Test func theClosureRegistersWhatTheMigrationsNeed() throws {
        func prepare(_ connection: Connection) throws {
            try connection.addFunction(named: "shout") { (text: String) -> String in
                text.uppercased()
            }
        }
        let migrations = [
            creating("t"), Migration("shout", sql: "INSERT INTO t VALUES(shout('a'))"),
        ]
        try prepare(connection)
        try migrate(connection, migrations)
        let migrator = Migrator(connection: connection, migrations: migrations)
        let error = migratorError(.failed) { _ = try migrator.schemaDrift() }
        #expect(error?.migration == "shout")
        let changes = try migrator.schemaDrift { other in
            #expect(other !== connection)
            try prepare(other)
        }
        #expect(changes == [])
        let refusal = expectThrows(TestError.self) {
            _ = try migrator.schemaDrift { _ in throw TestError() }
        }
        #expect(refusal == TestError())
    }
}
