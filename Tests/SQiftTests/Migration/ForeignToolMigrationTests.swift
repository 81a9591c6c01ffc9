import Foundation
import SQift
import SQiftTestSupport
import Testing

// Files that were written for other tools are refused before they run, or run as they are meant.
struct ForeignToolMigrationTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    /// Expects that the file isn't run, and that its name and these words are in the message.
    private func expectRefused(
        _ sql: String,
        named name: String = "0002-colour.sql",
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = try MigrationFolder(["0001-cars.sql": "CREATE TABLE cars(name TEXT)"])
        try folder.write(Data(sql.utf8), to: name)
        let migrations = try folder.load()
        let error = try expectUntouched(
            connection,
            .unusableFile,
            sourceLocation: sourceLocation
        ) {
            try migrate(connection, migrations)
        }
        let message = error?.message ?? ""
        for word in [name] + words {
            #expect(message.contains(word), "\(message)", sourceLocation: sourceLocation)
        }
        migratorError(.unusableFile, sourceLocation: sourceLocation) {
            _ = try connection.migrator(migrations).rehearse()
        }
    }

    /// Expects that the files run, all of them.
    private func expectRuns(
        _ sql: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let connection = try Connection()
        let folder = try MigrationFolder(["0002-colour.sql": sql])
        let names = try migrate(connection, folder.load()).migrations
        #expect(names == ["0002-colour"], sourceLocation: sourceLocation)
    }

    /// Records the migration as if it had run before such files were refused.
    private func applied(_ sql: String, named name: String = "2-a") throws -> [Migration] {
        try migrate(connection, MigrationFolder(["1-b.sql": "CREATE TABLE b(x)"]).load())
        let folder = try MigrationFolder(["1-b.sql": "CREATE TABLE b(x)"])
        try folder.write(Data(sql.utf8), to: "\(name).sql")
        try connection.run("INSERT INTO sqift_migrations VALUES(?, NULL, '')", name)
        return try folder.load()
    }

    // MARK: Down parts

    @Test(arguments: [
        "-- migrate:down", "-- migrate:down transaction:false", "--migrate:down", "-- +goose Down",
        "-- +goose down", "--+goose Down", "-- +migrate Down", "-- +migrate Down notransaction",
        "-- +micrate Down", "-- rambler down", "-- //@UNDO", "-- !Downs", "-- ==== DOWN ====",
        "---- create above / drop below ----",
    ])
    func aDownPartIsRefused(marker: String) throws {
        for end in ["\n", "\r\n"] {
            let lines = [
                "-- up", "ALTER TABLE cars ADD COLUMN colour;", marker,
                "ALTER TABLE cars DROP COLUMN colour;",
            ]
            try expectRefused(
                lines.joined(separator: end),
                "line 3",
                marker,
                "would run too",
                "delete"
            )
        }
    }

    @Test(arguments: [
        "SELECT '\n-- migrate:down\n';", "SELECT 1 AS \"\n-- migrate:down\n\";",
        "/*\n-- migrate:down\n*/ SELECT 1;", "SELECT 1; -- migrate:down", "-- migrate:downtime",
        "-- -> migrate:down", "-- migrate:up\nSELECT 1;", "-- +goose Up\nSELECT 1;",
        "  -- migrate:down", "-- not migrate:down",
    ])
    func whatOnlyLooksLikeADownPartRuns(sql: String) throws {
        try expectRuns(sql)
    }

    // MARK: Pairs

    @Test(arguments: [
        ["0001_a.up.sql", "0001_a.down.sql"], ["1_a.sql", "1_a.down.sql"],
        ["1_a.do.sql", "1_a.undo.sql"],
    ])
    func aPairIsRefusedWithWhatToDo(names: [String]) throws {
        let folder = try MigrationFolder()
        for name in names {
            try folder.write(Data("SELECT 1".utf8), to: name)
        }
        migratorError(.unusableFile, containing: names[0], names[1], "only forward", "move") {
            _ = try folder.load()
        }
    }

    @Test func aDownFileByItselfIsRefused() throws {
        try expectRefused("DROP TABLE cars", named: "0002_cars.down.sql", "only forward", "move")
    }

    // MARK: Comments without an end

    @Test(arguments: [
        ("/* CREATE TABLE a(x);", 1), ("SELECT '/*';\n/* it's\nCREATE TABLE a(x);\n", 2),
        ("/* one */\r\n-- /* no\r\nSELECT 1; /*/ a\r\n--\r\n", 3), ("SELECT 1 /*\n'*\n/'", 1),
    ])
    func aCommentWithoutItsEndIsRefused(sql: String, line: Int) throws {
        try expectRefused(sql, "line \(line)", "/*", "*/", "doesn't end")
    }

    @Test(arguments: [
        "SELECT '/*';", "SELECT 1 AS [/*];", "SELECT 1; -- /*", "/* one */ SELECT 1; /**/",
        "SELECT 1 AS `/*`, '''/*', \"\"\"/*\";",
    ])
    func whatOnlyLooksLikeSuchACommentRuns(sql: String) throws {
        try expectRuns(sql)
    }

    // MARK: Statements

    @Test(arguments: [
        "PRAGMA journal_mode = WAL", "PRAGMA main.Journal_Mode(delete)",
        "CREATE TABLE a(x);\npragma journal_mode='wal'",
    ])
    func aJournalModeInATransactionIsRefused(sql: String) throws {
        let file = try MigrationFolder(["1-a.sql": sql]).load()
        for migrations in [file, [Migration("1-a") { try $0.execute(sql) }]] {
            let error = try expectUntouched(
                connection,
                .failed,
                containing: "1-a",
                "the journal mode",
                "withoutTransaction",
                "open"
            ) { try migrate(connection, migrations) }
            #expect((error?.underlyingError as? SQLiteError)?.resultCode == .authorization)
        }
    }

    @Test func readingTheJournalModeIsAllowed() throws {
        try expectRuns("PRAGMA journal_mode; PRAGMA main.journal_mode;")
        try expectRuns("-- sqift: withoutTransaction\nPRAGMA journal_mode = memory;")
    }

    @Test(arguments: ["BEGIN;", "COMMIT;", "ROLLBACK;", "END TRANSACTION;"])
    func aTransactionInAMigrationIsRefusedWithTheReason(statement: String) throws {
        let folder = try MigrationFolder(["1-a.sql": "CREATE TABLE a(x);\n\(statement)"])
        try expectUntouched(
            connection,
            .failed,
            containing: "1-a.sql, line 2",
            "runs in a transaction of its own already: delete"
        ) { try migrate(connection, folder.load()) }
    }

    /// What the user's own authorizer denies isn't explained by transactions.
    @Test func anotherDenialIsNotExplained() throws {
        try connection.authorizer { action, _, _, _, _ in action == .dropTable ? .deny : .ok }
        try connection.run("CREATE TABLE a(x)")
        let error = migratorError(.failed) {
            try migrate(connection, [Migration("1", sql: "DROP TABLE a")])
        }
        #expect(error?.message.contains("transaction") == false)
    }

    // MARK: What is applied already

    @Test(arguments: [
        "CREATE TABLE a(x);\n-- migrate:down\nDROP TABLE a", "CREATE TABLE a(x); /* no end",
        "CREATE TABLE a(x); PRAGMA journal_mode = memory",
    ])
    func whatIsAppliedIsNeverRefused(sql: String) throws {
        let migrations = try applied(sql) + [creating("c")]
        let migrator = connection.migrator(migrations)
        #expect(try migrator.run().migrations == ["c"])
        #expect(try migrator.pending().isEmpty)
        _ = try migrator.schemaDrift()
        #expect(try migrator.rehearse().migrations.isEmpty)
    }

    @Test func anAppliedDownFileIsNeverRefused() throws {
        let migrations = try applied("DROP TABLE b", named: "2-b.down")
        #expect(try migrate(connection, migrations).migrations.isEmpty)
    }

    @Test(arguments: ["-- migrate:down\nCREATE TABLE a(x)", "CREATE TABLE a(x); /* no end"])
    func theNumberedFormRunsThemAsBefore(sql: String) throws {
        let numbered = Migrator(connection: connection, desiredSchemaVersion: 1)
        let script = "\(sql); PRAGMA journal_mode = memory"
        #expect(try numbered.runMigrationsIfNecessary { _ in script } == 1)
        #expect(try tables(of: connection) == ["a"])
    }

    // MARK: Folders and dates

    @Test(arguments: ["2024", "0002-old.sql", "x.lproj"])
    func aFolderInsideIsRefused(name: String) throws {
        let folder = try MigrationFolder(["0001-a.sql": "SELECT 1"])
        let inner = folder.folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        let path = folder.folder.url.path
        migratorError(.unusableFile, containing: path, name, "is a folder", "move") {
            _ = try folder.load()
        }
    }

    @Test func aHiddenFolderInsideIsIgnored() throws {
        let folder = try MigrationFolder(["0001-a.sql": "SELECT 1"])
        let inner = folder.folder.url.appendingPathComponent(".git")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        #expect(try folder.load().map(\.name) == ["0001-a"])
    }

    @Test func aDateIsANumber() throws {
        let names = [
            "0007-10-11-seven", "8", "1024-05-02-no-date", "2023-1-2-no-date", "2024-13-01-no-date",
            "2025-05-023-no-date", "20240501-a", "2024-05-02-cars", "2024-06-02-b", "20240603-c",
            "2025-01-01",
        ]
        let folder = try MigrationFolder()
        for name in names.shuffled() {
            try folder.write(Data("SELECT 1".utf8), to: "\(name).sql")
        }
        #expect(try folder.load().map(\.name) == names)
    }

    @Test(arguments: [
        ["2024-05-02-cars.sql", "2024-05-02-b.sql"], ["2024-05-02-cars.sql", "20240502.sql"],
    ])
    func twoFilesOfOneDateAreRefused(names: [String]) throws {
        let folder = try MigrationFolder()
        for name in names {
            try folder.write(Data("SELECT 1".utf8), to: name)
        }
        migratorError(.unusableFile, containing: names[0], names[1], "the same number") {
            _ = try folder.load()
        }
    }
}
