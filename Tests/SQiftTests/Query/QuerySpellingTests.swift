import Foundation
import SQiftTestSupport
import Testing

import SQift

/// The spellings that users write: each must find its overload without help. That this file
/// compiles is half the test.
struct QuerySpellingTests {
    private let sql = "SELECT name, price FROM cars WHERE type = ? AND price > ?"
    private let sedan = "Sedan"
    private let price: Int = 20_000

    @Test func ifLetAndGuardLetFindARow() throws {
        let db = try makeCars()
        if let row = try db.query(sql, "Sedan", 20_000) {
            let name: String = row[0]
            let price: Int? = row["price"]
            #expect(name == "Audi" && price == 52642)
        } else {
            Issue.record("no row")
        }
        guard let row = try db.query("SELECT name FROM cars LIMIT 1") else {
            Issue.record("no row")
            return
        }
        guard let name: String = row[0] else {
            Issue.record("no name")
            return
        }
        #expect(name == "Audi")
        if let row = try db.query(sql, sedan, price) {
            #expect(row.columnCount == 2)
        }
        if let row = try db.query(sql, [sedan, price]) {
            #expect(row.columnCount == 2)
        }
        if let row = try db.query("SELECT :a", ["a": 1]) {
            #expect(row.columnCount == 1)
        }
        if let row = try db.query("SELECT ?", nil) {
            #expect(row.columnCount == 1)
        }
        if let row = try db.prepare(sql, sedan, price).query() {
            #expect(row.columnCount == 2)
        }
        #expect(try db.query("SELECT 1 WHERE 0") == nil as Int?)
    }

    @Test func ifLetWithATypeFindsAValue() throws {
        let db = try makeCars()
        if let name: String = try db.query(sql, "Sedan", 20_000) {
            #expect(name == "Audi")
        }
        if let car: StockCar = try db.query(sql, "Sedan", 20_000) {
            #expect(car.name == "Audi")
        }
        guard let count: Int = try db.query("SELECT count(*) FROM cars") else {
            Issue.record("no count")
            return
        }
        #expect(count == 3)
        let inline = (try db.query("SELECT count(*) FROM cars") as Int) + 1
        #expect(inline == 4)
        let fallback = try db.query("SELECT price FROM cars WHERE name = ?", "Volvo") ?? 7
        #expect(fallback == 7)
    }

    @Test func aLiteralArrayIsAListOfParameters() throws {
        let db = try makeCars()
        let one: [StockCar] = try db.query("SELECT * FROM cars WHERE price > ?", [20_000])
        let mixed: [String] = try db.query(sql, ["Sedan", 20_000])
        let withNil: [String] = try db.query(
            "SELECT name FROM cars WHERE price IS ? OR name = ?",
            [nil, "Audi"]
        )
        let empty: [String] = try db.query("SELECT name FROM cars WHERE price > 20000", [])
        #expect(one.map(\.name) == ["Audi"])
        #expect(mixed == ["Audi"])
        #expect(withNil == ["Audi", "Volvo"])
        #expect(empty == ["Audi"])
    }

    @Test func variablesOfArraysAndDictionariesAreListsOfParameters() throws {
        let db = try makeCars()
        let integers = [9000, 52642]
        let texts = ["Audi", "Volvo"]
        let optionals: [Int?] = [nil, 9000]
        let erased: [any Bindable] = ["Audi", 9000]
        let erasedOptionals: [(any Bindable)?] = ["Audi", nil]
        let in2 = "SELECT name FROM cars WHERE price IN (?, ?)"
        let byIntegers: [String] = try db.query(in2, integers)
        let byTexts: [String] = try db.query("SELECT name FROM cars WHERE name IN (?, ?)", texts)
        let byOptionals: [String] = try db.query(
            "SELECT name FROM cars WHERE price IS ? OR price = ?",
            optionals
        )
        let byErased: [String] = try db.query(
            "SELECT name FROM cars WHERE name = ? OR price = ?",
            erased
        )
        let byErasedOptionals: [String] = try db.query(
            "SELECT name FROM cars WHERE name = ? OR price IS ?",
            erasedOptionals
        )
        #expect(byIntegers == ["Audi", "Skoda"])
        #expect(byTexts == ["Audi", "Volvo"])
        #expect(byOptionals == ["Skoda", "Volvo"])
        #expect(byErased == ["Audi", "Skoda"])
        #expect(byErasedOptionals == ["Audi", "Volvo"])
        let integersByName = ["a": 9000, "b": 52642]
        let optionalsByName: [String: Int?] = ["a": 9000, "b": nil]
        let named = "SELECT name FROM cars WHERE price IS :a OR price IS :b"
        let byName: [String] = try db.query(named, integersByName)
        let byOptionalName: [String] = try db.query(named, optionalsByName)
        let byLiteral: [String] = try db.query(named, ["a": 9000, ":b": nil])
        #expect(byName == ["Audi", "Skoda"])
        #expect(byOptionalName == ["Skoda", "Volvo"])
        #expect(byLiteral == ["Skoda", "Volvo"])
        try db.run("INSERT INTO cars(price, name) VALUES(?, 'x'), (?, 'y')", integers)
        try db.run("INSERT INTO cars(price, name) VALUES(:a, 'z'), (:b, 'z')", integersByName)
        try db.run(
            "INSERT INTO cars(price, name) VALUES(:a, 'z'), (:b, 'z')",
            parameters: integersByName
        )
        try db.prepare("DELETE FROM cars WHERE price IN (?, ?)").bind(integers).run()
        let left: Int = try db.query("SELECT count(*) FROM cars")
        #expect(left == 1)
    }

    @Test func existentialValuesAreParameters() throws {
        let db = try makeCars()
        let value: any Bindable = "Audi"
        let optional: (any Bindable)? = nil
        let price: Int? = try db.query("SELECT price FROM cars WHERE name = ?", value)
        let names: [String] = try db.query("SELECT name FROM cars WHERE price IS ?", optional)
        let mixed: [String] = try db.query(
            "SELECT name FROM cars WHERE name = ? OR price IS ? OR type = ?",
            value,
            optional,
            "x"
        )
        #expect(price == 52642)
        #expect(names == ["Volvo"])
        #expect(mixed == ["Audi", "Volvo"])
        try db.run("UPDATE cars SET price = ? WHERE name = ?", optional, value)
        try db.prepare("UPDATE cars SET price = ? WHERE name = ?", optional, value).run()
        try db.prepare("UPDATE cars SET price = ? WHERE name = ?").bind(optional, value).run()
        let inClosure: [Int?] = try db.query("SELECT price FROM cars WHERE name = ?", value) {
            $0[0]
        }
        #expect(inClosure == [nil])
    }

    @Test func mixedTypesAreParameters() throws {
        let db = try Connection()
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 0)
        let url = try #require(URL(string: "https://example.org"))
        let row: [Row] = try db.query(
            "SELECT ?,?,?,?,?,?,?,?",
            1,
            "a",
            2.5,
            true,
            uuid,
            date,
            url,
            Data([1])
        )
        #expect(
            row.first?.description
                == "[1, 'a', 2.5, 1, '\(uuid.uuidString)', '1970-01-01T00:00:00.000', 'https://example.org', x'01']"
        )
        let withNil: [Row] = try db.query("SELECT ?,?,?", 1, nil, "a")
        #expect(withNil.first?.description == "[1, NULL, 'a']")
        let float: Double = try db.query("SELECT ?", 1.5 as Float)
        let small: Int8 = try db.query("SELECT ?", -3 as Int8)
        #expect(float == 1.5 && small == -3)
        let substring = "prefix".dropFirst(3)
        let text: String = try db.query("SELECT ?", String(substring))
        #expect(text == "fix")
    }

    @Test func trailingClosuresOfEveryShape() throws {
        let db = try makeCars()
        let prices: [String: UInt] = try db.query(sql, "Sedan", 1) { ($0[0], $0[1]) }
        let names: [String] = try db.query("SELECT name FROM cars") { $0[0] }
        let first: String? = try db.query("SELECT name FROM cars") { $0["name"] }
        let multi: [String] = try db.query("SELECT name FROM cars") { row in
            let name: String = try row.get(0)
            return name.uppercased()
        }
        let lengths =
            try db.query("SELECT name FROM cars WHERE type = ?", "Wagon") { (row: Row) -> Int in
                (row[0] as String).count
            } as [Int]
        let counts: [String: Int] = try db.query("SELECT type FROM cars") { counts, row in
            (row[0], counts[row[0], default: 0] + 1)
        }
        #expect(prices == ["Audi": 52642, "Skoda": 9000])
        #expect(names == ["Audi", "Skoda", "Volvo"])
        #expect(first == "Audi")
        #expect(multi == ["AUDI", "SKODA", "VOLVO"])
        #expect(lengths == [5])
        #expect(counts == ["Sedan": 2, "Wagon": 1])
        var total = 0
        try db.forEachRow("SELECT price FROM cars") { total += $0[0] ?? 0 }
        try db.forEachRow("SELECT price FROM cars WHERE name = ?", "Audi") { row in total += row[0]
        }
        #expect(total == 52642 * 2 + 9000)
    }

    @Test func resultsAreReturnedAndPassedOnWithoutAnAnnotation() throws {
        let db = try makeCars()
        func count() throws -> Int {
            try db.query("SELECT count(*) FROM cars")
        }
        func names(_ type: String) throws -> [String] {
            try db.query("SELECT name FROM cars WHERE type = ?", type)
        }
        func price(_ name: String) throws -> Int? {
            try db.query("SELECT price FROM cars WHERE name = ?", name)
        }
        func cars() throws -> [StockCar] {
            try db.query("SELECT * FROM cars")
        }
        func table() throws -> [String: Int?] {
            try db.query("SELECT name, price FROM cars")
        }
        func join(_ names: [String], _ count: Int) -> String {
            names.joined(separator: ",") + "\(count)"
        }
        #expect(try count() == 3)
        #expect(try names("Wagon") == ["Volvo"])
        #expect(try price("Volvo") == nil)
        #expect(try cars() == StockCar.all)
        #expect(try table()["Volvo"] == .some(nil))
        let joined = join(try db.query("SELECT name FROM cars"), try db.query("SELECT 1"))
        #expect(joined == "Audi,Skoda,Volvo1")
        #expect(try db.query("SELECT 1") == 1)
        #expect(try db.query("SELECT ?", "a") == "a")
    }

    @Test func runAndPrepareTakeOptionalVariables() throws {
        let db = try makeCars()
        let nothing: String? = nil
        let name: String? = "Audi"
        let number: Int? = 5
        try db.run("UPDATE cars SET type = ? WHERE name = ?", nothing, name)
        try db.run("UPDATE cars SET price = ? WHERE name = ?", number, "Volvo")
        try db.run("UPDATE cars SET price = ?, type = ? WHERE name = ?", number, nil, "Skoda")
        try db.prepare("INSERT INTO cars VALUES(?, ?, ?)", name, nothing, number).run()
        try db.prepare("INSERT INTO cars VALUES(?, ?, ?)").bind(name, nothing, number).run()
        try db.run("INSERT INTO cars VALUES(?, ?, ?)", [name, nothing, number])
        try db.run("INSERT INTO cars VALUES(:n, :t, :p)", ["n": name, "t": nothing, "p": number])
        let rows: [Row] = try db.query("SELECT * FROM cars")
        #expect(
            rows.map(\.description) == [
                "['Audi', NULL, 52642]", "['Skoda', NULL, 5]", "['Volvo', 'Wagon', 5]",
            ]
                + Array(repeating: "['Audi', NULL, 5]", count: 4)
        )
    }
}
