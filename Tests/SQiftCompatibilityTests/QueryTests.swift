import Foundation
import SQift
import Testing

/// Every query of SQift 5.1 on Connection, in its three forms of parameters, and on Statement.
struct QueryCompatibilityTests {
    private let sql = "SELECT * FROM cars WHERE type = ? AND price > ? ORDER BY id"
    private let namedSQL = "SELECT * FROM cars WHERE type = :type AND price > :price ORDER BY id"
    private let values: [Bindable?] = ["Sedan", 1]
    private let names: [String: Bindable?] = [":type": "Sedan", ":price": 1]

    @Test func aValueOrNil() throws {
        let db = try makeConnection()
        let synchronous: Int? = try db.query("PRAGMA synchronous")
        #expect(synchronous != nil)
        let minPrice: UInt? = try db.query("SELECT max(price) FROM cars WHERE price > ?", 40_000)
        #expect(minPrice == 57127)
        let byArray: String? = try db.query("SELECT name FROM cars WHERE id = ?", [1])
        let byName: String? = try db.query("SELECT name FROM cars WHERE id = :id", [":id": 2])
        let missing: String? = try db.query("SELECT name FROM cars WHERE id = ?", 100)
        let null: Date? = try db.query("SELECT release_date FROM cars WHERE id = ?", 3)
        let accented: String? = try db.prepare("SELECT ?", "å").query()
        #expect([byArray, byName, missing, accented] == ["Audi", "Mercedes", nil, "å"])
        #expect(null == nil)
    }

    @Test func aValueThatMustBeThere() throws {
        let connection = try makeConnection()
        let date1980 = Date(timeIntervalSince1970: 315_532_800)
        let date2000 = Date(timeIntervalSince1970: 946_684_800)
        let carCount: Int = try connection.query(
            "SELECT count(*) FROM cars WHERE release_date >= date(?) AND release_date <= date(?)",
            date1980,
            date2000
        )
        #expect(carCount == 2)
        let releaseDate: Date = try connection.query(
            "SELECT release_date FROM cars WHERE name = ?",
            "Mercedes"
        )
        #expect(releaseDate == Date(timeIntervalSince1970: 803_217_600))
        #expect(throws: (any Error).self) { let _: Int = try connection.query("SELECT 1 WHERE 0") }
    }

    @Test func aRow() throws {
        let db = try makeConnection()
        if let row = try db.query(
            "SELECT name, type, price FROM cars WHERE type = ? LIMIT 1",
            "Sedan"
        ) {
            let name: String = row[0]
            let type: String = row["type"]
            let price: UInt = row[2]
            #expect(name == "Audi" && type == "Sedan" && price == 52642)
        } else {
            Issue.record("no row")
        }
        if let row = try db.query(sql, values) {
            #expect(row.columnCount == 5)
        } else {
            Issue.record("no row")
        }
        if let row = try db.query(namedSQL, names) {
            #expect(row.columnCount == 5)
        } else {
            Issue.record("no row")
        }
        if let row = try db.query("SELECT 1 WHERE 0") {
            Issue.record("\(row)")
        }
        let plain: Row? = try db.query("SELECT name FROM cars")
        let prepared: Row? = try db.prepare(sql, "Sedan", 1).query()
        #expect(plain?.description == "['Audi']")
        #expect(prepared != nil)
    }

    @Test func arraysOfValues() throws {
        let db = try makeConnection()
        let all: [String] = try db.query("SELECT name FROM cars")
        let variadic: [String] = try db.query("SELECT name FROM cars WHERE type = ?", "Sedan")
        let array: [String] = try db.query("SELECT name FROM cars WHERE price > ?", [50_000])
        let named: [String] = try db.query("SELECT name FROM cars WHERE price > :p", [":p": 50_000])
        let prepared: [String] = try db.prepare("SELECT name FROM cars").query()
        let empty: [Int] = try db.query("SELECT id FROM cars WHERE 0")
        #expect(all == ["Audi", "Mercedes", "Skoda"])
        for two in [variadic, array, named] {
            #expect(two == ["Audi", "Mercedes"])
        }
        #expect(prepared == all)
        #expect(empty == [])
    }

    @Test func rowTypes() throws {
        let db = try makeConnection()
        let car: Car? = try db.query("SELECT * FROM cars WHERE type = ? LIMIT 1", "Sedan")
        let byArray: Car? = try db.query(sql, values)
        let byName: Car? = try db.query(namedSQL, names)
        let prepared: Car? = try db.prepare(sql, values).query()
        for one in [car, byArray, byName, prepared] {
            #expect(one?.name == "Audi")
        }
        let none: Car? = try db.query(sql, "Truck", 1)
        #expect(none == nil)
        let cars: [Car] = try db.query("SELECT * FROM cars WHERE price > ?", [20_000])
        let variadic: [Car] = try db.query(sql, "Sedan", 1)
        let named: [Car] = try db.query(namedSQL, names)
        let preparedCars: [Car] = try db.prepare(namedSQL, names).query()
        for list in [cars, variadic, named, preparedCars] {
            #expect(list.map { $0.price } == [52642, 57127])
        }
    }

    @Test func closuresForOneValue() throws {
        let db = try makeConnection()
        let trailing: String? = try db.query(sql, "Sedan", 1) { row in row["name"] }
        let labelled: String? = try db.query(sql, "Sedan", 1, body: { $0["name"] })
        let byArray: String? = try db.query(sql, values) { $0["name"] }
        let byName: String? = try db.query(namedSQL, names) { $0["name"] }
        let prepared: String? = try db.prepare(sql, values).query { $0["name"] }
        for name in [trailing, labelled, byArray, byName, prepared] {
            #expect(name == "Audi")
        }
        let none: Int? = try db.query("SELECT 1 WHERE 0") { $0[0] }
        #expect(none == nil)
    }

    @Test func closuresForArrays() throws {
        let db = try makeConnection()
        let trailing: [Car] = try db.query(sql, "Sedan", 1) { try Car(row: $0) }
        let byArray: [Car] = try db.query(sql, values) { try Car(row: $0) }
        let byName: [Car] = try db.query(namedSQL, names) { try Car(row: $0) }
        let prepared: [Car] = try db.prepare(sql, values).query { try Car(row: $0) }
        for cars in [trailing, byArray, byName, prepared] {
            #expect(cars.count == 2)
        }
        let tuples: [(Int, String)] = try db.query("SELECT id, name FROM cars") { ($0[0], $0[1]) }
        #expect(tuples.map { $0.1 } == ["Audi", "Mercedes", "Skoda"])
    }

    @Test func closuresForDictionaries() throws {
        let db = try makeConnection()
        let priceSQL = "SELECT name, price FROM cars WHERE price > ?"
        let prices: [String: UInt] = try db.query(priceSQL, 20_000) { ($0[0], $0[1]) }
        let byArray: [String: UInt] = try db.query(priceSQL, [20_000]) { ($0[0], $0[1]) }
        let byName: [String: UInt] = try db.query(
            "SELECT name, price FROM cars WHERE price > :p",
            [":p": 20_000]
        ) {
            ($0[0], $0[1])
        }
        let prepared: [String: UInt] = try db.prepare(priceSQL, 20_000).query { ($0[0], $0[1]) }
        for result in [prices, byArray, byName, prepared] {
            #expect(result == ["Audi": 52642, "Mercedes": 57127])
        }
    }

    @Test func closuresThatSeeTheResultsSoFar() throws {
        let db = try makeConnection()
        let groupSQL = "SELECT type, name FROM cars WHERE id > ?"
        let trailing: [String: [String]] = try db.query(groupSQL, 0) { results, row in
            let type: String = row["type"]
            var names = results[type] ?? []
            names.append(row["name"])
            return (type, names)
        }
        let byArray: [String: Int] = try db.query(groupSQL, [0]) { results, row in
            (row[0], (results[row[0]] ?? 0) + 1)
        }
        let byName: [String: Int] = try db.query("SELECT type FROM cars WHERE id > :id", [":id": 0])
        { results, row in
            (row[0], (results[row[0]] ?? 0) + 1)
        }
        let prepared: [String: Int] = try db.prepare(groupSQL, 0).query { results, row in
            (row[0], (results[row[0]] ?? 0) + 1)
        }
        #expect(trailing == ["Sedan": ["Audi", "Mercedes"], "Wagon": ["Skoda"]])
        for counts in [byArray, byName, prepared] {
            #expect(counts == ["Sedan": 2, "Wagon": 1])
        }
    }

    /// Spellings of 5.1 that fit two overloads equally well, unless one of them is marked as the
    /// lesser choice.
    @Test func optionalVariablesAndAnnotatedRows() throws {
        let db = try makeConnection()
        let type: String? = "Sedan"
        let row: Row? = try db.query("SELECT name FROM cars WHERE type = ?", "Sedan")
        let second: Row? = try db.query(sql, "Sedan", 1)
        let third: Row? = try db.query("SELECT name FROM cars WHERE type = ?", type)
        let name: String? = try db.query("SELECT name FROM cars WHERE type = ?", type)
        let names: [String] = try db.query("SELECT name FROM cars WHERE type = ?", type)
        let cars: [Car] = try db.query("SELECT * FROM cars WHERE type = ?", type)
        let first: String? = try db.query("SELECT name FROM cars WHERE type = ?", type) { $0[0] }
        let prices: [String: UInt] = try db.query(
            "SELECT name, price FROM cars WHERE type = ?",
            type
        ) {
            ($0[0], $0[1])
        }
        for row in [row, second, third] {
            #expect(row?["name"] == "Audi")
        }
        #expect(name == "Audi" && first == "Audi")
        #expect(names == ["Audi", "Mercedes"] && cars.count == 2 && prices.count == 2)
    }
}

struct StatementCompatibilityTests {
    @Test func aStatementTellsAboutItself() throws {
        let connection = try makeConnection()
        let statement = try Statement(
            connection: connection,
            sql: "SELECT * FROM cars WHERE id = ?"
        )
        #expect(statement.sql == "SELECT * FROM cars WHERE id = ?")
        #expect(statement.isReadOnly)
        #expect(!statement.isBusy)
        try statement.bind(5)
        #expect(statement.expandedSQL == "SELECT * FROM cars WHERE id = 5")
        #expect(try !connection.prepare("DELETE FROM cars").isReadOnly)
    }

    @Test func bindAndRunAreChainedAndTheirResultsDiscardable() throws {
        let connection = try makeConnection()
        let statement = try connection.prepare("UPDATE cars SET name = :name WHERE id = :id")
        let returned: Statement = try statement.bind([":name": "a", ":id": 1]).run()
        #expect(returned === statement)
        try statement.bind("b", 2).run()
        try statement.bind(["c", 3])
        try statement.run()
        let names: [String] = try connection.query("SELECT name FROM cars")
        #expect(names == ["a", "b", "c"])
    }
}

struct RowCompatibilityTests {
    private func row(
        _ sql: SQL = "SELECT 1 AS a, 1.5 AS b, 'text' AS c, x'00' AS d, NULL AS e"
    ) throws -> Row {
        let row: Row? = try Connection().query(sql)
        return try #require(row)
    }

    @Test func columnsSayWhatTheyHold() throws {
        let row = try self.row()
        #expect(row.columnCount == 5)
        let columns: [Row.Column] = row.columns
        #expect(columns.map { $0.index } == [0, 1, 2, 3, 4])
        #expect(columns.map { $0.name } == ["a", "b", "c", "d", "e"])
        let types: [Row.Column.DataType] = [.integer, .float, .text, .blob, .null]
        #expect(columns.map { $0.dataType } == types)
        #expect(columns[0].value as? Int64 == 1)
        #expect(columns[1].value as? Double == 1.5)
        #expect(columns[2].value as? String == "text")
        #expect(columns[3].value as? Data == Data([0]))
        #expect(columns[4].value == nil)
        #expect(columns[2].description.contains("text"))
    }

    @Test func aRowIsASequenceOfItsValues() throws {
        let row = try self.row()
        let values: [Any?] = row.values
        #expect(values.count == 5)
        #expect(values[0] as? Int64 == 1)
        #expect(values[4] == nil)
        var count = 0
        for value in row where value != nil {
            count += 1
        }
        #expect(count == 4)
        #expect(row.map { $0 is String } == [false, false, true, false, false])
    }

    @Test func itsDescriptionListsTheValues() throws {
        #expect(try row("SELECT 1, 'text', NULL").description == "[1, 'text', NULL]")
    }

    @Test func subscriptsAndValues() throws {
        let row = try self.row()
        let integer: Int = row[0]
        let double: Double = row["b"]
        let text: String? = row[2]
        let data: Data? = row["d"]
        let null: String? = row[4]
        let mismatch: Int? = row["c"]
        let missing: Int? = row["missing"]
        #expect(integer == 1 && double == 1.5 && text == "text" && data == Data([0]))
        #expect(null == nil && mismatch == nil && missing == nil)
        let any: Any? = row.value(at: 0)
        let typed: Int8? = row.value(at: 0)
        let named: String? = row.value(forColumnName: "c")
        #expect(any as? Int64 == 1)
        #expect(typed == 1)
        #expect(named == "text")
    }
}
