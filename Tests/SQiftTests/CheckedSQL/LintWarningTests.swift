import SQiftTestSupport
import Testing

/// What SQLite takes, but not as it was meant, and what writes where only reading is allowed.
@Suite(.builtLint) struct LintWarningTests {
    @Test(arguments: [
        LintTwins(
            ##"let n: Int = try connection.query(#"SELECT count(*) FROM cars WHERE name = ▸"Audi""#)"##,
            "warning: \"Audi\" is no column",
            ##"let n: Int = try connection.query(#"SELECT count(*) FROM cars WHERE "name" = 'Audi'"#)"##
        ),
        LintTwins(
            ##"try connection.run("UPDATE cars SET name = ▸\"open\" WHERE id = ?", 1)"##,
            "warning: write 'open'",
            ##"try connection.run("UPDATE \"cars\" SET name = 'open' WHERE id = ?", 1)"##
        ),
    ])
    func doubleQuotesEncloseNames(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(
        arguments: ##"""
            try connection.run("DELETE FROM cars WHERE name = '▸\(name)'")
            try connection.run(#"DELETE FROM cars WHERE name = '▸\#(name)'"#)
            try connection.run("DELETE FROM cars WHERE id = 1 AND name = '▸\(name.lowercased())'")
            """##.cases + [
                """
                try connection.execute(
                    \"""
                    DELETE FROM cars
                    WHERE name = '▸\\(name)'
                    \"""
                )
                """
            ]
    )
    func aValueIsBoundAndNotSplicedIn(body: String) throws {
        let files = LintTwins.program(body.replacingOccurrences(of: "'▸", with: "'"))
        let run = try LintSources(files).run()
        #expect(run.messages.count == 1, "\(run.messages)")
        #expect(run.warnings.first?.text.contains("becomes part of the SQL") == true)
    }

    @Test(
        arguments: #"""
            try connection.run("DELETE FROM \(name) WHERE id = 1")
            try connection.run("DELETE FROM cars WHERE name = '\(Kind.old.rawValue)'")
            try connection.execute("PRAGMA temp_store_directory = '\(name)'")
            try connection.run("DELETE FROM cars ORDER BY \(name) LIMIT 1")
            try connection.run("DELETE FROM cars WHERE id IN (\(marks))", values)
            try connection.run("DELETE FROM cars WHERE \(name)")
            let limit = 10; try connection.run("DELETE FROM cars WHERE name = 'a' LIMIT \(limit + 1)")
            """#.cases + [
                // A definition has no parameters.
                ##"try connection.run("CREATE TEMP VIEW named AS SELECT id FROM cars WHERE name = '\(name)'")"##
            ]
    )
    func whatIsNoValueMayBeSplicedIn(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test func aConstantMayStandInQuotes() throws {
        let body = """
            let brand = "Audi"
            try connection.run("DELETE FROM cars WHERE name = '\\(brand)'")
            """
        try LintSources(LintTwins.program(body)).expectClean()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try database.read { connection in try connection.▸run("DELETE FROM cars") }
            error: this statement writes
            try database.write { connection in try connection.run("DELETE FROM cars") }

            try database.read { try $0.▸run("UPDATE cars SET price = 1") }
            error: this statement writes
            try database.writeWithoutTransaction { try $0.run("UPDATE cars SET price = 1") }

            let n: Int = try database.read { try $0.▸query("INSERT INTO cars(name, price) VALUES('a', 1) RETURNING id") }
            error: this statement writes
            let n: Int = try database.read { try $0.query("SELECT count(*) FROM cars WHERE id > 0") }

            try database.read { c in for v in values { try c.▸run("DELETE FROM cars WHERE id = ?", v) } }
            error: this statement writes
            try database.executeRead { c in for v in values { _ = try c.query("SELECT ?", v) as Int } }

            try database.read { c in try values.forEach { try c.▸run("DELETE FROM cars WHERE id = ?", $0) } }
            error: this statement writes
            try database.write { c in try values.forEach { try c.run("DELETE FROM cars WHERE id = ?", $0) } }
            """#
        )
    )
    func aReaderDoesNotWrite(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(arguments: [
        // Another connection, and a function that isn't run here.
        #"try database.read { _ in try connection.run("DELETE FROM cars") }"#,
        #"try database.read { c in try database.write { d in try d.run("DELETE FROM cars") } }"#,
        #"try file.read { c in let later = { try connection.run("DELETE FROM cars") } }"#,
    ])
    func whoWritesElsewhereMay(body: String) throws {
        try LintSources(LintTwins.program(body)).expect([])
    }
}
