import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

struct CheckTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        try Connection(path: path).execute(
            """
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent INTEGER REFERENCES parents, name TEXT);
            CREATE INDEX names ON children(name);
            INSERT INTO parents VALUES(1);
            INSERT INTO children VALUES(1, 'a'), (1, 'b')
            """
        )
    }

    @Test(arguments: ["delete", "wal"])
    func aSoundDatabaseEndsWithZero(journalMode: String) async throws {
        try Connection(path: path).run("PRAGMA journal_mode = \(journalMode)")
        #expect(await runCommand(["check", path]) == 0)
    }

    @Test func theDatabaseIsOnlyRead() async throws {
        let before = try fileBytes(path)
        #expect(await runCommand(["check", path]) == 0)
        #expect(try fileBytes(path) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["test.sqlite"]
        )
    }

    @Test func aRowWithoutItsParentEndsWithOne() async throws {
        try Connection(path: path).run("INSERT INTO children VALUES(2, 'c')")
        #expect(await runCommand(["check", path]) == 1)
    }

    @Test func anIndexThatMissesARowEndsWithOne() async throws {
        try leaveARowOutOfTheIndex()
        #expect(await runCommand(["check", path]) == 1)
    }

    /// Makes the index one that leaves new rows out, inserts a row, and makes it the old one again.
    private func leaveARowOutOfTheIndex() throws {
        try Connection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema
            SET sql = 'CREATE INDEX names ON children(name) WHERE name > ''x'''
            WHERE name = 'names'
            """
        )
        try Connection(path: path).run("INSERT INTO children VALUES(1, 'c')")
        try Connection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX names ON children(name)'
            WHERE name = 'names'
            """
        )
    }

    @Test(.builtTool) func theDatabaseIsNamed() throws {
        #expect(try ToolRun(["check", path]).output.hasPrefix("database        \(path)\n"))
    }

    // MARK: SQLite's own functions and virtual tables

    @Test(arguments: SchemaOfSQLitesOwn.all)
    func aSchemaThatUsesWhatIsSQLitesOwnIsSound(schema: SchemaOfSQLitesOwn) async throws {
        try Connection(path: path).execute("\(schema.creation); \(schema.use)")
        #expect(await runCommand(["check", path]) == 0)
    }

    /// The module's own check finds it, which `integrity_check` calls with a newer SQLite only.
    @Test(
        .builtTool,
        arguments: [
            "fts5": "UPDATE f_content SET c0 = 'other'",
            "fts4": "UPDATE f_content SET c0a = 'other'",
            "rtree": "DELETE FROM f_rowid",
        ]
    )
    func aVirtualTableWhoseIndexIsWrongEndsWithOne(module: String, damage: SQL) throws {
        guard let definition = Capability.virtualTables.first(where: { $0.hasPrefix(module) })
        else { return }
        try Connection(path: path).execute(
            """
            CREATE VIRTUAL TABLE f USING \(definition);
            INSERT INTO f(rowid, b, c) VALUES(1, 2, 3); \(damage)
            """
        )
        let run = try ToolRun(["check", path])
        run.expect(1)
        #expect(run.output.contains("integrity       1 found\n"))
        #expect(try folder.files() == ["test.sqlite"])
    }

    @Test(.builtTool) func aVirtualTableWhoseModuleIsMissingIsNotChecked() throws {
        try Connection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema
            VALUES('table', 'vt', 'vt', 0, 'CREATE VIRTUAL TABLE vt USING nosuch()')
            """
        )
        let run = try ToolRun(["check", path])
        run.expect(3)
        #expect(run.output.contains("integrity       not checked in full\n"))
        #expect(run.output.contains("not checked: table vt: no such module: nosuch\n"))
    }

    // MARK: What only the app has

    /// A collation and a function that the tool doesn't know.
    private func addWhatOnlyTheAppHas() throws {
        let connection = try Connection(path: path)
        try connection.addCollation(named: "numeric") { one, other in
            one.compare(other, options: .numeric)
        }
        try connection.addFunction(named: "slug", deterministic: true) { (text: String) in
            text.lowercased()
        }
        try connection.execute(
            """
            CREATE TABLE roads(name TEXT COLLATE numeric PRIMARY KEY);
            INSERT INTO roads VALUES('A2'), ('A10');
            CREATE TABLE slugs(name TEXT);
            CREATE INDEX slugs_by_slug ON slugs(slug(name));
            INSERT INTO slugs VALUES('One')
            """
        )
    }

    @Test(.builtTool) func whatNeedsTheAppIsNotCheckedAndNoDamage() throws {
        try addWhatOnlyTheAppHas()
        let run = try ToolRun(["check", path])

        run.expect(3)
        #expect(run.output.contains("integrity       not checked in full\n"))
        #expect(run.output.contains("table roads: no such collation sequence: numeric"))
        #expect(run.output.contains("table slugs: unknown function: slug()"))
        #expect(!run.output.contains("table parents"))
        #expect(run.output.contains("foreign keys    ok\n"))
        #expect(!run.output.contains("found"))
    }

    @Test(.builtTool) func aForeignKeyThatNeedsTheAppIsNotChecked() throws {
        try addWhatOnlyTheAppHas()
        try Connection(path: path).execute("CREATE TABLE signs(road REFERENCES roads(name))")
        let connection = try Connection(path: path)
        try connection.run("INSERT INTO signs VALUES('A2')")
        let run = try ToolRun(["check", path])

        run.expect(3)
        #expect(run.output.contains("foreign keys    not checked in full\n"))
    }

    @Test func damageBesideWhatNeedsTheAppIsFound() async throws {
        try addWhatOnlyTheAppHas()
        try leaveARowOutOfTheIndex()
        #expect(await runCommand(["check", path]) == 1)
    }

    @Test func aForeignKeyThatIsNoKeyOfItsParentIsAProblem() async throws {
        try Connection(path: path).execute("CREATE TABLE bad(x REFERENCES children(name))")
        try Connection(path: path).execute("INSERT INTO bad VALUES('a')")
        #expect(await runCommand(["check", path]) == 1)
    }

    @Test(.builtTool, arguments: ["backup", "restore"])
    func copyingWhatNeedsTheAppSaysWhoCan(command: String) throws {
        try addWhatOnlyTheAppHas()
        let run = try ToolRun([command, path, folder.path("copy.sqlite")])

        run.expect(1, errors: "let the app do it")
        #expect(try folder.files() == ["test.sqlite"])
    }
}
