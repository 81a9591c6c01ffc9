import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What Docs/FromMigrationTools.md says of a database that another tool has migrated.
struct FromMigrationToolsGuideTests {
    private let folder: URL
    private let temporaryFolder: TemporaryFolder
    private let connection: Connection

    init() throws {
        temporaryFolder = try TemporaryFolder()
        folder = temporaryFolder.url.appendingPathComponent("migrations")
        connection = try Connection(path: temporaryFolder.path())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func write(_ sql: String, to name: String) throws {
        try Data(sql.utf8).write(to: folder.appendingPathComponent(name))
    }

    private func migrateWithTheOtherTool() throws {
        try connection.execute(
            """
            CREATE TABLE schema_migrations(version varchar(128) PRIMARY KEY);
            INSERT INTO schema_migrations VALUES('20240611120000');
            CREATE TABLE cars(name TEXT)
            """
        )
    }

    @Test(arguments: [false, true])
    func aProgramAsksForTheOldTable(isTakenOver: Bool) throws {
        if isTakenOver {
            try migrateWithTheOtherTool()
        }
        try write("ALTER TABLE cars ADD COLUMN price INTEGER", to: "0002-prices.sql")
        let schema: SQL = "CREATE TABLE cars(name TEXT)"

        let base = Migration("2026-01-base") { connection in
            if try !connection.tableExists("schema_migrations") {
                try connection.execute(schema)
            }
        }
        let migrations = [base] + (try Migration.load(from: folder))

        try Migrator(connection: connection, migrations: migrations).run()
        #expect(try connection.columns(in: "cars").map(\.name) == ["name", "price"])
    }

    @Test func aFileMakesOnlyWhatIsMissing() throws {
        try migrateWithTheOtherTool()
        try write("CREATE TABLE IF NOT EXISTS cars(name TEXT)", to: "0001-base.sql")

        let migrations = try Migration.load(from: folder)
        let report = try Migrator(connection: connection, migrations: migrations).run()

        #expect(report.migrations == ["0001-base"])
        #expect(report.schemaChanges.isEmpty)
    }

    @Test func anOldFileWouldRunAgain() throws {
        try migrateWithTheOtherTool()
        try write("CREATE TABLE cars(name TEXT)", to: "20240611120000_cars.sql")

        let migrations = try Migration.load(from: folder)

        let error = expectThrows(MigratorError.self) {
            try Migrator(connection: connection, migrations: migrations).run()
        }
        #expect(error?.message.contains("already exists") == true)
    }

    @Test(arguments: ["-- migrate:up", "-- +goose Up", "-- +goose StatementBegin"])
    func aCommentBeforeTheUpPartCanStay(comment: String) throws {
        try write("\(comment)\nCREATE TABLE cars(name TEXT);\n", to: "1_cars.sql")

        let migrations = try Migration.load(from: folder)
        try Migrator(connection: connection, migrations: migrations).run()

        #expect(try connection.tableExists("cars"))
    }
}
