import SQiftTestSupport
import Testing

/// Right programs in which other code, or another meaning of a name, makes the statement right.
@Suite(.builtLint) struct LintStrangerTests {
    // MARK: Definitions outside of migrations

    @Test(arguments: [
        """
        try connection.run("DROP INDEX cars_by_price")
        try connection.run("CREATE INDEX cars_by_price ON cars(price)")
        """,
        """
        try connection.run("CREATE INDEX cars_by_owner ON cars(owner)")
        try connection.run("DROP INDEX cars_by_owner")
        """,
        """
        try connection.run("CREATE UNIQUE INDEX IF NOT EXISTS names ON cars(name)")
        try connection.run("INSERT INTO cars(name) VALUES('x') ON CONFLICT(name) DO NOTHING")
        let all: [String] = try connection.query("SELECT name FROM cars INDEXED BY names")
        """,
        """
        try connection.run("CREATE TEMP VIEW cheap AS SELECT * FROM cars")
        try connection.run(
            "CREATE TEMP TRIGGER t INSTEAD OF INSERT ON cheap BEGIN DELETE FROM cars; END"
        )
        try connection.run("INSERT INTO cheap(price) VALUES(1)")
        """,
        "try connection.run(\"CREATE TABLE cars(id INTEGER)\")",
        "try connection.run(\"ALTER TABLE cars ADD COLUMN name TEXT\")",
        """
        var sql = "ALTER TABLE cars"
        sql += " ADD COLUMN colour TEXT"
        try connection.run(sql)
        try connection.run("UPDATE cars SET colour = 'red'")
        """,
        """
        var sql = "ALTER TABLE cars ADD COLUMN "
        sql.append("colour TEXT")
        try connection.run(sql)
        try connection.run("UPDATE cars SET colour = 'red'")
        """,
    ])
    func whatIsMadeElsewhereMayBeThere(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func withoutSuchCodeTheyAreMistakes() throws {
        let body = """
            try connection.▸run("INSERT INTO cars(name) VALUES('x') ON CONFLICT(name) DO NOTHING")
            """
        let run = try LintSources(LintTwins.program(body)).run()
        #expect(run.errors.count == 1, "\(run.messages)")
    }

    @Test func aSchemaFileMayNotBeOfEachDatabase() throws {
        var files = LintTwins.program(
            """
            let other = try Connection()
            try other.execute("CREATE TABLE cars(size INTEGER)")
            try other.run("UPDATE cars SET size = 1")
            try other.run("UPDATE cars SET ▸sise = 1")
            """
        )
        files["Schema.sql"] = "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT);"
        try LintSources(files).expect(["error: no such column: sise; did you mean size?"])
    }

    @Test func listsMayRunInAnotherOrderThanTheirFiles() throws {
        let files = [
            "A.swift": """
            import SQift
            enum Late {
                static let list = [Migration("9", sql: "ALTER TABLE cars ADD COLUMN colour TEXT")]
            }
            """,
            "B.swift": """
            import SQift
            enum Early { static let list = [Migration("1", sql: "CREATE TABLE cars(name TEXT)")] }
            func use(_ connection: Connection) throws {
                try Migrator(connection: connection, migrations: [Early.list, Late.list].flatMap { $0 })
                    .run()
                try connection.run("UPDATE cars SET colour = 'red'")
                try connection.run("UPDATE cars SET ▸size = 1")
            }
            """,
        ]
        try LintSources(files).expect(["error: no such column: size"])
    }

    @Test func anAttachedDatabaseMayHaveTheOtherTable() throws {
        let files = [
            "A.swift": """
            import SQift
            let old = [Migration("1", sql: "CREATE TABLE entries(id INTEGER PRIMARY KEY, text)")]
            """,
            "B.swift": """
            import SQift
            let new = [
                Migration("1", sql: "CREATE TABLE entries(id INTEGER PRIMARY KEY, html)"),
                Migration("2", sql: "CREATE TABLE tags(id)"),
            ]
            """,
            "Use.swift": """
            import SQift
            func use(_ connection: Connection) throws {
                try connection.run("ATTACH 'old.sqlite' AS old")
                try connection.run(
                    \"\"\"
                    INSERT INTO entries(id, html)
                    SELECT o.id, o.text FROM old.entries AS o JOIN tags ON tags.id = o.id
                    \"\"\"
                )
            }
            """,
        ]
        try LintSources(files).expect([])
    }

    @Test func aFunctionInAMigrationRunsWhenItIsCalled() throws {
        var files = LintTwins.program("try connection.run(\"UPDATE bikes SET name = 'x'\")")
        files["Migrations.swift"] = """
            import SQift
            let migrations = [
                Migration("1") { connection in
                    func finish() throws { try connection.run("CREATE INDEX i ON bikes(name)") }
                    let add = { try connection.run("CREATE INDEX j ON bikes(name)") }
                    try connection.run("CREATE TABLE bikes(name TEXT)")
                    try finish()
                    try add()
                }
            ]
            """
        try LintSources(files).expect([])
    }

    // MARK: Parts that are put in

    @Test(
        arguments: #"""
            let n: [String] = try connection.query("SELECT c.name FROM cars c ORDER BY c.\(name) DESC")
            let n: [String] = try connection.query("SELECT o.name FROM owners o JOIN cars c ON c.owner = o.id \(name) ORDER BY t.x")
            let n: [String] = try connection.query("SELECT x FROM (SELECT name FROM cars WHERE price > 1) \(name) WHERE tags.x = 1")
            let n: [String] = try connection.query("WITH a AS (SELECT 1 FROM cars WHERE id > 1) \(name) SELECT name FROM picked")
            let n: [String] = try connection.query("SELECT (SELECT 1 FROM cars WHERE id > 1), \(name) FROM cars ORDER BY x")
            let n: [Int] = try connection.query("SELECT count(*) FROM '\(name)'")
            """#.cases
    )
    func aPartMayBeAnything(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    // MARK: Names in Swift

    @Test(
        arguments: #"""
            switch event { case .gone(let table): try connection.run("DELETE FROM \(table) WHERE size = 1") }
            switch event { case let .gone(table, count): try connection.run("DELETE FROM \(table) WHERE size = 1") }
            guard case .gone(let table) = event else { return }; try connection.run("DELETE FROM \(table) WHERE size = 1")
            if case let .gone(table) = event { try connection.run("DELETE FROM \(table) WHERE size = 1") }
            let f = { [table = name] in try connection.run("DELETE FROM \(table) WHERE size = 1") }
            do { try f() } catch { try connection.run("DELETE FROM \(error) WHERE size = 1") }
            """#.cases
    )
    func aPatternHidesAConstant(body: String) throws {
        let constants = "let table = \"cars\"; let error = \"cars\""
        try LintSources(LintTwins.program(body, constants)).expect([])
    }

    @Test func anInheritedPropertyHidesAConstant() throws {
        let declarations = """
            let table = "cars"
            class Base { let table: String }
            final class Own: Base {
                func clear(_ connection: Connection) throws {
                    try connection.run("DELETE FROM \\(table) WHERE size = 1")
                }
            }
            """
        try LintSources(LintTwins.program("", declarations)).expect([])
    }

    @Test(arguments: [
        "func f(_ old: SQLite.Connection) throws { try old.run(\"UPDATE cars SET size = 1\") }",
        "func f() throws { try sshConnection.execute(\"select all of them\") }",
        """
        extension Connection {
            struct Importer {
                func run(_ text: String) {}
                func start() { run("create it all now") }
            }
        }
        """,
        """
        enum Server {
            final class Connection { func run(_ text: String) {} }
            func f(_ connection: Connection) { connection.run("insert the coin") }
        }
        """,
    ])
    func anotherTypesMethodIsNotJudged(declarations: String) throws {
        try LintSources(LintTwins.program("", declarations)).expect([])
    }

    @Test(
        arguments: [
            "enum Server { final class Connection { func send() {} } }",
            "func each(_ actors: [Int]) { for actor in actors { print(actor) } }",
        ]
    )
    func anotherTypeHidesNoCall(declarations: String) throws {
        let body = "try database.write { c in try c.run(\"UPDATE cars SET ▸prize = 1\") }"
        let files = LintTwins.program(body, declarations)
        try LintSources(files).expect(["error: no such column: prize"])
    }

    // MARK: Rows

    @Test func anotherInitializerReadsAnotherRow() throws {
        let declarations = """
            struct Owner: ExpressibleByRow {
                let name: String
                init(row: CSVRow) throws { name = try row.get("Name of the owner") }
                init(row: Row) throws { name = try row.get("name") }
            }
            """
        let body = """
            let right: [Owner] = try connection.query("SELECT name FROM owners")
            let wrong: [Owner] = try connection.▸query("SELECT city FROM owners")
            """
        let text = "error: the result has no column name, which Owner.init(row:) reads"
        try LintSources(LintTwins.program(body, declarations)).expect([text])
    }

    @Test func aClosureMayAskWhichColumnsThereAre() throws {
        let body = """
            try connection.forEachRow("SELECT name FROM cars") { row in
                if row.hasColumn("price") { print(try row.get("price") as Int) }
            }
            """
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func aScriptWithStatementsAboutTheConnectionIsRead() throws {
        let body = """
            try connection.execute("BEGIN; UPDATE cars SET ▸prize = 1; COMMIT")
            """
        try LintSources(LintTwins.program(body)).expect(["error: no such column: prize"])
    }
}
