import SQiftTestSupport
import Testing

/// Migrations, statements and values are understood in the forms that programs write them in.
@Suite(.builtLint) struct LintFormTests {
    /// Expects that a list of migrations is known whole: one column is there, and another isn't.
    private func expectKnown(_ migrations: String) throws {
        let body = """
            try connection.run("UPDATE lorries SET wheels = 6")
            try connection.run("UPDATE lorries SET ▸weels = 6")
            """
        var files = LintTwins.program(body)
        files["Migrations.swift"] = "import SQift\n\(migrations)"
        try LintSources(files).expect(["error: no such column: weels; did you mean wheels?"])
    }

    @Test(arguments: [
        """
        let all: [Migration] = [.first, .second]
        extension Migration {
            static let first = Migration("1", sql: "CREATE TABLE lorries(id)")
            static let second = Migration("2", sql: "ALTER TABLE lorries ADD COLUMN wheels")
        }
        """,
        """
        let all: [Migration] = [
            .init("1", sql: "CREATE TABLE lorries(id)"),
            .init("2", sql: "ALTER TABLE lorries ADD COLUMN wheels"),
        ]
        """,
        """
        func first() -> Migration { Migration("1", sql: "CREATE TABLE lorries(id)") }
        func second() -> Migration {
            return Migration("2", sql: "ALTER TABLE lorries ADD COLUMN wheels")
        }
        let all = [first(), second()]
        """,
        """
        func all() -> [Migration] {
            var list = [Migration("1", sql: "CREATE TABLE lorries(id)")]
            list.append(Migration("2", sql: "ALTER TABLE lorries ADD COLUMN wheels"))
            return list
        }
        """,
        """
        let all = [
            ("1", "CREATE TABLE lorries(id)"), ("2", "ALTER TABLE lorries ADD COLUMN wheels"),
        ].map { Migration($0, sql: $1) }
        """,
        """
        let all = [("1", "CREATE TABLE lorries(id, wheels)")].map { Migration($0.0, sql: $0.1) }
        """,
        """
        let all = [(name: "1", text: "CREATE TABLE lorries(id, wheels)")]
            .map { name, text in Migration(name, sql: text) }
        """,
        """
        let all = ["CREATE TABLE lorries(id, wheels)"].map { text in Migration("1", sql: text) }
        """,
    ])
    func migrationsAreWrittenInManyWays(migrations: String) throws {
        try expectKnown(migrations)
    }

    @Test func aSchemaFileOfAUsedTargetCounts() throws {
        let sources = try LintSources([
            "Core/Schema.sql": "CREATE TABLE cars(name TEXT);",
            "Core/Core.swift": "import SQift\n",
            "App/App.swift": """
            import SQift
            func f(_ connection: Connection) throws {
                try connection.run("UPDATE cars SET nmae = 1")
            }
            """,
        ])
        let run = try LintRun(["--uses", "Core", "App"], in: sources.folder.url)
        #expect(run.errors.map(\.text) == ["no such column: nmae; did you mean name?"])
    }

    // MARK: Swift

    @Test func aSubclassMayReplaceAConstant() throws {
        let declarations = """
            class Table {
                class var name: String { "nothing" }
                func clear(_ connection: Connection) throws {
                    try connection.run("DELETE FROM \\(Self.name)")
                }
            }
            final class Cars: Table { override class var name: String { "cars" } }
            """
        try LintSources(LintTwins.program("", declarations)).expect([])
    }

    @Test func aLineMayGoOnAfterABackslash() throws {
        let body = #"""
            try connection.run("""
                UPDATE cars \
                  SET price = 1\
                 WHERE name = 'x'
                """)
            try connection.run("""
                UPDATE cars \
                    SET ▸prize = 1
                """)
            """#
        try LintSources(LintTwins.program(body)).expect(["error: no such column: prize"])
    }

    @Test func aDefaultAfterTwoQuestionMarksIsNoResultType() throws {
        let body = """
            let year: Int = try connection.query("SELECT model_year FROM cars") ?? 0
            let text: String? = try connection.query("SELECT name FROM cars")
            """
        try LintSources(LintTwins.program(body)).expectClean()
    }

    @Test func regularExpressionsAndFirstLinesOfScripts() throws {
        var files = LintTwins.program(
            ##"let parts = name.split(separator: #/["(]+/#); try connection.run("DELETE ▸FORM cars")"##
        )
        files["Script.swift"] = """
            #!/usr/bin/env swift -e "(
            import SQift
            func f(_ connection: Connection) throws {
                try connection.run("DELETE ▸FORM cars")
            }
            """
        let text = "error: near \"FORM\": syntax error"
        try LintSources(files).expect([text, text])
    }

    @Test(
        .enabled(if: Capability.columnMetadata, "this SQLite doesn't say where a column comes from")
    )
    func aPropertyThatIsAssignedGivesTheType() throws {
        let declarations = """
            final class Model {
                var days: [Int] = []
                var names: [String] = []
                func load(_ connection: Connection) throws {
                    names = try connection.query("SELECT name FROM cars")
                    days = try connection.▸query("SELECT name FROM cars")
                    self.days = try connection.▸query("SELECT name FROM cars")
                }
            }
            """
        let text = "error: the result: column name is TEXT, which can't be read as Int"
        try LintSources(LintTwins.program("", declarations)).expect([text, text])
    }

    @Test(
        arguments: #"""
            try connection.run(name.isEmpty ? "DELETE FROM cars" : "DELETE FROM cars WHERE ▸prize = 1")
            try connection.run((name.isEmpty ? "UPDATE cars SET ▸prize = 1" : "DELETE FROM cars"))
            let sql: String; if name.isEmpty { sql = "DELETE FROM cars" } else { sql = "UPDATE cars SET ▸prize = 1" }; try connection.run(sql)
            """#.cases
    )
    func eachStatementThatMayRunIsChecked(body: String) throws {
        let run = try LintSources(LintTwins.program(body)).run()
        #expect(run.errors.map(\.text) == ["no such column: prize; did you mean price?"])
        #expect(run.summary == "checked 2 statements")
    }

    // MARK: Values

    @Test(
        arguments: #"""
            try connection.▸run("UPDATE cars SET name = ?, price = ?", UUID().uuidString)
            try connection.▸run("UPDATE cars SET name = ?, price = ?", connection.lastInsertRowID)
            try connection.▸run("UPDATE cars SET name = ?, price = ?", ArrayBinding(elements: values))
            try connection.▸run("UPDATE cars SET name = ?, price = ?", Date())
            try connection.▸run("UPDATE cars SET name = ?, price = ?", nil)
            try connection.▸run("UPDATE cars SET name = ?, price = ?", true)
            try connection.▸run("UPDATE cars SET name = ?, price = ?", -1)
            let list = ["x"]; try connection.▸run("UPDATE cars SET name = ?, price = ?", list)
            struct Car { let id: Int }; let car = Car(id: 1); try connection.▸run("UPDATE cars SET name = ?, price = ?", car.id)
            """#.cases
    )
    func oneValueIsOneValue(body: String) throws {
        let text = "error: the statement has 2 parameters, but got 1 value"
        try LintSources(LintTwins.program(body)).expect([text])
    }

    @Test(
        arguments: #"""
            try connection.run("UPDATE cars SET name = ?, price = ?", values)
            try connection.run("UPDATE cars SET name = ?, price = ?", ["x", 1])
            struct Car { let both: [any Bindable] }; let car = Car(both: []); try connection.run("UPDATE cars SET name = ?, price = ?", car.both)
            try connection.run("UPDATE cars SET name = ?", UUID().uuidString)
            let list: [any Bindable] = ["x", 1]; try connection.run("UPDATE cars SET name = ?, price = ?", list)
            let list = ["x"] + values; try connection.run("UPDATE cars SET name = ?, price = ?", list)
            var list = ["x"]; list.append("y"); try connection.run("UPDATE cars SET name = ?, price = ?", list)
            let bytes: [UInt8] = [1, 2]; try connection.run("UPDATE cars SET name = ?", bytes)
            let binding: ArrayBinding = [1, 2]; try connection.run("UPDATE cars SET name = ?", binding)
            let named = ["name": "x"]; try connection.run("UPDATE cars SET name = :name", named)
            """#.cases
    )
    func aListIsManyValues(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func aConstantDictionaryHasItsNames() throws {
        let body = """
            let named = [▸"nmae": name]
            try connection.▸▸run("UPDATE cars SET name = :name", named)
            """
        let run = try LintSources(LintTwins.program(body)).run()
        #expect(Set(run.errors.map(\.text)).count == 2, "\(run.messages)")
    }
}
