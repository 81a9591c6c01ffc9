import Foundation
import SQift
import SQiftTestSupport
import Testing

// Folders of `.sql` files.
struct MigrationFolderTests {
    private func names(_ files: KeyValuePairs<String, String>) throws -> [String] {
        try MigrationFolder(files).load().map(\.name)
    }

    /// Expects that a folder with this file, and a good one, can't be loaded.
    @discardableResult
    private func expectUnusable(
        _ name: String,
        _ data: Data,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MigratorError? {
        let folder = try MigrationFolder(["0001-good.sql": "SELECT 1"])
        try folder.write(data, to: name)
        let error = migratorError(.unusableFile, sourceLocation: sourceLocation) {
            _ = try folder.load()
        }
        let isNamed = error?.message.contains(name) ?? false
        #expect(isNamed, "\(error?.message ?? "")", sourceLocation: sourceLocation)
        return error
    }

    @Test func whatCannotBeReadIsNamedInWords() throws {
        let folder = try MigrationFolder(["0001-good.sql": "SELECT 1"])
        let url = folder.folder.url
        for (location, words) in [
            (url.appendingPathComponent("none"), "none doesn't exist"),
            (url.appendingPathComponent("0001-good.sql"), "isn't a folder that can be read"),
        ] {
            let error = migratorError(.unusableFile) { _ = try Migration.load(from: location) }
            #expect(error?.message.hasPrefix(location.path) == true)
            #expect(error?.message.hasSuffix(words) == true, "\(error?.message ?? "")")
            #expect(error?.underlyingError != nil)
        }
    }

    @Test func filesRunInTheOrderOfTheirNumbers() throws {
        let files = try MigrationFolder([
            "10-ten.sql": "CREATE TABLE ten(x)", "2-two.sql": "CREATE TABLE two(x)",
            "1-one.sql": "CREATE TABLE one(x)",
            "0100-hundred.sql": "CREATE TABLE hundred(x)", "0-zero.sql": "CREATE TABLE zero(x)",
        ])
        let migrations = try files.load()
        #expect(migrations.map(\.name) == ["0-zero", "1-one", "2-two", "10-ten", "0100-hundred"])
        #expect(migrations.allSatisfy { $0.options == [] && $0.replacesVersion == nil })
        let connection = try Connection()
        #expect(try migrate(connection, migrations).migrations == migrations.map(\.name))
        #expect(try tables(of: connection) == ["hundred", "one", "ten", "two", "zero"])
    }

    @Test func gapsAndDatesAreNumbers() throws {
        #expect(
            try names([
                "20240513-b.sql": "SELECT 1", "20231231235959.sql": "SELECT 1", "7.sql": "SELECT 1",
            ])
                == ["7", "20240513-b", "20231231235959"]
        )
    }

    @Test func theNumberEndsAtTheFirstOtherCharacter() throws {
        #expect(
            try names([
                "3_c.sql": "SELECT 1", "2b.sql": "SELECT 1", "1 a.b.c.sql": "SELECT 1",
                "4-5-6.sql": "SELECT 1",
            ])
                == ["1 a.b.c", "2b", "3_c", "4-5-6"]
        )
    }

    @Test func theLargestNumberIsANumber() throws {
        #expect(
            try names(["\(UInt64.max)-last.sql": "SELECT 1", "1.sql": "SELECT 1"]).last
                == "\(UInt64.max)-last"
        )
    }

    @Test(arguments: ["18446744073709551616-a.sql", "99999999999999999999999999999999-b.sql"])
    func aNumberThatIsTooBigIsRefused(name: String) throws {
        try expectUnusable(name, Data("SELECT 1".utf8))
    }

    @Test(arguments: [
        "people.sql", "v1-people.sql", "-1.sql", "+1.sql", " 1.sql", "٣-three.sql", "１-one.sql",
    ])
    func aNameWithoutANumberIsRefused(name: String) throws {
        try expectUnusable(name, Data("SELECT 1".utf8))
    }

    @Test(arguments: [
        ["2-a.sql", "2-b.sql"], ["2-a.sql", "0002-a.sql"], ["2.sql", "02.sql"],
        ["0.sql", "000-a.sql"],
    ])
    func twoFilesOfOneNumberAreRefused(pair: [String]) throws {
        let folder = try MigrationFolder()
        for name in pair {
            try folder.write(Data("SELECT 1".utf8), to: name)
        }
        let error = migratorError(.unusableFile) { _ = try folder.load() }
        for name in pair {
            #expect(error?.message.contains(name) ?? false)
        }
    }

    @Test func hiddenFilesAndOtherExtensionsAreIgnored() throws {
        #expect(
            try names([
                "1-a.sql": "SELECT 1", ".2-b.sql": "SELECT 1", "README.md": "# Read me",
                "3-c.sql~": "SELECT 1",
                "4-d.txt": "SELECT 1", ".DS_Store": "x", "sql": "x", "5-e.sql.orig": "x",
                ".sql": "x",
            ]) == ["1-a"]
        )
    }

    @Test func anEmptyFolderHasNoMigrations() throws {
        #expect(try names([:]).isEmpty)
    }

    @Test func aMissingFolderIsAnError() throws {
        let folder = try TemporaryFolder()
        expectThrows((any Error).self) {
            _ = try Migration.load(from: folder.url.appendingPathComponent("nowhere"))
        }
    }

    @Test func aFileInPlaceOfTheFolderIsAnError() throws {
        let folder = try MigrationFolder(["1-a.sql": "SELECT 1"])
        expectThrows((any Error).self) {
            _ = try Migration.load(from: folder.folder.url.appendingPathComponent("1-a.sql"))
        }
    }

    // MARK: Contents

    @Test(arguments: ["", "\n", "  \n\t\r\n", "\u{FEFF}", "\u{FEFF}\r\n"])
    func anEmptyFileIsRefused(text: String) throws {
        try expectUnusable("0002-empty.sql", Data(text.utf8))
    }

    @Test(arguments: [
        "-- Nothing to do any more.", "/* Nothing */\n", "\u{FEFF}-- Nothing\r\n", ";",
    ])
    func aFileWithACommentOnlyDoesNothingOnce(text: String) throws {
        let connection = try Connection()
        let folder = try MigrationFolder(["1-comment.sql": text, "2-a.sql": "CREATE TABLE a(x)"])
        #expect(try migrate(connection, folder.load()).migrations == ["1-comment", "2-a"])
        #expect(try migrate(connection, folder.load()).migrations == [])
        #expect(try tables(of: connection) == ["a"])
    }

    @Test(arguments: [
        [0xFF, 0xFE, 0x53, 0x00], [0x2D, 0x2D, 0x20, 0xE9, 0x0A, 0x53], [0xC3], [0xED, 0xA0, 0x80],
        [0xC0, 0x80],
        [0xF5, 0x80, 0x80, 0x80],
    ])
    func aFileThatIsNotUTF8IsRefused(bytes: [UInt8]) throws {
        let error = try expectUnusable("0002-latin.sql", Data(bytes))
        #expect(error?.message.contains("UTF-8") ?? false)
    }

    @Test(arguments: [
        "\u{FEFF}CREATE TABLE a(x);\nINSERT INTO a VALUES('é\u{301}日');\n",
        "CREATE TABLE a(x);\r\nINSERT INTO a VALUES('é\u{301}日');\r\n",
        "\u{FEFF}CREATE TABLE a(x);\r\nINSERT INTO a VALUES('é\u{301}日')",
        "CREATE TABLE a(x); INSERT INTO a VALUES('é\u{301}日')",
        "\u{FEFF}\r\n-- A comment\r\nCREATE TABLE a(x);\r\nINSERT INTO a VALUES('é\u{301}日'); -- the end",
    ])
    func aByteOrderMarkLineEndsAndTheLastLineDoNotMatter(text: String) throws {
        let connection = try Connection()
        try migrate(connection, MigrationFolder(["1-a.sql": text]).load())
        #expect(try connection.query("SELECT hex(x) FROM a") == "C3A9CC81E697A5")
    }

    @Test func aTextWithLineEndsInItKeepsThem() throws {
        let connection = try Connection()
        try migrate(
            connection,
            MigrationFolder([
                "1-a.sql": "CREATE TABLE a(x);\r\nINSERT INTO a VALUES('1\r\n2\n3');\r\n"
            ]).load()
        )
        #expect(try connection.query("SELECT hex(x) FROM a") == "310D0A320A33")
    }

    @Test func aLargeFileRuns() throws {
        let connection = try Connection()
        let rows = (0..<20_000).map { "INSERT INTO a VALUES(\($0), 'row number \($0)');" }.joined(
            separator: "\n"
        )
        let folder = try MigrationFolder(["1-a.sql": "CREATE TABLE a(x, y);\n" + rows])
        let report = try migrate(connection, folder.load())
        #expect(report.changedRowCount == 20_000)
    }

    @Test func aNULInAFileIsAnErrorAndNothingRuns() throws {
        let connection = try Connection()
        let folder = try MigrationFolder(["1-a.sql": "CREATE TABLE a(x);\u{0}CREATE TABLE b(x)"])
        expectThrows(MigratorError.self) { try migrate(connection, folder.load()) }
        #expect(try tables(of: connection) == [])
    }

    // MARK: Directives

    @Test(arguments: ["\n", "\r\n"])
    func directivesAreRead(lineEnd: String) throws {
        func migration(_ lines: String...) throws -> Migration {
            let folder = try MigrationFolder(["1-a.sql": lines.joined(separator: lineEnd)])
            return try #require(folder.load().first)
        }
        let alone = try migration("-- sqift: withoutTransaction", "VACUUM;", "")
        #expect(alone.options == .withoutTransaction)
        let enforcing = try migration(
            "-- A comment",
            "",
            "-- sqift: enforcingForeignKeys",
            "DELETE FROM a"
        )
        #expect(enforcing.options == .enforcingForeignKeys)
        let replacing = try migration("-- sqift: replacesVersion 17", "SELECT 1")
        #expect(replacing.replacesVersion == 17)
        #expect(replacing.options == [])
        let all = try migration(
            "-- sqift: replacesVersion 3",
            "-- sqift: withoutTransaction",
            "-- sqift: enforcingForeignKeys",
            "SELECT 1"
        )
        #expect(all.options == [.withoutTransaction, .enforcingForeignKeys])
        #expect(all.replacesVersion == 3)
        let last = try migration("VACUUM;", "-- sqift: withoutTransaction")
        #expect(last.options == .withoutTransaction)
        let none = try migration(
            "-- sqiftly: withoutTransaction",
            "-- not sqift: withoutTransaction",
            "SELECT 1"
        )
        #expect(none.options == [])
    }

    @Test func aDirectiveBehindAByteOrderMarkIsRead() throws {
        for end in ["\n", "\r\n"] {
            let folder = try MigrationFolder([
                "1-vacuum.sql": "\u{FEFF}-- sqift: withoutTransaction\(end)VACUUM;\(end)"
            ]
            )
            #expect(try folder.load().map(\.options) == [.withoutTransaction])
            let unknown = try MigrationFolder([
                "1-a.sql": "\u{FEFF}-- sqift: withouttransaction\(end)VACUUM;\(end)"
            ])
            migratorError(.unusableFile) { _ = try unknown.load() }
        }
    }

    @Test(arguments: [
        "-- sqift: withouttransaction", "-- sqift: nonsense", "-- sqift:",
        "-- sqift: replacesVersion",
        "-- sqift: replacesVersion x", "-- sqift: replacesVersion -1",
        "-- sqift: replacesVersion 1 2",
        "-- sqift: withoutTransaction enforcingForeignKeys", "-- sqift: withoutTransaction, please",
        "-- sqift: replacesVersion 18446744073709551616",
    ])
    func anUnknownDirectiveIsRefused(line: String) throws {
        let error = try expectUnusable("0002-a.sql", Data("SELECT 1;\n\(line)\nSELECT 2;\n".utf8))
        #expect(error?.message.contains(line) ?? false)
    }

    @Test func aDirectiveHasItsEffect() throws {
        let connection = try Connection()
        try connection.execute("PRAGMA foreign_keys = ON")
        let folder = try MigrationFolder([
            "1-family.sql": """
            CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(p REFERENCES p ON DELETE CASCADE);
            INSERT INTO p VALUES(1), (2);
            INSERT INTO c VALUES(1), (2)
            """,
            "2-delete.sql": "-- sqift: enforcingForeignKeys\nDELETE FROM p WHERE id = 1;",
            "3-vacuum.sql": "-- sqift: withoutTransaction\nVACUUM;",
        ])
        try migrate(connection, folder.load())
        #expect(try connection.query("SELECT p FROM c") == 2)
        try expectRows(1, of: "c", on: connection)
    }
}
