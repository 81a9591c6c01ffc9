import SQiftTestSupport
import Testing

/// The migrations make the schema, in their order and from an empty database.
@Suite(.builtLint) struct LintMigrationTests {
    /// A program that has these declarations, and runs these statements one after the other.
    private static func program(_ declarations: String, _ sql: String...) throws -> LintSources {
        let calls = sql.map { "        try connection.run(\"\($0)\")" }
        return try LintSources([
            "Program.swift": """
            import SQift

            \(declarations)

            func use(_ connection: Connection) throws {
            \(calls.joined(separator: "\n"))
            }

            """
        ])
    }

    @Test(arguments: [
        // A list, and elements by their names.
        """
        let migrations = [
            Migration("1", sql: "CREATE TABLE a(x INTEGER NOT NULL)"),
            Migration("2", sql: "ALTER TABLE a ADD COLUMN y TEXT; CREATE INDEX i ON a(y)"),
        ]
        """,
        """
        struct Store {
            static let migrations: [Migration] = [first, Store.second]
            static let first = Migration("1", sql: "CREATE TABLE a(x INTEGER NOT NULL)")
            private static let second = Migration("2", sql: "ALTER TABLE a ADD COLUMN y TEXT")
        }
        """,
        // Sums of lists.
        """
        let migrations = [Migration("1", sql: "CREATE TABLE a(x)")] + later
        let later = [Migration("2", sql: "ALTER TABLE a ADD COLUMN y TEXT")]
        """,
        """
        let migrations = first + later
        let later = [Migration("2", sql: "ALTER TABLE a ADD COLUMN y TEXT")]
        let first = [Migration("1", sql: "CREATE TABLE a(x)")]
        """,
        // In the call, in a property, in a function.
        """
        func migrate(_ connection: Connection) throws {
            try Migrator(
                connection: connection,
                migrations: [Migration("1", sql: "CREATE TABLE a(x, y)")]
            ).run()
        }
        """,
        """
        var migrations: [Migration] {
            [
                Migration("1", sql: sql)
            ]
        }
        let sql = \"""
            CREATE TABLE a(
                x INTEGER, -- "one"
                y TEXT
            )
            \"""
        """,
        // Closures.
        """
        let migrations = [
            Migration("1") { connection in
                try connection.execute("CREATE TABLE a(x); CREATE TABLE b(z)")
                try connection.run("ALTER TABLE a ADD COLUMN y TEXT")
                for number in 1...3 {
                    try connection.run("INSERT INTO a(x, y) VALUES(?, 'a')", number)
                }
            },
            Migration("2") { try $0.execute("DROP TABLE b") },
        ]
        """,
        // Columns and tables that change.
        """
        let migrations = [
            Migration("1", sql: "CREATE TABLE c(x, z, w); CREATE VIEW v AS SELECT x FROM c"),
            Migration("2", sql: "ALTER TABLE c RENAME COLUMN z TO y; ALTER TABLE c RENAME TO a"),
            Migration("3", .withoutTransaction, sql: "VACUUM"),
        ]
        """,
        """
        let migrations = [
            Migration("1", sql: "CREATE TABLE a(x INTEGER PRIMARY KEY, z); CREATE INDEX i ON a(x)"),
            Migration("2") { connection in
                try connection.rebuildTable("a", columns: "x INTEGER PRIMARY KEY, y TEXT") { old, new in
                    try connection.run("INSERT INTO \\(new)(x) SELECT x FROM \\(old)")
                }
            },
        ]
        """,
    ])
    func theSchemaIsWhatTheMigrationsMake(declarations: String) throws {
        try Self.program(declarations, "UPDATE a SET y = 1 WHERE x = 2")
            .expect([])
        let run = try Self.program(declarations, "UPDATE a SET ▸zz = 1").run()
        #expect(run.errors.map(\.text).first?.hasPrefix("no such column: zz") == true)
        #expect(run.messages.count == 1, "\(run.messages)")
    }

    @Test(arguments: [
        ("a(x)", "ALTER TABLE a RENAME COLUMN x TO y"),
        ("a(x, y)", "ALTER TABLE a DROP COLUMN x"),
        ("a(x)", "DROP TABLE a; CREATE TABLE a(y)"),
    ])
    func whatALaterMigrationRemovesIsMissing(table: String, change: String) throws {
        let declarations = """
            let migrations = [
                Migration("1", sql: "CREATE TABLE \(table)"),
                Migration("2", sql: "\(change)"),
            ]
            """
        try Self.program(declarations, "UPDATE a SET y = 1", "UPDATE a SET ▸x = 1")
            .expect(["error: no such column: x"])
    }

    @Test func aTableThatIsMadeLaterIsMissing() throws {
        let wrong = """
            let migrations = [
                Migration("1-index", sql: "CREATE INDEX i ON ▸a(x)"),
                Migration("2-table", sql: "CREATE TABLE a(x)"),
            ]
            """
        let run = try Self.program(wrong, "UPDATE a SET nonsense = 1").run()
        #expect(run.errors.count == 1, "\(run.messages)")
        #expect(run.errors.first?.text.contains("migration \"1-index\"") == true)
        #expect(run.errors.first?.line == 4)
    }

    @Test(arguments: [
        ("CREATE TABLE b(x INTEGER PRIMARY ▸KEY2)", "syntax error"),
        ("ALTER TABLE cars ADD COLUMN ▸x TEXT", "duplicate column name: x"),
        ("CREATE TABLE ▸cars(y)", "table cars already exists"),
        ("CREATE INDEX i ON cars(▸xx)", "no such column: xx"),
        ("INSERT INTO cars(x, ▸yy) VALUES(1, 2)", "table cars has no column named yy"),
        ("DROP TABLE ▸carss", "no such table: carss; did you mean cars?"),
        ("ALTER TABLE ▸cras RENAME TO b", "no such table: cras; did you mean cars?"),
        ("DROP VIEW later", "no such view: later"),
    ])
    func aMigrationThatFailsIsReportedOnce(sql: String, text: String) throws {
        let declarations = """
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(x)"),
                Migration("2", sql: "\(sql.replacingOccurrences(of: "▸", with: ""))"),
                Migration("3", sql: "ALTER TABLE lorries ADD COLUMN x; DROP TABLE b"),
                Migration("4", sql: "CREATE VIEW later AS SELECT 1"),
            ]
            """
        let run = try Self.program(declarations, "UPDATE cars SET nonsense = 1").run()
        let errors = run.errors.filter { $0.text.contains("migration ") }
        #expect(errors.count == 1, "\(run.messages)")
        let error = try #require(errors.first)
        #expect(error.text.contains("migration \"2\""))
        #expect(error.text.contains(text), "\(error)")
        #expect(error.line == 5)
        if let mark = sql.range(of: "▸"), Capability.errorOffset {
            let start = "    Migration(\"2\", sql: \"".utf8.count
            #expect(error.column == start + sql[..<mark.lowerBound].utf8.count + 1, "\(error)")
        }
        #expect(run.status == 1)
    }

    /// They bring a database up to date that somebody else has made.
    @Test func aListThatGoesOnGetsANote() throws {
        let run = try Self.program(
            """
            let migrations = [
                Migration("7", sql: "ALTER TABLE vehicles ADD COLUMN wheels INTEGER"),
                Migration("8", sql: "CREATE INDEX i ON vehicles(wheels)"),
            ]
            """,
            "DELETE FROM vehicles WHERE anything = 1"
        ).run()
        #expect(run.messages.map(\.severity) == [.note], "\(run.messages)")
        #expect(run.status == 0)
    }

    @Test(arguments: [
        #"for event in ["INSERT"] { try c.execute("CREATE TRIGGER t_\(event) AFTER \(event) ON a BEGIN SELECT 1; END") }"#,
        #"for name in ["x"] { try c.execute("CREATE INDEX a_by_\(name) ON a(\(name))") }"#,
    ])
    func computedTriggersAndIndexesHideNothing(body: String) throws {
        try Self.program(
            """
            let migrations = [
                Migration("1", sql: "CREATE TABLE a(x)"),
                Migration("2") { c in
                    \(body)
                },
            ]
            """,
            "UPDATE a SET x = 1",
            "UPDATE a SET ▸yyy = 1"
        ).expect(["error: no such column: yyy"])
    }

    /// The columns of a table that a step may change aren't counted.
    @Test func aTableThatMayHaveMoreColumnsIsNotJudgedByStar() throws {
        let program = { (columns: String) in
            """
            import SQift
            struct Item: Decodable, ExpressibleByRow {
                let x: Int
                let y: Int
            }
            let migrations = [
                Migration("1", sql: "CREATE TABLE a(x INTEGER NOT NULL)"),
                Migration("2") { try $0.addColumn("y", to: "a") },
            ]
            func use(_ connection: Connection) throws {
                let items: [Item] = try connection.▸query("SELECT \(columns) FROM a")
            }
            """
        }
        try LintSources(["Use.swift": program("x")]).expect(["error: no column for Item.y"])
        let star = program("*").replacingOccurrences(of: "▸", with: "")
        try LintSources(["Use.swift": star]).expect([])
    }

    @Test func listsOfSeveralTablesAreOneSchema() throws {
        let module = { (name: String, calls: String) in
            """
            import SQift
            enum \(name) {
                static let migrations = [Migration("1", sql: "CREATE TABLE \(name)(id, \(name)_x)")]
                static func use(_ connection: Connection) throws {
                    \(calls)
                }
            }
            """
        }
        try LintSources([
            "Cars.swift": module(
                "cars",
                #"try connection.run("DELETE FROM cars WHERE id IN (SELECT ▸cars_y FROM owners)")"#
            ),
            "Owners.swift": module("owners", #"try connection.run("DELETE FROM cars▸, owners")"#),
            "Use.swift": """
            import SQift
            let migrations = [cars.migrations, owners.migrations].flatMap { $0 }
            func use(_ connection: Connection) throws {
                try connection.run("DELETE FROM cars WHERE id IN (SELECT owners_x FROM owners)")
                try connection.run("UPDATE owners SET ▸ownersx = 1")
            }
            """,
        ]).expect([
            "error: no such column: cars_y", "error: near", "error: no such column: ownersx",
        ])
    }

    @Test func aStatementThatFitsAnotherListIsRight() throws {
        try LintSources([
            "Program.swift": """
            import SQift

            struct Cars {
                let migrations = [Migration("1", sql: "CREATE TABLE a(x)")]
                func use(_ connection: Connection, _ boats: Connection) throws {
                    try connection.run("UPDATE a SET x = 1")
                    try boats.run("UPDATE a SET yyyy = 1")
                    try connection.run("UPDATE a SET ▸z = 1")
                }
            }
            struct Boats {
                let migrations = [Migration("1", sql: "CREATE TABLE a(yyyy)")]
                func use(_ connection: Connection, _ cars: Connection) throws {
                    try cars.run("UPDATE a SET x = 1")
                    try connection.run("UPDATE a SET ▸yyyz = 1")
                }
            }

            """
        ]).expect([
            "error: no such column: z", "error: no such column: yyyz",
        ])
    }

    @Test func fromAnotherFileAStatementMayMeanAnyList() throws {
        let list = { (column: String) in
            """
            import SQift
            let migrations\(column) = [Migration("1", sql: "CREATE TABLE a(\(column))")]
            """
        }
        let files = { (column: String) in
            [
                "A.swift": list("first"),
                "B.swift": list("second"),
                "Use.swift": """
                import SQift
                func use(_ connection: Connection) throws {
                    try connection.run("UPDATE a SET \(column) = 1")
                }
                """,
            ]
        }
        try LintSources(files("first")).expectClean()
        try LintSources(files("second")).expectClean()
        try LintSources(files("▸third")).expect(["error: no such column: third"])
    }
}
