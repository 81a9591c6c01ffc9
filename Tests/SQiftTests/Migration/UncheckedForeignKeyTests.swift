import SQift
import SQiftTestSupport
import Testing

// Migrations that leave the check of foreign keys out: it takes time, and some don't need it.
struct UncheckedForeignKeyTests {
    private let connection: Connection
    private static let orphan = "INSERT INTO children VALUES(99)"

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent INTEGER REFERENCES parents);
            INSERT INTO parents VALUES(1), (2);
            INSERT INTO children VALUES(1), (2);
            PRAGMA foreign_keys = ON
            """
        )
    }

    /// A migration from a file with this mark.
    private func migration(_ name: String, _ mark: String, _ sql: SQL) throws -> Migration {
        let folder = try MigrationFolder(["\(name).sql": "-- sqift: \(mark)\n\(sql)"])
        return try #require(folder.load().first)
    }

    private func unchecked(_ name: String, _ sql: SQL) throws -> Migration {
        try migration(name, "withoutForeignKeyCheck", sql)
    }

    private func enforcing(_ name: String, _ sql: SQL) throws -> Migration {
        try migration(name, "enforcingForeignKeys", sql)
    }

    /// How often SQLite checks the foreign keys of the database while the migrations run.
    private func countChecks(_ migrations: [Migration]) throws -> Int {
        let checks = Notes<Void>()
        connection.trace { sql in
            if sql.contains("foreign_key_check") {
                checks.note(())
            }
        }
        defer { connection.trace(nil) }
        try migrate(connection, migrations)
        return checks.all.count
    }

    @Test func nothingIsChecked() throws {
        #expect(try countChecks([unchecked("1", Self.orphan), unchecked("2", Self.orphan)]) == 0)
        #expect(try connection.foreignKeyViolations().count == 2)
        #expect(try enforcesForeignKeys(connection))
    }

    @Test func theyAreNotEnforcedEither() throws {
        try migrate(connection, [unchecked("1", "DROP TABLE parents")])
        #expect(try count("children", on: connection) == 2)
    }

    /// SQLite checks each statement itself.
    @Test func enforcedForeignKeysAreNotCheckedAgain() throws {
        let deleting = try enforcing("1", "DELETE FROM children; DELETE FROM parents")
        #expect(try countChecks([deleting]) == 0)
        for sql in [
            Self.orphan, "DELETE FROM parents", "DROP TABLE parents",
            "UPDATE parents SET id = 7 WHERE id = 1",
            "ALTER TABLE children ADD COLUMN x DEFAULT 5 REFERENCES parents",
            """
            CREATE TABLE late(x REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO late VALUES(5)
            """,
        ] {
            let connection = try Connection()
            try connection.execute(
                """
                CREATE TABLE parents(id INTEGER PRIMARY KEY);
                CREATE TABLE children(parent INTEGER REFERENCES parents);
                INSERT INTO parents VALUES(1);
                INSERT INTO children VALUES(1)
                """
            )
            try expectUntouched(connection, .failed) {
                try migrate(connection, [enforcing("1", sql)])
            }
        }
    }

    @Test func aCheckedMigrationIsCheckedBeforeAndAfter() throws {
        let between = [
            creating("d"), try unchecked("2", "CREATE TABLE e(x)"), creating("f"),
        ]
        for (migrations, count) in [
            ([creating("a"), creating("b")], 3),
            ([try unchecked("1", "SELECT 1"), creating("c")], 2),
            (between, 4),
        ] {
            #expect(try countChecks(migrations) == count)
            try connection.execute("DROP TABLE sqift_migrations")
        }
    }

    @Test func laterMigrationsAreNotBlamedForIt() throws {
        let migrations = [creating("a"), try unchecked("1", Self.orphan), creating("b")]
        let report = try migrate(connection, migrations)
        #expect(report.migrations == ["a", "1", "b"])
        #expect(report.foreignKeyViolations.map(\.table) == ["children"])
        let later = migrations + [Migration("c", sql: Self.orphan)]
        try expectUntouched(connection, .foreignKeyViolations) { try migrate(connection, later) }
    }

    @Test func whatSuchAMigrationMendedMayNotComeBack() throws {
        try connection.execute("PRAGMA foreign_keys = OFF; \(Self.orphan)")
        let mending = "DELETE FROM children WHERE parent = 99"
        for mend in [try unchecked("1", mending), try enforcing("1", mending)] {
            try connection.execute("DROP TABLE IF EXISTS sqift_migrations; DROP TABLE IF EXISTS a")
            let migrations = [creating("a"), mend, Migration("b", sql: Self.orphan)]
            migratorError(.foreignKeyViolations, at: "b") { try migrate(connection, migrations) }
            try connection.run(Self.orphan)
        }
    }

    @Test func aRehearsalLeavesItOutToo() throws {
        let migrator = Migrator(
            connection: connection,
            migrations: [try unchecked("1", Self.orphan)]
        )
        #expect(try migrator.rehearse().migrations == ["1"])
        #expect(try connection.foreignKeyViolations() == [])
    }
}
