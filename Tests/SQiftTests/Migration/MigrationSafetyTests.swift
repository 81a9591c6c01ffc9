import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Where a migration could do other than it says.
struct MigrationSafetyTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(p REFERENCES p);
            INSERT INTO p VALUES(1);
            INSERT INTO c VALUES(1)
            """
        )
    }

    @Test func foreignKeysAreCheckedHoweverLIKECompares() throws {
        try connection.run("PRAGMA case_sensitive_like = ON")
        migratorError(.foreignKeyViolations) {
            try migrate(connection, [Migration("orphans", sql: "DELETE FROM p")])
        }
        #expect(try connection.query("SELECT count(*) FROM p") == 1)
    }

    @Test func aMigrationThatClosesItsConnectionFails() throws {
        let connection = connection
        expectThrows(MigratorError.self) {
            try migrate(connection, [Migration("closes") { try $0.close() }])
        }
        let numbered = Migrator(
            connection: try folder.connection(),
            desiredSchemaVersion: 1
        )
        let error = sqliteError {
            try numbered.runMigrationsIfNecessary { (_, connection) in try connection.close() }
        }
        #expect(
            error?.message
                == "connection can't be closed yet: one of its own closures is running"
        )
        #expect(try folder.connection().query("SELECT count(*) FROM p") == 1)
    }

    @Test func aCallbackThatLeavesATransactionOpenIsRefused() throws {
        let migrator = connection.migrator([creating("a")])
        let error = expectThrows(MigratorError.self) {
            try migrator.run(willRun: { _ in try connection.execute("BEGIN") })
        }
        #expect(error?.reason == .insideTransaction)
        try connection.execute("ROLLBACK")
        #expect(try !connection.tableExists("a"))
    }

    @Test func oneWithoutATransactionThatAnotherProcessHasRecordedMeanwhileIsDone() throws {
        let path = folder.path()
        let migration = Migration("alone", options: .withoutTransaction) { _ in
            try Connection(path: path).execute(
                """
                CREATE TABLE IF NOT EXISTS sqift_migrations(name TEXT NOT NULL PRIMARY KEY, checksum TEXT, timestamp TEXT NOT NULL);
                INSERT INTO sqift_migrations VALUES('alone', NULL, '')
                """
            )
        }
        try migrate(connection, [migration])
        #expect(try connection.query("SELECT count(*) FROM sqift_migrations") == 1)
    }

    @Test func whereNothingIsPendingNothingIsChecked() throws {
        try migrate(connection, [creating("a")])
        var checks = 0
        try connection.authorizer { action, name, _, _, _ in
            if action == .pragma, name == "foreign_key_check" {
                checks += 1
            }
            return .ok
        }
        try migrate(connection, [creating("a")])
        try Migrator(connection: connection, desiredSchemaVersion: 0).runMigrationsIfNecessary {
            _ in ""
        }
        #expect(checks == 0)
        try migrate(connection, [creating("a"), creating("b")])
        #expect(checks > 0)
    }

    @Test func filesWhoseNameEndsInCapitalsAreMigrationsToo() throws {
        let files = try MigrationFolder([
            "1-a.sql": "CREATE TABLE a(x)", "2-b.SQL": "CREATE TABLE b(x)",
        ])
        #expect(try files.load().map(\.name) == ["1-a", "2-b"])
    }
}
