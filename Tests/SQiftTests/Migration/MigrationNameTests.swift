import Foundation
import SQift
import SQiftTestSupport
import Testing

// What migrations are known by.
struct MigrationNameTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func migrator(_ migrations: [Migration]) -> Migrator {
        connection.migrator(migrations)
    }

    @Test func aMigrationThatTheCodeDoesNotKnowMeansANewerDatabase() throws {
        try migrate(connection, [creating("a"), creating("b"), creating("from the future")])
        let older = migrator([creating("a"), creating("b"), creating("c")])
        try expectUntouched(connection, .databaseIsNewer, containing: "from the future") {
            try older.run(willRun: { _ in recordCall() })
        }
        #expect(try older.unknown() == ["from the future"])
        #expect(try older.pending() == ["c"])
        #expect(try older.applied() == ["a", "b", "from the future"])
        try expectUntouched(connection, .databaseIsNewer) { try older.run(upTo: "a") }
        migratorError(.databaseIsNewer) { _ = try older.rehearse() }
    }

    @Test func aNewerDatabaseIsRefusedWithNothingPendingToo() throws {
        try migrate(connection, [creating("a"), creating("b")])
        try expectUntouched(connection, .databaseIsNewer) {
            try migrate(connection, [creating("a")])
        }
        try expectUntouched(connection, .databaseIsNewer) { try migrate(connection, []) }
    }

    @Test func aMigrationThatAMergeHasPutInTheMiddleRuns() throws {
        try migrate(connection, [creating("a"), creating("c"), creating("d")])
        let merged = migrator([
            creating("0"), creating("a"), creating("b"), creating("c"), creating("d"),
            creating("e"),
        ])
        #expect(try merged.pending() == ["0", "b", "e"])
        #expect(try merged.run().migrations == ["0", "b", "e"])
        #expect(try merged.applied() == ["a", "c", "d", "0", "b", "e"])
        #expect(try tables(of: connection) == ["0", "a", "b", "c", "d", "e"])
        #expect(try merged.run().migrations == [])
    }

    @Test func branchesThatMeetRunEachMigrationOnce() throws {
        let (base, ours, theirs) = (creating("base"), creating("ours"), creating("theirs"))
        for first in [[base, ours], [base, theirs], [base], []] {
            for end in [[base, ours, theirs], [base, theirs, ours]] {
                let connection = try Connection()
                try migrate(connection, first)
                try migrate(connection, end)
                #expect(try tables(of: connection) == ["base", "ours", "theirs"])
                #expect(try Set(recordedNames(on: connection) ?? []) == ["base", "ours", "theirs"])
            }
        }
    }

    @Test func twoMigrationsOfOneNameAreRefused() throws {
        let migrator = migrator([creating("a"), creating("b"), creating("c", named: "a")])
        try expectUntouched(connection, .inconsistent, at: "a") { try migrator.run() }
        migratorError(.inconsistent) { _ = try migrator.pending() }
    }

    @Test func namesThatDifferInCaseOrSpacesAreDifferentNames() throws {
        let names = ["a", "A", " a", "a ", "a b", "a  b"]
        let migrations = names.enumerated().map { creating("t\($0)", named: $1) }
        #expect(try migrate(connection, migrations).migrations == names)
        #expect(try migrate(connection, migrations).migrations == [])
        #expect(try migrator(migrations).applied() == names)
    }

    @Test(arguments: [
        "", " ", "naïve", "日本語", "🚗🏽", "it's", "\"quoted\"", "a;b", "--", "a\nb", "null", "%",
        "e\u{301}", "a\u{0}b",
        String(repeating: "long ", count: 1000),
    ])
    func anyTextIsAName(name: String) throws {
        let migrations = [creating("before"), creating("t", named: name), creating("after")]
        #expect(try migrate(connection, migrations, upTo: name).migrations == ["before", name])
        let migrator = migrator(migrations)
        #expect(try migrator.applied() == ["before", name])
        #expect(try migrator.pending() == ["after"])
        #expect(try migrator.run().migrations == ["after"])
        #expect(try migrator.run().migrations == [])
        #expect(try recordedNames(on: connection) == ["before", name, "after"])
        #expect(try self.migrator([creating("before")]).unknown() == [name, "after"])
    }

    // MARK: Up to

    @Test func upToANameThatIsNotThereIsRefused() throws {
        try migrate(connection, [creating("a")])
        try expectUntouched(connection, .inconsistent, containing: "B") {
            try migrate(connection, [creating("a"), creating("b")], upTo: "B")
        }
    }

    @Test func upToTheLastAppliedDoesNothing() throws {
        let migrations = [creating("a"), creating("b"), creating("c")]
        try migrate(connection, migrations, upTo: "b")
        #expect(try migrate(connection, migrations, upTo: "b").migrations == [])
        #expect(try tables(of: connection) == ["a", "b"])
    }

    @Test func upToOneThatIsBehindIsRefused() throws {
        let migrations = [creating("a"), creating("b"), creating("c")]
        try migrate(connection, migrations)
        try expectUntouched(connection, .inconsistent, at: "b") {
            try migrate(connection, migrations, upTo: "b")
        }
        // Also where one before it would still have to run.
        try expectUntouched(connection, .inconsistent) {
            try migrate(connection, [creating("late")] + migrations, upTo: "late")
        }
    }

    @Test func upToALateOneRunsWhatIsBeforeIt() throws {
        let (a, b, c) = (creating("a"), creating("b"), creating("c"))
        try migrate(connection, [a, b, c], upTo: "a")
        let migrations = [creating("late"), a, b, c]
        #expect(try migrate(connection, migrations, upTo: "b").migrations == ["late", "b"])
        #expect(try migrate(connection, migrations).migrations == ["c"])
    }

    // MARK: Bookkeeping

    @Test func eachRunIsRecordedWithItsTime() throws {
        try migrate(connection, [creating("a"), Migration("b") { _ in }])
        #expect(
            try connection.columns(in: "sqift_migrations").map(\.name) == [
                "name", "checksum", "timestamp",
            ]
        )
        let timestamps: [Date] = try connection.query("SELECT timestamp FROM sqift_migrations")
        #expect(timestamps.count == 2)
        #expect(timestamps.allSatisfy { abs($0.timeIntervalSinceNow) < 3600 })
        let hasChecksum: [Bool] = try connection.query(
            "SELECT checksum NOTNULL FROM sqift_migrations ORDER BY rowid"
        )
        #expect(hasChecksum == [true, false])
    }

    @Test func askingChangesNothing() throws {
        let migrator = migrator([creating("a")])
        #expect(try migrator.applied() == [])
        #expect(try migrator.pending() == ["a"])
        #expect(try migrator.unknown() == [])
        #expect(try connection.query("SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test func theBookkeepingIsThatOfMainWhateverElseIsThere() throws {
        try connection.execute(
            """
            CREATE TEMP TABLE sqift_migrations(name TEXT, checksum TEXT, timestamp TEXT);
            INSERT INTO temp.sqift_migrations VALUES('a', NULL, ''), ('stranger', NULL, '');
            CREATE TEMP TABLE schema_migrations(version VARCHAR);
            ATTACH ':memory:' AS other;
            CREATE TABLE other.schema_migrations(version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL);
            INSERT INTO other.schema_migrations VALUES(9, '')
            """
        )
        let migrations = [Migration("a", sql: "CREATE TABLE a(x)", replacesVersion: 3)]
        #expect(try migrator(migrations).pending() == ["a"])
        #expect(try migrate(connection, migrations).migrations == ["a"])
        #expect(try connection.query("SELECT name FROM main.sqift_migrations") == ["a"])
        try expectRows(2, of: "temp.sqift_migrations", on: connection)

        let numbered = Migrator(connection: connection, desiredSchemaVersion: 1)
        #expect(numbered.currentSchemaVersion == 0)
        #expect(
            try numbered.runMigrationsIfNecessary(migrationSQLForSchemaVersion: { _ in
                "CREATE TABLE n(x)"
            }) == 1
        )
        #expect(try connection.query("SELECT version FROM main.schema_migrations") == [1])
    }
}
