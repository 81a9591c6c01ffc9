import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The command-line tool killed at random moments, again and again: what it was doing is done as a
/// whole, or not at all.
@Suite(
    .enabled(
        if: commandLineTool != nil,
        "the built sqift-cli is found beside the tests on Linux only"
    )
)
struct KillTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: ["delete", "wal"])
    func aKilledMigrationIsWholeOrAbsent(journalMode: String) throws {
        let scripts = folder.url.appendingPathComponent("migrations")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        let names = (1...30).map { String(format: "%02d-table", $0) }
        for name in names {
            let sql = """
                CREATE TABLE "\(name)"(a, b REFERENCES "\(name)"(a));
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO "\(name)"(a) SELECT randomblob(200) FROM n;
                CREATE UNIQUE INDEX "\(name) index" ON "\(name)"(a);
                """
            try sql.write(
                to: scripts.appendingPathComponent(name + ".sql"),
                atomically: true,
                encoding: .utf8
            )
        }
        func newDatabase(_ number: Int) throws -> String {
            let path = folder.path("\(number).sqlite")
            try Connection(path: path).run("PRAGMA journal_mode = \(journalMode)")
            return path
        }
        var moments = KillMoments(
            duration: try durationOfTool(["migrate", newDatabase(0), scripts.path])
        )
        var database = try newDatabase(1)
        var kills = 0
        var applied = 0
        var partial = 0
        // Some moment lies within a run, sooner or later.
        while kills < 50 || (partial == 0 && kills < 500) {
            kills += 1
            let hasEnded = try startTool(
                ["migrate", database, scripts.path],
                killingAfter: moments.next()
            )
            moments.note(hasEnded: hasEnded)
            let connection = try Connection(path: database)
            #expect(try connection.integrityCheck() == [])
            let now = try Migrator(connection: connection, migrations: []).unknown()
            #expect(now == Array(names.prefix(now.count)), "\(now)")
            #expect(now.count >= applied)
            let tables: [String] = try connection.query(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%-table' ORDER BY 1"
            )
            #expect(tables == now)
            for table in tables {
                #expect(
                    try connection.query("SELECT count(*) FROM \(table.sqift.quotedIdentifier)")
                        == 300
                )
                #expect(try connection.indexes(on: table).count == 1)
            }
            applied = now.count
            if applied > 0, applied < names.count {
                partial += 1
            }
            if applied == names.count {
                applied = 0
                database = try newDatabase(kills + 1)
            }
        }
        #expect(partial > 0)
    }

    @Test(arguments: ["delete", "wal"])
    func aKilledBackupLeavesTheOldOneOrTheNewOne(journalMode: String) throws {
        let (path, destination) = (folder.path(), folder.path("backup/copy.sqlite"))
        let backups = folder.url.appendingPathComponent("backup")
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
        let source = try Connection(path: path)
        try source.execute(
            """
            PRAGMA journal_mode = \(journalMode);
            CREATE TABLE state(number INTEGER);
            INSERT INTO state VALUES(0);
            CREATE TABLE ballast(b);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO ballast SELECT randomblob(3000) FROM n
            """
        )
        let first = try Connection(path: destination)
        try source.backup(to: first)
        try first.run("PRAGMA journal_mode = DELETE")
        try first.close()
        var moments = KillMoments(
            duration: try durationOfTool(["backup", path, destination, "--pages", "50"])
        )
        var number = 0
        var state = 0
        var replacements = 0
        var abandoned = 0
        // Some moment lies within a run, and some after it, sooner or later.
        while number < 50 || ((abandoned == 0 || replacements == 0) && number < 500) {
            number += 1
            try source.run("UPDATE state SET number = ?", number)
            let hasEnded = try startTool(
                ["backup", path, destination, "--pages", "50"],
                killingAfter: moments.next()
            )
            moments.note(hasEnded: hasEnded)
            let names = try FileManager.default.contentsOfDirectory(atPath: backups.path)
            // At most the copy of the one that was killed just now, with its lock and what SQLite
            // has beside it.
            #expect(
                names.allSatisfy { $0 == "copy.sqlite" || $0.hasPrefix(".copy.sqlite.backup") },
                "\(names)"
            )
            #expect(names.count <= 6, "\(names)")
            if names.count > 1 {
                abandoned += 1
            }
            var readOnly = Connection.Configuration()
            readOnly.readOnly = true
            let backup = try Connection(path: destination, configuration: readOnly)
            #expect(try backup.integrityCheck() == [])
            #expect(try backup.query("SELECT count(*) FROM ballast") == 1500)
            let now: Int = try backup.query("SELECT number FROM state")
            #expect(now == state || now == number)
            if now == number {
                replacements += 1
            }
            state = now
        }
        try #require(try startTool(["backup", path, destination], killingAfter: 120_000))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: backups.path) == ["copy.sqlite"]
        )
        #expect(abandoned > 0)
        #expect(replacements > 0)
    }
}
