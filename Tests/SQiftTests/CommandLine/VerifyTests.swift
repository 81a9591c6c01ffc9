import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

struct VerifyTests {
    private let folder: TemporaryFolder
    private let one: String
    private let other: String

    init() throws {
        folder = try TemporaryFolder()
        one = folder.path("one.sqlite")
        other = folder.path("other.sqlite")
        for path in [one, other] {
            try Connection(path: path).execute(
                """
                CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price);
                CREATE INDEX names ON cars(name);
                CREATE TABLE pairs(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID;
                INSERT INTO cars VALUES(1, 'Audi', 5), (2, 'Škoda', NULL);
                INSERT INTO pairs VALUES(1, 2), ('1', 2)
                """
            )
        }
    }

    private func areEqual() async -> Int32 {
        await runCommand(["verify", one, other])
    }

    /// What the tool prints about them.
    private func report() throws -> String {
        try ToolRun(["verify", one, other]).output
    }

    @Test func equalDatabasesAreEqual() async throws {
        #expect(await areEqual() == 0)
        try Connection(path: other).execute("PRAGMA journal_mode = WAL; VACUUM")
        #expect(await areEqual() == 0)
        #expect(await runCommand(["verify", one, one]) == 0)
    }

    @Test(arguments: [
        "UPDATE cars SET price = 6 WHERE id = 1", "UPDATE cars SET price = 5.0 WHERE id = 1",
        "UPDATE cars SET price = '5' WHERE id = 1", "UPDATE cars SET price = x'35' WHERE id = 1",
        "UPDATE cars SET price = 0 WHERE id = 2", "UPDATE cars SET id = 3 WHERE id = 2",
        "DELETE FROM cars WHERE id = 2",
        "INSERT INTO cars VALUES(3, NULL, NULL)",
        "UPDATE cars SET name = 'S\u{30C}koda' WHERE id = 2",
        "DELETE FROM pairs WHERE a = '1'", "DROP INDEX names", "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON cars BEGIN SELECT 1; END",
        "ALTER TABLE cars ADD COLUMN more",
        "PRAGMA user_version = 3", "PRAGMA application_id = 3",
    ])
    func everyDifferenceIsFoundFromBothSides(sql: String) async throws {
        try Connection(path: other).execute(sql)
        #expect(await runCommand(["verify", one, other]) == 1)
        #expect(await runCommand(["verify", other, one]) == 1)
    }

    @Test func neitherIsCreatedOrChanged() async throws {
        let before = try [one, other].map { try fileBytes($0) }
        #expect(await areEqual() == 0)
        #expect(try [one, other].map { try fileBytes($0) } == before)
        #expect(await runCommand(["verify", one, folder.path("missing.sqlite")]) == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path("missing.sqlite")))
    }

    // MARK: Rows without a declared key

    @Test func vacuumMakesNoDifference() async throws {
        for path in [one, other] {
            try Connection(path: path).execute(
                """
                CREATE TABLE t(a);
                INSERT INTO t VALUES(1), (2), (3), (2);
                DELETE FROM t WHERE a = 1
                """
            )
        }
        try Connection(path: other).execute("VACUUM")
        #expect(await areEqual() == 0)
    }

    @Test(arguments: [
        ("(1), (2), (3), (2)", 0), ("(2), (1), (3), (2)", 0), ("(3), (2), (2), (1)", 0),
        ("(1), (2), (3)", 1), ("(1), (2), (3), (3)", 1), ("(2), (3), (2)", 1),
        ("(1), (2), (3), (2), (2)", 1), ("(1), (2), (3), (2.0)", 1), ("(4), (4), (4), (4)", 4),
        ("(NULL), (1), (2), (3), (2), (NULL)", 2), ("(2)", 3),
    ])
    func theOrderOfRowsDoesNotCountButTheirNumberDoes(rows: String, differences: Int) throws {
        try makeTables(
            "CREATE TABLE cars(a); INSERT INTO cars VALUES(1), (2), (3), (2)",
            "CREATE TABLE cars(a); INSERT INTO cars VALUES\(rows)"
        )
        let run = try [ToolRun(["verify", one, other]), ToolRun(["verify", other, one])]

        #expect(run.map(\.status) == Array(repeating: differences == 0 ? 0 : 1, count: 2))
        for run in run {
            #expect(run.output.contains(/\ncars +\d +\d +(\d)\n/) == true)
            #expect(run.output.contains("           \(differences)\n"))
        }
    }

    @Test func aTableWhoseColumnsTakeAllNamesOfTheRowidIsCompared() async throws {
        let sql = "CREATE TABLE cars(rowid, _rowid_, oid); INSERT INTO cars VALUES(1, 2, 3)"
        try makeTables(sql, sql)
        #expect(await areEqual() == 0)
        try Connection(path: other).execute("UPDATE cars SET oid = 4")
        #expect(await areEqual() == 1)
    }

    /// An index has the rows in another order.
    @Test func anIndexOfOneDatabaseIsTheOnlyDifference() throws {
        let sql = "CREATE TABLE cars(a); INSERT INTO cars VALUES(3), (1), (2);"
        try makeTables(sql, sql + "CREATE INDEX cars_by_a ON cars(a)")
        let output = try report()

        #expect(output.contains("cars           3          3            0\n"))
        #expect(output.contains("only in B: index cars_by_a\n"))
    }

    // MARK: Values

    private static let values = [
        "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "1", "1.0", "'1'",
        "x'31'",
        "1.5", "1.5000000000000002", "9e999", "-9e999", "4.9e-324", "''", "x''", "'NULL'", "'0123'",
        "'é'", "'e\u{301}'", "'a' || char(0) || 'b'", "'a'", "CAST(x'ff' AS TEXT)",
        "CAST(x'fe' AS TEXT)", "CAST(x'efbfbd' AS TEXT)", "'1,2'", "x'00ff00'", "zeroblob(100000)",
        "hex(zeroblob(100000))",
    ]

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func valuesAreEqualToThemselvesOnly(encoding: String) async throws {
        // SQLite keeps malformed text in UTF-8 only.
        let values = Self.values.filter { encoding == "UTF-8" || !$0.hasPrefix("CAST") }
        let names = ["three.sqlite", "four.sqlite"].map { folder.path($0) }
        for (name, values) in zip(names, [values, values.reversed()]) {
            try Connection(path: name).execute(
                """
                PRAGMA encoding = '\(encoding)';
                CREATE TABLE t(a, b);
                INSERT INTO t VALUES\(values.map { "(\($0), 1)" }.joined(separator: ", "))
                """
            )
        }
        #expect(await runCommand(["verify"] + names) == 0)

        for (index, value) in values.enumerated() {
            let next = values[(index + 1) % values.count]
            try Connection(path: names[0]).execute(
                "DELETE FROM t; INSERT INTO t VALUES(1, \(value))"
            )
            try Connection(path: names[1]).execute(
                "DELETE FROM t; INSERT INTO t VALUES(1, \(next))"
            )
            #expect(await runCommand(["verify"] + names) == 1, "\(value) and \(next)")
        }
    }

    @Test func valuesDoNotRunTogether() async throws {
        for (a, b) in [("'a', 'b'", "'ab', ''"), ("1, 23", "12, 3"), ("'1,2', 3", "1, '2,3'")] {
            try makeTables(
                "CREATE TABLE cars(a, b); INSERT INTO cars VALUES(\(a))",
                "CREATE TABLE cars(a, b); INSERT INTO cars VALUES(\(b))"
            )
            #expect(await areEqual() == 1)
        }
    }

    @Test func everyKindOfTableIsEqualToItsCopy() async throws {
        var sql = """
            CREATE TABLE named(a TEXT COLLATE NOCASE, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID;
            INSERT INTO named VALUES('x', 1, NULL), ('y', 'one', 2), ('z', x'00', 3.5);
            CREATE TABLE generated(a, b AS (a * 2), c AS (a || 'x') STORED, rowid TEXT);
            INSERT INTO generated(_rowid_, a, rowid) VALUES(77, 3, 'not the rowid');
            CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, v);
            INSERT INTO counted(v) VALUES(1), (2), (3);
            CREATE TABLE "a ""quoted"" 'name'"("b b" DEFAULT 5);
            INSERT INTO "a ""quoted"" 'name'" DEFAULT VALUES;
            CREATE INDEX counted_by_v ON counted(v);
            ANALYZE;
            """
        if Capability.fts5 {
            sql += "CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES('hello')"
        }
        try makeTables("CREATE TABLE cars(a); \(sql)", "CREATE TABLE cars(a); \(sql)")
        #expect(await areEqual() == 0)
        try Connection(path: other).execute("UPDATE generated SET a = 4")
        #expect(await areEqual() == 1)
    }

    /// The other file holds what another expression gave.
    @Test func storedGeneratedColumnsAreCompared() throws {
        let table = "CREATE TABLE cars(net, gross AS (net * 2) STORED)"
        let rows = "INSERT INTO cars VALUES(1), (2)"
        try makeTables("\(table); \(rows)", "\(table); \(rows)")
        #expect(try report().contains("cars           2          2            0\n"))

        let otherTable = table.replacingOccurrences(of: "* 2", with: "* 3")
        try makeTables("\(table); \(rows)", "\(otherTable); \(rows)")
        try Connection(path: other).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = '\(table)' WHERE name = 'cars'
            """
        )
        #expect(try report().contains("\n2 rows of cars differ\n"))
    }

    /// Reading this one fails: SQLite has no such integer.
    @Test func virtualGeneratedColumnsAreNotCompared() async throws {
        let sql = """
            CREATE TABLE cars(price);
            INSERT INTO cars VALUES(-9223372036854775808);
            ALTER TABLE cars ADD COLUMN absolute AS (abs(price))
            """
        try makeTables(sql, sql)
        #expect(await areEqual() == 0)
    }

    // MARK: What it prints

    /// Replaces the table of both databases.
    private func makeTables(_ sql: String, _ otherSQL: String) throws {
        for (path, sql) in [(one, sql), (other, otherSQL)] {
            try Connection(path: path).execute("DROP TABLE cars; \(sql)")
        }
    }

    @Test(.builtTool) func theColumnsAreNamedAfterTheFiles() throws {
        try Connection(path: other).execute("DELETE FROM cars")
        let output = try report()

        #expect(output.hasPrefix("A: \(one)\nB: \(other)\n"))
        #expect(output.contains("table  rows in A  rows in B  differences\n"))
        #expect(output.contains("cars           2          0            2\n"))
    }

    @Test(.builtTool) func differencesAreInTheSingularAndThePlural() throws {
        try Connection(path: other).execute("UPDATE cars SET price = 6 WHERE id = 1")
        #expect(try report().contains("\n1 row of cars differs\n"))
        try Connection(path: other).execute("UPDATE cars SET price = 7")
        #expect(try report().contains("\n2 rows of cars differ\n"))
    }

    @Test(.builtTool) func whatOnlyOneHasIsNamedWithItsSide() throws {
        try Connection(path: other).execute("CREATE TABLE more(x); PRAGMA user_version = 7")
        let output = try report()

        #expect(output.contains("only in B: table more\n"))
        #expect(output.contains("user_version: 0 in A, 7 in B\n"))
        #expect(try ToolRun(["verify", other, one]).output.contains("only in A: table more\n"))
    }

    @Test(arguments: [
        ("CREATE TABLE cars(a, b TEXT)", "CREATE TABLE cars (\n\ta,\r\n\tb  TEXT\n)"),
        ("CREATE TABLE cars(a) -- one\n", "CREATE TABLE cars(a)-- one  \r\n"),
        ("CREATE TABLE cars(a /* x\ny */)", "CREATE TABLE cars(a/* x\r\n  y */)"),
        ("CREATE TABLE cars(a DEFAULT 'x  y')", "CREATE TABLE cars( a DEFAULT  'x  y' )"),
    ])
    func whiteSpaceInTheSchemaIsNoDifference(sql: String, otherSQL: String) async throws {
        try makeTables(sql, otherSQL)
        #expect(await areEqual() == 0)
        try Connection(path: other).execute("INSERT INTO cars(a) VALUES(1)")
        #expect(await areEqual() == 1)
    }

    @Test(arguments: [
        ("CREATE TABLE cars(a DEFAULT 'x  y')", "CREATE TABLE cars(a DEFAULT 'x y')"),
        ("CREATE TABLE cars(a DEFAULT 'it''s  1')", "CREATE TABLE cars(a DEFAULT 'it''s 1')"),
        ("CREATE TABLE cars(a, \"b  c\")", "CREATE TABLE cars(a, \"b c\")"),
        ("CREATE TABLE cars(a, [b  c])", "CREATE TABLE cars(a, [b c])"),
        ("CREATE TABLE cars(a TEXT)", "CREATE TABLE cars(a INTEGER)"),
        ("CREATE TABLE cars(a -- x\n, b)", "CREATE TABLE cars(a, b)"),
        (
            "CREATE TABLE cars(a /* don't */ DEFAULT 'x  y')",
            "CREATE TABLE cars(a /* don't */ DEFAULT 'x y')"
        ),
        ("CREATE TABLE cars(a DEFAULT 'é')", "CREATE TABLE cars(a DEFAULT 'e\u{301}')"),
    ])
    func anythingElseInTheSchemaIsADifference(sql: String, otherSQL: String) async throws {
        try makeTables(sql, otherSQL)
        #expect(await areEqual() == 1)
    }

    @Test(.builtTool) func whatDiffersInTheSchemaIsShown() throws {
        let columns = (1...20).map { "c\($0) TEXT" }.joined(separator: ", ")
        try makeTables(
            "CREATE TABLE cars(\(columns), price INTEGER NOT NULL, built TEXT)",
            "CREATE TABLE cars(\(columns), price REAL, built TEXT)"
        )
        let output = try report()

        #expect(output.contains("table cars differs\n  A: … c20 TEXT , price INTEGER NOT NULL ,"))
        #expect(output.contains("\n  B: … c20 TEXT , price REAL , built TEXT )\n"))
    }

    @Test(.builtTool) func rowsAreComparedUnlessTheColumnsDiffer() throws {
        try makeTables("CREATE TABLE cars(a)", "CREATE TABLE cars(a CHECK(a > 0))")
        for path in [one, other] {
            try Connection(path: path).execute("INSERT INTO cars VALUES(1), (2)")
        }
        let checked = try report()
        try Connection(path: other).execute("ALTER TABLE cars ADD COLUMN b")
        let wider = try report()

        #expect(checked.contains("cars           2          2            0\n"))
        #expect(wider.contains("cars           2          2  not compared\n"))
    }
}
