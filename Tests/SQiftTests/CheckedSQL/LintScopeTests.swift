import SQiftTestSupport
import Testing

/// Names that mean something else, or nothing that is known, where they stand.
@Suite(.builtLint) struct LintScopeTests {
    private static let types = """
        struct Item: Decodable, ExpressibleByRow { let price: Int }
        protocol Repository {
            associatedtype Item: ExpressibleByRow
            var connection: Connection { get }
        }
        extension Repository {
            func all() throws -> [Item] { try connection.query("SELECT name FROM cars") }
        }
        struct Store<Item: ExpressibleByRow> {
            let connection: Connection
            func all() throws -> [Item] { try connection.query("SELECT name FROM cars") }
        }
        struct Twice: ExpressibleByRow {
            let name: String
            init(row: Row) throws { name = try row.get("name") }
            init(joined row: Row) throws { name = try row.get("car_name") }
        }
        struct Simple: Decodable, ExpressibleByRow { let name: String }
        extension Simple {
            init(joined row: Row) throws { name = try row.get("car_name") }
        }
        struct Traced: Decodable, ExpressibleByRow {
            let name: String
            #if TRACING
                let trace: String
                let depth: Int
            #endif
            let price: Int
        }
        enum Rank: Int, ColumnDecodable {
            case low, high
            static func decode(from row: Row, at index: Int) throws -> Rank {
                try row.get(index) as String == "low" ? .low : .high
            }
        }
        protocol Lettered: Binding, CaseIterable where BindingType == String {}
        extension Lettered {
            var bindingValue: BindingValue { .text("\\(self)") }
            static func fromBindingValue(_ value: Any) -> Self? {
                allCases.first { "\\($0)" == value as? String }
            }
        }
        enum Size: Int, Lettered { case small = 1, large = 5 }
        protocol Loose { init(label: String) }
        extension Loose {
            init(from decoder: any Decoder) throws { self.init(label: "") }
        }
        protocol Looser: Loose {}
        struct Tag: Decodable, ExpressibleByRow, Looser {
            let label: String
            init(label: String) { self.label = label }
        }
        struct Made: Encodable {
            var mode: Mode = .static
            var name: String
            enum Mode: String, Codable { case `static`, moving }
        }
        struct Tagged<Of, Value>: Decodable, ExpressibleByRow where Value: Decodable {
            let name: Value
        }
        struct Pipe {
            func write(_ body: (Connection) throws -> [String]) throws -> Int {
                try body(Connection()).count
            }
        }
        final class PostgresConnection {
            func query(_ sql: String, _ values: Int...) -> [String] { [] }
        }
        typealias DB = Connection
        typealias Double2 = SIMD2<Double>
        """

    @Test(
        arguments: #"""
            let all: [Twice] = try connection.query("SELECT name FROM cars")
            let all = try connection.query("SELECT name AS car_name FROM cars") { try Twice(joined: $0) }
            let all: [Simple] = try connection.query("SELECT name FROM cars")
            let all: [Traced] = try connection.query("SELECT name, price FROM cars")
            let all: [Rank] = try connection.query("SELECT name FROM cars")
            let all: [Size] = try connection.query("SELECT name FROM cars")
            let all: [Tag] = try connection.query("SELECT name FROM cars")
            try connection.run("INSERT INTO owners(name, city) VALUES(:name, :mode)", encoding: Made(name: name))
            let n: Int = try Pipe().write { connection in try connection.query("SELECT name FROM cars") }
            """#.cases + [
                """
                if let values = Int(name) { print(values) }
                try connection.run("DELETE FROM cars WHERE id IN (?, ?)", values)
                """,
                """
                let all: [Int] = try connection.query("SELECT price FROM cars"); print(all)
                """,
            ]
    )
    func aNameMeansWhatItsScopeSays(body: String) throws {
        try LintSources(LintTwins.program(body, Self.types)).expectClean()
    }

    @Test(arguments: [
        #"func f(_ pgConnection: PostgresConnection) { _ = pgConnection.query("SELECT a::text", 1) }"#,
        "try database.read { try $0.run(\"CREATE TEMP TABLE picked(id INTEGER)\") }",
        "try database.read { try $0.execute(\"EXPLAIN QUERY PLAN DELETE FROM cars\") }",
        """
        func names(_ sql: String) throws -> [String] {
            switch name {
            case "of one":
                let sql = "SELECT name FROM cars WHERE id = ?"
                return try connection.query(sql, 1)
            default:
                return try connection.query(sql)
            }
        }
        """,
        """
        #if TRACING
            let sql = "SELECT name FROM cars WHERE id = ?"
        #else
            let sql = "SELECT name FROM cars WHERE id = ? AND price = ?"
        #endif
        let names: [String] = try connection.query(sql, 1)
        """,
    ])
    func nothingIsWrongThere(body: String) throws {
        let run = try LintSources(LintTwins.program(body, Self.types)).run()
        #expect(run.messages.isEmpty, "\(run.messages)")
    }

    @Test(
        arguments: LintTwins.all(
            #"""
            let all: [Simple] = try connection.▸query("SELECT price FROM cars")
            error: the result has no column for Simple.name
            let all: [Simple] = try connection.query("SELECT name FROM cars")

            let all: [Traced] = try connection.▸query("SELECT name FROM cars")
            error: the result has no column for Traced.price
            let all: [Traced] = try connection.query("SELECT * FROM cars")

            func f(_ db: DB) throws { try db.run("DELETE FROM ▸crs") }
            error: no such table: crs; did you mean cars?
            func f(_ db: DB) throws { try db.run("DELETE FROM cars") }

            let id: Int = 1; if let id = Int(name) { try connection.run("SELECT ▸idd FROM cars WHERE id = ?", id) }
            error: no such column: idd; did you mean id?
            if let id = Int(name) { try connection.run("DELETE FROM cars WHERE id = ?", id) }
            """#
        ) + [
            LintTwins(
                """
                switch name {
                case "a":
                    let sql = "DELETE FROM cars"
                    try connection.run(sql)
                default:
                    let sql = "DELETE FROM ▸crs"
                    try connection.run(sql)
                }
                """,
                "error: no such table: crs; did you mean cars?",
                #"let sql = "DELETE FROM cars"; if case 1 = 1 { try connection.run(sql) }"#
            )
        ]
    )
    func mistakesAreFoundAllTheSame(twins: LintTwins) throws {
        try LintTwins(twins.wrong, twins.message, twins.right, declarations: Self.types).expect()
    }

    @Test func whatAllRowsHaveByAnExtensionEachHas() throws {
        let types = """
            extension ExpressibleByRow where Self: Decodable {
                static var columnNamesAreSnakeCase: Bool { true }
            }
            struct Owner: Decodable, ExpressibleByRow { let firstName: String }
            struct Other: Decodable, ExpressibleByRow { let lastName: String }
            """
        try LintTwins(
            #"let all: [Other] = try connection.▸query("SELECT name AS first_name FROM cars")"#,
            "error: the result has no column for Other.lastName",
            #"let all: [Owner] = try connection.query("SELECT name AS first_name FROM cars")"#,
            declarations: types
        ).expect()
    }

    // MARK: Several lists

    private static let steps = """
        import SQift
        enum Steps {
            static let first = Migration("1", sql: "CREATE TABLE a(old INTEGER)")
            static let second = Migration("2", sql: "ALTER TABLE a RENAME COLUMN old TO new")
            static let all = [first, second]
        }

        """

    @Test(arguments: [
        """
        try Migrator(connection: connection, migrations: [Steps.first]).run()
        try connection.run("UPDATE a SET old = 1")
        try Migrator(connection: connection, migrations: Steps.all).run()
        try connection.run("UPDATE a SET new = 2")
        """,
        """
        try Migrator(connection: connection, migrations: Steps.all).run(upTo: "1")
        try connection.run("UPDATE a SET old = 1")
        """,
        """
        let some = Array(Steps.all.prefix(1))
        try Migrator(connection: connection, migrations: some).run()
        try connection.run("UPDATE a SET old = 1")
        """,
    ])
    func aTestMayMigrateInSteps(body: String) throws {
        let program = """
            \(Self.steps)
            func use(_ connection: Connection) throws {
            \(body)
            }
            func others(_ connection: Connection) throws {
                try connection.run("UPDATE a SET new = 1")
            }
            """
        let run = try LintSources(["Use.swift": program]).run()
        #expect(run.messages.isEmpty, "\(run.messages)")
    }

    @Test func aListInAFunctionIsNotTheWholeFilesSchema() throws {
        try LintSources([
            "App.swift": """
            import SQift
            let migrations = [Migration("1", sql: "CREATE TABLE a(x INTEGER, y INTEGER)")]
            """,
            "Tests.swift": """
            import SQift
            struct Tests {
                func old() throws {
                    let connection = try Connection()
                    let migrations = [Migration("1", sql: "CREATE TABLE a(x INTEGER)")]
                    try Migrator(connection: connection, migrations: migrations).run()
                    try connection.run("UPDATE a SET x = 1")
                }
                func new(_ connection: Connection) throws {
                    try connection.run("UPDATE a SET y = 1")
                    try connection.run("UPDATE a SET ▸z = 1")
                }
            }
            """,
        ]).expect(["error: no such column: z"])
    }

    @Test func aTableMayBeOfAnotherList() throws {
        let run = try LintSources([
            "All.swift": """
            import SQift
            func all() -> [Migration] { Cars.migrations() + Tags.migrations() }
            """,
            "Cars.swift": """
            import SQift
            enum Cars {
                static func migrations() -> [Migration] {
                    [Migration("tag", sql: "CREATE TABLE tag(name TEXT)")]
                }
            }
            """,
            "AllTags.swift": """
            import SQift
            enum Tags {
                static func migrations() -> [Migration] {
                    [Migration("tags", sql: "CREATE TABLE tags(x); CREATE INDEX i ON tag(name)")]
                }
            }
            """,
        ]).run()
        #expect(run.errors.isEmpty, "\(run.errors)")
    }

    @Test func aMigrationThatAsksFirstMayNeverRun() throws {
        let program = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(name TEXT)"),
                Migration("2") { connection in
                    guard try connection.tableExists("car") else { return }
                    try connection.run("INSERT INTO cars SELECT name FROM car")
                    try connection.run("DROP TABLE car")
                },
            ]
            """
        let run = try LintSources(["Use.swift": program]).run()
        #expect(run.messages.isEmpty, "\(run.messages)")
    }

    @Test func aTableThatMayBeMadeAgainHasTheColumnsOfEither() throws {
        let program = """
            import SQift
            let migrations = [
                Migration("1", sql: "CREATE TABLE cars(name TEXT)"),
                Migration("2") { connection in
                    if try connection.columns(in: "cars").count > 1 {
                        try connection.run("DROP TABLE cars")
                        try connection.run("CREATE TABLE cars(label TEXT)")
                    }
                },
            ]
            func names(_ connection: Connection) throws -> [String] {
                try connection.query("SELECT name FROM cars")
            }
            """
        let run = try LintSources(["Use.swift": program]).run()
        #expect(run.messages.isEmpty, "\(run.messages)")
    }
}
