import SQiftTestSupport
import Testing

/// What SQLite's grammar refuses, with and without a schema, and how many statements a call takes.
@Suite(.builtLint) struct LintSyntaxTests {
    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.run("INSERT INTO cars(name ▸price) VALUES(?, ?)", name, 1)
            error: near "price": syntax error
            try connection.run("INSERT INTO cars(name, price) VALUES(?, ?)", name, 1)

            try connection.run("UPDATE cars SET price = 1 ▸WERE id = 2")
            error: near "WERE": syntax error
            try connection.run("UPDATE cars SET price = 1 WHERE id = 2")

            let one: Int = try connection.query("▸SELCET 1")
            error: near "SELCET": syntax error
            let one: Int = try connection.query("SELECT 1")

            try connection.run("▸cars")
            error: near "cars": syntax error
            try connection.run("DELETE FROM cars")

            try connection.run("UPDATE ▸order SET price = 1")
            error: near "order": syntax error
            try connection.run("UPDATE cars SET price = 1")

            try connection.run("DELETE FROM cars WHERE name = ▸'Audi")
            error: unrecognized token
            try connection.run("DELETE FROM cars WHERE name = 'Audi'")

            let text: String = try connection.query("SELECT 'it's▸'")
            error: unrecognized token
            let text: String = try connection.query("SELECT 'it''s'")
            """#
        )
    )
    func mistakesAreFoundWhereTheyAre(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(arguments: ["run", "query", "prepare", "forEachRow", "cursor"])
    func aSecondStatementIsFoundWhereItBegins(function: String) throws {
        let body = "try connection.\(function)(\"SELECT 1; ▸SELECT 2\")"
        try LintSources(LintTwins.program(body)).expect(["error: one statement"])
    }

    @Test(arguments: ["SELECT 1;", "SELECT 1 ; \\n ", "SELECT 1; -- the one", "/* a */ SELECT 1"])
    func whatFollowsAStatementMayBeBlank(sql: String) throws {
        let body = "let one: Int = try connection.query(\"\(sql)\")"
        try LintSources(LintTwins.program(body)).expectClean()
    }

    @Test func aScriptMayHaveAnyNumberOfStatements() throws {
        try LintTwins(
            #"""
            try connection.execute(
                """
                CREATE TABLE wheels(car INTEGER, size INTEGER);
                INSERT INTO wheels(car, ▸width) VALUES(1, 2);
                """
            )
            """#,
            "error: table wheels has no column named width",
            #"""
            try connection.execute(
                """
                CREATE TABLE wheels(car INTEGER, size INTEGER);
                INSERT INTO wheels(car, size) VALUES(1, 2);
                """
            )
            """#
        ).expect()
    }

    @Test(arguments: ["", " ", "-- nothing"])
    func aStatementIsNeeded(sql: String) throws {
        let run = try LintSources(LintTwins.program("try connection.run(\"\(sql)\")")).run()
        #expect(run.errors.count == 1)
        try LintSources(LintTwins.program("try connection.execute(\"\(sql)\")")).expect([])
    }

    /// The grammar is the same for every schema.
    @Test func aSchemaIsNotNeeded() throws {
        let source = """
            import SQift

            func use(_ connection: Connection) throws {
                try connection.run("DELETE FORM cars")
            }
            """
        let marked = source.replacingOccurrences(of: "FORM", with: "▸FORM")
        try LintSources(["Use.swift": marked]).expect(["error: near \"FORM\": syntax error"])
        let right = source.replacingOccurrences(of: "FORM", with: "FROM")
        try LintSources(["Use.swift": right]).expect([])
    }

    @Test func theFirstWordMayBeMisspelt() throws {
        try LintTwins(
            #"try connection.run("▸DELEET FROM cars WHERE id = ?", 1)"#,
            "error: near \"DELEET\": syntax error",
            #"try connection.run("DELETE FROM cars WHERE id = ?", 1)"#
        ).expect()
    }
}
