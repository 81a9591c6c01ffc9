import Foundation
import SQift
import SQiftTestSupport
import Testing

// How a database's schema differs from the one that its migrations make.
struct SchemaDriftTests {
    private let folder = TemporaryFolder.fresh
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
        connection = try folder.connection()
        try connection.execute("PRAGMA synchronous = OFF")
    }

    private func drift(
        from migrations: [Migration] = Self.migrations
    ) throws -> [Migrator.SchemaChange] {
        try connection.migrator(migrations).schemaDrift()
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

    private static let people =
        "CREATE TABLE people(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE)"

    /// A change by hand, and how it is reported: in words, and by the SQL before and after.
    static let changes: [(sql: SQL, words: String, before: SQL?, after: SQL?)] = [
        ("CREATE TABLE more(x)", "new table more", nil, "CREATE TABLE more(x)"),
        ("DROP TABLE people", "dropped table people", people, nil),
        (
            "ALTER TABLE people ADD COLUMN age", "changed table people", people,
            String(people.dropLast()) + ", age)"
        ),
        (
            "CREATE INDEX cars_by_price ON cars(price)", "new index cars_by_price", nil,
            "CREATE INDEX cars_by_price ON cars(price)"
        ),
        (
            "DROP INDEX cars_by_name", "dropped index cars_by_name",
            "CREATE INDEX cars_by_name ON cars(name)", nil
        ),
        (
            "DROP VIEW names; CREATE VIEW names AS SELECT price FROM cars", "changed view names",
            "CREATE VIEW names AS SELECT name FROM cars",
            "CREATE VIEW names AS SELECT price FROM cars"
        ),
        ("DROP TRIGGER watch", "dropped trigger watch", watch, nil),
    ]

    @Test(arguments: changes)
    func aChangeByHandIsNamed(sql: SQL, words: String, before: SQL?, after: SQL?) throws {
        try migrate(connection, Self.migrations)
        try connection.execute(sql)
        let all = try drift()
        #expect(all.map(\.description) == [words])
        #expect(all.map(\.before) == [before])
        #expect(all.map(\.after) == [after])
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
        let reader = try Connection.open(folder.path()) { $0.readOnly = true }
        let migrator = reader.migrator(Self.migrations)
        #expect(try migrator.schemaDrift() == [])
        try connection.run("DROP VIEW names")
        #expect(try migrator.schemaDrift().map(\.description) == ["dropped view names"])

        let pending = reader.migrator(Self.migrations + [creating("more")])
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
        let migrator = connection.migrator(migrations)
        migratorError(.failed, at: "shout") { _ = try migrator.schemaDrift() }
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
