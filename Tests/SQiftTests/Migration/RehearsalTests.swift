import Foundation
import SQift
import SQiftTestSupport
import Testing

// What would a run do? On a copy, the database itself stays untouched.
struct RehearsalTests {
    private let folder = TemporaryFolder.fresh

    private func open(journalMode: String = "WAL") throws -> Connection {
        let connection = try folder.connection()
        try connection.execute("PRAGMA journal_mode = \(journalMode)")
        try connection.execute(
            """
            CREATE TABLE agents(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO agents VALUES(1, 'Archer'), (2, 'Lana'), (3, 'Cyril');
            CREATE TABLE old(x);
            CREATE VIEW names AS SELECT name FROM agents
            """
        )
        return connection
    }

    private static let migrations = [
        Migration(
            "columns",
            sql: "ALTER TABLE agents ADD COLUMN missions INTEGER; UPDATE agents SET missions = 0"
        ),
        Migration(
            "tables",
            sql:
                "DROP TABLE old; CREATE TABLE tags(name TEXT); CREATE INDEX tags_by_name ON tags(name)"
        ),
        Migration("rows") { connection in
            try connection.run("INSERT INTO tags VALUES('a'), ('b')")
            try connection.run("DELETE FROM agents WHERE id = 3")
        },
    ]

    /// The bytes of the database's files.
    private func bytes() throws -> [Data?] {
        ["", "-wal", "-journal"].map { FileManager.default.contents(atPath: folder.path() + $0) }
    }

    private func expectReport(
        _ report: Migrator.Report,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(report.migrations == ["columns", "tables", "rows"], sourceLocation: sourceLocation)
        #expect(report.changedRowCount == 6, sourceLocation: sourceLocation)
        let changes = report.schemaChanges.map(\.description)
        let expected = [
            "changed table agents", "dropped table old", "new index tags_by_name", "new table tags",
        ]
        #expect(changes.sorted() == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["WAL", "DELETE"])
    func itReportsWhatARunWouldAndTouchesNothing(journalMode: String) throws {
        let connection = try open(journalMode: journalMode)
        let other = try folder.connection()
        let (files, contents, version) = (
            try bytes(), try Contents(connection), try other.dataVersion
        )
        let changes = connection.totalChanges
        let migrator = connection.migrator(Self.migrations)

        expectReport(try migrator.rehearse())
        expectReport(try migrator.rehearse())

        #expect(try bytes() == files)
        #expect(try other.dataVersion == version)
        #expect(connection.totalChanges == changes)
        #expect(try Contents(connection) == contents)
        #expect(try migrator.pending() == ["columns", "tables", "rows"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.allSatisfy { $0.hasPrefix("test.sqlite") })

        expectReport(try migrator.run())
        #expect(try migrator.rehearse().migrations == [])
    }

    @Test func theChangesHaveTheSQLBeforeAndAfter() throws {
        let report = try Migrator(connection: open(), migrations: Self.migrations).rehearse()
        let changes = Dictionary(uniqueKeysWithValues: report.schemaChanges.map { ($0.name, $0) })
        #expect(changes["tags"]?.before == nil)
        #expect(changes["tags"]?.after == "CREATE TABLE tags(name TEXT)")
        #expect(changes["old"]?.before == "CREATE TABLE old(x)")
        #expect(changes["old"]?.after == nil)
        #expect(
            changes["agents"]?.before == "CREATE TABLE agents(id INTEGER PRIMARY KEY, name TEXT)"
        )
        #expect(changes["agents"]?.after?.contains("missions INTEGER") ?? false)
        #expect(changes["tags_by_name"]?.type == "index")
    }

    @Test func theTablesThatSQLiteMakesAreNoChanges() throws {
        let migrations = [
            Migration(
                "counted",
                sql: "CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE)"
            ),
            Migration("statistics", sql: "ANALYZE"),
        ]
        let migrator = Migrator(connection: try Connection(), migrations: migrations)
        let rehearsed = try migrator.rehearse().schemaChanges
        #expect(rehearsed.map(\.description) == ["new table counted"])
        #expect(try migrator.run().schemaChanges == rehearsed)
    }

    @Test func itFailsAsARunWould() throws {
        let connection = try open()
        let files = try bytes()
        let failing = [
            Migration("nonsense", sql: "CREATE TABLE a(x);\nnonsense"),
            Migration("denied", sql: "COMMIT"),
            Migration("throws") { _ in throw TestError() },
        ]
        for migration in failing {
            let migrator = connection.migrator(Self.migrations + [migration])
            migratorError(.failed, at: migration.name) { _ = try migrator.rehearse() }
        }
        let orphaning = Migration(
            "orphans",
            sql: "CREATE TABLE c(a REFERENCES agents); INSERT INTO c VALUES(9)"
        )
        migratorError(.foreignKeyViolations) {
            _ = try connection.migrator([orphaning]).rehearse()
        }
        #expect(try bytes() == files)
    }

    @Test func itSeesWhatIsAppliedAlready() throws {
        let connection = try open()
        try migrate(connection, Self.migrations, upTo: "columns")
        let migrator = connection.migrator(Self.migrations)
        #expect(try migrator.rehearse().migrations == ["tables", "rows"])
        #expect(try migrator.rehearse(upTo: "tables").migrations == ["tables"])
        migratorError(.inconsistent) { _ = try migrator.rehearse(upTo: "nowhere") }
        #expect(try migrator.pending() == ["tables", "rows"])
    }

    @Test func theCopysConnectionIsPrepared() throws {
        let connection = try open()
        func prepare(_ connection: Connection) throws {
            try connection.addFunction(named: "shout") { (text: String) -> String in
                text.uppercased()
            }
            try connection.addCollation(named: "BACKWARDS") { $1.compare($0) }
        }
        try prepare(connection)
        let migrations = [
            Migration("shout", sql: "UPDATE agents SET name = shout(name)"),
            Migration("sort", sql: "CREATE INDEX backwards ON agents(name COLLATE BACKWARDS)"),
        ]
        let migrator = connection.migrator(migrations)
        migratorError(.failed, containing: "shout") { _ = try migrator.rehearse() }
        let report = try migrator.rehearse { copy in
            #expect(copy !== connection)
            try prepare(copy)
        }
        #expect(report.migrations == ["shout", "sort"])
        #expect(report.changedRowCount == 3)
        #expect(try connection.query("SELECT name FROM agents WHERE id = 1") == "Archer")

        let refusal = expectThrows(TestError.self) {
            _ = try migrator.rehearse { _ in throw TestError() }
        }
        #expect(refusal == TestError())
    }

    @Test func aDatabaseInMemoryCanBeRehearsed() throws {
        let connection = try Garage.database(after: 1)
        let before = try Contents(connection)
        let report = try connection.migrator(Garage.migrations).rehearse()
        #expect(report.migrations == Array(Garage.names.dropFirst()))
        #expect(try Contents(connection) == before)
        #expect(try enforcesForeignKeys(connection))

        let empty = try Connection()
        let all = try empty.migrator(Garage.migrations).rehearse()
        #expect(all.migrations == Garage.names)
        #expect(try Contents(empty) == Garage().states[0])
    }

    @Test(arguments: [512, 1024, 4096, 65536])
    func aDatabaseOfAnyPageSizeCanBeRehearsed(pageSize: Int) throws {
        for location: StorageLocation in [.inMemory, .onDisk(folder.path("\(pageSize).sqlite"))] {
            let connection = try Connection(storageLocation: location)
            try connection.execute(
                "PRAGMA synchronous = OFF; PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = FULL"
            )
            try migrate(connection, Array(Garage.migrations.prefix(1)))
            #expect(try connection.query("PRAGMA page_size") == pageSize)
            let migrator = connection.migrator(Garage.migrations)
            #expect(try migrator.rehearse().migrations.count == Garage.stages.count - 1)
        }
    }

    @Test func aDatabaseInUTF16CanBeRehearsedAndMigrated() throws {
        let connection = try Connection()
        try connection.execute("PRAGMA encoding = 'UTF-16'")
        let migrator = connection.migrator(Garage.migrations)
        try migrator.run(upTo: Garage.names[1])
        #expect(try migrator.rehearse().migrations == Array(Garage.names.dropFirst(2)))
        try migrator.run()
        #expect(try Contents(connection) == Garage().states[Garage.stages.count])
        #expect(try connection.query("PRAGMA encoding") == "UTF-16le")
    }

    @Test func legacyViolationsAreReported() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE c(a REFERENCES agents); INSERT INTO c VALUES(9)")
        let report = try connection.migrator(Self.migrations).rehearse()
        #expect(report.foreignKeyViolations.map(\.table) == ["c"])
    }

    @Test func bothReportsOfEveryStateAreTheSame() throws {
        for start in 0...Garage.stages.count {
            let connection = try Garage.database(after: start)
            let migrator = connection.migrator(Garage.migrations)
            let (rehearsed, real) = (try migrator.rehearse(), try migrator.run())
            #expect(rehearsed.migrations == real.migrations)
            #expect(rehearsed.changedRowCount == real.changedRowCount)
            #expect(rehearsed.schemaChanges == real.schemaChanges)
            #expect(rehearsed.foreignKeyViolations == real.foreignKeyViolations)
        }
    }
}
