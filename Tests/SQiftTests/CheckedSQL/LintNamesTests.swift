import SQiftTestSupport
import Testing

/// Names that the schema doesn't have, and the names that were probably meant.
@Suite(.builtLint) struct LintNamesTests {
    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.run("UPDATE cars SET price = ▸prize + 1")
            error: no such column: prize; did you mean price?
            try connection.run("UPDATE cars SET price = price + 1")

            let sum: Int? = try connection.query("SELECT sum(▸cars.prise) FROM cars")
            error: no such column: cars.prise; did you mean price?
            let sum: Int? = try connection.query("SELECT sum(cars.price) FROM cars")

            try connection.run("INSERT INTO cars(▸naame, price) VALUES(?, ?)", name, 1)
            error: table cars has no column named naame; did you mean name?
            try connection.run("INSERT INTO cars(name, price) VALUES(?, ?)", name, 1)

            let count: Int = try connection.query("SELECT count(*) FROM ▸cras")
            error: no such table: cras; did you mean cars?
            let count: Int = try connection.query("SELECT count(*) FROM CARS")

            let longest: Int? = try connection.query("SELECT max(▸lenght(name)) FROM cars")
            warning: no such function: lenght; did you mean length?
            let longest: Int? = try connection.query("SELECT max(length(name)) FROM cars")

            let texts: [String] = try connection.query("SELECT ▸substr(name) FROM cars")
            error: wrong number of arguments to function substr()
            let texts: [String] = try connection.query("SELECT substr(name, 2) FROM cars")

            try connection.run("DELETE FROM cars WHERE ▸c.price > 1")
            error: no such column: c.price
            try connection.run("DELETE FROM cars AS c WHERE c.price > 1")
            """#
        ) + [
            LintTwins(
                #"""
                let names: [String] = try connection.query(
                    "SELECT ▸name FROM cars JOIN owners ON owners.id = cars.owner"
                )
                """#,
                "error: ambiguous column name: name",
                #"""
                let names: [String] = try connection.query(
                    "SELECT cars.name FROM cars JOIN owners ON owners.id = cars.owner"
                )
                """#
            )
        ]
    )
    func namesAreTakenFromTheSchema(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test func aCollationHasToExist() throws {
        let body = """
            let names: [String] = try connection.query(
                "SELECT name FROM cars ORDER BY name COLLATE NOCASE"
            )
            """
        let wrong = body.replacingOccurrences(of: "NOCASE", with: "NOCASEE")
        let run = try LintSources(LintTwins.program(wrong)).run()
        let text = "no such collation sequence: NOCASEE; did you mean NOCASE?"
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(run.warnings.map(\.text) == [text])
        try LintSources(LintTwins.program(body)).expectClean()
    }

    @Test(
        arguments: #"""
            let names: [String] = try connection.query("SELECT name FROM cars WHERE name REGEXP 'x'")
            let n: [Int] = try connection.query("SELECT value FROM generate_sequence(1, 9)")
            let names: [String] = try connection.query("SELECT unaccented(name) FROM cars")
            """#.cases
    )
    func whatMayComeWithTheAppIsANote(body: String) throws {
        let run = try LintSources(LintTwins.program(body)).run()
        #expect(run.messages.map(\.severity) == [.note], "\(run.messages)")
        #expect(run.messages.first?.text.contains("did you mean") == false)
    }

    @Test func whatIsNearNothingGetsNoGuess() throws {
        let run = try LintSources(
            LintTwins.program(#"try connection.run("UPDATE cars SET price = ▸wheels")"#)
        ).expect(["error: no such column: wheels"])
        #expect(run.errors.first?.text.contains("mean") == false)
    }

    @Test(arguments: [
        "SELECT id, rowid, oid, _rowid_ FROM cars",
        "WITH dear AS (SELECT name, price FROM cars WHERE price > 9) SELECT name FROM dear",
        "SELECT price / 2 AS half FROM cars ORDER BY half",
        "SELECT main.cars.name FROM main.cars",
        "SELECT [name], `price`, \"options\" FROM cars",
        "SELECT value FROM cars, json_each(cars.options)",
        "SELECT name, type FROM pragma_table_info('cars')",
        "SELECT name, row_number() OVER (ORDER BY price) FROM cars",
        "SELECT excluded FROM (SELECT price AS excluded FROM cars)",
    ])
    func namesOfSQLiteAndOfTheStatementAreKnown(sql: String) throws {
        let body = "try connection.forEachRow(#\"\(sql)\"#) { _ in }"
        try LintSources(LintTwins.program(body)).expectClean()
    }
}
