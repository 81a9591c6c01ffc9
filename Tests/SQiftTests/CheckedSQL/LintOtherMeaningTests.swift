import SQiftTestSupport
import Testing

/// Right programs in which a value, a name or a column isn't what it looks like.
@Suite(.builtLint) struct LintOtherMeaningTests {
    private static let tables = #"""
        let more = migrations + [
            Migration(
                "3",
                sql: """
                    CREATE TABLE visits(
                        id INTEGER PRIMARY KEY, car INTEGER, at REAL NOT NULL, page TEXT NOT NULL
                    );
                    CREATE TABLE logs(
                        id TEXT PRIMARY KEY, car INTEGER NOT NULL REFERENCES cars(id), at TEXT NOT NULL
                    );
                    CREATE TABLE words(Änderung TEXT NOT NULL, "a""b" TEXT NOT NULL, "strict" INTEGER NOT NULL DEFAULT 0);
                    CREATE TABLE tags(name TEXT NOT NULL ON CONFLICT IGNORE)
                    """
            ),
        ]
        """#

    private func expect(_ body: String, _ declarations: String = "") throws {
        try LintSources(LintTwins.program(body, "\(Self.tables)\n\(declarations)")).expect([])
    }

    // MARK: Compared columns

    @Test(arguments: [
        "DELETE FROM visits WHERE car IN (SELECT car FROM logs WHERE at < ?)",
        "INSERT INTO visits(at, page) SELECT 1, at FROM logs WHERE at < ?",
        "UPDATE visits SET page = '' FROM logs AS l WHERE l.car = visits.car AND l.at < ?",
        "SELECT v.page FROM visits v, logs l WHERE l.car = v.car AND l.at >= ?",
        "DELETE FROM visits WHERE page || 'at' < ?",
        "DELETE FROM visits WHERE 'on ' || at = ?",
    ])
    func theColumnMayBeAnotherTables(sql: String) throws {
        let call =
            sql.hasPrefix("SELECT")
            ? "let pages: [String] = try connection.query(\"\(sql)\", Date())"
            : "try connection.run(\"\(sql)\", Date())"
        try expect(call)
    }

    @Test func aComparisonIsNoAssignment() throws {
        try expect("try connection.run(\"UPDATE visits SET car = (page = ?)\", nil)")
    }

    @Test func anAppMayStoreDatesAsNumbers() throws {
        try expect(
            "try connection.run(\"UPDATE visits SET at = ?\", Date())",
            "func configure() { bindingDateFormatter = formatter }"
        )
    }

    // MARK: NOT NULL

    @Test(arguments: [
        #"INSERT INTO words(Änderung, "a""b") VALUES('x', 'y')"#,
        "INSERT INTO tags(name) VALUES(NULL)",
        #"INSERT OR REPLACE INTO words(Änderung, "a""b", "strict") VALUES('x', 'y', NULL)"#,
    ])
    func whatIsNotNullGetsAValueOrNoRow(sql: String) throws {
        try expect("try connection.run(#\"\(sql)\"#)")
    }

    @Test func aColumnMayBeCalledStrict() throws {
        try expect("try connection.run(\"UPDATE words SET Änderung = ?\", Data())")
    }

    // MARK: Names

    @Test(arguments: [
        "for (at, values) in list { try connection.run(\"UPDATE visits SET at = ?\", at) }",
        "let (_, values) = list[0]; try connection.run(\"UPDATE visits SET at = ?, car = ?\", values)",
        "if case .at(let at) = kind { try connection.run(\"UPDATE visits SET at = ?\", at) }",
        "switch kind { case let at?: try connection.run(\"UPDATE visits SET at = ?\", at); default: break }",
    ])
    func aPatternBindsItsNamesAnew(body: String) throws {
        try expect(
            """
            struct Job {
                let at = Date()
                let values = "all"
                func run(_ connection: Connection) throws { \(body) }
            }
            """
        )
    }

    @Test(arguments: [
        ("struct Date { let day: Int }", "Date"),
        ("struct Day { typealias ID = Int }; struct Car { typealias ID = UUID }", "Day.ID"),
        ("typealias Date = Double", "Date"),
    ])
    func theSourcesMayDeclareTheType(declaration: String, type: String) throws {
        try expect(
            "",
            """
            \(declaration)
            func save(_ connection: Connection, _ value: \(type)) throws {
                try connection.run("UPDATE visits SET at = ?", value)
            }
            """
        )
    }

    @Test func anotherTypesMemberIsNotTheSourcesType() throws {
        try expect(
            """
            let values: Statement.Parameters = ["a": 1, "b": 2]
            try connection.run("DELETE FROM visits WHERE id = :a AND car = :b", values)
            """,
            "struct Parameters { var page = 0 }"
        )
    }

    @Test func anOwnReadLeavesTheDatabases() throws {
        let body = """
            try database.read { db in
                let names: [String] = try db.query("SELECT ▸nmae FROM cars")
            }
            """
        let declarations = """
            struct Source { func read() -> Int { 0 } }
            func use(_ database: Database) throws { \(body) }
            """
        try LintSources(LintTwins.program("", declarations)).expect(["error: no such column: nmae"])
    }

    @Test(arguments: [
        "database.values { db in try db.run(\"DELETE FROM ▸crs\") }",
        "configuration.writerConnectionPreparation = { db in try db.run(\"DELETE FROM ▸crs\") }",
    ])
    func moreClosuresGetAConnection(body: String) throws {
        try LintSources(LintTwins.program(body)).expect(["error: no such table: crs"])
    }

    // MARK: NULL and unread columns

    @Test(
        .enabled(
            if: Capability.columnMetadata,
            "this SQLite doesn't say where a column comes from"
        ),
        arguments: [
            "SELECT cars.name FROM logs LEFT JOIN cars ON cars.id = logs.car",
            "SELECT cars.name FROM visits LEFT JOIN cars ON cars.id = visits.car WHERE visits.car NOTNULL",
            "SELECT cars.name AS n FROM visits LEFT JOIN cars ON cars.id = visits.car WHERE n > ''",
            """
            SELECT cars.name FROM visits LEFT JOIN cars ON cars.id = visits.car \
            JOIN owners ON owners.id = cars.owner
            """,
            "SELECT name, max(price) FROM cars GROUP BY owner",
            "SELECT page, count(*) AS n FROM visits GROUP BY page ORDER BY n",
        ]
    )
    func allRowsAreRead(sql: String) throws {
        try expect("let all: [String] = try connection.query(\"\(sql)\")")
    }

    @Test(arguments: [
        "SELECT max(n) FROM (SELECT count(*) AS n FROM cars)",
        "SELECT max(value) FROM json_each('[1, 2]')",
        "WITH c AS (SELECT count(*) AS n FROM cars) SELECT sum(n) FROM c",
    ])
    func anAggregateMayAlwaysHaveARow(sql: String) throws {
        try expect("let n: Int = try connection.query(\"\(sql)\")")
    }

    @Test func nullMayHaveBeenLookedFor() throws {
        try expect(
            """
            let all: [Int?] = try connection.query("SELECT id, price FROM cars") { row in
                guard row["price"] as Int? != nil else { return nil }
                return try row.get("price") as Int
            }
            """
        )
    }

    // MARK: Rows

    @Test(arguments: [
        """
        var rows: [Row] = try connection.query("SELECT name FROM cars")
        rows = try connection.query("SELECT price FROM cars")
        for row in rows { print(try row.get("price") as Int) }
        """,
        """
        let cursor = try connection.cursor(isFull ? "SELECT id, name FROM cars" : "SELECT id FROM cars")
        while let row = try cursor.next() { if isFull { print(try row.get("name") as String) } }
        """,
        """
        let cursor = try connection.cursor("SELECT id FROM cars")
        while let row = try cursor.next() { if row.hasColumn("nme") { print(row["nme"] as Int) } }
        """,
    ])
    func rowsMayHaveOtherColumns(body: String) throws {
        try expect(body)
    }

    @Test func anOptionalPropertyMayBeLeftOut() throws {
        try expect(
            "let all: [Place] = try connection.query(\"SELECT id, page AS line1 FROM visits\")",
            """
            struct Place: Decodable, ExpressibleByRow {
                let id: Int
                let line1: String?
                let line2: String?
                let line1s: String?
                let at: Double?
            }
            """
        )
    }
}
