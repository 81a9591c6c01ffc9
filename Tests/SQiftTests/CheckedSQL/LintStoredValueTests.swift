import SQiftTestSupport
import Testing

/// What statements store and compare has to fit the columns of their tables.
@Suite(.builtLint) struct LintStoredValueTests {
    private static let tables = #"""
        let more = migrations + [
            Migration(
                "3",
                sql: """
                    CREATE TABLE jobs(
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, run_at REAL, note TEXT NOT NULL DEFAULT ''
                    );
                    CREATE VIEW names AS SELECT name FROM jobs
                    """
            ),
        ]
        struct Job: Encodable { let id: Int; let runAt: Date; let doneAt: UnixDate }
        """#

    private func expect(_ twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.tables).expect()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.run("UPDATE jobs SET run_at = ▸?", Date())
            warning: run_at is REAL, and a Date is stored as text: use UnixDate
            try connection.run("UPDATE jobs SET run_at = ?", UnixDate(Date()))

            let now = Date(); try connection.run("INSERT INTO jobs(name, run_at) VALUES('x', ▸?)", now)
            warning: run_at is REAL, and a Date is stored as text: use UnixDate
            let now = Date(); try connection.run("INSERT INTO jobs(run_at, name) VALUES(1, ?)", now)

            try connection.run("DELETE FROM jobs WHERE run_at < ▸:now", ["now": Date()])
            warning: run_at is REAL, and a Date is stored as text: use UnixDate
            try connection.run("DELETE FROM jobs WHERE run_at < :now", ["now": 1.5])

            let job: Job = make(); try connection.run("UPDATE jobs SET run_at = ▸:runAt WHERE id = :id", encoding: job)
            warning: run_at is REAL, and a Date is stored as text: use UnixDate
            let job: Job = make(); try connection.run("UPDATE jobs SET run_at = :doneAt WHERE id = :id", encoding: job)

            try connection.run("UPDATE cars SET price = ▸?", UUID())
            warning: price is INTEGER, and a UUID is stored as text
            try connection.run("UPDATE cars SET name = ?", UUID())
            """#
        )
    )
    func whatIsStoredAsTextIsNoNumber(twins: LintTwins) throws {
        try expect(twins)
    }

    @Test(.enabled(if: Capability.strictTables, "this SQLite has no STRICT"))
    func aStrictTableRefusesIt() throws {
        let declarations = """
            let more = migrations + [Migration("3", sql: "CREATE TABLE s(n INTEGER, b BLOB) STRICT")]
            """
        let body = """
            try connection.run("INSERT INTO s(n) VALUES(▸?)", Date())
            try connection.run("INSERT INTO s(n) VALUES(▸?)", Data())
            try connection.run("INSERT INTO s(n) VALUES(▸?)", "abc")
            try connection.run("INSERT INTO s(b) VALUES(▸'1')")
            try connection.run("INSERT INTO s(b) VALUES(?)", Data())
            try connection.run("INSERT INTO s(n) VALUES(?)", 1)
            try connection.run("INSERT INTO s(n) VALUES('1')")
            try connection.run("INSERT INTO s(n) VALUES(?)", " 2")
            """
        try LintSources(LintTwins.program(body, declarations)).expect([
            "error: n is INTEGER, and a Date is stored as text: use UnixDate",
            "error: n is INTEGER, and a Data is stored as blob",
            "error: n is INTEGER, and 'abc' is text",
            "error: b is BLOB, and '1' is text",
        ])
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.▸run("INSERT INTO jobs(run_at) VALUES(1)")
            error: the column name is NOT NULL, and gets no value
            try connection.run("INSERT INTO jobs(name) VALUES('x')")

            try connection.▸run("INSERT INTO jobs(run_at) SELECT 1")
            error: the column name is NOT NULL, and gets no value
            try connection.run("INSERT OR IGNORE INTO jobs(run_at) VALUES(1)")

            try connection.run("INSERT INTO jobs(name) VALUES(▸NULL)")
            error: the column name is NOT NULL, and gets NULL
            try connection.run("INSERT INTO jobs(name, run_at) VALUES('x', NULL)")

            try connection.run("UPDATE jobs SET name = ▸?", nil)
            error: the column name is NOT NULL, and gets NULL
            try connection.run("DELETE FROM jobs WHERE name = ?", nil)

            try connection.run("INSERT INTO jobs(name, ▸name) VALUES('x', 'y')")
            warning: the column name is given twice, and the first value counts
            try connection.run("INSERT INTO jobs(name, run_at) VALUES('x', 1), ('y', 2)")
            """#
        )
    )
    func whatIsNotNullGetsAValue(twins: LintTwins) throws {
        try expect(twins)
    }

    @Test func whatMayHaveOtherColumnsIsNotJudged() throws {
        let body = """
            try connection.execute("CREATE TABLE IF NOT EXISTS owners(id INTEGER, city TEXT)")
            try connection.run("INSERT INTO owners(city) VALUES('x')")
            """
        try LintSources(LintTwins.program(body)).expect([])
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.run("DELETE FROM cars WHERE id IN (▸?)", ArrayBinding(elements: values))
            warning: IN (?) compares with one value; write IN (SELECT value FROM json_each(?))
            try connection.run("DELETE FROM cars WHERE id IN (SELECT value FROM json_each(?))", ArrayBinding(elements: values))

            let ids: SetBinding = [1]; try connection.run("DELETE FROM cars WHERE id NOT IN (▸?)", ids)
            warning: IN (?) compares with one value
            try connection.run("DELETE FROM cars WHERE id IN (?)", 1)
            """#
        )
    )
    func aListIsNotOneValue(twins: LintTwins) throws {
        try expect(twins)
    }

    // MARK: Results

    @Test(
        .enabled(
            if: Capability.columnMetadata,
            "this SQLite doesn't say where a column comes from"
        ),
        arguments: LintTwins.all(
            #"""
            let first: Int = try connection.▸query("SELECT min(price) FROM cars")
            warning: the result: min() is NULL without rows, but Int isn't optional
            let first: Int? = try connection.query("SELECT min(price) FROM cars")

            let sum: Double = try connection.▸query("SELECT sum(price) AS s FROM cars")
            warning: the result: sum() is NULL without rows, but Double isn't optional
            let sum: Double = try connection.query("SELECT total(price) FROM cars")

            let all: [Int] = try connection.▸query("SELECT max(price) FROM cars")
            warning: the result: max() is NULL without rows, but Int isn't optional
            let all: [Int] = try connection.query("SELECT max(price) FROM cars GROUP BY owner")

            let n: Int = try connection.▸query("SELECT avg(price) FROM cars")
            warning: the result: avg() is NULL without rows, but Int isn't optional
            let n: Int = try connection.query("SELECT max(price, 1) FROM cars WHERE id = 1")

            let all: [String] = try connection.▸query("SELECT o.name FROM cars AS c LEFT JOIN owners AS o ON o.id = c.owner")
            warning: the result: column name is NULL where the LEFT JOIN finds nothing
            let all: [String] = try connection.query("SELECT o.name FROM cars AS c LEFT JOIN owners AS o ON o.id = c.owner WHERE o.id > 0")

            let all: [String] = try connection.▸query("SELECT owners.name FROM cars LEFT OUTER JOIN owners ON owners.id = cars.owner")
            warning: the result: column name is NULL where the LEFT JOIN finds nothing
            let all: [String] = try connection.query("SELECT cars.name FROM cars LEFT JOIN owners ON owners.id = cars.owner")

            let n: String = try connection.▸query("SELECT count(*) AS n FROM cars")
            error: the result: column n is INTEGER, which can't be read as String
            let n: Int = try connection.query("SELECT count(*) AS n FROM cars")

            let all: [Data] = try connection.▸query("SELECT row_number() OVER (ORDER BY id) AS r FROM cars")
            error: the result: column r is INTEGER, which can't be read as Data
            let all: [String] = try connection.query("SELECT length(name) || ' letters' FROM cars")

            let names: [String] = try connection.▸query("SELECT name, price FROM cars")
            warning: the result has 2 columns, of which 1 is read
            let names: [String] = try connection.query("SELECT name FROM cars")

            let all = try connection.query("SELECT id, name, price FROM cars", as: ▸(Int, String).self)
            warning: the result has 3 columns, of which 2 are read
            let all = try connection.query("SELECT id, name FROM cars", as: (Int, String).self)
            """#
        )
    )
    func resultsAreReadWhole(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(
        .enabled(
            if: Capability.columnMetadata,
            "this SQLite doesn't say where a column comes from"
        ),
        arguments: LintTwins.all(
            #"""
            let all = try connection.cursor("SELECT name FROM cars"); while let row = try all.next() { print(try row.get(▸"nme") as String) }
            error: no column is named "nme"; there are: name
            let all = try connection.cursor("SELECT name FROM cars"); while let row = try all.next() { print(try row.get("name") as String) }

            let all = try connection.cursor("SELECT name FROM cars"); while let row = try all.next() { let n: Int = try row.get(▸0) }
            error: the value: column name is TEXT, which can't be read as Int
            let all = try connection.cursor("SELECT id FROM cars"); while let row = try all.next() { let n: Int = try row.get(0) }

            let rows: [Row] = try connection.query("SELECT name FROM cars"); for row in rows { print(try row.get(▸"nme") as String) }
            error: no column is named "nme"; there are: name
            let rows: [Row] = try connection.query("SELECT name FROM cars"); for row in values { print(try row.get("nme") as String) }

            if let row: Row = try connection.query("SELECT name FROM cars") { print(try row.get(▸1) as String) }
            error: the row has no such column; it has 1: name
            if let row: Row = try connection.query("SELECT name FROM cars") { print(try row.get(0) as String) }
            """#
        )
    )
    func rowsInVariablesHaveTheirColumns(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test func anOptionalPropertyMayBeMisspelt() throws {
        let declarations = """
            struct Car: Decodable, ExpressibleByRow { let name: String; let modelYaer: Int? }
            struct Other: Decodable, ExpressibleByRow { let name: String; let weight: Int? }
            """
        let body = """
            let cars: [Car] = try connection.▸query("SELECT name, model_year AS modelYear FROM cars")
            let others: [Other] = try connection.query("SELECT name, price FROM cars")
            """
        let text =
            "warning: Car has no column \"modelYaer\", so this is nil; did you mean modelyear?"
        try LintSources(LintTwins.program(body, declarations)).expect([text])
    }
}
