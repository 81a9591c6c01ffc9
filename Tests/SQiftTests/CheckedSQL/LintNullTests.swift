import SQiftTestSupport
import Testing

/// NULL that is read as a type that isn't optional.
@Suite(
    .builtLint,
    .enabled(
        if: Capability.columnMetadata,
        "this SQLite doesn't say where a column comes from"
    )
)
struct LintNullTests {
    private static let types = """
        struct Car: Decodable, ExpressibleByRow {
            let name: String
            let modelYear: Int
            static let columnNamesAreSnakeCase = true
        }
        struct OldCar: Decodable, ExpressibleByRow {
            let name: String
            let modelYear: Int?
            static let columnNamesAreSnakeCase = true
        }
        """

    static let twins = [
        LintTwins(
            #"let years: [Int] = try connection.▸query("SELECT model_year FROM cars")"#,
            "warning: column model_year may be NULL, but Int isn't optional",
            #"let years: [Int?] = try connection.query("SELECT model_year FROM cars")"#
        ),
        LintTwins(
            #"let cities: [String] = try connection.▸query("SELECT city FROM owners")"#,
            "warning: column city may be NULL, but String isn't optional",
            #"let names: [String] = try connection.query("SELECT name FROM owners")"#
        ),
        LintTwins(
            #"let years: [Int] = try connection.▸query("SELECT model_year FROM cars WHERE price > 1")"#,
            "warning: column model_year may be NULL",
            #"""
            let years: [Int] = try connection.query(
                "SELECT model_year FROM cars WHERE model_year IS NOT NULL"
            )
            """#
        ),
        LintTwins(
            #"let all: [String: Int] = try connection.▸query("SELECT name, model_year FROM cars")"#,
            "warning: the value: column model_year may be NULL",
            #"let all: [String: Int?] = try connection.query("SELECT name, model_year FROM cars")"#
        ),
        LintTwins(
            #"let all = try connection.query("SELECT model_year FROM cars", as: ▸(Int).self)"#,
            "warning: column model_year may be NULL",
            #"let all = try connection.query("SELECT model_year FROM cars", as: Int?.self)"#
        ),
        LintTwins(
            #"let cars: [Car] = try connection.▸query("SELECT name, model_year FROM cars")"#,
            "warning: Car.modelYear: column model_year may be NULL, but Int isn't optional",
            #"let cars: [OldCar] = try connection.query("SELECT name, model_year FROM cars")"#
        ),
    ]

    @Test(arguments: twins) func aNullHasToBeAskedFor(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.types).expect()
    }

    @Test(arguments: twins) func theWarningsCanBeSwitchedOff(twins: LintTwins) throws {
        let body = twins.wrong.replacingOccurrences(of: LintSources.mark, with: "")
        try LintSources(LintTwins.program(body, Self.types)).expectClean(["--no-null"])
    }

    /// A key, a computed column, views, a CHECK, and conditions under other names.
    @Test(
        arguments: """
            SELECT code FROM codes
            SELECT big FROM codes
            SELECT title FROM titled
            SELECT titled.title FROM titled JOIN codes USING(code)
            SELECT kind FROM codes
            SELECT note FROM codes
            SELECT title AS t FROM codes WHERE t > 'a'
            SELECT t FROM (SELECT title AS t FROM codes) WHERE t NOTNULL
            WITH c(t) AS (SELECT title FROM codes) SELECT t FROM c WHERE t > 'a'
            SELECT title FROM codes NATURAL JOIN (SELECT 'a' AS title)
            SELECT value FROM feed
            """.cases
    )
    func whereNullDoesNotComeNothingIsSaid(sql: String) throws {
        var files = LintTwins.program(
            "let texts: [String] = try connection.query(\"\(sql)\")"
        )
        files["Migrations.swift"] = """
            import SQift
            let migrations = [
                Migration(
                    "1",
                    sql: \"\"\"
                        CREATE TABLE codes(
                            code TEXT PRIMARY KEY, title TEXT, big TEXT AS (upper(code)) STORED,
                            kind TEXT CHECK(kind IS NOT NULL), note TEXT CHECK(typeof(note) = 'text')
                        );
                        CREATE VIEW titled AS SELECT code, title FROM codes WHERE title NOTNULL;
                        CREATE VIEW feed(value) AS SELECT code FROM codes UNION ALL SELECT rowid FROM codes
                        \"\"\"
                )
            ]
            """
        try LintSources(files).expectClean()
    }

    @Test(
        arguments: #"""
            let years: [(Int?)] = try connection.query("SELECT model_year FROM cars")
            let all: [String: (Int?)] = try connection.query("SELECT name, model_year FROM cars")
            let all = try connection.query("SELECT model_year FROM cars", as: (Optional<Int>).self)
            let year: Int? = try connection.query("SELECT model_year FROM cars")
            let ids: [Int] = try connection.query("SELECT id FROM cars")
            let years: [Int] = try connection.query("SELECT ifnull(model_year, 0) FROM cars")
            let count: Int = try connection.query("SELECT count(model_year) FROM cars")
            let names: [String] = try connection.query("SELECT name FROM sqlite_schema")
            let one: Int = try connection.query("INSERT INTO cars(name, price, model_year) VALUES(?, 1, 2) RETURNING model_year", name)
            let years: [Int] = try connection.query("SELECT model_year FROM cars JOIN owners USING(id) WHERE cars.model_year > 3")
            """#.cases
    )
    func whatIsNoPlainColumnIsLeftAlone(body: String) throws {
        try LintSources(LintTwins.program(body)).expectClean()
    }
}
