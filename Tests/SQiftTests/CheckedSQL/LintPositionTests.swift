import SQiftTestSupport
import Testing

/// A mistake is reported at its character in the source, however the text is written.
@Suite(.builtLint) struct LintPositionTests {
    @Test(
        arguments: ##"""
            try connection.run("UPDATE cars SET price = ▸prize")
            try connection.run(#"UPDATE cars SET price = ▸prize"#)
            try connection.run("UPDATE cars SET\tprice =\n▸prize")
            try connection.run("UPDATE cars SET name = 'ä€😀', price = ▸prize")
            try connection.run("UPDATE cars SET name = '\u{e4}\u{1F600}\"\\', price = ▸prize")
            try connection.run(#"UPDATE cars SET name = '\#u{e4}', price = ▸prize"#)
            try connection.run("UPDATE cars " + "SET price = ▸prize")
            try connection.run("UPDATE /* \u{e4} */ cars SET price = 1 WHERE ▸prize > 2")
            /* "a" /* b */ " */ try connection.run("UPDATE cars SET price = ▸prize") // "c
            """##.cases + [
                """
                try connection.run(
                    \"""
                    UPDATE cars
                      SET price = ▸prize
                    \"""
                )
                """,
                """
                try connection.run(
                    \"""
                        UPDATE cars \\
                        SET name = 'a \"" b', \\
                        price = ▸prize
                        \"""
                )
                """,
                """
                try connection.run(
                    ##\"""
                    UPDATE cars

                    SET name = '\\n', price = ▸prize
                    \"""##)
                """,
                """
                let change = "UPDATE cars SET price = ▸prize"
                try connection.run(change)
                """,
                """
                let change = "UPDATE cars SET price = ▸prize"
                try connection.run("\\(change) WHERE id = 1")
                """,
            ]
    )
    func aMistakeIsFoundAtItsCharacter(body: String) throws {
        let message = ["error: no such column: prize; did you mean price?"]
        try LintSources(LintTwins.program(body)).expect(message)
    }

    @Test func linesMayEndInAnyWay() throws {
        var files = LintTwins.program(
            """
            try connection.run(
                \"""
                UPDATE cars
                SET price = ▸prize
                \"""
            )
            """
        )
        files["Use.swift"] = files["Use.swift"]?.replacingOccurrences(of: "\n", with: "\r\n")
        try LintSources(files).expect(["error: no such column: prize"])
    }

    @Test func aConstantMayBeElsewhere() throws {
        var files = LintTwins.program("try connection.▸run(Statements.raise)")
        files["Statements.swift"] = """
            enum Statements {
                static let table = "cars"
                static let raise = "UPDATE \\(table) SET price = ▸prize"
            }
            """
        let text = "error: no such column: prize"
        try LintSources(files).expect([text, text])
    }

    @Test func aParameterHidesAConstant() throws {
        let body = """
            func change(_ column: String) throws {
                try connection.run("UPDATE cars SET \\(column) = 1")
            }
            """
        let declarations = "let column = \"prize\""
        try LintSources(LintTwins.program(body, declarations)).expect([])
    }

    /// What isn't a whole file is left alone, as the compiler says enough about it.
    @Test(arguments: ["}", ")", "\"\"\"", "/*", "\"SELECT", "#\"\"\"\n"])
    func aBrokenFileIsSkipped(end: String) throws {
        var files = LintTwins.program("try connection.run(\"UPDATE cars SET price = price\")")
        files["Broken.swift"] = """
            import SQift
            func wrong(_ connection: Connection) throws {
                try connection.run("UPDATE cars SET price = price")
            \(end)
            """
        let run = try LintSources(files).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(run.status == 0)
    }

    /// Such files are read in a time, and with a stack, that grow no faster than they do.
    @Test(arguments: [
        (text: "(", times: 1, end: "", reason: "brackets or quotes don't match"),
        (text: "[(", times: 128, end: "", reason: "brackets or quotes don't match"),
        (text: "[(", times: 129, end: "", reason: "brackets nest deeper than the compiler allows"),
        (text: ".run(", times: 50_000, end: ")", reason: "nest deeper than the compiler allows"),
        (text: #""\("#, times: 50_000, end: #")""#, reason: "nest deeper than the compiler allows"),
        (text: "/*", times: 200_000, end: "", reason: "brackets or quotes don't match"),
        (text: "/*", times: 200_000, end: "*/", reason: "no migrations are found"),
    ])
    func whatTheCompilerRefusesIsNotJudged(
        text: String,
        times: Int,
        end: String,
        reason: String
    ) throws {
        let nested = String(repeating: text, count: times) + String(repeating: end, count: times)
        var files = LintTwins.program(#"try connection.run("UPDATE lorries SET prize = 1")"#)
        files["Migrations.swift"] = "let nested = 1 + \(nested)"
        let run = try LintSources(files).expect([])
        #expect(run.summary.contains(reason), "\(run.summary)")
    }
}
