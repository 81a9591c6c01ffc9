import SQiftTestSupport
import Testing

/// Code that is right, in forms that are rare: nothing is said of it.
@Suite(.builtLint) struct LintInnocentTests {
    private static let types = """
        struct Part: Decodable, ExpressibleByRow {
            let id: Int64
            var name: String
            let kind = "part"
            var isNew: Bool { id == 0 }
            static let none = 0
            lazy var upper = name.uppercased()
            private(set) var price: Int
            struct Size: Decodable { let width: Int }
            enum CodingKeys: CodingKey { case id, name, price }
        }
        struct Wrapped: Decodable, ExpressibleByRow {
            static var first = 1, second = 2
            nonisolated(unsafe) private(set) static var third = "a"
            @Library.Stored<Int, String>(by: .name) @Other public private(set) var price: Int
            @Stored
            var year: Int
            let name: String
        }
        struct Generic<T: Decodable & Sendable>: Decodable, ExpressibleByRow { let value: T }
        protocol Named { var name: String { get } }
        struct Owner: Named, Hashable, Codable, ExpressibleByRow {
            let id: Int
            let name: String
            enum CodingKeys: String, CodingKey { case id, name = "owner_name" }
        }
        struct Rest: ExpressibleByRow {
            let name: String
            let rest: [String: Int?]
            init(row: Row) throws {
                name = try row.get("name")
                var rest: [String: Int?] = [:]
                for name in row.columnNames where name != "name" {
                    rest[name] = try row.get(name)
                }
                self.rest = rest
            }
        }
        struct Both: ExpressibleByRow {
            let part: Part
            let year: Int?
            init(row: Row) throws {
                part = try Part(row: row)
                year = row["model_year"]
            }
        }
        struct Bag {
            func query(_ text: String) -> Int { 1 }
            func run(_ text: String, _ numbers: Int...) {}
        }
        enum Words { static func run(_ text: String) {} }
        func all<T: ExpressibleByRow>(_ type: T.Type, _ connection: Connection) throws -> [T] {
            try connection.query("SELECT * FROM cars")
        }
        func first<T: Extractable>(_ connection: Connection) throws -> T? {
            try connection.query("SELECT name FROM cars")
        }
        """

    @Test(
        arguments: #"""
            let bag = Bag(); _ = bag.query("SELECT a FROM b"); bag.run("DELETE FROM b", 1, 2)
            Words.run("SELECT nonsense FROM nowhere")
            let parts: [Part] = try connection.query("SELECT id, name, price FROM cars")
            let all: [Wrapped] = try connection.query("SELECT name AS year, name AS price, name FROM cars")
            let one: Generic<Int> = try connection.query("SELECT price AS value FROM cars")
            let all: [Owner] = try connection.query("SELECT id, name AS owner_name FROM owners")
            let all: [Rest] = try connection.query("SELECT name, price FROM cars")
            let all: [Both] = try connection.query("SELECT id, name, price FROM cars")
            let most: Int = try connection.query("SELECT max(price) FROM cars") ?? 0
            let names = Set(try connection.query("SELECT name FROM cars") as [String])
            let numbers: [Int: String] = try connection.query("SELECT id, name FROM cars")
            let row = try connection.query("SELECT * FROM cars WHERE id = ?", 1) as Row?
            let one: (Int) = try connection.query("VALUES(1)")
            let has: Bool = try connection.query("SELECT EXISTS(SELECT 1 FROM cars)")
            let sum: Double = try connection.query("SELECT total(price) FROM cars")
            let day: String = try connection.query("SELECT date('now')")
            let text: String = try connection.query("SELECT 'a;b' || ';' || 'it''s ?'")
            let all: [String] = try connection.query("SELECT name FROM pragma_table_info(?)", name)
            try connection.run("REPLACE INTO owners(id, name) VALUES(?, ?)", 1, name)
            try connection.run("UPDATE OR IGNORE cars SET price = ? WHERE id = ?", [1, 2])
            try connection.run("INSERT INTO owners VALUES(?, ?, ?)", 1, name, name.isEmpty ? nil : name)
            let all: [Int] = try connection.query("SELECT id FROM cars WHERE rowid = ?1 OR id = ?1", 1)
            """#.cases + [
                """
                try connection.run(
                    "UPDATE owners SET name = :name WHERE id IN (SELECT value FROM json_each(:ids))",
                    ["name": name, "ids": "[1, 2]"] as [String: any Bindable]
                )
                """,
                """
                try connection.run(
                    \"""
                    WITH RECURSIVE numbers(x) AS (
                        SELECT 1 UNION ALL SELECT x + 1 FROM numbers WHERE x < 10
                    )
                    INSERT INTO owners(id, name) SELECT x, 'n' || x FROM numbers
                    \"""
                )
                """,
                """
                let pairs = try connection.query("SELECT name, price FROM cars") { row in
                    (try row.get(0) as String, try row.get("price") as Int)
                }
                """,
                """
                let sql = "SELECT name FROM cars"
                for name in try connection.query(sql) as [String] {
                    print(name)
                }
                """,
                """
                guard let price = try connection.query("SELECT price FROM cars WHERE id = ?", 1) as Int?
                else { return }
                switch try connection.query("SELECT model_year FROM cars") as Int? {
                case let year?: print(year, price)
                case nil: break
                }
                """,
                """
                let statement = try connection.prepare("INSERT INTO owners(id, name) VALUES(?, ?)")
                try values.forEach { try statement.bind($0, name).run() }
                let other = try connection.prepare("SELECT name FROM cars WHERE id = :id")
                let found: String? = try other.bind(["id": 1]).query()
                """,
                """
                try connection.forEachRow(
                    \"""
                    SELECT c.*, o.name AS owner_name FROM cars AS c LEFT JOIN owners o ON o.id = c.owner
                    \"""
                ) { row in
                    let owner: String? = try row.get("owner_name")
                    let price: Int = try row.get("price")
                }
                """,
                """
                let lines: [String] = try connection.query("EXPLAIN QUERY PLAN SELECT * FROM cars") {
                    try $0.get("detail")
                }
                """,
                """
                func both() throws -> (Int, [String]) {
                    try database.read { reader in
                        (
                            try reader.query("SELECT count(*) FROM cars"),
                            try reader.query("SELECT name FROM cars")
                        )
                    }
                }
                """,
            ]
    )
    func nothingIsSaidOfRightCode(body: String) throws {
        try LintSources(LintTwins.program(body, Self.types)).expect([])
    }
}
