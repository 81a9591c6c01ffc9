import Foundation
import SQift
import SQiftTestSupport
import Testing

// The marks in a migration's file that set options, and its line ends.
struct MigrationMarkTests {
    /// The only migration of a folder with this file.
    private func migration(_ text: String) throws -> Migration {
        try #require(MigrationFolder(["0002-a.sql": text]).load().first)
    }

    @Test(arguments: [
        "--sqift: withoutTransaction", " -- sqift: withoutTransaction",
        "\t-- sqift: withoutTransaction", "-- SQift: withoutTransaction",
        "-- sqift : withoutTransaction", "--  sqift: withoutTransaction",
        "--\tsqift: withoutTransaction", "--- sqift: withoutTransaction",
        "-- SQIFT: replaces 0001-b", "-- sqift:: withoutTransaction",
        "-- sqift: WithoutTransaction", "-- sqift: replace 0001-b",
    ])
    func aMarkThatIsNearlyRightIsAnErrorWithItsLine(line: String) throws {
        for (end, lineEnds) in [("\n", "LF"), ("\r\n", "CRLF")] {
            for (text, number) in [
                ("\(line)\(end)SELECT 1;\(end)", 1),
                ("-- A comment\(end)\(end)SELECT 1;\(end)\(line)", 4),
                ("SELECT '\(end)';\(end)\(line)\(end)SELECT 2;", 3),
            ] {
                let error = migratorError(.unusableFile) { _ = try migration(text) }
                let message = error?.message ?? ""
                #expect(message.contains("0002-a.sql"), "\(message), \(lineEnds)")
                #expect(message.contains("line \(number)"), "\(message), \(lineEnds)")
                #expect(message.contains(line), "\(message), \(lineEnds)")
            }
        }
    }

    @Test(arguments: [
        "-- sqift: withoutTransaction", "--sqift: nonsense", " -- SQift : replaces x",
    ])
    func whatLooksLikeAMarkInATextOrANameOrAnotherCommentIsNone(line: String) throws {
        for text in [
            "SELECT '\n\(line)\n';", "SELECT 'it''s\n\(line)\n' AS \"x\";",
            "SELECT 1 AS \"\n\(line)\n\";", "SELECT 1 AS `\n\(line)\n`;",
            "SELECT 1 AS [\n\(line)\n];", "/*\n\(line)\n*/ SELECT 1;",
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT '\n\(line)\n'; END;",
        ] {
            let migration = try migration(text)
            #expect(migration.options == [])
            #expect(migration.replaces.isEmpty)
        }
    }

    @Test(arguments: ["\n", "\r\n"]) func aMarkIsReadWhereverACommentMayStand(end: String) throws {
        let mark = "-- sqift: enforcingForeignKeys"
        for lines in [
            [mark, "SELECT 1"], ["SELECT 1", mark], ["SELECT 1;", "-- it's", mark, "SELECT 2;"],
            ["CREATE TRIGGER t AFTER INSERT ON a BEGIN", "SELECT 1;", mark, "SELECT 2; END"],
            ["/* it's */", mark, ""], ["SELECT ']', \"'\", `\"`, ['];", mark],
        ] {
            let text = lines.joined(separator: end)
            #expect(try migration(text).options == .enforcingForeignKeys, "\(lines)")
            #expect(try migration("\u{FEFF}" + text).options == .enforcingForeignKeys, "\(lines)")
        }
    }

    @Test func ordinaryCommentsAreNoMarks() throws {
        for line in ["-- sqiftly: x", "-- SQift is a library", "-- not sqift: x", "-- sqift"] {
            #expect(try migration("\(line)\nSELECT 1").options == [])
        }
    }

    // MARK: Line ends

    /// For SQLite, a carriage return doesn't end a comment.
    @Test(arguments: [
        "-- People\rCREATE TABLE people(x);\r", "CREATE TABLE a(x);\r-- People\rCREATE TABLE b(x);",
        "-- sqift: withoutTransaction\rVACUUM;\r", "SELECT 1; -- one\rSELECT 2;\nSELECT 3;\n",
        "SELECT '--'; -- one\rSELECT 2;\r\n",
    ])
    func sqlThatACommentWouldSwallowIsRefused(text: String) throws {
        migratorError(.unusableFile, containing: "0002-a.sql", "comment") {
            _ = try migration(text)
        }
    }

    @Test(arguments: [
        "CREATE TABLE a(x);\rINSERT INTO a VALUES(1);\r", "/* one */\rCREATE TABLE a(x);\r",
        "CREATE TABLE a(x); -- the end\r", "CREATE TABLE a(x); -- the end\r\n",
        "-- one\r\nCREATE TABLE a(x DEFAULT '--\r');\r\n-- two\r\n",
        "\u{FEFF}-- one\r\n-- two\r\nCREATE TABLE a(x);\r\n",
    ])
    func otherCarriageReturnsAreWhiteSpace(text: String) throws {
        let connection = try Connection()
        try migrate(connection, [migration(text)])
        #expect(try tables(of: connection) == ["a"])
    }

    @Test func aMarkBehindACarriageReturnIsRead() throws {
        let compacting = try migration("VACUUM;\r-- sqift: withoutTransaction")
        #expect(compacting.options == .withoutTransaction)
        migratorError(.unusableFile) { _ = try migration("VACUUM;\r--sqift: withoutTransaction") }
    }

    @Test(.timeLimit(.minutes(5))) func aLongFileWithCarriageReturnsIsReadInTime() throws {
        let row = "INSERT INTO a VALUES('-- a text');\r"
        let text = "CREATE TABLE a(x);\r" + String(repeating: row, count: 100_000)
        #expect(try migration(text).options == [])
    }

    // MARK: Files

    @Test(arguments: ["18446744073709551616-a.sql", "99999999999999999999999-b.sql"])
    func aNumberThatIsTooBigIsCalledThat(name: String) throws {
        let folder = try MigrationFolder([name: "SELECT 1"])
        migratorError(.unusableFile, containing: name, "too big") { _ = try folder.load() }
    }
}
