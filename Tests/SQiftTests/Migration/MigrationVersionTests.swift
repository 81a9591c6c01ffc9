import Foundation
import SQift
import SQiftTestSupport
import Testing

// From numbers to names.
struct MigrationVersionTests {
    private let connection: Connection
    private static let migrations = [
        Migration("one", sql: "CREATE TABLE one(x)", replacesVersion: 1),
        Migration("two", sql: "CREATE TABLE two(x)", replacesVersion: 2),
        Migration("three", sql: "CREATE TABLE three(x)", replacesVersion: 3),
        creating("four"),
    ]
    private static let scripts: [UInt64: SQL] = [
        1: "CREATE TABLE one(x)", 2: "CREATE TABLE two(x)", 3: "CREATE TABLE three(x)",
        4: "CREATE TABLE v4(x)",
    ]

    init() throws {
        connection = try Connection()
    }

    private func runNumbered(to version: UInt64) throws {
        try Migrator(connection: connection, desiredSchemaVersion: version)
            .runMigrationsIfNecessary(migrationSQLForSchemaVersion: { Self.scripts[$0] ?? "" })
    }

    @Test func whatANumberStandsForDoesNotRunAgain() throws {
        let names = Self.migrations.map(\.name)
        for version in 0...3 {
            let connection = try Connection()
            if version > 0 {
                try Migrator(connection: connection, desiredSchemaVersion: UInt64(version))
                    .runMigrationsIfNecessary(migrationSQLForSchemaVersion: {
                        Self.scripts[$0] ?? ""
                    })
            }
            let migrator = connection.migrator(Self.migrations)
            #expect(try migrator.applied() == Array(names[..<version]))
            #expect(try migrator.pending() == Array(names[version...]))
            #expect(try migrator.unknown() == [])
            #expect(try migrator.run().migrations == Array(names[version...]))
            #expect(try migrator.applied() == names)
            #expect(try migrator.pending() == [])
            #expect(try migrator.run().migrations == [])
            #expect(try tables(of: connection) == ["four", "one", "three", "two"])
        }
    }

    @Test func oneMigrationMayReplaceManyVersions() throws {
        let squashed = [
            Migration(
                "squashed",
                sql: "CREATE TABLE one(x); CREATE TABLE two(x); CREATE TABLE three(x)",
                replacesVersion: 3
            ),
            creating("four"),
        ]
        try runNumbered(to: 3)
        #expect(try migrate(connection, squashed).migrations == ["four"])

        let fresh = try Connection()
        #expect(try migrate(fresh, squashed).migrations == ["squashed", "four"])
        #expect(try tables(of: fresh) == tables(of: connection))
    }

    @Test func aVersionAboveAllMeansANewerDatabase() throws {
        try runNumbered(to: 4)
        try expectUntouched(connection, .databaseIsNewer, containing: "4") {
            try migrate(connection, Self.migrations)
        }
    }

    @Test func aVersionMeansNothingWhereNoMigrationReplacesOne() throws {
        try runNumbered(to: 4)
        #expect(try migrate(connection, [creating("five")]).migrations == ["five"])
    }

    @Test func anotherToolsNumbersAreRefusedOnlyWhereTheyMatter() throws {
        try connection.execute(
            """
            CREATE TABLE schema_migrations(version VARCHAR NOT NULL PRIMARY KEY);
            INSERT INTO schema_migrations VALUES('20240101120000')
            """
        )
        try expectUntouched(connection, .inconsistent) { try migrate(connection, Self.migrations) }
        #expect(try migrate(connection, [creating("five")]).migrations == ["five"])
        try expectRows(1, of: "schema_migrations", on: connection)
    }

    @Test func aMigrationTurnedIntoAReplacementStaysApplied() throws {
        try migrate(connection, Self.migrations)
        #expect(try migrate(connection, Self.migrations).migrations == [])
        #expect(!(try connection.tableExists("schema_migrations")))
    }

    @Test func filesSayWhichVersionTheyReplace() throws {
        try runNumbered(to: 2)
        let folder = try MigrationFolder([
            "1-one.sql": "-- sqift: replacesVersion 1\nCREATE TABLE one(x);",
            "2-two.sql": "-- sqift: replacesVersion 2\nCREATE TABLE two(x);",
            "3-three.sql": "-- The third\n-- sqift: replacesVersion 3\nCREATE TABLE three(x);",
            "4-four.sql": "CREATE TABLE four(x);",
        ])
        let migrations = try folder.load()
        #expect(migrations.map(\.replacesVersion) == [1, 2, 3, nil])
        #expect(try migrate(connection, migrations).migrations == ["3-three", "4-four"])
        #expect(
            try connection.migrator(migrations).applied().sorted()
                == migrations.map(\.name)
        )
    }

    @Test func upToKnowsWhatANumberStandsFor() throws {
        try runNumbered(to: 2)
        try expectUntouched(connection, .inconsistent) {
            try migrate(connection, Self.migrations, upTo: "one")
        }
        #expect(try migrate(connection, Self.migrations, upTo: "two").migrations == [])
        #expect(try migrate(connection, Self.migrations, upTo: "three").migrations == ["three"])
    }

    @Test func theLargestVersionIsKept() throws {
        try connection.execute(
            """
            CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL);
            INSERT INTO schema_migrations VALUES(\(Int64.max), '')
            """
        )
        let migration = Migration(
            "last",
            sql: "CREATE TABLE t(x)",
            replacesVersion: UInt64(Int64.max)
        )
        #expect(try migrate(connection, [migration, creating("next")]).migrations == ["next"])
        let migrator = Migrator(connection: connection, desiredSchemaVersion: UInt64(Int64.max))
        #expect(migrator.currentSchemaVersion == UInt64(Int64.max))
        #expect(!migrator.migrationRequired)
    }
}
