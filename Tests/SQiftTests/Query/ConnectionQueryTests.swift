import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Every shape in every form of parameters, on a connection.
struct ConnectionQueryTests {
    private let connection: Connection

    init() throws {
        connection = try makeCars()
    }

    private let positional =
        "SELECT name, price FROM cars WHERE type = ? AND price > ? ORDER BY price"
    private let named =
        "SELECT name, price FROM cars WHERE type = :type AND price > @price ORDER BY price"
    private let expected = [
        StockCar(name: "Skoda", price: 9000), StockCar(name: "Audi", price: 52642),
    ]
    private var array: [(any Bindable)?] { ["Sedan", 1] }
    private var dictionary: [String: (any Bindable)?] { [":type": "Sedan", "price": 1] }

    @Test func aValueInEveryForm() throws {
        let none: String = try connection.query("SELECT name FROM cars ORDER BY price DESC")
        let pack: String = try connection.query(positional, "Sedan", 1)
        let literalNil: String = try connection.query("SELECT typeof(?) || typeof(?)", 1, nil)
        let values: String = try connection.query(positional, array)
        let byName: String = try connection.query(named, dictionary)
        #expect(
            [none, pack, literalNil, values, byName] == [
                "Audi", "Skoda", "integernull", "Skoda", "Skoda",
            ]
        )
    }

    @Test func anOptionalValueInEveryForm() throws {
        let none: Int? = try connection.query("SELECT price FROM cars WHERE name = 'Volvo'")
        let pack: Int? = try connection.query("SELECT price FROM cars WHERE name = ?", "Audi")
        let literalNil: Int? = try connection.query("SELECT ?", nil)
        let values: Int? = try connection.query("SELECT price FROM cars WHERE name = ?", ["Skoda"])
        let byName: Int? = try connection.query(
            "SELECT price FROM cars WHERE name = $n",
            ["n": "none"]
        )
        let byPrefixedName: Int? = try connection.query(
            "SELECT price FROM cars WHERE name = $n",
            ["$n": "Audi"]
        )
        #expect(
            [none, pack, literalNil, values, byName, byPrefixedName] == [
                nil, 52642, nil, 9000, nil, 52642,
            ]
        )
    }

    @Test func anArrayInEveryForm() throws {
        let none: [String] = try connection.query(
            "SELECT name FROM cars WHERE price > 0 ORDER BY price"
        )
        let pack: [String] = try connection.query(positional, "Sedan", 1)
        let literalNil: [String] = try connection.query(
            "SELECT name FROM cars WHERE price IS ? OR name = ?",
            nil,
            "Audi"
        )
        let values: [String] = try connection.query(positional, array)
        let byName: [String] = try connection.query(named, dictionary)
        for names in [none, pack, values, byName] {
            #expect(names == ["Skoda", "Audi"])
        }
        #expect(literalNil == ["Audi", "Volvo"])
    }

    @Test func aRowTypeInEveryForm() throws {
        let pack: StockCar = try connection.query(positional, "Sedan", 1)
        let values: StockCar? = try connection.query(positional, array)
        let byName: StockCar = try connection.query(named, dictionary)
        for car in [pack, values, byName] {
            #expect(car == expected[0])
        }
        #expect(
            try connection.query("SELECT * FROM cars WHERE price IS ?", nil) as StockCar?
                == StockCar.all[2]
        )
    }

    @Test func rowTypesInEveryForm() throws {
        let none: [StockCar] = try connection.query("SELECT * FROM cars")
        let pack: [StockCar] = try connection.query(positional, "Sedan", 1)
        let values: [StockCar] = try connection.query(positional, array)
        let byName: [StockCar] = try connection.query(named, dictionary)
        for cars in [pack, values, byName] {
            #expect(cars == expected)
        }
        #expect(none == StockCar.all)
    }

    @Test func aDictionaryInEveryForm() throws {
        let pack: [String: Int] = try connection.query(positional, "Sedan", 1)
        let values: [String: Int] = try connection.query(positional, array)
        let byName: [String: Int] = try connection.query(named, dictionary)
        for prices in [pack, values, byName] {
            #expect(prices == ["Skoda": 9000, "Audi": 52642])
        }
    }

    @Test func aRowInEveryForm() throws {
        let text = "['Skoda', 9000]"
        if let row = try connection.query(positional, "Sedan", 1) {
            #expect(row.description == text)
        } else {
            Issue.record("no row")
        }
        let values: Row? = try connection.query(positional, array)
        let byName: Row? = try connection.query(named, dictionary)
        for row in [values, byName] {
            #expect(row?.description == text)
        }
        let rows: [Row] = try connection.query(positional, "Sedan", 1)
        #expect(rows.map(\.description) == [text, "['Audi', 52642]"])
    }

    // MARK: Closures

    @Test func aClosureForTheFirstRowInEveryForm() throws {
        let none: String? = try connection.query("SELECT 'x'") { try $0.get(0) }
        let pack: String? = try connection.query(positional, "Sedan", 1) { try $0.get(0) }
        let literalNil: String? = try connection.query(
            "SELECT name FROM cars WHERE price IS ?",
            nil
        ) { try $0.get(0) }
        let values: String? = try connection.query(positional, array) { try $0.get(0) }
        let byName: String? = try connection.query(named, dictionary) { try $0.get(0) }
        #expect(
            [none, pack, literalNil, values, byName] == [
                "x", "Skoda", "Volvo", "Skoda", "Skoda",
            ]
        )
        let noRow: String? = try connection.query(positional, "Truck", 1) { try $0.get(0) }
        #expect(noRow == nil)
    }

    @Test func aClosureForTheFirstRowSeesOneRowOnly() throws {
        var calls = 0
        let first: Int? = try connection.query("SELECT * FROM cars") { _ in
            calls += 1
            return calls
        }
        #expect(first == 1)
        #expect(calls == 1)
    }

    @Test func aClosureForAnArrayInEveryForm() throws {
        let none: [Int] = try connection.query("VALUES(1), (2)") { try $0.get(0) }
        let pack: [StockCar] = try connection.query(positional, "Sedan", 1) {
            try StockCar(row: $0)
        }
        let literalNil: [Int?] = try connection.query("VALUES(?), (1)", nil) { try $0.get(0) }
        let values: [StockCar] = try connection.query(positional, array) { try StockCar(row: $0) }
        let byName: [StockCar] = try connection.query(named, dictionary) { try StockCar(row: $0) }
        for cars in [pack, values, byName] {
            #expect(cars == expected)
        }
        #expect(none == [1, 2])
        #expect(literalNil == [nil, 1])
        let noRows: [Int] = try connection.query(positional, "Truck", 1) { try $0.get(0) }
        #expect(noRows == [])
    }

    @Test func aClosureForADictionaryInEveryForm() throws {
        let none: [Int: Int] = try connection.query("VALUES(1, 2), (1, 3)") {
            (try $0.get(0), try $0.get(1))
        }
        let pack: [String: UInt] = try connection.query(positional, "Sedan", 1) { ($0[0], $0[1]) }
        let literalNil: [String: Int?] = try connection.query("SELECT 'a', ?", nil) {
            (try $0.get(0), try $0.get(1))
        }
        let values: [String: UInt] = try connection.query(positional, array) { ($0[0], $0[1]) }
        let byName: [String: UInt] = try connection.query(named, dictionary) { ($0[0], $0[1]) }
        for prices in [pack, values, byName] {
            #expect(prices == ["Skoda": 9000, "Audi": 52642])
        }
        #expect(none == [1: 3])
        #expect(literalNil == ["a": nil])
    }

    @Test func aClosureThatSeesTheResultsSoFarInEveryForm() throws {
        func add(_ sums: [String: Int], _ row: Row) throws -> (String, Int) {
            let type: String = try row.get(0)
            return (type, sums[type, default: 0] + (try row.get(1) ?? 0))
        }
        let all = "SELECT type, price FROM cars"
        let none: [String: Int] = try connection.query(all, body: add)
        let pack: [String: Int] = try connection.query(all + " WHERE name <> ?", "x", body: add)
        let literalNil: [String: Int] = try connection.query(
            all + " WHERE name IS NOT ?",
            nil,
            body: add
        )
        let values: [String: Int] = try connection.query(all + " WHERE name <> ?", ["x"], body: add)
        let byName: [String: Int] = try connection.query(
            all + " WHERE name <> :n",
            ["n": "x"],
            body: add
        )
        for sums in [none, pack, literalNil, values, byName] {
            #expect(sums == ["Sedan": 61642, "Wagon": 0])
        }
        let groups: [String: [String]] = try connection.query("SELECT type, name FROM cars") {
            groups,
            row in
            let type: String = try row.get(0)
            return (type, groups[type, default: []] + [try row.get(1)])
        }
        #expect(groups == ["Sedan": ["Audi", "Skoda"], "Wagon": ["Volvo"]])
    }

    @Test func rowByRowInEveryForm() throws {
        var names: [String] = []
        func add(_ row: Row) throws {
            names.append(try row.get(0))
        }
        try connection.forEachRow("VALUES('x')", body: add)
        try connection.forEachRow(positional, "Sedan", 1, body: add)
        try connection.forEachRow("SELECT name FROM cars WHERE price IS ?", [nil], body: add)
        try connection.forEachRow(positional, .list(array), body: add)
        try connection.forEachRow(named, .named(dictionary), body: add)
        try connection.forEachRow(positional, "Truck", 1, body: add)
        #expect(
            names.joined(separator: " ") == "x Skoda Audi Volvo Skoda Audi Skoda Audi"
        )
    }

    @Test func anErrorOfAClosureComesOutUnchangedAndLeavesTheConnectionUsable() throws {
        let sql = "SELECT name, price FROM cars WHERE price > ?"
        let bodies: [() throws -> Void] = [
            { _ = try connection.query(sql, 1) { _ in throw TestError(reason: "1") } as Int? },
            { _ = try connection.query(sql, 1) { _ in throw TestError(reason: "1") } as [Int] },
            {
                _ =
                    try connection.query(sql, [1]) { _ -> (Int, Int) in
                        throw TestError(reason: "1")
                    } as [Int: Int]
            },
            {
                _ =
                    try connection.query(sql, [1]) { _, _ -> (Int, Int) in
                        throw TestError(reason: "1")
                    } as [Int: Int]
            },
            { try connection.forEachRow(sql, 1) { _ in throw TestError(reason: "1") } },
        ]
        for body in bodies {
            #expect(throws: TestError(reason: "1")) { try body() }
            #expect(try connection.query(sql, 1) == ["Audi", "Skoda"])
        }
        // Nothing is left open.
        try connection.execute("DROP TABLE cars")
        try connection.close()
    }
}
