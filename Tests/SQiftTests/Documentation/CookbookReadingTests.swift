import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car: Decodable, ExpressibleByRow, Equatable {
    let id: Int
    let name: String
    let price: Int
}

func names(within limit: Duration, in database: Database) async throws -> [String] {
    let deadline = ContinuousClock.now + limit
    return try await database.read { connection in
        connection.progressHandler { ContinuousClock.now > deadline }
        return try connection.query("SELECT name FROM cars ORDER BY name")
    }
}

/// The blocks of Docs/Cookbook.md that read, but for full-text search and exports.
struct CookbookReadingTests {
    struct Engine: CodableBinding, Equatable {
        var cylinders: Int
        var fuels: [String]
    }

    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func pagesByKeyHaveEachRowOnce() throws {
        try connection.execute(
            """
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER NOT NULL);
            INSERT INTO cars SELECT value, 'car ' || value, value / 7 * 100
            FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]');
            CREATE INDEX cars_by_price ON cars(price, id)
            """
        )

        func page(after last: Car?, on connection: Connection) throws -> [Car] {
            let sql = """
                SELECT id, name, price FROM cars
                WHERE (price, id) > (?, ?) ORDER BY price, id LIMIT 6
                """
            return try connection.query(sql, last?.price ?? -1, last?.id ?? -1)
        }

        var all: [Car] = []
        var last: Car?
        repeat {
            let cars = try page(after: last, on: connection)
            all += cars
            last = cars.last
            // A cheaper car that comes meanwhile moves no later page.
            try connection.run("INSERT INTO cars(name, price) VALUES('new', -1)")
        } while last != nil
        #expect(all.map(\.id) == Array(1...20))

        let plan =
            try connection.query(
                """
                EXPLAIN QUERY PLAN SELECT id, name, price FROM cars
                WHERE (price, id) > (?, ?) ORDER BY price, id LIMIT 6
                """,
                0,
                0
            ) { try $0.get("detail") as String } as [String]
        // One step, which sorts nothing.
        #expect(plan.count == 1)
        #expect(plan.first?.contains("SEARCH") == true)
        #expect(plan.first?.contains("USING INDEX cars_by_price") == true)
    }

    @Test func jsonColumnsAreSearchedAndChanged() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, engine TEXT NOT NULL CHECK(json_valid(engine)));
            CREATE INDEX cars_by_cylinders ON cars(json_extract(engine, '$.cylinders'))
            """
        )
        let audi = Engine(cylinders: 6, fuels: ["petrol", "gas"])
        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", audi)

        let names: [String] = try connection.query(
            "SELECT name FROM cars WHERE json_extract(engine, '$.cylinders') >= ?",
            6
        )
        let ofFuel: [String] = try connection.query(
            "SELECT name FROM cars, json_each(engine, '$.fuels') AS fuel WHERE fuel.value = ?",
            "gas"
        )
        try connection.run("UPDATE cars SET engine = json_set(engine, '$.cylinders', ?)", 8)

        #expect(names == ["Audi"])
        #expect(ofFuel == ["Audi"])
        let engines: [Engine] = try connection.query("SELECT engine FROM cars ORDER BY name")
        #expect(engines == [Engine(cylinders: 8, fuels: ["petrol", "gas"])])
        let others: [String] = try connection.query(
            "SELECT name FROM cars, json_each(engine, '$.fuels') AS fuel WHERE fuel.value = 'wind'"
        )
        #expect(others == [])
        let plan =
            try connection.query(
                "EXPLAIN QUERY PLAN SELECT 1 FROM cars WHERE json_extract(engine, '$.cylinders') >= 6"
            ) { try $0.get("detail") as String } as [String]
        #expect(plan.first?.contains("cars_by_cylinders") == true)
        let error = expectThrows(SQLiteError.self) {
            try connection.run("INSERT INTO cars VALUES('Golf', '{broken')")
        }
        expect(error, .constraintCheck)
    }

    @Test func aTreeIsReadInOneQuery() throws {
        try connection.execute(
            """
            CREATE TABLE folders(id INTEGER PRIMARY KEY, parent INTEGER, name TEXT NOT NULL);
            CREATE INDEX folders_by_parent ON folders(parent);
            INSERT INTO folders VALUES
                (1, NULL, 'home'), (2, 1, 'photos'), (3, 2, '2025'), (4, 2, '2026'), (5, 1, 'mail')
            """
        )

        let tree = """
            WITH RECURSIVE tree(id, path) AS (
                SELECT id, name FROM folders WHERE id = :top
                UNION ALL
                SELECT folders.id, path || '/' || name
                FROM tree JOIN folders ON folders.parent = tree.id
            )
            """
        let paths: [String] = try connection.query(
            tree + "SELECT path FROM tree ORDER BY path",
            ["top": 1]
        )

        let mail = ["home", "home/mail"]
        #expect(paths == mail + ["home/photos", "home/photos/2025", "home/photos/2026"])

        // With a circle, UNION still ends.
        try connection.run("UPDATE folders SET parent = 4 WHERE id = 1")
        let circle: [Int] = try connection.query(
            """
            WITH RECURSIVE tree(id) AS (
                VALUES(2) UNION
                SELECT folders.id FROM tree JOIN folders ON folders.parent = tree.id
            )
            SELECT id FROM tree ORDER BY id
            """
        )
        #expect(circle == [1, 2, 3, 4, 5])
    }

    @Test func anAccessEndsAtItsDeadline() async throws {
        let database = try Database.inMemory()
        try await database.write { connection in
            try connection.execute(
                """
                CREATE TABLE cars(name TEXT);
                INSERT INTO cars
                WITH RECURSIVE numbers(number) AS (
                    SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 5000
                )
                SELECT 'car ' || number FROM numbers
                """
            )
        }

        #expect(try await names(within: .seconds(600), in: database).count == 5000)
        let error = await #expect(throws: SQLiteError.self) {
            try await names(within: .seconds(-1), in: database)
        }
        #expect(error?.resultCode == .interrupt)
        // The handler has ended with its access.
        #expect(try await database.read { try $0.query("SELECT count(*) FROM cars") } == 5000)
    }
}
