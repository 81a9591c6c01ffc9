import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Spellings that fit two overloads equally well, unless one of them is marked as the lesser
/// choice.
struct QueryAmbiguityTests {
    private let audi: String? = "Audi"
    private let nothing: Int? = nil

    @Test func anOptionalVariableIsAParameterOfEveryShape() throws {
        let db = try makeCars()
        let value: Int = try db.query("SELECT price FROM cars WHERE name = ?", audi)
        let optional: Int? = try db.query("SELECT price FROM cars WHERE name = ?", audi)
        let array: [String] = try db.query(
            "SELECT name FROM cars WHERE price IS ? OR name = ?",
            nothing,
            audi
        )
        let optionals: [Int?] = try db.query("SELECT price FROM cars WHERE price IS ?", nothing)
        let car: StockCar? = try db.query("SELECT * FROM cars WHERE name = ?", audi)
        let cars: [StockCar] = try db.query("SELECT * FROM cars WHERE price IS ?", nothing)
        let dictionary: [String: Int?] = try db.query(
            "SELECT name, price FROM cars WHERE price IS ?",
            nothing
        )
        let rows: [Row] = try db.query("SELECT name FROM cars WHERE name = ?", audi)
        #expect(value == 52642)
        #expect(optional == 52642)
        #expect(array == ["Audi", "Volvo"])
        #expect(optionals == [nil])
        #expect(car == StockCar.all[0])
        #expect(cars == [StockCar.all[2]])
        #expect(dictionary == ["Volvo": nil])
        #expect(rows.count == 1)
    }

    @Test func anOptionalVariableIsAParameterBesideAClosure() throws {
        let db = try makeCars()
        let first: String? = try db.query("SELECT name FROM cars WHERE price IS ?", nothing) {
            $0[0]
        }
        let all: [String] = try db.query("SELECT name FROM cars WHERE name = ?", audi) { $0[0] }
        let dictionary: [String: Int] = try db.query(
            "SELECT name, 1 FROM cars WHERE name = ?",
            audi
        ) {
            ($0[0], $0[1])
        }
        let soFar: [String: Int] = try db.query("SELECT name FROM cars WHERE name = ?", audi) {
            ($1[0], $0.count)
        }
        var names: [String] = []
        try db.forEachRow("SELECT name FROM cars WHERE price IS ?", nothing) { names.append($0[0]) }
        #expect(first == "Volvo")
        #expect(all == ["Audi"])
        #expect(dictionary == ["Audi": 1])
        #expect(soFar == ["Audi": 0])
        #expect(names == ["Volvo"])
    }

    @Test func anAnnotatedRowIsFoundWithParameters() throws {
        let db = try makeCars()
        let erased: any Bindable = "Audi"
        let literal: Row? = try db.query("SELECT * FROM cars WHERE name = ?", "Audi")
        let two: Row? = try db.query("SELECT * FROM cars WHERE name = ? AND price > ?", "Audi", 1)
        let variable: Row? = try db.query("SELECT * FROM cars WHERE name = ?", audi)
        let existential: Row? = try db.query("SELECT * FROM cars WHERE name = ?", erased)
        let literalNil: Row? = try db.query(
            "SELECT * FROM cars WHERE name = ? OR price = ?",
            "Audi",
            nil
        )
        guard let guarded: Row = try db.query("SELECT * FROM cars WHERE name = ?", "Audi") else {
            Issue.record("no row")
            return
        }
        func returned(_ name: String) throws -> Row? {
            try db.query("SELECT * FROM cars WHERE name = ?", name)
        }
        for row in [literal, two, variable, existential, literalNil, guarded, try returned("Audi")]
        {
            #expect(row?.description == "['Audi', 'Sedan', 52642]")
        }
    }

    @Test func ifLetFindsARowWithAnOptionalVariable() throws {
        let db = try makeCars()
        guard let row = try db.query("SELECT name FROM cars WHERE price IS ?", nothing) else {
            Issue.record("no row")
            return
        }
        #expect(row.description == "['Volvo']")
    }
}
