import SQift
import SQiftTestSupport
import Testing

/// Habits of programmers that hide nothing, and that nothing is said of.
@Suite(.builtLint) struct LintHabitTests {
    private func expectSilence(
        _ body: String,
        _ declarations: String = "",
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let run = try LintSources(LintTwins.program(body, declarations)).run()
        #expect(run.messages.isEmpty, "\(run.messages)", sourceLocation: location)
    }

    // MARK: Expected errors

    @Test(
        arguments: #"""
            _ = try? database.read { try $0.query("SELECT prize FROM cars") as [Int] }
            try? await database.write { try $0.run("UPDATE cars SET prize = 1") }
            try? connection.transaction { try connection.run("UPDATE cars SET prize = 1") }
            _ = try? values.map { try connection.run("UPDATE cars SET prize = ?", $0) }
            """#.cases
    )
    func aTryWithAQuestionMarkIsAboutAllThatItCalls(body: String) throws {
        try expectSilence(body)
    }

    @Test func aTestMayExpectATaskToFail() throws {
        let body = """
            let task = Task { try connection.run("UPDATE cars SET prize = 1") }
            await #expect(throws: (any Error).self) { try await task.value }
            """
        try expectSilence(body, "import Testing")
        let wrong = #"Task { try connection.run("UPDATE cars SET ▸prize = 1") }"#
        try LintSources(LintTwins.program(wrong)).expect(["error: no such column: prize"])
    }

    // MARK: Other libraries

    @Test(arguments: [
        (#"start(.run("delete it now"))"#, ""),
        (#"let steps: [Step] = [.query("insert coin to start"), .run("update it now")]"#, ""),
        (#"Step.execute("delete it now")"#, "enum Step { case execute(String) }"),
        (
            #"try connection.query("SELECT a FROM b FOR UPDATE", logger: logger)"#,
            "import PostgresNIO"
        ),
        (
            #"let c: Connection = connect(); c.run("update it now")"#,
            "final class Connection { func run(_ command: String) {} }"
        ),
    ])
    func whatIsNoCallOfSQiftIsNoSQL(body: String, declarations: String) throws {
        try expectSilence(body, declarations)
    }

    // MARK: Values and types

    @Test func aClosureThatIsCalledIsAValue() throws {
        try expectSilence(#"try connection.run("DELETE FROM cars WHERE id = ?", { 1 }())"#)
    }

    @Test func decodingMayBeChangedForAType() throws {
        let declarations = """
            struct Car: Decodable, ExpressibleByRow { var name: String; var tags: [String] }
            extension KeyedDecodingContainer {
                func decode(_ type: [String].Type, forKey key: Key) throws -> [String] { [] }
            }
            """
        try expectSilence(
            #"let cars: [Car] = try connection.query("SELECT name FROM cars")"#,
            declarations
        )
    }

    @Test func aCheckMaySayNotNullInOneWord() throws {
        let declarations = """
            let more = migrations + [Migration("3", sql: "CREATE TABLE tags(a TEXT CHECK(a NOTNULL))")]
            """
        try expectSilence(
            #"let tags: [String] = try connection.query("SELECT a FROM tags")"#,
            declarations
        )
    }

    /// Short names are near to many others, and the app's SQLite may have this function.
    @Test func aFunctionWithAShortNameIsNoError() throws {
        let body = #"let sums: [String] = try connection.query("SELECT md5(name) FROM cars")"#
        let run = try LintSources(LintTwins.program(body)).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
        let wrong = #"let count: Int = try connection.query("SELECT ▸cuont(*) FROM cars")"#
        try LintSources(LintTwins.program(wrong))
            .expect(["warning: no such function: cuont; did you mean count?"])
    }

    // MARK: Migrations

    @Test(arguments: [
        """
        if isNew { try $0.execute("CREATE TABLE tags(a)") } else { try $0.execute("CREATE TABLE tags(b)") }
        """,
        """
        switch kind {
        case .old: try $0.execute("CREATE TABLE tags(a)")
        case .new: try $0.execute("CREATE TABLE tags(b)")
        }
        """,
        """
        do { try $0.execute("ALTER TABLE cars ADD COLUMN name TEXT") } catch {}
        """,
        """
        #if DEBUG
            try $0.execute("CREATE TABLE tags(a)")
        #else
            try $0.execute("CREATE TABLE tags(b)")
        #endif
        """,
        """
        try $0.execute("ANALYZE; DELETE FROM sqlite_stat1 WHERE tbl = 'cars'")
        """,
    ])
    func aMigrationMayChooseWhatItDoes(content: String) throws {
        try expectSilence(
            "use(all)",
            "let all = migrations + [Migration(\"3\") {\n\(content)\n}]"
        )
    }

    @Test(arguments: [
        """
        final class OldTests: XCTestCase {
            let connection = make()
            override func setUpWithError() throws {
                try Migrator(connection: connection, migrations: all).run(upTo: "2-cars")
            }
            func testOld() throws { try connection.run("UPDATE cars SET price = 1") }
        }
        """,
        """
        func old() throws {
            let connection = try Connection()
            try Migrator(connection: connection, migrations: all.dropLast()).run()
            try connection.run("UPDATE cars SET price = 1")
        }
        """,
    ])
    func testsMayStopBetweenMigrations(test: String) throws {
        let declarations = """
            let all = migrations + [
                Migration("3", sql: "ALTER TABLE cars RENAME COLUMN price TO amount")
            ]
            \(test)
            """
        try expectSilence("use(all)", declarations)
    }

    /// What a function does with a migration's connection belongs to the migration: it isn't
    /// compared with what comes later, and it hides nothing.
    @Test(
        arguments: #"""
            Migration("3", body: fill)
            Migration("3") { try fill($0) }
            Migration("3") { connection in try fill(connection) }
            Migration("3") { try prepare(for: 1, on: $0) }
            """#.cases
    )
    func aFunctionMayDoTheWorkOfAMigration(migration: String) throws {
        let declarations = """
            let all = migrations + [
                \(migration), Migration("4", sql: "ALTER TABLE cars RENAME COLUMN price TO amount"),
            ]
            @Sendable func fill(_ connection: Connection) throws {
                try connection.run("UPDATE cars SET price = price * 100")
            }
            func prepare(for number: Int, on connection: Connection) throws { try fill(connection) }
            """
        let body = """
            try connection.run("UPDATE cars SET amount = 1")
            try connection.run("UPDATE cars SET ▸amuont = 1")
            """
        try LintSources(LintTwins.program(body, declarations))
            .expect(["error: no such column: amuont; did you mean amount?"])
    }

    @Test func aListMayBeComputed() throws {
        let declarations = """
            var more: [Migration] { [Migration("3", sql: "CREATE TABLE tags(name TEXT)")] }
            let all = migrations + more
            """
        let body = """
            try connection.run("UPDATE tags SET name = 'a'")
            try connection.run("UPDATE tags SET ▸nam = 'a'")
            """
        try LintSources(LintTwins.program(body, declarations))
            .expect(["error: no such column: nam"])
    }

    /// The table of the migrations may be another one there.
    @Test(arguments: [
        """
        func open(_ schema: String) throws -> Connection {
            let connection = try Connection()
            try connection.execute(schema)
            return connection
        }
        func go() throws { try open("CREATE TABLE cars(z)").run("INSERT INTO cars(z) VALUES(1)") }
        """,
        """
        func go() throws {
            let connection = try Connection()
            for sql in ["CREATE TABLE cars(z)"] { try connection.execute(sql) }
            try connection.run("INSERT INTO cars(z) VALUES(1)")
        }
        """,
    ])
    func anotherDatabaseMayHaveATableOfTheName(declarations: String) throws {
        try expectSilence("try go()", declarations)
    }

    // MARK: Schemas

    /// What the shell's `.schema` prints has the tables that SQLite and SQift make themselves.
    @Test func aSchemaMayHaveTheTablesOfSQLite() throws {
        let schema = """
            CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
            CREATE TABLE sqlite_sequence(name,seq);
            CREATE TABLE sqift_migrations(name TEXT NOT NULL UNIQUE);
            CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL);
            CREATE TABLE sqlite_stat1(tbl,idx,stat);
            """
        let use = """
            import SQift
            func use(_ connection: Connection) throws {
                try connection.run("UPDATE cars SET name = 'a'")
                try connection.run("UPDATE cars SET ▸nam = 'a'")
            }
            """
        try LintSources(["Schema.sql": schema, "Use.swift": use])
            .expect(["error: no such column: nam"])
    }

    @Test(.enabled(if: Capability.fts5, "FTS5 isn't there"))
    func aDatabaseIsASchemaWithItsVirtualTables() throws {
        let use = """
            import SQift
            func use(_ connection: Connection) throws {
                try connection.run("INSERT INTO notes(text) VALUES('a')")
                try connection.run("INSERT INTO notes(▸txt) VALUES('a')")
            }
            """
        let sources = try LintSources(["Use.swift": use])
        let connection = try Connection(path: sources.folder.path("app.sqlite"))
        let migration = Migration("1", sql: "CREATE VIRTUAL TABLE notes USING fts5(text)")
        _ = try Migrator(connection: connection, migrations: [migration]).run()
        try connection.close()
        try sources.expect(
            ["error: table notes has no column named txt"],
            ["--schema", sources.folder.path("app.sqlite")]
        )
    }

    @Test func aSchemaThatIsMissingIsNamed() throws {
        let use = """
            import SQift
            // sqift: schema missing.sql
            func use(_ connection: Connection) throws {}
            """
        let run = try LintSources(["Use.swift": use]).run()
        #expect(run.status == 1)
        #expect(run.otherLines.contains { $0.contains("missing.sql: error: ") })
    }

    @Test(.enabled(if: Capability.strictTables, "this SQLite has no strict tables"))
    func theOldestSQLiteIsAskedAboutMigrations() throws {
        let list = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(id INTEGER PRIMARY KEY▸) STRICT")
            ]
            """
        try LintSources(["Migrations.swift": list])
            .expect(["warning: STRICT needs SQLite 3.37"], ["--oldest", "3.36"])
        let run = try LintSources(["Migrations.swift": list]).run(["--oldest", "3.37"])
        #expect(run.messages.isEmpty)
    }

    // MARK: Tables that other code changes

    @Test(
        arguments: #"""
            try connection.rebuildTable("cars", columns: "color TEXT") { _, _ in }
            try connection.rebuildTable(name, columns: "color TEXT") { _, _ in }
            try exec("ALTER TABLE cars ADD COLUMN color REAL")
            try Statement(connection: connection, sql: "ALTER TABLE cars ADD color TEXT").run()
            for sql in ["ALTER TABLE cars ADD COLUMN color REAL"] { try connection.execute(sql) }
            try connection.execute("ALTER TABLE " + name + " ADD COLUMN color REAL")
            let sql = "ALTER TABLE " + name + " ADD COLUMN color REAL"; try exec(sql)
            try exec(["ALTER TABLE", name, "ADD COLUMN color"].joined(separator: " "))
            """#.cases
    )
    func aTableMayBeChangedOutsideOfTheMigrations(change: String) throws {
        let query = #"let colors: [String] = try connection.query("SELECT color FROM cars")"#
        try expectSilence("\(change)\n\(query)")
    }

    @Test func theClosureMayBeAFunction() throws {
        try expectSilence(
            #"let all: [String] = try connection.query("SELECT price FROM cars", body: title)"#,
            "func title(_ row: Row) -> String { \"\\(row[0] ?? 0)\" }"
        )
    }

    @Test func aFunctionThatFiltersRowsIsCheckedAsAnyOther() throws {
        let body = #"""
            let names: [String] = try connection.query("SELECT ▸naem FROM cars")
            print(names.filter { !$0.isEmpty }.prefix(3))
            """#
        try LintSources(LintTwins.program(body)).expect(["error: no such column: naem"])
    }

    @Test(arguments: ["(db: Connection) in", "(db) in", "db in"])
    func theConnectionOfAMigrationMayHaveItsType(parameter: String) throws {
        let declarations = """
            let more = migrations + [
                Migration("3") { \(parameter) try db.execute("CREATE TABLE tags(a)") }
            ]
            """
        let body = #"let tags: [Int] = try connection.query("SELECT ▸b FROM tags")"#
        try LintSources(LintTwins.program(body, declarations)).expect(["error: no such column: b"])
    }
}
