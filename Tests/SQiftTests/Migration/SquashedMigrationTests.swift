import Foundation
import SQift
import SQiftTestSupport
import Testing

// One migration in the place of several older ones.
struct SquashedMigrationTests {
    private let connection: Connection
    private static let old = [creating("a"), creating("b")]
    private static let squash = Migration(
        "squash",
        sql: "CREATE TABLE \"a\"(x); CREATE TABLE \"b\"(x)",
        replaces: [["a", "b"]]
    )

    init() throws {
        connection = try Connection()
    }

    private func migrator(_ migrations: [Migration]) -> Migrator {
        connection.migrator(migrations)
    }

    /// Expects that nothing is pending, unknown or run, and that the tables are those of `old`.
    private func expectApplied(
        _ migrations: [Migration],
        in connection: Connection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let migrator = connection.migrator(migrations)
        for _ in 0..<2 {
            let applied = try migrator.applied()
            let names = migrations.map(\.name)
            #expect(Set(applied).isSuperset(of: names), sourceLocation: sourceLocation)
            #expect(Set(applied).count == applied.count, sourceLocation: sourceLocation)
            let pending = try migrator.pending()
            #expect(pending == [], sourceLocation: sourceLocation)
            let unknown = try migrator.unknown()
            #expect(unknown == [], sourceLocation: sourceLocation)
            let report = try migrator.run(willRun: { _ in recordCall() })
            #expect(report.migrations == [], sourceLocation: sourceLocation)
            #expect(report.schemaChanges == [], sourceLocation: sourceLocation)
        }
        let found = try tables(of: connection)
        #expect(found == ["a", "b"], sourceLocation: sourceLocation)
    }

    // MARK: Where it runs, and where it counts as applied

    @Test func itSaysWhatItReplaces() {
        #expect(Self.squash.replaces == [["a", "b"]])
        let closure = Migration("c", replaces: [["d"]]) { _ in recordCall() }
        #expect(closure.replaces == [["d"]])
        #expect(creating("a").replaces == [])
    }

    /// Its record goes, so it would run again.
    @Test(arguments: [true, false])
    func aReplacedMigrationThatIsStillListedIsRefused(isNew: Bool) throws {
        if !isNew {
            try migrate(connection, Self.old)
        }
        let before = try tables(of: connection)
        let error = expectThrows(MigratorError.self) {
            try migrator(Self.old + [Self.squash]).run()
        }
        #expect(error?.reason == .inconsistent)
        #expect(error?.message.contains("squash replaces a") == true)
        #expect(try tables(of: connection) == before)
    }

    @Test func aMigrationMayNotReplaceItself() throws {
        let own = Migration("a", sql: "CREATE TABLE a(x)", replaces: [["a"]])
        let error = expectThrows(MigratorError.self) { try migrator([own]).run() }
        #expect(error?.reason == .inconsistent)
    }

    @Test func aMigrationReplacesEitherAVersionOrOthers() throws {
        let both = Migration("c", sql: "CREATE TABLE c(x)", replacesVersion: 1, replaces: [["a"]])
        let error = expectThrows(MigratorError.self) { try migrator([both]).run() }
        #expect(error?.reason == .inconsistent)
    }

    @Test func theBackupBeforeHasTheOldRecords() throws {
        let folder = try TemporaryFolder()
        try migrate(connection, Self.old)
        let path = folder.path("backup.sqlite")
        try migrator([Self.squash, creating("c")]).run(backupTo: .onDisk(path))
        #expect(try recordedNames(on: Connection(path: path)) == ["a", "b"])
        #expect(try recordedNames(on: connection) == ["squash", "c"])
    }

    @Test func inAnEmptyDatabaseItRuns() throws {
        #expect(try migrator([Self.squash]).pending() == ["squash"])
        #expect(try migrate(connection, [Self.squash]).migrations == ["squash"])
        #expect(try recordedNames(on: connection) == ["squash"])
        try expectApplied([Self.squash], in: connection)
    }

    @Test func whereAllThatItReplacesIsAppliedItIsToo() throws {
        try migrate(connection, Self.old)
        try expectApplied([Self.squash], in: connection)
        #expect(try recordedNames(on: connection)?.contains("squash") == true)
    }

    @Test func askingAndRehearsingRecordNothing() throws {
        try migrate(connection, Self.old)
        let migrator = migrator([Self.squash])
        #expect(try migrator.applied().contains("squash"))
        #expect(try migrator.pending() == [])
        #expect(try migrator.rehearse().migrations == [])
        #expect(try recordedNames(on: connection) == ["a", "b"])
    }

    @Test func itMayBeAClosure() throws {
        try migrate(connection, Self.old)
        let unneeded = Migration("squash", replaces: [["a", "b"]]) { _ in recordCall() }
        try expectApplied([unneeded], in: connection)

        let fresh = try Connection()
        let squash = Migration("squash", replaces: [["a", "b"]]) { connection in
            try connection.execute("CREATE TABLE a(x); CREATE TABLE b(x)")
        }
        #expect(try migrate(fresh, [squash]).migrations == ["squash"])
        try expectApplied([squash], in: fresh)
    }

    @Test func laterMigrationsRunAfterIt() throws {
        let migrations = [Self.squash, creating("c"), creating("d")]
        #expect(try migrate(connection, migrations).migrations == ["squash", "c", "d"])

        let older = try Connection()
        try migrate(older, Self.old + [creating("c")])
        #expect(try older.migrator(migrations).pending() == ["d"])
        #expect(try migrate(older, migrations, upTo: "d").migrations == ["d"])
        #expect(try tables(of: older) == tables(of: connection))
    }

    @Test func itMayBeTheOneToRunUpTo() throws {
        try migrate(connection, Self.old)
        let migrations = [Self.squash, creating("c")]
        #expect(try migrate(connection, migrations, upTo: "squash").migrations == [])
        #expect(try migrator(migrations).pending() == ["c"])
    }

    @Test func theChecksumsOfWhatItReplacesDoNotMatter() throws {
        try migrate(connection, Self.old)
        try connection.run("UPDATE sqift_migrations SET checksum = 'another'")
        try expectApplied([Self.squash], in: connection)
    }

    @Test func aReadOnlyConnectionKnowsThatItIsApplied() throws {
        let folder = try TemporaryFolder()
        try migrate(folder.connection(), Self.old)
        let reader = try Connection.open(folder.path()) { $0.readOnly = true }
        try expectApplied([Self.squash], in: reader)
    }

    // MARK: Later versions of the code

    /// Both a database that has run it and one that has run what it replaces.
    @Test(arguments: [true, false])
    func aLaterMigrationMayReplaceItAlone(hasRun: Bool) throws {
        try migrate(connection, hasRun ? [Self.squash] : Self.old)
        try migrate(connection, [Self.squash])
        let next = Migration("next", sql: "CREATE TABLE \"a\"(x)", replaces: [["squash"]])
        try expectApplied([next], in: connection)
    }

    // MARK: Only a part

    @Test(arguments: ["a", "b"])
    func aDatabaseWithAPartOfItIsRefused(name: String) throws {
        try migrate(connection, [creating(name)])
        for migrations in [[Self.squash], [Self.squash, creating("c")]] {
            try expectUntouched(connection, .inconsistent, at: "squash") {
                try migrator(migrations).run(willRun: { _ in recordCall() })
            }
        }
        // With what is missing the way is free.
        try migrate(connection, Self.old)
        try expectApplied([Self.squash], in: connection)
    }

    // MARK: Files

    @Test(arguments: ["\n", "\r\n"])
    func aFileSaysWhatItReplaces(lineEnd: String) throws {
        let lines = [
            "-- sqift: replaces 0001-a 0002-b", "CREATE TABLE a(x);", "CREATE TABLE b(x);",
        ]
        let squashed = try MigrationFolder(["0003-all.sql": lines.joined(separator: lineEnd)])
        let migrations = try squashed.load()
        #expect(migrations.map(\.replaces) == [[["0001-a", "0002-b"]]])

        let folder = try MigrationFolder(["0001-a.sql": lines[1], "0002-b.sql": lines[2]])
        try migrate(connection, folder.load())
        try expectApplied(migrations, in: connection)
        let fresh = try Connection()
        #expect(try migrate(fresh, migrations).migrations == ["0003-all"])
        try expectApplied(migrations, in: fresh)
    }

    @Test func aFileThatReplacesNothingIsRefused() throws {
        let folder = try MigrationFolder(["0003-all.sql": "-- sqift: replaces\nSELECT 1"])
        migratorError(.unusableFile, containing: "0003-all.sql") { _ = try folder.load() }
    }
}

extension CopySuites {
    struct SquashedMigrationConcurrencyTests {
        @Test(arguments: ["WAL", "DELETE"], [true, false])
        func twoThatStartAtOnceRunItOnce(journalMode: String, isEmpty: Bool) async throws {
            let folder = try TemporaryFolder()
            for round in 0..<10 {
                let path = folder.path("\(round)")
                let first = try Connection(path: path)
                try first.execute("PRAGMA journal_mode = \(journalMode); PRAGMA synchronous = OFF")
                try migrate(first, isEmpty ? [] : [creating("a"), creating("b")])
                try first.close()

                let (barrier, runs) = (Barrier(of: 2), SharedNotes<String>())
                let squash = Migration("squash", replaces: [["a", "b"]]) { connection in
                    runs.note("squash")
                    try connection.execute("CREATE TABLE a(x); CREATE TABLE b(x)")
                }
                let workers = (0..<2).map { _ in
                    Worker {
                        let connection = try Connection(path: path)
                        let migrator = connection.migrator([squash])
                        migrator.busyTimeout = patience
                        barrier.wait()
                        return try migrator.run().migrations
                    }
                }
                var reported: [String] = []
                for worker in workers {
                    reported += try await worker.finalValue()
                }
                #expect(reported == (isEmpty ? ["squash"] : []))
                #expect(runs.all == reported)
                let connection = try Connection(path: path)
                #expect(try tables(of: connection) == ["a", "b"])
                let recorded = try recordedNames(on: connection) ?? []
                #expect(recorded.filter { $0 == "squash" } == ["squash"])
            }
        }
    }
}
