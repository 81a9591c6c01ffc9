import SQiftTestSupport
import Testing

/// What can't be known from the text is left alone.
@Suite(.builtLint) struct LintSilenceTests {
    /// Expects no message about a program, and a reason in its summary.
    private func expectSilence(_ files: [String: String], _ reason: String? = nil) throws {
        let run = try LintSources(files).expect([])
        if let reason {
            #expect(run.summary.contains(reason), "\(run.summary)")
        }
    }

    @Test func withoutASchemaNamesAreNotJudged() throws {
        var files = LintTwins.program(#"try connection.run("UPDATE lorries SET prize = 1")"#)
        files["Migrations.swift"] = nil
        try expectSilence(files, "no migrations are found")
    }

    @Test func aTableThatNobodyMakesGetsAWarningAtMost() throws {
        let files = LintTwins.program(#"try connection.run("UPDATE lorries SET prize = 1")"#)
        let run = try LintSources(files).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
    }

    /// Whoever comes first makes the table, and the other's statement does nothing.
    @Test func aTableThatMayExistMayHaveOtherColumns() throws {
        let body = """
            try connection.execute("CREATE TABLE IF NOT EXISTS boats(name TEXT, size INTEGER)")
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS boats(name TEXT); INSERT INTO boats(size) VALUES(1)"
            )
            """
        try expectSilence(LintTwins.program(body), "boats may have other columns")
    }

    @Test(
        arguments: #"""
            let text = "SELECT prize FROM cars"
            print("DELETE FORM cars")
            log.notice("SELECT prize FROM cars")
            let shell: Shell = make(); try shell.run("UPDATE cars SET prize = 1")
            let task: Task = make(); task.run("DELETE FORM cars")
            struct Shell { func run(_ text: String) {} }; Shell().run("DELETE FORM cars")
            let label = Label("SELECT prize FROM cars", encoding: name)
            let connection = shell(); try connection.execute("ls -l cars")
            """#.cases
    )
    func onlyCallsOfSQiftHoldSQL(body: String) throws {
        try expectSilence(LintTwins.program(body))
    }

    @Test func aCallIsNotTheConstantOfTheSameName() throws {
        var files = LintTwins.program(
            """
            func text(_ number: Int) -> String { "SELECT \\(number)" }
            let numbers: [Int] = try connection.query(text(1))
            """
        )
        files["Texts.swift"] = #"let text = "twenty bytes of text""#
        try expectSilence(files, "SQL that is put together at run time 1")
    }

    @Test func onlyFilesThatImportSQiftHoldSQL() throws {
        var files = LintTwins.program("")
        files["Other.swift"] = """
            import GRDB
            func use(_ connection: Connection) throws {
                try connection.execute("DELETE FORM cars")
            }
            """
        try expectSilence(files)
    }

    @Test(arguments: [
        "import SQift", "@preconcurrency public import SQift", "import struct SQift.Row",
    ])
    func importsHaveManyForms(line: String) throws {
        var files = LintTwins.program("")
        files["Other.swift"] = """
            import Foundation
            \(line)
            func use(_ connection: Connection) throws {
                try connection.run("DELETE ▸FORM cars")
            }
            """
        try LintSources(files).expect(["error: near \"FORM\": syntax error"])
    }

    @Test(
        arguments: #"""
            try connection.run("UPDATE cars SET \(column) = ? WHERE prize = 1", 1, 2, 3)
            try connection.run("DELETE FORM \(name)")
            for table in tables { try connection.execute("DROP TABEL \(table)") }
            """#.cases + [
                "let sql = \"DELETE FROM \\(name)\"\ntry connection.run(sql + \" WHER x\")"
            ]
    )
    func interpolatedStatementsGiveNoErrors(body: String) throws {
        try expectSilence(LintTwins.program(body), "checked 0 statements, 0 in part, 1 not")
    }

    @Test(
        arguments: #"""
            try connection.run(sql)
            func go(sql: String) throws { try connection.run(sql) }; let sql = "DELETE FORM cars"
            try connection.run(isNew ? "DELETE FROM cars" : sql)
            try connection.run(lines.joined(separator: "DELETE FORM cars"))
            try connection.run("DELETE FORM cars".lowercased())
            try connection.run("DELETE " + ("FORM " + "cars"))
            var sql = "DELETE FROM cars"; sql += " WHERE prize = 1"; try connection.run(sql)
            """#.cases
    )
    func textFromElsewhereIsNotKnown(body: String) throws {
        try expectSilence(LintTwins.program(body))
    }

    @Test(
        arguments: #"""
            try connection.attachDatabase(from: .onDisk(name), withName: "archive")
            try connection.run("ATTACH DATABASE ? AS archive", name)
            try connection.run("ATTACH DATABASE ? AS ?", name, "archive")
            """#.cases
    )
    func attachedDatabasesAreNotKnown(attachment: String) throws {
        let body = """
            \(attachment)
            try connection.run("INSERT INTO archive.lorries(prize) SELECT price FROM cars")
            let count: Int = try connection.query("SELECT count(wheels) FROM lorries")
            """
        try expectSilence(LintTwins.program(body), "an attached database")
    }

    /// A function isn't a method, and what an access hands to its closure is a connection.
    @Test func otherFunctionsOfTheNameHideNothing() throws {
        let body = "try database.write { db in try db.run(\"UPDATE cars SET price = ▸prize\") }"
        for declarations in ["func run() {}", "struct Job { func run(_ text: String) {} }"] {
            try LintSources(LintTwins.program(body, declarations))
                .expect(["error: no such column: prize"])
        }
    }

    @Test func attachedDatabasesHideNothingElse() throws {
        let body = """
            try connection.attachDatabase(from: .onDisk(name), withName: "archive")
            try connection.run("UPDATE cars SET price = ▸prize")
            """
        try LintSources(LintTwins.program(body)).expect(["error: no such column: prize"])
    }

    @Test(
        arguments: #"""
            try connection.execute("CREATE TABLE lorries(name, prize)")
            try connection.execute("CREATE TEMP TABLE lorries AS SELECT name, 1 AS prize FROM cars")
            try connection.execute("CREATE TABLE IF NOT EXISTS \"lorries\"(name, prize)")
            try connection.run("CREATE TEMPORARY VIEW lorries AS SELECT name, 1 AS prize FROM cars")
            """#.cases
    )
    func tablesThatAreMadeElsewhereAreNotKnown(definition: String) throws {
        let body = """
            \(definition)
            try connection.run("UPDATE lorries SET prize = 1 WHERE wheels = 2")
            """
        try expectSilence(LintTwins.program(body), "a table that is made elsewhere")
    }

    /// Functions that run what somebody else says.
    private static let helpers = """
        extension Connection {
            func exec(_ script: String) throws { try execute(script) }
            func copy(_ table: String, _ suffix: String) throws {
                try execute("CREATE TEMP TABLE \\(table)\\(suffix) AS SELECT * FROM \\(table)")
            }
            func query<T: QueryResult>(_ sql: String, tag: String) throws -> T { try query(sql, 1) }
            func run(_ sql: String, named: [String: any Bindable]) throws { try run(sql, named) }
        }
        struct Cache {
            let queue: ConnectionQueue
            func read(_ body: (Connection) throws -> Void) throws { try queue.execute(body) }
        }
        """

    @Test(
        arguments: #"""
            try connection.exec("CREATE TEMP TABLE card(prize)"); try connection.run("DELETE FROM card")
            try connection.copy("cars", "2"); try connection.run("DELETE FROM cars2 WHERE name = 'a'")
            try connection.exec("ATTACH ':memory:' AS old"); try connection.run("DELETE FROM old.car")
            let years: [Int] = try connection.query("SELECT price FROM cars WHERE id = ?", tag: "years")
            try connection.run("DELETE FROM cars WHERE id = :id", named: ["id": 1])
            try connection.run("DELETE FROM card WHERE id = :id", named: ["id": 1])
            let c: Cache = make(); try c.read { d in try d.run("DELETE FROM cars") }
            """#.cases
    )
    func ownHelpersDoWhatTheyLike(body: String) throws {
        let run = try LintSources(LintTwins.program(body, Self.helpers)).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
    }

    @Test func aCopyWithAComputedNameHidesNothingElse() throws {
        let body = """
            try connection.copy("cars", "2")
            try connection.run("UPDATE cars SET price = ▸prize")
            """
        try LintSources(LintTwins.program(body, Self.helpers)).expect([
            "error: no such column: prize"
        ])
    }

    @Test func aTableOfAnyNameMayBeChanged() throws {
        let body = """
            for table in tables { try connection.run("ALTER TABLE \\(table) ADD COLUMN prize") }
            try connection.run("UPDATE cars SET price = prize")
            """
        try expectSilence(LintTwins.program(body), "a table may have other columns")
    }

    /// Several modules bring their own tables, and a program runs them all.
    @Test func listsMayBePutTogetherAtRunTime() throws {
        let files = [
            "Cars.swift": """
            import SQift
            enum Cars {
                static let migrations = [Migration("1", sql: "CREATE TABLE cars(owner NOT NULL)")]
                static func owners(_ connection: Connection) throws {
                    try connection.run("DELETE FROM owners WHERE id NOT IN (SELECT owner FROM cars)")
                    try connection.run("UPDATE cars SET ▸ower = 1")
                }
            }
            """,
            "Owners.swift": """
            import SQift
            enum Owners {
                static let migrations = [Migration("2", sql: "CREATE TABLE owners(id)")]
            }
            """,
            "Use.swift": """
            import SQift
            let modules: [any Module.Type] = [Cars.self, Owners.self]
            let all = modules.flatMap { $0.migrations }
            """,
        ]
        try LintSources(files).expect(["error: no such column: ower; did you mean owner?"])
    }

    @Test func aListOfWhichAPartIsNotKnownIsNotTheWholeSchema() throws {
        var files = LintTwins.program(#"try connection.run("UPDATE cars SET price = 1")"#)
        files["Migrations.swift"] = """
            import SQift
            #if DEBUG
            let extra = [Migration("2", sql: "CREATE TABLE lines(x)")]
            #else
            let extra = [Migration("2", sql: "CREATE TABLE lines(x, y)")]
            #endif
            let all: [Migration] = [Migration("1", sql: "CREATE TABLE cars(price)")] + extra
            """
        try expectSilence(files, "migrations that aren't known")
    }

    @Test func computedChangesOpenTheTableThatTheyTouch() throws {
        let list = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(x); CREATE TABLE owners(x)"),
                Migration("2") { connection in
                    for column in ["a", "b"] {
                        try connection.run("ALTER TABLE cars ADD COLUMN \\(column)")
                    }
                },
            ]
            """
        var files = LintTwins.program(
            """
            try connection.run("UPDATE cars SET a = b")
            try connection.run("UPDATE owners SET ▸a = x")
            """
        )
        files["Migrations.swift"] = list
        try LintSources(files).expect(["error: no such column: a"])
    }

    @Test(
        arguments: #"""
            for name in names { try connection.execute("CREATE TABLE \(name)(x)") }
            try connection.execute(script)
            try makeTables(connection)
            """#.cases
    )
    func computedTablesOpenTheSchema(step: String) throws {
        var files = LintTwins.program(#"try connection.run("UPDATE lorries SET prize = 1")"#)
        files["Migrations.swift"] = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(x)"),
                Migration("2") { connection in
                    \(step)
                },
            ]
            """
        try expectSilence(files)
    }

    @Test(
        arguments: #"""
            try connection.addFunction(named: "cents") { (price: Int) in price * 100 }
            try connection.addScalarFunction(named: "cents", argumentCount: 1) { $1 }
            try connection.addAggregateFunction(named: "CENTS", Sum.self)
            try connection.addFunction(named: functionName) { (price: Int) in price }
            try connection.loadExtension(at: name)
            """#.cases
    )
    func functionsThatAreRegisteredAreKnown(registration: String) throws {
        let body = """
            \(registration)
            let sums: [Int] = try connection.query("SELECT cents(price) FROM cars")
            """
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func otherFunctionsAreStillUnknown() throws {
        let body = """
            try connection.addFunction(named: "cents") { (price: Int) in price * 100 }
            let sums: [Int] = try connection.query("SELECT ▸cent(price) FROM cars")
            """
        try LintSources(LintTwins.program(body)).expect(["warning: no such function: cent"])
    }

    @Test func anAggregateFunctionIsNoScalarOne() throws {
        let body = """
            try connection.addAggregateFunction(named: "cents", Sum.self)
            let sums: [Int] = try connection.query("SELECT cents(price) FROM cars WHERE price > 1")
            let more: [Int] = try connection.query("SELECT cents(price) OVER () FROM cars")
            """
        try LintSources(LintTwins.program(body)).expectClean()
    }

    @Test func collationsThatAreRegisteredAreKnown() throws {
        let body = """
            try connection.addCollation(named: "german") { $0.compare($1) }
            let names: [String] = try connection.query(
                "SELECT name FROM cars ORDER BY name COLLATE GERMAN"
            )
            """
        try LintSources(LintTwins.program(body)).expectClean()
    }

    @Test(
        arguments: #"""
            let n: [String] = try connection.query("SELECT name FROM sqlite_schema WHERE rootpage > 0")
            let n: [String] = try connection.query("SELECT tbl_name FROM sqlite_master")
            let n: Int? = try connection.query("SELECT seq FROM sqlite_sequence WHERE name = 'cars'")
            let n: [String] = try connection.query("SELECT name FROM sqift_migrations")
            let n: Int? = try connection.query("SELECT max(version) FROM schema_migrations")
            let n: [String] = try connection.query("SELECT name FROM temp.sqlite_schema")
            let n: [Int?] = try connection.query("SELECT nEq FROM sqlite_stat4")
            """#.cases
    )
    func tablesOfSQLiteAndOfSQiftExist(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test(
        arguments: [
            "PRAGMA synchronous = OFF", "PRAGMA journal_mode = wal", "PRAGMA foreign_keys = ON",
            "VACUUM", "ANALYZE", "REINDEX", "BEGIN IMMEDIATE", "COMMIT", "DETACH DATABASE archive",
            "PRAGMA cars.nonsense(1)", "SAVEPOINT a", "ROLLBACK TO a",
        ]
    )
    func statementsAboutTheConnectionAreNotRun(sql: String) throws {
        let body = "try connection.execute(\"\(sql)\"); try connection.run(\"\(sql)\")"
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func aPragmaInAScriptIsNotJudged() throws {
        let body = #"try connection.execute("DELETE FROM cars; PRAGMA synchronous = OFF")"#
        try expectSilence(LintTwins.program(body), "statements about the connection")
    }

    @Test func moduleThatThisSQLiteLacks() throws {
        var files = LintTwins.program(
            #"try connection.run("DELETE FROM spellings WHERE word = 'a'")"#
        )
        files["Migrations.swift"] = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE VIRTUAL TABLE spellings USING spellfix1000")
            ]
            """
        let run = try LintSources(files).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
    }
}
