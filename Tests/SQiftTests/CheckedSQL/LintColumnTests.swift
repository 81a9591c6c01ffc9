import SQiftTestSupport
import Testing

/// Columns are read as types that their tables' definitions allow.
@Suite(.builtLint) struct LintColumnTests {
    private static let exactTypes = #"""
        let more = migrations + [
            Migration(
                "3",
                sql: """
                    CREATE TABLE files(
                        id INTEGER PRIMARY KEY, bytes BLOB NOT NULL, size INT NOT NULL, note TEXT
                    ) STRICT
                    """
            ),
        ]
        """#

    @Test(
        .enabled(
            if: Capability.columnMetadata && Capability.strictTables,
            "this SQLite doesn't say where a column comes from, or has no STRICT"
        ),
        arguments: LintTwins.all(
            #"""
            let ids: [String] = try connection.▸query("SELECT id FROM cars")
            error: the result: column id is INTEGER, which can't be read as String
            let ids: [Int] = try connection.query("SELECT id FROM cars")

            let ids: [Data] = try connection.▸query("SELECT rowid FROM cars")
            error: the result: column id is INTEGER, which can't be read as Data
            let ids: [Date] = try connection.query("SELECT id FROM cars")

            let prices: [String] = try connection.▸query("SELECT price FROM cars")
            warning: the result: column price is INTEGER, which can't be read as String
            let prices: [Decimal] = try connection.query("SELECT price FROM cars")

            let sizes: [String] = try connection.▸query("SELECT size FROM files")
            error: the result: column size is INT, which can't be read as String
            let sizes: [Double] = try connection.query("SELECT size FROM files")

            let all: [String] = try connection.▸query("SELECT bytes FROM files")
            error: the result: column bytes is BLOB, which can't be read as String
            let all: [Data] = try connection.query("SELECT bytes FROM files")

            let notes: [Data?] = try connection.▸query("SELECT note FROM files")
            error: the result: column note is TEXT, which can't be read as Data?
            let notes: [String?] = try connection.query("SELECT note FROM files")
            """#
        )
    )
    func columnsHoldWhatTheirTablesSay(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.exactTypes)
            .expect()
    }

    private static let readers = """
        struct Owner: ExpressibleByRow {
            let name: String
            let city: String?
            init(row: Row) throws {
                name = try row.get("name")
                city = row["city"]
            }
        }
        struct Year: ExpressibleByRow {
            let year: Int
            init(row: Row) throws { year = try row.get("model_year") }
        }
        struct Price: ExpressibleByRow {
            let price: String
            init(row: Row) throws { price = try row.get("name") }
        }
        struct Count: ExpressibleByRow {
            let count: Int
            init(row: Row) throws { count = try row.get("name") }
        }
        """

    @Test(
        .enabled(
            if: Capability.columnMetadata,
            "this SQLite doesn't say where a column comes from"
        ),
        arguments: LintTwins.all(
            #"""
            try connection.forEachRow("SELECT name FROM cars") { row in let n: Int = try row.get(▸"name") }
            error: the value: column name is TEXT, which can't be read as Int
            try connection.forEachRow("SELECT name FROM cars") { row in let n: String = try row.get("name") }

            try connection.forEachRow("SELECT model_year FROM cars") { row in let n: Int = try row.get(▸0) }
            warning: the value: column model_year may be NULL, but Int isn't optional
            try connection.forEachRow("SELECT model_year FROM cars") { row in let n: Int? = row[0] }

            try connection.forEachRow("SELECT model_year FROM cars") { row in let n: Int? = row[▸"model_yaer"] }
            warning: the row has no column "model_yaer", so this is nil; did you mean model_year?
            try connection.forEachRow("SELECT model_year FROM cars") { row in let n: Int? = row["weight"] }

            let all: [Owner] = try connection.▸query("SELECT name, city AS citi FROM owners")
            warning: Owner.init(row:) has no column "city", so this is nil; did you mean citi?
            let all: [Owner] = try connection.query("SELECT name FROM owners")

            let all: [Year] = try connection.▸query("SELECT model_year FROM cars")
            warning: Year.init(row:): column model_year may be NULL, but Int isn't optional
            let all: [Year] = try connection.query("SELECT model_year FROM cars WHERE model_year > 1")

            let all: [Count] = try connection.▸query("SELECT name FROM cars")
            error: Count.init(row:): column name is TEXT, which can't be read as Int
            let all: [Price] = try connection.query("SELECT name FROM cars")
            """#
        )
    )
    func rowsAreReadAsTheirColumnsAre(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.readers).expect()
    }
}
