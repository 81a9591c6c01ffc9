import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Car: ExpressibleByRow {
    let name: String
    let modelYear: Int?

    init(row: Row) throws {
        name = try row.get("name")
        modelYear = try row.get("model_year")
    }
}

private struct Owner: Decodable, ExpressibleByRow, Equatable {
    let name: String
    let city: String?
}

/// The blocks of Docs/Querying.md.
struct QueryingGuideTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func typesWithoutAnInitialiser() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, model_year INTEGER, options TEXT);
            INSERT INTO cars VALUES('Audi', 1994, '["sunroof"]'), ('Lada', NULL, NULL)
            """
        )

        struct DecodedCar: Decodable, ExpressibleByRow {
            static let columnNamesAreSnakeCase = true

            let name: String
            let modelYear: Int?
            let options: [String]?
        }

        let cars: [DecodedCar] = try connection.query("SELECT name, model_year, options FROM cars")

        #expect(cars.map(\.name) == ["Audi", "Lada"])
        #expect(cars.map(\.modelYear) == [1994, nil])
        #expect(cars.map(\.options) == [["sunroof"], nil])
        let byHand: [Car] = try connection.query("SELECT name, model_year, options FROM cars")
        #expect(byHand.map(\.modelYear) == [1994, nil])

        try connection.run("UPDATE cars SET model_year = 'new' WHERE name = 'Lada'")
        let error = #expect(throws: ExtractionError.self) {
            try connection.query("SELECT name, model_year, options FROM cars") as [DecodedCar]
        }
        let message =
            "row 2, DecodedCar.modelYear, column 1 (model_year): TEXT can't be read as Int, in: SELECT"
        #expect(error?.description.hasPrefix(message) == true)
    }

    @Test func parametersFromAType() throws {
        try connection.execute("CREATE TABLE cars(name TEXT, year INTEGER, options TEXT)")

        struct NewCar: Encodable {
            let name: String
            let year: Int?
            let options: [String]
        }

        let car = NewCar(name: "Audi", year: 1994, options: ["sunroof"])
        let sql = "INSERT INTO cars VALUES(:name, :year, :options)"
        try connection.run(sql, encoding: car)
        let id: Int = try connection.query(sql + " RETURNING rowid", encoding: car)

        #expect(id == 2)
        try connection.run(
            sql,
            ["name": "Audi", "year": 1994, "options": ArrayBinding(elements: ["sunroof"])]
        )
        let different: Int = try connection.query(
            "SELECT count(*) FROM (SELECT DISTINCT name, year, options FROM cars)"
        )
        #expect(different == 1)
    }

    @Test func parametersMadeAtRunTime() throws {
        try connection.execute(
            "CREATE TABLE cars(name TEXT, year INTEGER); INSERT INTO cars VALUES('Audi', 1994)"
        )

        var values: [String: (any Bindable & Sendable)?] = ["name": "Audi"]
        values["year"] = 1995
        let assignments = values.keys.sorted().map { "\($0) = :\($0)" }.joined(separator: ", ")
        try connection.run("UPDATE cars SET \(assignments) WHERE name = :name", values)

        #expect(try connection.query("SELECT name, year FROM cars") == ["Audi": 1995])
        let last: [String: Int] = try connection.query("VALUES('Audi', 1), ('Audi', 2)")
        #expect(last == ["Audi": 2])
    }

    @Test func tuples() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, year INTEGER);
            INSERT INTO cars VALUES('Audi', 1994), ('Lada', NULL), ('Golf', 1991)
            """
        )

        let prices = try connection.query("SELECT name, year FROM cars", as: (String, Int?).self)
        for (name, year) in prices {
            print(name, year ?? 0)
        }
        let oldest = try connection.query(
            "SELECT name, year FROM cars WHERE year > ? ORDER BY year LIMIT 1",
            1990,
            as: (String, Int).self
        ).first

        #expect(prices.map(\.1) == [1994, nil, 1991])
        #expect(oldest?.0 == "Golf")
    }

    @Test func joins() throws {
        try connection.execute(
            """
            CREATE TABLE owners(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
            CREATE TABLE cars(name TEXT, model_year INTEGER, owner INTEGER);
            INSERT INTO owners VALUES(1, 'Ada', 'London');
            INSERT INTO cars VALUES('Audi', 1994, 1), ('Lada', NULL, NULL)
            """
        )

        let sql = """
            SELECT cars.name, cars.model_year, owners.name, owners.city
            FROM cars LEFT JOIN owners ON owners.id = cars.owner
            """
        let pairs: [(car: Car, owner: Owner?)] = try connection.query(sql) { row in
            (car: try Car(row: row), owner: try row.slice(2..<4).map(Owner.init(row:)))
        }

        #expect(pairs.map(\.car.name) == ["Audi", "Lada"])
        #expect(pairs.map(\.owner) == [Owner(name: "Ada", city: "London"), nil])
    }

    @Test func cursors() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, year INTEGER);
            CREATE TABLE bikes(name TEXT);
            INSERT INTO cars VALUES('Audi', 1994), ('Golf', 1991);
            INSERT INTO bikes VALUES('Brompton'), ('Peugeot')
            """
        )

        /// The lines of both lists in their order, without holding either.
        func merge(_ connection: Connection, _ write: (String) -> Void) throws {
            let cars = try connection.cursor("SELECT name FROM cars ORDER BY name")
            let bikes = try connection.cursor("SELECT name FROM bikes ORDER BY name")
            var car = try cars.next(as: String.self)
            var bike = try bikes.next(as: String.self)
            while let name = [car, bike].compactMap(\.self).min() {
                write(name)
                if name == car {
                    car = try cars.next()
                } else {
                    bike = try bikes.next()
                }
            }
        }
        var lines: [String] = []
        try merge(connection) { lines.append($0) }
        #expect(lines == ["Audi", "Brompton", "Golf", "Peugeot"])

        struct CSVBody {
            let cursor: Cursor

            /// Called by the server when it can send more; nil at the end.
            func nextChunk() throws -> [UInt8]? {
                guard let line = try cursor.next(as: String.self) else { return nil }
                return Array((line + "\n").utf8)
            }
        }
        let body = CSVBody(
            cursor: try connection.cursor("SELECT name || ',' || ifnull(year, '') FROM cars")
        )

        #expect(try body.nextChunk() == Array("Audi,1994\n".utf8))
        #expect(try body.nextChunk() == Array("Golf,1991\n".utf8))
        #expect(try body.nextChunk() == nil)
    }

    @Test func whatAStatementDidAndIs() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, year INTEGER);
            INSERT INTO cars VALUES('Audi', 1985), ('Golf', 1991)
            """
        )

        let count = try connection.run("UPDATE cars SET year = year + 1 WHERE year < ?", 1990)
        let statement = try connection.prepare("SELECT name, year FROM cars WHERE name = :name")
        print(count, statement.parameterNames, statement.resultColumns.map(\.declaredType))

        #expect(count == 1)
        #expect(statement.parameterNames == [":name"])
        #expect(statement.resultColumns.map(\.declaredType) == ["TEXT", "INTEGER"])
    }

    @Test func scriptsWithParameters() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, year INTEGER);
            CREATE TABLE archive(name TEXT, year INTEGER);
            INSERT INTO cars VALUES('Audi', 1985), ('Golf', 1991)
            """
        )

        let script = """
            INSERT INTO archive SELECT name, year FROM cars WHERE year < :limit;
            DELETE FROM cars WHERE year < :limit
            """
        try connection.transaction {
            try connection.execute(script, parameters: ["limit": 1990])
        }

        #expect(try connection.query("SELECT name FROM archive") as [String] == ["Audi"])
        #expect(try connection.query("SELECT name FROM cars") as [String] == ["Golf"])
    }
}
