import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What users of SQift 5.1 and of its neighbours did with SQLite's facilities.
struct RecipeTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func aFunctionStripsDiacritics() throws {
        try connection.addScalarFunction(
            named: "strip_unicode",
            argumentCount: 1,
            deterministic: true
        ) { _, values in
            guard values[0].isText else { return .null }
            return .text(values[0].text.folding(options: .diacriticInsensitive, locale: nil))
        }
        let stripped: [String] = try connection.query(
            "SELECT strip_unicode(column1) FROM (VALUES('å'), ('ć'), ('áč'))"
        )
        #expect(stripped == ["a", "c", "ac"])
        #expect(try connection.query("SELECT strip_unicode(1)") as String? == nil)
    }

    @Test func aNumericCollationSortsNumbersInTexts() throws {
        try connection.addCollation(named: "NUMERIC") { $0.compare($1, options: .numeric) }
        try connection.execute(
            """
            CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT COLLATE 'NUMERIC' NOT NULL);
            INSERT INTO texts(text) VALUES('string 21'), ('string 1'), ('string 02'), ('string 12'), ('string 11')
            """
        )
        #expect(
            try connection.query("SELECT text FROM texts ORDER BY text, id") == [
                "string 1", "string 02", "string 11", "string 12", "string 21",
            ]
        )
    }

    @Test func aDeterministicFunctionIndexesAnExpression() throws {
        try connection.addFunction(named: "initial", deterministic: true) { (name: String) in
            String(name.prefix(1))
        }
        try connection.execute(
            """
            CREATE TABLE people(name TEXT);
            CREATE INDEX initials ON people(initial(name));
            INSERT INTO people VALUES('Ada'), ('Grace'), ('Alan')
            """
        )
        let plan: [String] = try connection.query(
            "EXPLAIN QUERY PLAN SELECT name FROM people WHERE initial(name) = 'A'",
            body: { try $0.get("detail") }
        )
        #expect(plan.contains { $0.contains("initials") })
        #expect(try connection.query("SELECT count(*) FROM people WHERE initial(name) = 'A'") == 2)
    }

    @Test(arguments: [
        ("fts4(subject, body)", "ENABLE_FTS4"), ("fts5(subject, body)", "ENABLE_FTS5"),
    ])
    func aFullTextIndexFindsWhatIsInIt(module: String, option: String) throws {
        guard Connection.hasCompileOption(option) else { return }
        try connection.execute("CREATE VIRTUAL TABLE emails USING \(module)")
        try connection.run(
            "INSERT INTO emails VALUES(?, ?)",
            "Just Checking In",
            "I was thinking about you"
        )
        try connection.run(
            "INSERT INTO emails VALUES(?, ?)",
            "Hello",
            "This is a hello world message."
        )
        #expect(
            try connection.query("SELECT subject FROM emails WHERE emails MATCH ?", "hello") == [
                "Hello"
            ]
        )
        #expect(
            try connection.query(
                "SELECT count(*) FROM emails WHERE emails MATCH 'subject:thinking'"
            ) == 0
        )
        #expect(
            try connection.query("SELECT subject FROM emails WHERE emails MATCH 'thin*'") == [
                "Just Checking In"
            ]
        )
    }

    @Test func everyStatementIsLoggedInItsOrder() throws {
        var log: [String] = []
        connection.trace { log.append($0) }
        try connection.execute(
            "CREATE TABLE employees(id INTEGER PRIMARY KEY, name TEXT); PRAGMA user_version = 1"
        )
        try connection.transaction {
            try connection.run("INSERT INTO employees(name) VALUES(?)", "Bill Bowerman")
        }
        #expect(try connection.query("SELECT name FROM employees") == ["Bill Bowerman"])
        #expect(
            log == [
                "CREATE TABLE employees(id INTEGER PRIMARY KEY, name TEXT);",
                "PRAGMA user_version = 1",
                "BEGIN deferred", "INSERT INTO employees(name) VALUES('Bill Bowerman')", "COMMIT",
                "SELECT name FROM employees",
            ]
        )
    }

    @Test func likeKnowsASCIIOnly() throws {
        #expect(try connection.query("SELECT 'a' LIKE 'A'") == true)
        #expect(try connection.query("SELECT 'æ' LIKE 'Æ'") == false)
    }
}
