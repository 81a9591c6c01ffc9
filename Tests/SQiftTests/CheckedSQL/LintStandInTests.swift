import SQiftTestSupport
import Testing

/// SQL with parts that are put in when the program runs: what stands outside of them is judged.
@Suite(.builtLint) struct LintStandInTests {
    @Test(
        arguments: #"""
            let n: [String] = try connection.query("SELECT name FROM cars WHERE ▸prize > 1 LIMIT \(values[0])")
            try connection.run("DELETE FROM cars WHERE ▸prize IN (\(name))")
            try connection.run("UPDATE cars SET ▸prize = \(values[0]) WHERE id = \(values[1])")
            """#.cases
    )
    func namesOutsideAreJudged(body: String) throws {
        let files = LintTwins.program(body)
        try LintSources(files).expect(["error: no such column: prize; did you mean price?"])
    }

    @Test(
        arguments: #"""
            let n: [String] = try connection.query("SELECT name FROM cars WHERE price > 1 LIMIT \(values[0])")
            let n: [String] = try connection.query("SELECT \(name) FROM cars ORDER BY anything")
            let n: [String] = try connection.query("SELECT c.anything FROM cars JOIN \(name) AS c")
            let n: [String] = try connection.query("SELECT anything FROM \(name)")
            let n: [String] = try connection.query("SELECT anything FROM cars \(name)")
            let n: [String] = try connection.query("WITH \(name) SELECT anything FROM cars")
            try connection.run("UPDATE cars SET \(name) = 1 WHERE price \(name) 3")
            try connection.run("INSERT INTO cars(\(name)) VALUES(\(values[0]), 1)")
            """#.cases
    )
    func whatTheyMayMeanIsNot(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }
}
