import SQiftTestSupport
import Testing

/// The comments `// sqift: unchecked` and `// sqift: schema FILE`.
@Suite(.builtLint) struct LintCommentTests {
    @Test(arguments: [
        #"try connection.run("DELETE FORM cars")  // sqift: unchecked"#,
        "// sqift: unchecked\ntry connection.run(\"DELETE FORM cars\")",
        "try connection.run(\n    \"DELETE FORM cars\"\n)  // sqift: unchecked",
        "// sqift: unchecked\nlet cars: [Int] =\n    try connection.query(\"SELECT prize FROM cars\")",
        "try connection.run(\"UPDATE cars SET price = 1 WHERE name = '\\(name)'\")  // sqift: unchecked",
        "// sqift: unchecked\n\n// As it was.\ntry connection.run(\"DELETE FORM cars\")",
        "// sqift: unchecked\nlet run: (\n    Int\n) throws -> Void = { _ in\n"
            + "    try connection.run(\"DELETE FORM cars\")\n}",
    ])
    func aCallCanBeLeftOut(body: String) throws {
        let run = try LintSources(LintTwins.program(body)).expect([])
        #expect(run.summary.contains("unchecked by a comment 1"), "\(run.summary)")
    }

    @Test func aFileCanBeLeftOut() throws {
        var files = LintTwins.program("")
        files["Old.swift"] = """
            // sqift: unchecked

            import Foundation
            import SQift

            func clear(_ connection: Connection) throws {
                try connection.run("DELETE FORM cars")
            }
            """
        let run = try LintSources(files).expect([])
        #expect(run.summary.contains("unchecked by a comment 1"), "\(run.summary)")
    }

    @Test func onlyThatCallIsLeftOut() throws {
        let body = """
            try connection.run("DELETE FORM cars")  // sqift: unchecked
            try connection.run("DELETE ▸FORM cars")
            // sqift: unchecked
            try connection.run("DELETE FORM cars")

            try connection.run("DELETE ▸FORM cars")
            """
        try LintSources(LintTwins.program(body))
            .expect(Array(repeating: "error: near \"FORM\"", count: 2))
    }

    @Test(arguments: [
        #"try connection.run("DELETE FROM cars")  ▸// sqift: unchecked"#,
        "▸// sqift: unchecked\nprint(1)",
        "try connection.run(\"DELETE FROM cars\")\n\n▸// sqift: unchecked\n",
    ])
    func aCommentThatIsNotNeededIsReported(body: String) throws {
        try LintSources(LintTwins.program(body)).expect(["warning: this comment isn't needed"])
    }

    @Test func aCommentAtWhatIsInDoubtMayBeNeeded() throws {
        let body = """
            try connection.execute("CREATE TABLE IF NOT EXISTS \\(name)(id INTEGER)")
            // sqift: unchecked
            try connection.run("UPDATE anything SET price = 1")
            """
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func aCommentMayEndTheFile() throws {
        let files = ["Use.swift": "import SQift\n▸// sqift: unchecked"]
        try LintSources(files).expect(["warning: this comment isn't needed"])
    }

    @Test(arguments: [
        "let text = \"// sqift: unchecked\"",
        "/* // sqift: unchecked */",
        "/// As `// sqift: unchecked` does.",
        "// This isn't sqift: unchecked",
    ])
    func otherTextIsNoComment(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func aMisspeltCommentIsReported() throws {
        let body = #"try connection.run("DELETE FROM cars")  ▸// sqift: uncheked"#
        try LintSources(LintTwins.program(body)).expect(["warning: sqift: schema FILE"])
    }

    // MARK: Schemas

    @Test func aFileCanHaveAnotherSchema() throws {
        var files = LintTwins.program(#"try connection.run("UPDATE cars SET price = 1")"#)
        files["Archive.sql"] = "CREATE TABLE old_cars(name, moment)"
        files["Archive.swift"] = """
            // sqift: schema Archive.sql
            import SQift

            func archive(_ connection: Connection) throws {
                try connection.run("UPDATE old_cars SET moment = 1")
                try connection.run("UPDATE old_cars SET ▸momnet = 1")
                try connection.run("UPDATE ▸cars SET price = 1")
            }
            """
        let run = try LintSources(files).run()
        #expect(run.messages.map(\.line) == [6, 7], "\(run.messages)")
        #expect(run.messages.first?.text == "no such column: momnet; did you mean moment?")
    }

    @Test func aDeclarationCanHaveAnotherSchema() throws {
        var files = LintTwins.program("")
        files["Archive/Archive.sql"] = "CREATE TABLE old_cars(name, moment)"
        files["Archive/Archive.swift"] = """
            import SQift

            struct Archive {
                // sqift: schema Archive.sql
                func archive(_ connection: Connection) throws {
                    try connection.run("UPDATE old_cars SET ▸momnet = 1")
                }

                func count(_ connection: Connection) throws {
                    try connection.run("UPDATE cars SET price = ▸prize")
                }
            }
            """
        try LintSources(files).expect([
            "error: no such column: momnet; did you mean moment?", "error: no such column: prize",
        ])
    }

    @Test func aSchemaThatIsNotThereIsReported() throws {
        var files = LintTwins.program("")
        files["Archive.swift"] = """
            // sqift: schema Archive.sql
            import SQift

            func archive(_ connection: Connection) throws {
                try connection.run("UPDATE old_cars SET moment = 1")
            }
            """
        let run = try LintSources(files).run()
        #expect(run.messages.count == 1 || run.status == 1, "\(run.messages) \(run.otherLines)")
    }
}
