import Foundation
import SQift
import Testing

@testable import sqift_cli

@Suite(.timeLimit(.minutes(20))) struct RowCopyTests {
    private let folder: TemporaryFolder
    private let path: String
    private let source: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("source.sqlite")
        source = try Connection(path: path)
    }

    /// A copy with all tables, which a test can still change.
    private func copied() throws -> (RowCopy, [Table]) {
        let copy = try RowCopy(source: source, copy: Connection())
        let tables = try copy.createTables()
        try tables.forEach(copy.copyRows)
        try copy.createOtherObjects()
        return (copy, tables)
    }

    private func differences() throws -> Int {
        let (copy, tables) = try copied()
        return try copy.countDifferences(in: tables).reduce(0, +)
    }

    // Computed, since the leak checker reports a `Data` in a global: it can't follow its tagged
    // pointer.
    private static var everyValue: [BindingValue] {
        [
            .null, .integer(0), .integer(-1), .integer(.max), .integer(.min), .real(1.5),
            .real(-0.0), .real(.infinity),
            .real(-.infinity), .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
            .text(""),
            .text("a\0b\0"),
            .text("é"), .text("e\u{301}"), .text("\u{1F600}\u{1F680}"),
            .text(String(repeating: "x", count: 5000)),
            .text("0123"), .blob(Data()), .blob(Data([0, 255, 0])),
            .blob(Data(repeating: 7, count: 5000)),
        ]
    }

    @Test(arguments: ["", "INTEGER", "REAL", "TEXT", "BLOB", "NUMERIC"])
    func everyStorageClassSurvivesInEveryKindOfColumn(type: String) throws {
        let name = "a \(type) \"quoted\" 'name'"
        let table = name.sqift.quotedIdentifier
        try source.execute("CREATE TABLE \(table)(a \(type), \"b b\" \(type) DEFAULT 5)")
        for value in Self.everyValue {
            try source.run("INSERT INTO \(table) VALUES(?, ?)", value, value)
        }

        #expect(try differences() == 0)
        #expect(try RowCopy.run(from: path))
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func tablesOfEveryKindSurvive(encoding: String) throws {
        try source.execute(
            """
            PRAGMA encoding = '\(encoding)';
            PRAGMA user_version = -7;
            CREATE TABLE pairs(a TEXT COLLATE NOCASE, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID;
            INSERT INTO pairs VALUES('x', 1, NULL), ('y', 'one', 2), ('z', x'00', 3.5);
            CREATE TABLE generated(a, b AS (a * 2), c AS (a || 'x') STORED, rowid TEXT);
            INSERT INTO generated(_rowid_, a, rowid) VALUES(77, 3, 'not the rowid');
            CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, v);
            INSERT INTO counted(v) VALUES(1), (2), (3);
            DELETE FROM counted WHERE id = 3;
            CREATE TABLE gaps(x);
            INSERT INTO gaps(rowid, x) VALUES(-5, 1), (9223372036854775807, 2);
            CREATE TABLE none(x);
            CREATE INDEX pairs_by_c ON pairs(c);
            CREATE VIEW seen AS SELECT * FROM counted;
            CREATE TRIGGER emptied AFTER INSERT ON counted BEGIN DELETE FROM gaps; END;
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent REFERENCES parents(id));
            PRAGMA foreign_keys = OFF;
            INSERT INTO children VALUES(4);
            CREATE TABLE checked(a CHECK(a < 10));
            PRAGMA ignore_check_constraints = ON;
            INSERT INTO checked VALUES(99);
            ANALYZE;
            """
        )
        if Connection.hasCompileOption("ENABLE_FTS5") {
            try source.execute(
                """
                CREATE VIRTUAL TABLE words USING fts5(body);
                INSERT INTO words VALUES('hello world')
                """
            )
        }

        let (copy, tables) = try copied()
        #expect(try copy.countDifferences(in: tables) == tables.map { _ in 0 })
        for question in [
            """
            SELECT group_concat(type || name || ifnull(sql, ''))
            FROM (SELECT * FROM sqlite_schema ORDER BY type, name)
            """,
            "SELECT group_concat(rowid) FROM gaps", "SELECT seq FROM sqlite_sequence",
            "PRAGMA user_version",
            "PRAGMA encoding", "SELECT _rowid_ FROM generated",
        ] {
            let original: BindingValue = try source.query(question)
            let copied: BindingValue = try copy.copy.query(question)
            #expect(original == copied, "\(question)")
        }
        #expect(try RowCopy.run(from: path))
    }

    @Test func textThatIsNotUTF8SurvivesByteForByte() throws {
        try source.execute(
            """
            CREATE TABLE t(a);
            INSERT INTO t VALUES(CAST(x'ff00fe' AS TEXT)), (CAST(x'c3' AS TEXT))
            """
        )

        let (copy, tables) = try copied()
        #expect(try copy.countDifferences(in: tables) == [0])
        #expect(
            try copy.copy.query("SELECT hex(a) || typeof(a) FROM t") == ["FF00FEtext", "C3text"]
        )
    }

    @Test(arguments: [
        "UPDATE t SET a = 2 WHERE rowid = 1", "UPDATE t SET a = '1' WHERE rowid = 1",
        "UPDATE t SET a = 1.0",
        "UPDATE t SET b = 'e\u{301}'", "UPDATE t SET b = CAST(b AS BLOB)", "UPDATE t SET a = NULL",
        "DELETE FROM t", "INSERT INTO t VALUES(5, 5)", "UPDATE t SET rowid = 9",
        "UPDATE t SET b = CAST(x'ff' AS TEXT)",
    ])
    func oneDifferenceIsFound(change: String) throws {
        try source.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, '\u{e9}')")
        let (copy, tables) = try copied()
        try copy.copy.execute(change)

        #expect(try copy.countDifferences(in: tables) == [1])
    }

    private static let testData = ProcessInfo.processInfo.environment["SQIFT_TEST_DATA"]

    @Test(.enabled(if: testData != nil, "SQIFT_TEST_DATA names no folder with chinook.sqlite"))
    func chinookSurvives() throws {
        let data = try #require(Self.testData)
        let path = URL(fileURLWithPath: data).appendingPathComponent("chinook.sqlite").path
        let chinook = try Connection(storageLocation: .onDisk(path), readOnly: true)
        let copy = try RowCopy(source: chinook, copy: Connection())
        let tables = try copy.createTables()
        try tables.forEach(copy.copyRows)

        #expect(tables.count == 11)
        #expect(try copy.countDifferences(in: tables) == tables.map { _ in 0 })
        #expect(try copy.copy.query("SELECT count(*) FROM Track") == 3_503)
        #expect(try copy.copy.query("SELECT count(*) FROM PlaylistTrack") == 8_715)
    }
}

extension RowCopy {
    /// The number for each table.
    fileprivate func countDifferences(in tables: [Table]) throws -> [Int] {
        let comparison = RowComparison(source: source, copy: copy)
        return try tables.map(comparison.countDifferences)
    }
}
