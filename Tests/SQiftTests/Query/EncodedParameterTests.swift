import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct Motor: Encodable {
    var power: Double
    var cylinders: Int
}

private struct Car: Encodable {
    var name: String
    var price: Int?
}

/// Encodes nil in each way there is.
private struct Nothing: Encodable {
    enum Key: String, CodingKey { case a, b, c, d, e }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeNil(forKey: .a)
        try container.encode(Int?.none, forKey: .b)
        try container.encodeIfPresent(String?.none, forKey: .c)
        try container.encode(Motor?.none, forKey: .d)
        try container.encodeIfPresent([Int]?.none, forKey: .e)
    }
}

/// Encodes by other keys if it has a price.
private struct Switching: Encodable {
    enum Key: String, CodingKey { case name }
    enum PriceKey: String, CodingKey { case price }

    var price: Int?

    func encode(to encoder: any Encoder) throws {
        if let price {
            var container = encoder.container(keyedBy: PriceKey.self)
            try container.encode(price, forKey: .price)
        } else {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("switching", forKey: .name)
        }
    }
}

/// Encodes its price only if it has one.
private struct Sparing: Encodable {
    enum Key: String, CodingKey { case name, price }

    var price: Int?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("sparing", forKey: .name)
        if let price {
            try container.encode(price, forKey: .price)
        }
    }
}

private struct Reading: Encodable {
    var name: String
    var price: Double
}

private struct FloatReading: Encodable {
    var name: String
    var price: Float?
}

private struct MotorReading: Encodable {
    var name: String
    var price: Motor
}

/// Encodes its price into a container that it gets from its own one.
private struct ByHand: Encodable {
    enum Way: CaseIterable {
        case nestedContainer, nestedUnkeyedContainer, superEncoder
    }

    enum Key: String, CodingKey { case name, price }

    let way: Way

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("by hand", forKey: .name)
        switch way {
        case .nestedContainer:
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .price)
            try nested.encode(1, forKey: .price)
        case .nestedUnkeyedContainer:
            var nested = container.nestedUnkeyedContainer(forKey: .price)
            try nested.encode(1)
        case .superEncoder:
            let price = 1
            try price.encode(to: container.superEncoder(forKey: .price))
        }
    }
}

private class Vehicle: Encodable {
    let name: String

    init(name: String) {
        self.name = name
    }
}

private final class Truck: Vehicle {
    let price: Int

    enum Key: String, CodingKey { case price }

    init(name: String, price: Int) {
        self.price = price
        super.init(name: name)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(price, forKey: .price)
        try super.encode(to: container.superEncoder())
    }
}

private enum Energy: String, Encodable {
    case petrol
}

/// Parameters from the properties of a value. What each type is stored as:
/// EncodedParameterValueTests.
struct EncodedParameterTests {
    private let connection: Connection
    private let insert = "INSERT INTO t(name, price) VALUES(:name, :price)"
    private let audi = Car(name: "Audi", price: 52642)
    private let volvo = Car(name: "Volvo", price: nil)

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name, price)")
    }

    private var texts: [String] {
        get throws {
            let rows: [Row] = try connection.query("SELECT name, price FROM t ORDER BY id")
            return rows.map(\.description)
        }
    }

    // MARK: Ways to bind

    @Test(arguments: [":", "@", "$"])
    func thePropertiesAreTheParametersOfTheirNames(prefix: String) throws {
        let sql = "INSERT INTO t(price, name) VALUES(\(prefix)price, \(prefix)name)"
        try connection.run(sql, encoding: audi)
        try connection.prepare(sql).bind(encoding: volvo).run()
        #expect(try texts == ["['Audi', 52642]", "['Volvo', NULL]"])
    }

    @Test func runReturnsTheNumberOfRowsThatItChanged() throws {
        #expect(try connection.run(insert, encoding: audi) == 1)
        #expect(try connection.run(insert, encoding: audi) == 1)
        #expect(try connection.run(insert, encoding: volvo) == 1)
        let update = "UPDATE t SET price = :price WHERE name = :name"
        #expect(try connection.run(update, encoding: Car(name: "Audi", price: 1)) == 2)
        #expect(try connection.run(update, encoding: Car(name: "Fiat", price: 1)) == 0)
        #expect(try texts == ["['Audi', 1]", "['Audi', 1]", "['Volvo', NULL]"])
    }

    @Test func bindReturnsTheStatementAndMayFollowItself() throws {
        let statement = try connection.prepare(insert)
        let bound = try statement.bind(encoding: audi)
        #expect(bound === statement)
        try bound.run()
        try statement.bind(encoding: volvo).run()
        try statement.bind("Opel", 3).run()
        #expect(try texts == ["['Audi', 52642]", "['Volvo', NULL]", "['Opel', 3]"])
    }

    @Test func aQueryTakesThePropertiesToo() throws {
        let returning = insert + " RETURNING id"
        let first: Int = try connection.query(returning, encoding: audi)
        let second: Int? = try connection.query(returning, encoding: volvo)
        let names: [String] = try connection.query(
            "SELECT name FROM t WHERE price IS :price",
            encoding: volvo
        )
        let none: Int? = try connection.query(
            "SELECT id FROM t WHERE name = :name",
            encoding: Car(name: "Fiat", price: nil)
        )
        #expect(first == 1)
        #expect(second == 2)
        #expect(names == ["Volvo"])
        #expect(none == nil)
        #expect(try count("t", on: connection) == 2)
    }

    @Test func aNameMayOccurTwice() throws {
        let sql = "INSERT INTO t(name, price) VALUES(:name || :name, :price + :price)"
        try connection.run(sql, encoding: Car(name: "a", price: 2))
        #expect(try texts == ["['aa', 4]"])
    }

    // MARK: What isn't there

    @Test func nilIsNULL() throws {
        let sql = "SELECT :a, :b, :c, :d, :e"
        let row: Row = try connection.query(sql, encoding: Nothing())
        #expect(row.description == "[NULL, NULL, NULL, NULL, NULL]")
    }

    @Test func nilReplacesTheValueOfTheRunBefore() throws {
        let statement = try connection.prepare(insert)
        try statement.bind(encoding: Car(name: "long text that might stay", price: 1)).run()
        try statement.bind(encoding: Car(name: "", price: nil)).run()
        #expect(try texts == ["['long text that might stay', 1]", "['', NULL]"])
    }

    @Test func aPropertyThatIsNotEncodedIsNULL() throws {
        try connection.run(insert, encoding: Sparing(price: 1))
        try connection.run(insert, encoding: Sparing(price: nil))
        #expect(try texts == ["['sparing', 1]", "['sparing', NULL]"])
    }

    @Test func aDictionaryMustHaveEachKey() throws {
        expectSQLiteError(.misuse, containing: "price") {
            try connection.run(insert, encoding: ["name": "Audi"])
        }
        #expect(try texts == [])
    }

    @Test func aPropertyWithoutAParameterIsIgnored() throws {
        try connection.run("INSERT INTO t(name) VALUES(:name)", encoding: audi)
        try connection.run("INSERT INTO t(name) VALUES('none')", encoding: audi)
        #expect(try texts == ["['Audi', NULL]", "['none', NULL]"])
    }

    @Test(arguments: [":", "@", "$"])
    func aParameterWithoutAPropertyThrowsAndIsNamed(prefix: String) throws {
        let sql = "INSERT INTO t(name, price) VALUES(:name, \(prefix)cost)"
        let errors = [
            sqliteError { try connection.run(sql, encoding: audi) },
            sqliteError { try connection.prepare(sql).bind(encoding: audi) },
            sqliteError { try connection.query(sql, encoding: audi) as Int? },
        ]
        for error in errors {
            expect(error, .misuse, containing: "cost", sql: sql)
        }
        #expect(try texts == [])
    }

    @Test func aParameterWithoutANameThrows() throws {
        let sql = "INSERT INTO t(name, price) VALUES(:name, ?)"
        expectSQLiteError(.misuse) { try connection.run(sql, encoding: audi) }
        #expect(try texts == [])
    }

    // MARK: What can't be bound

    @Test func nanThrowsAndStoresNothing() throws {
        let statement = try connection.prepare(insert, "kept?", 1)
        let values: [any Encodable] = [
            Reading(name: "a", price: .nan), FloatReading(name: "a", price: .nan),
            MotorReading(name: "a", price: Motor(power: .nan, cylinders: 6)),
        ]
        for value in values {
            expectThrows((any Error).self) { try connection.run(insert, encoding: value) }
            expectThrows((any Error).self) { try statement.bind(encoding: value) }
            // It is unbound now: neither the new values nor those before are left.
            expectThrows(SQLiteError.self) { try statement.run() }
        }
        #expect(try texts == [])

        try connection.run(insert, encoding: audi)
        try statement.bind(encoding: volvo).run()
        #expect(try texts == ["['Audi', 52642]", "['Volvo', NULL]"])
    }

    @Test func listsAndSingleValuesHaveNoNames() throws {
        let statement = try connection.prepare(insert)
        let values: [any Encodable] = [
            [1, 2], ["a"], [audi], 5, "Audi", true, 1.5, Energy.petrol, Car?.none,
        ]
        for value in values {
            expectThrows((any Error).self) { try connection.run(insert, encoding: value) }
            expectThrows((any Error).self) { try statement.bind(encoding: value) }
            expectThrows((any Error).self) {
                try connection.query("SELECT 1", encoding: value) as Int
            }
        }
        #expect(try texts == [])
        try statement.bind(encoding: audi).run()
        #expect(try texts == ["['Audi', 52642]"])
    }

    @Test func containersByHandAreRefused() throws {
        let statement = try connection.prepare(insert)
        for way in ByHand.Way.allCases {
            let value = ByHand(way: way)
            let errors = [
                sqliteError { try connection.run(insert, encoding: value) },
                sqliteError { try statement.bind(encoding: value) },
            ]
            for error in errors {
                #expect(error?.message.contains("price") == true, "\(way)")
                #expect(error?.message.contains("ByHand") == true, "\(way)")
                #expect(error?.sql == insert, "\(way)")
            }
            expectThrows(SQLiteError.self) { try statement.run() }
        }
        #expect(try texts == [])
        try statement.bind(encoding: audi).run()
        #expect(try texts == ["['Audi', 52642]"])
    }

    @Test func anErrorNeverShowsAValue() throws {
        let secret = Car(name: "secret", price: 1)
        let unset = sqliteError { try connection.run("SELECT :name, :cost", encoding: secret) }
        let nan = sqliteError {
            try connection.run(insert, encoding: Reading(name: "secret", price: .nan))
        }
        #expect(unset?.description.contains("secret") == false)
        #expect(nan?.description.contains("secret") == false)
        #expect(nan?.sql == insert)
    }

    // MARK: Classes

    @Test func aSuperclassBindsItsProperties() throws {
        try connection.run(insert, encoding: Truck(name: "MAN", price: 7))
        let vehicle: Vehicle = Truck(name: "DAF", price: 8)
        try connection.run(insert, encoding: vehicle)
        #expect(try texts == ["['MAN', 7]", "['DAF', 8]"])
        expectSQLiteError(containing: "price") {
            try connection.run(insert, encoding: Vehicle(name: "x"))
        }
    }

    // MARK: One value after the other

    @Test func theKeysOfAnEarlierValueDoNotCount() throws {
        let name = try connection.prepare("SELECT :name")
        let price = try connection.prepare("SELECT :price")
        for _ in 0..<2 {
            #expect(try name.bind(encoding: Switching()).query() == "switching")
            expectSQLiteError(.misuse, containing: "left unset") {
                try name.bind(encoding: Switching(price: 7))
            }
            #expect(try price.bind(encoding: Switching(price: 8)).query() == 8)
            expectSQLiteError(.misuse, containing: "left unset") {
                try price.bind(encoding: Switching())
            }
        }
    }

    @Test func valuesOfSeveralTypesTakeTurnsInOneStatement() throws {
        let statement = try connection.prepare("SELECT :name || ifnull(:price, '')")
        for number in 0..<3 {
            let car = Car(name: "car", price: number)
            #expect(try statement.bind(encoding: car).query() == "car\(number)")
            let sparing = Sparing(price: nil)
            #expect(try statement.bind(encoding: sparing).query() == "sparing")
        }
    }
}
