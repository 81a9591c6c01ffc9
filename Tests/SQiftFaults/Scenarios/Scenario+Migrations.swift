import Foundation
import SQift

extension Scenario {
    /// Migrations of each form, and what belongs to them.
    static var migrations: [Scenario] {
        [
            forEachJournal("migrate", stages: [migrateFirst], run: migrate),
            forEachJournal(
                "migrate-numbered",
                stages: [migrateToFirstVersion],
                run: migrateNumbered
            ),
            forEachJournal("rebuild", run: rebuild),
            forEachJournal("migrate-backup", run: migrateWithBackup).map { scenario in
                var scenario = scenario
                scenario.traits = [.backsUpOnce]
                scenario.stages = [backUp, migrateFirstWithBackup]
                return scenario
            },
            [
                Scenario(
                    name: "migrate-vacuum",
                    prepare: { try $0.makeDatabase() },
                    stages: [makeRecords],
                    run: { work in
                        let connection = try work.open()
                        let vacuum = Migration("v", sql: "VACUUM", options: .withoutTransaction)
                        try Migrator(connection: connection, migrations: [vacuum]).run()
                        work.promise()
                        try work.close(connection)
                    }
                ),
                Scenario(name: "rehearse", prepare: { try $0.makeDatabase() }, run: rehearse),
            ],
        ].flatMap(\.self)
    }

    private static let named = [
        Migration(
            "a",
            sql: """
                CREATE TABLE m1(a, b);
                INSERT INTO m1 SELECT a, x FROM t;
                CREATE INDEX m1i ON m1(a)
                """
        ),
        Migration("b") { connection in
            try connection.execute("CREATE TABLE m2(a REFERENCES t(a)); ALTER TABLE t ADD z")
            try connection.run("INSERT INTO m2 SELECT a FROM t")
        },
    ]

    private static func migrateFirst(_ work: Workplace) throws {
        try Migrator(connection: try work.open(), migrations: named).run(upTo: "a")
    }

    private static func backUp(_ work: Workplace) throws {
        try work.open().backup(to: try work.open("copy.db"))
    }

    private static func migrateFirstWithBackup(_ work: Workplace) throws {
        try Migrator(connection: try work.open(), migrations: named)
            .run(upTo: "a", backupTo: .onDisk(work.path("copy.db")))
    }

    /// The table of the records, which a migration without a transaction makes before.
    private static func makeRecords(_ work: Workplace) throws {
        let connection = try work.open()
        let something = Migration("something", sql: "SELECT 1")
        try Migrator(connection: connection, migrations: [something]).run()
        try connection.run("DELETE FROM sqift_migrations")
    }

    private static func openEnforcing(_ work: Workplace) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.foreignKeys = true
        return try work.open("main.db", configuration)
    }

    private static func migrate(_ work: Workplace, _: String) throws {
        let connection = try openEnforcing(work)
        let migrator = Migrator(connection: connection, migrations: named)
        try migrator.run()
        work.promise()
        let pending = try migrator.pending()
        try expect(pending.isEmpty, "pending: \(pending)")
        try connection.expectForeignKeys()
        try work.close(connection)
    }

    private static func migrateWithBackup(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        let migrator = Migrator(connection: connection, migrations: named)
        // A backup of another moment has other content.
        if try migrator.applied().isEmpty {
            try migrator.run(backupTo: .onDisk(work.path("copy.db")))
        } else {
            try migrator.run()
        }
        work.promise()
        try work.close(connection)
    }

    private static func runNumbered(_ work: Workplace, upTo version: UInt64) throws {
        let connection = try work.open()
        try Migrator(connection: connection, desiredSchemaVersion: version)
            .runMigrationsIfNecessary(
                migrationSQLForSchemaVersion: { version in
                    "CREATE TABLE n\(version)(a); INSERT INTO n\(version) SELECT a FROM t"
                }
            )
        work.promise()
        try work.close(connection)
    }

    private static func migrateToFirstVersion(_ work: Workplace) throws {
        try runNumbered(work, upTo: 1)
    }

    private static func migrateNumbered(_ work: Workplace, _: String) throws {
        try runNumbered(work, upTo: 2)
    }

    private static func rebuild(_ work: Workplace, _: String) throws {
        let connection = try openEnforcing(work)
        let columns = "a INTEGER PRIMARY KEY, k INTEGER NOT NULL DEFAULT 2 CHECK(k > 0), x"
        let rebuild = Migration("rebuild") { connection in
            try connection.rebuildTable("t", columns: columns) { old, new in
                try connection.run("INSERT INTO \(new)(a, x) SELECT a, x FROM \(old)")
            }
        }
        try Migrator(connection: connection, migrations: [rebuild]).run()
        work.promise()
        try work.expectRows(40, k: 2, in: connection)
        try connection.expectForeignKeys()
        try work.close(connection)
    }

    private static func rehearse(_ work: Workplace) throws {
        let connection = try work.open()
        let report = try Migrator(connection: connection, migrations: named).rehearse()
        try expect(report.migrations == ["a", "b"], "\(report.migrations)")
        try work.close(connection)
    }
}
