import SQiftTestSupport
import Testing

/// What isn't known is in doubt, with a reason and a place, and nothing else is.
@Suite(.builtLint) struct LintDoubtTests {
    /// The statements, and migrations whose second one is a closure with these lines.
    private func program(_ body: String, after lines: String) -> [String: String] {
        var files = LintTwins.program(body)
        files["Migrations.swift"] = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(name TEXT); CREATE TABLE owners(name TEXT)"),
                Migration("2") { connection in
            \(lines)
                },
            ]
            """
        return files
    }

    // MARK: Migrations step by step

    @Test(
        arguments: #"""
            _ = try? connection.run("ALTER TABLE cars ADD COLUMN name TEXT")
            do { try connection.run("DROP TABLE lorries") } catch {}
            if isOld { try connection.run("CREATE TABLE cars(colour)") }
            guard isOld else { return }; try connection.run("DROP TABLE lorries")
            """#.cases
    )
    func aStepThatMayFailIsNoError(step: String) throws {
        let body = "try connection.run(\"UPDATE owners SET ▸nmae = 'x'\")"
        try LintSources(program(body, after: step)).expect(["error: no such column: nmae"])
    }

    @Test func aStepThatAlwaysRunsFails() throws {
        let step = "try connection.run(\"ALTER TABLE cars ADD COLUMN ▸name TEXT\")"
        try LintSources(program("", after: step)).expect([
            "error: migration \"2\": duplicate column"
        ])
    }

    @Test func aConditionPutsOnlyItsOwnStepInDoubt() throws {
        let steps = """
            if try !connection.tableExists("old") { try connection.run("CREATE TABLE old(a)") }
            try connection.run("CREATE INDEX i ON ▸crs(name)")
            """
        let body = "try connection.run(\"UPDATE cars SET ▸nmae = 'x'\")"
        try LintSources(program(body, after: steps)).expect([
            "error: migration \"2\": no such table: main.crs", "error: no such column: nmae",
        ])
    }

    @Test func aScriptIsReadToItsEnd() throws {
        let script = """
            try connection.execute(
                "UPDATE cars SET name = 'x'; DELETE FROM owners ▸WHREE name = 'y'"
            )
            """
        let run = try LintSources(program("", after: script)).run()
        #expect(run.errors.map(\.text).allSatisfy { $0.contains("near \"WHREE\"") })
        #expect(run.errors.count == 1, "\(run.errors)")
    }

    /// A definition may be right as it stands, and be refused when it runs.
    @Test func aDefinitionThatFailsWhenItRunsIsReported() throws {
        let steps = """
            try connection.execute(
                "CREATE VIEW v AS SELECT nmae FROM cars; ALTER TABLE cars RENAME TO trucks; SELECT 1"
            )
            """
        let run = try LintSources(program("", after: steps)).run()
        #expect(
            run.errors.map(\.text) == ["migration \"2\": error in view v: no such column: nmae"]
        )
    }

    @Test func theBodyOfATriggerThatFailsIsNoStatement() throws {
        let steps = """
            try connection.execute(
                \"\"\"
                CREATE TRIGGER t AFTER INSERT ON crs BEGIN
                    UPDATE owners SET name = new.name;
                    DELETE FROM owners WHERE name = CASE new.name WHEN 1 THEN 2 END;
                END;
                CREATE INDEX i ON owners(name)
                \"\"\"
            )
            """
        let run = try LintSources(program("", after: steps)).run()
        let text = "migration \"2\": no such table: main.crs; did you mean cars?"
        #expect(run.errors.map(\.text) == [text])
    }

    // MARK: Tables that other code changes

    @Test func aTableOfAnotherDatabaseIsAnotherTable() throws {
        let body = """
            try connection.attachDatabase(from: .onDisk(name), withName: "archive")
            try connection.run("CREATE TABLE IF NOT EXISTS archive.cars(id, colour)")
            try connection.run("ALTER TABLE archive.cars ADD COLUMN weight")
            try connection.run("INSERT INTO archive.cars(colour, weight) VALUES(1, 2)")
            try connection.run("UPDATE cars SET ▸colour = 1")
            """
        try LintSources(LintTwins.program(body)).expect(["error: no such column: colour"])
    }

    @Test(
        arguments: #"""
            ALTER TABLE cars ADD COLUMN colour TEXT
            CREATE TABLE IF NOT EXISTS cars(id INTEGER PRIMARY KEY, colour TEXT)
            ALTER TABLE cars RENAME COLUMN price TO colour
            """#.cases
    )
    func constantChangesAddWhatMayBeThere(change: String) throws {
        let body = """
            try connection.run("\(change)")
            try connection.run("UPDATE cars SET colour = 'red', price = 1")
            try connection.run("UPDATE cars SET ▸color = 'red'")
            """
        try LintSources(LintTwins.program(body)).expect(["error: no such column: color"])
    }

    @Test func anAddedColumnLeavesTheOthersTypes() throws {
        let body = """
            try connection.run("ALTER TABLE cars ADD COLUMN colour TEXT")
            let names: [Int] = try connection.▸query("SELECT name FROM cars")
            """
        let run = try LintSources(LintTwins.program(body)).run()
        let isFound = run.errors.contains { $0.text.contains("column name is TEXT") }
        #expect(isFound == Capability.columnMetadata, "\(run.messages)")
    }

    @Test func whatNeedsNoColumnsIsReportedOfAnOpenTable() throws {
        let body = """
            for n in [name] { try connection.run("ALTER TABLE cars ADD COLUMN \\(n) TEXT") }
            try connection.run("UPDATE cars SET anything = 1")
            try connection.run("DELETE FROM cars WHERE ▸count(*) > 1")
            try connection.run("INSERT INTO cars(name, price) ▸VALUES(1, 2, 3)")
            """
        let run = try LintSources(LintTwins.program(body)).run()
        #expect(
            run.errors.map(\.text) == [
                "misuse of aggregate function count()", "3 values for 2 columns",
            ]
        )
    }

    @Test func aSchemaFileClosesWhatItDeclares() throws {
        let body = """
            for n in [name] { try connection.run("ALTER TABLE cars ADD COLUMN \\(n) TEXT") }
            try connection.run("UPDATE cars SET ▸colour = 1")
            """
        var files = LintTwins.program(body)
        files["Schema.sql"] = "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT)"
        try LintSources(files).expect(["error: no such column: colour"])
    }

    // MARK: What is told of doubts

    @Test func theListTellsWhereADoubtComesFrom() throws {
        let body = """
            for n in [name] { try connection.run("ALTER TABLE cars ADD COLUMN \\(n) TEXT") }
            try connection.run("UPDATE cars SET anything = 1")
            try connection.run("UPDATE owners SET name = 'x'")
            try connection.run(name.lowercased())
            """
        let run = try LintSources(LintTwins.program(body)).run(["--list"])
        #expect(
            run.messages.map(\.text) == [
                "run: not checked: SQL with interpolations",
                "run: checked in part: cars may have other columns: ALTER TABLE at Use.swift:8",
                "run: checked",
                "run: not checked: SQL that is put together at run time",
            ]
        )
        #expect(run.summary.hasPrefix("checked 1 statement, 1 in part, 2 not ("))
        #expect(run.summary.contains("cars may have other columns 1"))
    }
}
