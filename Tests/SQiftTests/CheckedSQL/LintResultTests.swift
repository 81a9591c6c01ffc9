import SQiftTestSupport
import Testing

/// The columns of a result, against the types that are made of them.
@Suite(.builtLint) struct LintResultTests {
    static let types = """
        struct Car: Decodable, ExpressibleByRow {
            let name: String
            let price: Int
            let city: String?
        }
        struct Keyed: Decodable, ExpressibleByRow {
            let title: String
            enum CodingKeys: String, CodingKey {
                case title = "name"
            }
        }
        struct Snake: Decodable, ExpressibleByRow {
            static let columnNamesAreSnakeCase = true
            let modelYear: Int?
            let options: [String]
            let ownerName: String
        }
        struct Read: ExpressibleByRow {
            let name: String
            let price: Int
            init(row: Row) throws {
                name = try row.get("name")
                price = try row.get("price")
            }
        }
        struct Sparing: ExpressibleByRow {
            let name: String
            let price: Int?
            init(row: Row) throws {
                name = try row.get("name")
                price = row["price"]
            }
        }
        struct Careful: ExpressibleByRow {
            let price: Int?
            init(row: Row) throws {
                price = row.hasColumn("price") ? try row.get("price") : nil
            }
        }
        enum Fuel: String, Binding, Decodable {
            case petrol, diesel
        }
        enum Level: Int, Binding {
            case low, high
        }
        """

    /// Types that are stored, nested or named as one wouldn't expect.
    private static let unusualTypes = """
        enum Grade: Int, Binding {
            case low = 1, high
            typealias BindingType = String
            var bindingValue: BindingValue { .text("\\(rawValue)") }
            static func fromBindingValue(_ value: Any) -> Grade? { nil }
        }
        enum Score: Int, Decodable {
            case one = 1
            init(from decoder: any Decoder) throws { self = .one }
        }
        enum Stored: Int, CodableBinding { case one = 1 }
        struct Scored: Decodable, ExpressibleByRow { let name: Score }
        enum Chart {
            struct Data: Decodable, ExpressibleByRow { let day: String }
            struct Bool: Decodable, ExpressibleByRow { let day: String }
        }
        typealias MaybeInt = Int?
        struct Aliased: Decodable, ExpressibleByRow {
            let name: String
            let year: MaybeInt
            let price: (Int?)
            let weight: Optional<Double>
        }
        struct Titled: Decodable, ExpressibleByRow {
            let title: String
            private typealias CodingKeys = Columns
            private enum Columns: String, CodingKey { case title = "name" }
        }
        protocol SnakeRow {}
        extension SnakeRow {
            static var columnNamesAreSnakeCase: Bool { true }
        }
        struct Modelled: SnakeRow, Decodable, ExpressibleByRow {
            let modelYear: Int
        }
        struct Near: Decodable, ExpressibleByRow {
            static let columnNamesAreSnakeCase = true
            let ab: Int
            let aB: String
        }
        struct Patient: ExpressibleByRow {
            let price: Int?
            let isDear: Swift.Bool
            init(row: Row) throws {
                price = row.columnCount > 1 ? try row.get("price") : nil
                isDear = try row.columnCount > 2 && (row.get("dear") as Swift.Bool)
            }
        }
        extension Chart {
            func points(_ connection: Connection) throws -> [Data] {
                try connection.query("SELECT city AS day FROM owners WHERE city > ''")
            }
        }
        """

    @Test(
        arguments: #"""
            let all: [Grade] = try connection.query("SELECT name FROM cars")
            let all: [Scored] = try connection.query("SELECT name FROM cars")
            let all: [Stored] = try connection.query("SELECT name FROM cars")
            let data: Data = try connection.query("SELECT options FROM cars")
            let all: [Aliased] = try connection.query("SELECT name FROM cars")
            let all: [Titled] = try connection.query("SELECT name FROM cars")
            let all: [Modelled] = try connection.query("SELECT model_year FROM cars WHERE model_year")
            let all: [Near] = try connection.query("SELECT name AS a_b, price AS ab FROM cars")
            let all: [Near] = try connection.query("SELECT price AS ab, name AS a_b FROM cars")
            let all: [Patient] = try connection.query("SELECT name FROM cars")
            """#.cases
    )
    func typesMayBeStoredAndNamedInManyWays(body: String) throws {
        try LintSources(LintTwins.program(body, Self.unusualTypes)).expectClean()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            let all: [Chart.Data] = try connection.▸query("SELECT name FROM cars")
            error: the result has no column for Data.day
            let all: [Chart.Data] = try connection.query("SELECT name AS day FROM cars")

            let all: [Modelled] = try connection.▸query("SELECT price FROM cars")
            error: the result has no column for Modelled.modelYear
            let all: [Modelled] = try connection.query("SELECT price AS model_year FROM cars")
            """#
        )
    )
    func unusualTypesFindTheirColumns(twins: LintTwins) throws {
        try LintTwins(
            twins.wrong,
            twins.message,
            twins.right,
            declarations: Self.unusualTypes
        ).expect()
    }

    /// Only such a key alone, in its ascending order and in a table with row ids, is the row id.
    @Test(arguments: [
        "a INTEGER, b TEXT, PRIMARY KEY(a, b))", "a INTEGER PRIMARY KEY DESC)",
        "a INTEGER PRIMARY KEY NOT NULL) WITHOUT ROWID",
    ])
    func anotherKeyIsNoRowID(columns: String) throws {
        var files = LintTwins.program(
            #"let all: [String] = try connection.query("SELECT a FROM pairs")"#
        )
        files["Migrations.swift"] = """
            import SQift
            let migrations = [Migration("1", sql: "CREATE TABLE pairs(\(columns)")]
            """
        let run = try LintSources(files).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            let cars: [Car] = try connection.▸query("SELECT name FROM cars")
            error: the result has no column for Car.price
            let cars: [Car] = try connection.query("SELECT name, price FROM cars")

            let car: Car? = try connection.▸query("SELECT price, id FROM cars")
            error: the result has no column for Car.name
            let car: Car? = try connection.query("SELECT * FROM cars")

            let cars = try connection.▸query("SELECT name, id FROM cars") as [Car]
            error: the result has no column for Car.price
            let cars = try connection.query("SELECT NAME, id AS price FROM cars") as [Car]

            let all: [Keyed] = try connection.▸query("SELECT name AS title FROM cars")
            error: the result has no column for Keyed.title
            let all: [Keyed] = try connection.query("SELECT name FROM cars")

            let all: [Read] = try connection.▸query("SELECT name FROM cars")
            error: the result has no column price, which Read.init(row:) reads
            let all: [Read] = try connection.query("SELECT name, price FROM cars")

            let all: [Read] = try connection.▸query("SELECT name FROM cars")
            error: the result has no column price
            let all: [Careful] = try connection.query("SELECT name FROM cars")

            func all() throws -> [Car] { try connection.▸query("SELECT name FROM cars") }
            error: the result has no column for Car.price
            func all() throws -> [Car] { try connection.query("SELECT * FROM cars") }
            """#
        ) + [
            LintTwins(
                #"let all: [Snake] = try connection.▸query("SELECT model_year, options FROM cars")"#,
                "error: the result has no column for Snake.ownerName",
                #"""
                let all: [Snake] = try connection.query(
                    "SELECT model_year, options, 'Ann' AS owner_name FROM cars"
                )
                """#
            ),
            LintTwins(
                """
                func all() throws -> [Car] {
                    try database.read { connection in
                        try connection.▸query("SELECT name FROM cars")
                    }
                }
                """,
                "error: the result has no column for Car.price",
                """
                func all() throws -> [Car] {
                    try database.read { connection in
                        try connection.query("SELECT name, price FROM cars")
                    }
                }
                """
            ),
        ]
    )
    func typesFindTheirColumns(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.types).expect()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            let prices: [String: Int] = try connection.▸query("SELECT name FROM cars")
            error: a dictionary is made of two columns, but the result has 1
            let prices: [String: Int] = try connection.query("SELECT name, price FROM cars")

            let all = try connection.query("SELECT name FROM cars", as: ▸(String, Int).self)
            error: the result has 1 column, but the tuple has 2
            let all = try connection.query("SELECT name, price FROM cars", as: (String, Int).self)

            let none: [Int] = try connection.▸query("DELETE FROM cars WHERE id = ?", 1)
            warning: the statement returns no columns; use run
            let none: [Int] = try connection.query("DELETE FROM cars WHERE id = ? RETURNING id", 1)
            """#
        )
    )
    func shapesGetTheirColumns(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.types).expect()
    }

    @Test(
        .enabled(
            if: Capability.columnMetadata,
            "this SQLite doesn't say where a column comes from"
        ),
        arguments: LintTwins.all(
            #"""
            let names: [Int] = try connection.▸query("SELECT name FROM cars")
            error: the result: column name is TEXT, which can't be read as Int
            let names: [Int] = try connection.query("SELECT length(name) FROM cars")

            let all: (Int) = try connection.▸query("SELECT name FROM cars")
            error: column name is TEXT, which can't be read as (Int)
            let all: (Int?) = try connection.query("SELECT model_year FROM cars")

            let one: Double = try connection.▸query("SELECT name FROM cars LIMIT 1")
            error: column name is TEXT, which can't be read as Double
            let one: Double = try connection.query("SELECT price FROM cars LIMIT 1")

            let all = try connection.query("SELECT price, name FROM cars", as: ▸(Int, Bool).self)
            error: column 1: column name is TEXT, which can't be read as Bool
            let all = try connection.query("SELECT price, name FROM cars", as: (Bool, Fuel).self)

            let levels: [Level] = try connection.▸query("SELECT name FROM cars")
            error: column name is TEXT, which can't be read as Level
            let levels: [Level] = try connection.query("SELECT price FROM cars")

            let prices: [Int: Int] = try connection.▸query("SELECT name, price FROM cars")
            error: the key: column name is TEXT, which can't be read as Int
            let prices: [String: Int] = try connection.query("SELECT name, price FROM cars")
            """#
        )
    )
    func columnsFitTheirTypes(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.types).expect()
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            try connection.forEachRow("SELECT name FROM cars") { row in let n: String = try row.get(▸"nmae") }
            error: no column is named "nmae"
            try connection.forEachRow("SELECT name FROM cars") { row in let n: String = try row.get("NAME") }

            try connection.forEachRow("SELECT name, id FROM cars") { let n: Int = try $0.get(▸2) }
            error: the row has no such column
            try connection.forEachRow("SELECT name, id FROM cars") { let n: Int = try $0.get(1) }

            let n: [String] = try connection.query("SELECT id AS n FROM cars") { try $0.get(▸"id") }
            error: no column is named "id"
            let n: [String] = try connection.query("SELECT id AS n FROM cars") { try $0.get("n") }
            """#
        ) + [
            LintTwins(
                """
                try connection.forEachRow("SELECT name, owner FROM cars") { row in
                    try connection.forEachRow("SELECT city FROM owners WHERE id = ?", row[1] as Int?) { inner in
                        let pair = (try inner.get("city") as String?, try inner.get(▸"owner") as Int?)
                    }
                }
                """,
                "error: no column is named \"owner\"",
                """
                try connection.forEachRow("SELECT name, owner FROM cars") { row in
                    try connection.forEachRow("SELECT city FROM owners WHERE id = ?", row[1] as Int?) { inner in
                        let pair = (try inner.get("city") as String?, try row.get("owner") as Int?)
                    }
                }
                """
            )
        ]
    )
    func rowsOfAClosureHaveTheirColumns(twins: LintTwins) throws {
        try twins.expect()
    }

    @Test(
        arguments: #"""
            let all: [Sparing] = try connection.query("SELECT name FROM cars")
            let all: [Int] = try connection.query("SELECT name FROM cars UNION SELECT 1")
            let all: [Int] = try connection.query("SELECT max(name, price) FROM cars")
            let rows: [Row] = try connection.query("SELECT name FROM cars")
            let all: [Fuel] = try connection.query("SELECT name FROM cars")
            """#.cases + [
                // An optional property may be missing.
                #"let cars: [Car] = try connection.query("SELECT name, price FROM cars")"#,
                // Somebody else's type.
                #"let all: [Elsewhere] = try connection.query("SELECT name FROM cars")"#,
                // A column that can hold anything, and one that isn't a column.
                #"let all: [Int] = try connection.query("SELECT options -> '$[0]' FROM cars")"#,
            ]
    )
    func whatMayBeRightIsLeftAlone(body: String) throws {
        let run = try LintSources(LintTwins.program(body, Self.types)).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
    }
}
