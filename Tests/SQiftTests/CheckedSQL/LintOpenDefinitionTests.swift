import SQiftTestSupport
import Testing

/// Right programs whose views, triggers, indexes and references need what the check doesn't see.
@Suite(.builtLint) struct LintOpenDefinitionTests {
    private static let tables = """
        CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL, year INTEGER); \
        CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT NOT NULL)
        """

    /// A file with migrations after the first one, which makes the tables.
    private func program(_ migrations: String, _ code: String = "") -> [String: String] {
        [
            "App.swift": """
            import SQift
            let migrations = [
                Migration("1", sql: "\(Self.tables)"),
            \(migrations)
            ]
            \(code)
            """
        ]
    }

    // MARK: Steps that may not have run

    @Test(arguments: [
        """
        Migration("2") { connection in
            if try connection.tableExists("old") {
                try connection.run("ALTER TABLE cars RENAME COLUMN name TO title")
            }
        },
        Migration("3", sql: "CREATE VIEW titles AS SELECT title FROM cars"),
        """,
        """
        Migration("2") { connection in
            for column in ["phone", "email"] {
                try connection.run("ALTER TABLE cars ADD COLUMN \\(column) TEXT")
            }
        },
        Migration(
            "3",
            sql: "CREATE TRIGGER t AFTER UPDATE ON cars WHEN new.phone IS NULL BEGIN SELECT 1; END"
        ),
        """,
        """
        Migration("2", sql: "CREATE VIEW bodies AS SELECT body FROM notes"),
        Migration("3") { connection in
            if try connection.viewExists("bodies") { try connection.run("DROP VIEW bodies") }
            try connection.run("DROP TABLE notes")
        },
        """,
        """
        Migration("2", sql: "CREATE INDEX years ON cars(year)"),
        Migration("3") { connection in
            if try connection.tableExists("old") { try connection.run("DROP INDEX years") }
            try connection.run("CREATE INDEX years ON cars(year DESC)")
        },
        """,
    ])
    func aStepThatMayNotRunOpensWhatItNames(migrations: String) throws {
        try LintSources(program(migrations)).expect([])
    }

    @Test(arguments: ["if isNew { try addYear(connection) }", "try? addYear(connection)"])
    func aFunctionThatMayNotRunIsNoError(call: String) throws {
        let migrations = """
            Migration("2", sql: "ALTER TABLE notes ADD COLUMN year INTEGER"),
            Migration("3") { connection in \(call) },
            """
        let code = """
            func addYear(_ connection: Connection) throws {
                try connection.run("ALTER TABLE notes ADD COLUMN year INTEGER")
            }
            """
        try LintSources(program(migrations, code)).expect([])
        let certain = migrations.replacing(call, with: "try addYear(connection)")
        let run = try LintSources(program(certain, code)).run()
        #expect(run.errors.count == 1, "\(run.messages)")
    }

    // MARK: Indexes and triggers with computed names

    @Test(arguments: [
        (
            """
            Migration("2") { connection in
                for column in ["name", "year"] {
                    try connection.run("CREATE UNIQUE INDEX cars_\\(column) ON cars(\\(column))")
                }
            },
            Migration("3", sql: "DROP INDEX cars_year"),
            """,
            """
            "INSERT INTO cars(name) VALUES('x') ON CONFLICT(name) DO NOTHING"
            """
        ),
        (
            """
            Migration("2", sql: "CREATE VIEW names AS SELECT id, name FROM cars"),
            Migration("3") { connection in
                for event in ["INSERT", "DELETE"] {
                    let head = "CREATE TRIGGER t_\\(event) INSTEAD OF \\(event) ON names"
                    try connection.run("\\(head) BEGIN SELECT 1; END")
                }
            },
            """,
            "\"INSERT INTO names(name) VALUES('x')\""
        ),
        (
            """
            Migration(
                "2",
                sql: "CREATE TRIGGER cars_insert AFTER INSERT ON cars BEGIN DELETE FROM notes; END"
            ),
            Migration("3") { connection in
                for event in ["insert"] { try connection.run("DROP TRIGGER cars_\\(event)") }
                try connection.run("DROP TABLE notes")
            },
            """,
            "\"INSERT INTO cars(name) VALUES('x')\""
        ),
    ])
    func whatHasAComputedNameMayBeThere(migrations: String, sql: String) throws {
        let code = "func use(_ connection: Connection) throws { try connection.run(\(sql)) }"
        try LintSources(program(migrations, code)).expect([])
    }

    @Test func tablesWithComputedNamesLeaveTheOthersKnown() throws {
        let migrations = """
            Migration("2") { connection in
                for year in 2020...2026 {
                    try connection.run("CREATE TABLE sales_\\(year)(id INTEGER PRIMARY KEY)")
                }
            },
            """
        let code = """
            func use(_ connection: Connection) throws {
                try connection.run("DELETE FROM sales_2024")
                try connection.run("UPDATE cars SET ▸nme = 'x'")
                try connection.run("DELETE FROM ▸crs")
            }
            """
        try LintSources(program(migrations, code)).expect([
            "error: no such column: nme; did you mean name?",
            "error: no such table: crs; did you mean cars?",
        ])
    }

    // MARK: Other code

    @Test func otherCodeMayMakeWhatTheyNeed() throws {
        let migrations = """
            Migration(
                "2",
                sql: "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM search; END"
            ),
            Migration("3", sql: "CREATE TABLE pins(note INTEGER REFERENCES users)"),
            Migration("4", sql: "CREATE VIEW pinned AS SELECT body FROM notes WHERE pin = 1"),
            """
        let code = """
            func open(_ connection: Connection) throws {
                try connection.execute("CREATE TABLE users(id INTEGER); CREATE TABLE search(a)")
                try connection.run("ALTER TABLE notes ADD COLUMN pin INTEGER")
            }
            """
        try LintSources(program(migrations, code)).expect([])
    }

    @Test(arguments: ["generate_series(0, 30)", "split(cars.name)"])
    func aModuleMayComeWithTheApp(module: String) throws {
        let view = "CREATE VIEW all_values AS SELECT value FROM cars, \(module)"
        try LintSources(program("Migration(\"2\", sql: \"\(view)\"),")).expect([])
    }

    @Test func anotherPackagesListMayMakeTheParent() throws {
        let reference = "CREATE TABLE posts(author INTEGER REFERENCES users)"
        let migrations = "Migration(\"2\", sql: \"\(reference)\"),"
        let code = """
            import Accounts
            func open(_ connection: Connection) throws {
                try Migrator(connection: connection, migrations: Accounts.migrations).run()
            }
            """
        try LintSources(program(migrations, code)).expect([])
    }

    @Test func anAppendedMigrationThatIsComputedOpensTheList() throws {
        let code = """
            enum Feature {
                case tags
                var migration: Migration { Migration("9", sql: "ALTER TABLE cars ADD COLUMN tags") }
            }
            var all: [Migration] {
                var result = migrations
                result.append(Feature.tags.migration)
                return result
            }
            func use(_ connection: Connection) throws { try connection.run("UPDATE cars SET tags = 1") }
            """
        try LintSources(program("", code)).expect([])
    }

    @Test func aTestMayMakeATableWithoutItsParent() throws {
        let migrations = "Migration(\"2\", sql: \"CREATE TABLE b(p INTEGER REFERENCES nowhere)\"),"
        let files = program(migrations, "import Testing")
        try LintSources(files).expect([])
    }

    // MARK: Columns

    @Test(arguments: [
        "DELETE FROM cars; ALTER TABLE cars ADD COLUMN owner TEXT NOT NULL",
        "CREATE TABLE owners(id INTEGER); ALTER TABLE owners ADD COLUMN name TEXT NOT NULL",
        "ALTER TABLE cars ADD COLUMN owner TEXT CHECK(owner IS NOT NULL OR year > 0)",
    ])
    func aColumnThatNoRowNeedsIsRight(sql: String) throws {
        try LintSources(program("Migration(\"2\", sql: \"\(sql)\"),")).expect([])
    }

    @Test func aSchemaThatIsEditedIsNotKnown() throws {
        let sql = """
            PRAGMA writable_schema = ON; \
            UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT NOT NULL', 'name TEXT')
            """
        let code = """
            func use(_ connection: Connection) throws {
                try connection.run("INSERT INTO cars(year) VALUES(1)")
            }
            """
        try LintSources(program("Migration(\"2\", sql: \"\(sql)\"),", code)).expect([])
    }

    @Test func syntaxInAMigrationsClosureIsReported() throws {
        let migrations = """
            Migration("2") { connection in
                try connection.run("ALTER TABLE cars ▸ADDD COLUMN owner TEXT")
            },
            """
        try LintSources(program(migrations)).expect(["error: migration \"2\": near \"ADDD\""])
    }

    @Test func aTriggerOfAnyColumnIsCompiled() throws {
        let trigger = """
            ▸CREATE TRIGGER t AFTER UPDATE OF year ON cars BEGIN DELETE FROM notes WHERE bdy = 1; END
            """
        try LintSources(program("Migration(\"2\", sql: \"\(trigger)\"),"))
            .expect(["error: cars can't be used: no such column: bdy"])
    }
}
