import SQift
import Testing

/// Spellings that compile only because the queries are overloads with concrete types: generic
/// shapes or generic forms of parameters would break them.
struct OverloadTests {
    @Test func aChainFollowsAQueryWithAClosure() throws {
        let db = try makeConnection()
        let sql = "SELECT * FROM cars WHERE id = ?"
        let name = try db.query(sql, 1, body: Car.init)?.name
        let price = try db.query(sql, 100) { $0["price"] as Int }.map { $0 * 2 } ?? 0
        let parts = try db.query("SELECT 'a,b'") { $0[0] as String }?.split(separator: ",")
        #expect(name == "Audi" && price == 0 && parts == ["a", "b"])
    }

    @Test func aLoopGoesThroughTheResultOfAClosure() throws {
        let db = try makeConnection()
        var names: [String] = []
        for name in try db.query("SELECT name FROM cars", body: { $0["name"] as String }) {
            names.append(name)
        }
        for type in (try db.query("SELECT type FROM cars") { $0["type"] as String }) {
            names.append(type)
        }
        #expect(names == ["Audi", "Mercedes", "Skoda", "Sedan", "Sedan", "Wagon"])
    }

    @Test func aSetIsMadeOfTheResultOfAClosure() throws {
        let db = try makeConnection()
        let types = Set(try db.query("SELECT type FROM cars") { $0["type"] as String })
        let upper = Set(
            try db.query("SELECT type FROM cars") { row -> String in
                let type: String = row[0]
                return type.uppercased()
            }
        )
        #expect(types == ["Sedan", "Wagon"] && upper == ["SEDAN", "WAGON"])
    }

    // Without the concrete types of the forms with an array and a dictionary, such a literal would
    // be an `[Any]`.
    @Test func literalsOfVariablesOfDifferentTypesAreParameters() throws {
        let db = try makeConnection()
        let sedan = "Sedan"
        let price = 50_000
        let names: [String] = try db.query(
            "SELECT name FROM cars WHERE type = ? AND price > ?",
            [sedan, price]
        )
        #expect(names == ["Audi", "Mercedes"])

        let name: String? = "Opel"
        let nothing: String? = nil
        let number: Int? = 5
        try db.run("INSERT INTO cars(name, type, price) VALUES(?, ?, ?)", [name, nothing, number])
        try db.run(
            "INSERT INTO cars(name, type, price) VALUES(:n, :t, :p)",
            [":n": name, ":t": nothing, ":p": number]
        )
        let count: Int = try db.query(
            "SELECT count(*) FROM cars WHERE name = 'Opel' AND type IS NULL AND price = 5"
        )
        #expect(count == 2)
    }
}
