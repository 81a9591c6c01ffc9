import Foundation
import SQift
import Testing

// What users of SQift 5.1 wrote around it: generic helpers, and queries in the middle of
// expressions.

private extension Connection {
    func value<T: Extractable>(_ sql: SQL, _ parameters: Bindable?...) throws -> T? {
        return try query(sql, parameters)
    }

    func values<T: Extractable>(_ sql: SQL, _ parameters: [Bindable?]) throws -> [T] {
        return try query(sql, parameters)
    }

    func plainValue<T: Extractable>(_ sql: SQL) throws -> T? {
        return try query(sql)
    }

    func model<T: ExpressibleByRow>(_ sql: SQL, _ parameters: [String: Bindable?]) throws -> T? {
        return try query(sql, parameters)
    }

    func models<T: ExpressibleByRow>(_ sql: SQL) throws -> [T] {
        return try query(sql)
    }

    func map<T>(_ sql: SQL, _ parameters: Bindable?..., transform: (Row) throws -> T) throws -> [T]
    {
        return try query(sql, parameters, body: transform)
    }

    func first<T>(_ sql: SQL, _ transform: (Row) throws -> T) throws -> T? {
        return try query(sql, body: transform)
    }

    func insert<T: Bindable>(_ value: T, orNull other: T?) throws {
        try run("INSERT INTO cars(name) VALUES(?)", value)
        try run("INSERT INTO cars(name, type) VALUES(?, ?)", value, other)
        try prepare("INSERT INTO cars(name) VALUES(?)").bind(value).run()
    }
}

private extension Statement {
    func all<T: ExpressibleByRow>() throws -> [T] {
        return try query()
    }
    func one<T: Extractable>() throws -> T? {
        return try query()
    }
}

/// The extension that users wrote for all their enumerations.
extension Binding where Self: RawRepresentable, RawValue == String {
    typealias BindingType = String
    var bindingValue: BindingValue { return .text("user:" + rawValue) }
    static func fromBindingValue(_ value: Any) -> Self? {
        return Self(rawValue: String((value as! String).dropFirst(5)))
    }
}

private enum Tone: String, Binding { case light, dark }

private enum Wheel: String, CodableBinding {
    case front, rear
    typealias BindingType = Data
}

/// A generic Codable wrapper.
private struct Envelope<T: Codable & Equatable>: CodableBinding, Equatable {
    typealias BindingType = Data
    var content: T
}

private class Vehicle: ExpressibleByRow {
    let name: String
    required init(row: Row) throws {
        name = row["name"]
    }
}

private final class Truck: Vehicle {}

private protocol Named { var name: String { get } }
extension Vehicle: Named {}

struct SpellingTests {
    @Test func genericHelpersCompileAndRun() throws {
        let db = try makeConnection()
        let name: String? = try db.value("SELECT name FROM cars WHERE id = ? AND price > ?", 1, nil)
        #expect(name == nil)
        let price: Int? = try db.value("SELECT price FROM cars WHERE id = ?", 1)
        #expect(price == 52642)
        let names: [String] = try db.values("SELECT name FROM cars WHERE type = ?", ["Sedan"])
        #expect(names == ["Audi", "Mercedes"])
        let count: Int? = try db.plainValue("SELECT count(*) FROM cars")
        #expect(count == 3)
        let car: Car? = try db.model("SELECT * FROM cars WHERE id = :id", [":id": 2])
        #expect(car?.name == "Mercedes")
        let cars: [Car] = try db.models("SELECT * FROM cars")
        #expect(cars.count == 3)
        let lengths = try db.map("SELECT name FROM cars WHERE price > ?", 10_000) { row in
            (row[0] as String).count
        }
        #expect(lengths == [4, 8])
        let first = try db.first("SELECT name FROM cars") { row -> String in row[0] }
        #expect(first == "Audi")
        try db.insert("Opel", orNull: nil)
        let statement = try db.prepare("SELECT * FROM cars WHERE type IS NOT NULL")
        let all: [Car] = try statement.all()
        let one: Int? = try statement.one()
        #expect(all.count == 3 && one == 1)
    }

    @Test func queriesInTheMiddleOfExpressions() throws {
        let db = try makeConnection()
        let id = 1
        let chained: String? = try db.query("SELECT name FROM cars")?[0]
        let byName: String? = try db.query("SELECT name FROM cars WHERE id = ?", id)?["name"]
        let value: String? = try db.query("SELECT name FROM cars WHERE id = ?", 1)?.value(at: 0)
        let any: Any? = try db.query("SELECT name FROM cars WHERE id = ?", 1)?.value(at: 0)
        #expect([chained, byName, value, any as? String] == ["Audi", "Audi", "Audi", "Audi"])
        guard let row = try db.query("SELECT * FROM cars WHERE id = ?", id),
            let name: String = row["name"]
        else {
            Issue.record("no row")
            return
        }
        #expect(name == "Audi")
        let count = try db.query("SELECT count(*) FROM cars") as Int?
        let names = try db.query("SELECT name FROM cars WHERE id < ?", 3) as [String]
        let price = try db.query("SELECT price FROM cars WHERE id = ?", 100) ?? 5
        #expect(count == 3 && names.count == 2 && price == 5)
        let quiet: Int? = try? db.query("SELECT not SQL")
        let quietArray: [Int]? = try? db.query("SELECT id FROM cars WHERE id = ?", id)
        #expect(quiet == nil && quietArray == [1])
        let columns = try db.query("SELECT * FROM cars")!.columns
        #expect(columns.count == 5)
        let pair: (Int, String)? = try db.query("SELECT id, name FROM cars") { ($0[0], $0[1]) }
        #expect(pair?.1 == "Audi")
        let matrix: [[Int]] = try db.query("SELECT id, price FROM cars WHERE id = 1") { row in
            [row[0], row[1]]
        }
        #expect(matrix == [[1, 52642]])
        let lists: [String: [Int]] = try db.query("SELECT name, id FROM cars WHERE id = 1") { row in
            (row[0], [row[1]])
        }
        #expect(lists == ["Audi": [1]])
        let set = Set(try db.query("SELECT type FROM cars WHERE id > ?", 0) as [String])
        #expect(set == ["Sedan", "Wagon"])
        if let price: Int = try db.query("SELECT price FROM cars WHERE id = ?", id), price > 3 {
            #expect(price == 52642)
        } else {
            Issue.record("no price")
        }
        switch try db.query("SELECT name FROM cars WHERE id = ?", id) {
        case let row?: #expect(row.columnCount == 1)
        case nil: Issue.record("no row")
        }
    }

    @Test func aUsersExtensionForRawValuesWins() throws {
        let connection = try Connection()
        #expect(Tone.dark.bindingValue == .text("user:dark"))
        let stored: String? = try connection.query("SELECT ?", Tone.light)
        #expect(stored == "user:light")
        let erased: [Bindable?] = [Tone.light]
        let storedToo: String? = try connection.query("SELECT ?", erased)
        #expect(storedToo == "user:light")
        let read: Tone? = try connection.query("SELECT 'user:dark'")
        #expect(read == .dark)
    }

    @Test func aCodableEnumerationComesBack() throws {
        let connection = try Connection()
        let read: Wheel? = try connection.query("SELECT ?", Wheel.rear)
        #expect(read == .rear)
        let undecodable: Row? = try connection.query("SELECT x'00' AS v")
        let none: Wheel? = undecodable?["v"]
        #expect(none == nil)
    }

    @Test func aGenericCodableTypeComesBack() throws {
        let connection = try Connection()
        let read: Envelope<[String: Int]>? = try connection.query(
            "SELECT ?",
            Envelope(content: ["a": 1])
        )
        #expect(read == Envelope(content: ["a": 1]))
    }

    @Test func classesAndSubclassesAreMadeFromRows() throws {
        let connection = try makeConnection()
        let vehicles: [Vehicle] = try connection.query("SELECT name FROM cars")
        let truck: Truck? = try connection.query("SELECT name FROM cars")
        #expect(vehicles.map { $0.name } == ["Audi", "Mercedes", "Skoda"])
        #expect(truck?.name == "Audi")
        let named: [Named] = vehicles
        #expect(named.count == 3)
    }

    @Test func conversionsOfAnyLiteralAndCollection() throws {
        let connection = try Connection()
        let small: Int8 = 3
        let parameters: [Bindable?] = [
            small, UInt16(4), Float(0.5), true, nil, NSNull(), "a", Data(),
            Date(timeIntervalSince1970: 0),
        ]
        if let row = try connection.query("SELECT ?,?,?,?,?,?,?,?,?", parameters) {
            #expect(
                row.description == "[3, 4, 0.5, 1, NULL, NULL, 'a', x'', '1970-01-01T00:00:00.000']"
            )
        } else {
            Issue.record("no row")
        }
    }

    @Test func aTableLockIsThrownAtOnceUnlessPolled() throws {
        let path = temporaryPath()
        defer { removeDatabase(path) }
        let writer = try Connection(
            storageLocation: .onDisk(path),
            tableLockPolicy: .fastFail,
            sharedCache: true
        )
        let reader = try Connection(
            storageLocation: .onDisk(path),
            tableLockPolicy: .fastFail,
            sharedCache: true
        )
        try writer.execute("CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
        do {
            let _: Int? = try reader.query("SELECT count(*) FROM t")
            Issue.record("it read a locked table")
        } catch let error as SQLiteError {
            #expect(error.codeDescription == "SQLITE_LOCKED")
        }
        try writer.execute("COMMIT")
        let count: Int? = try reader.query("SELECT count(*) FROM t")
        #expect(count == 1)
    }
}
