import SQiftTestSupport
import Testing

/// A program for the compiler.
struct Program: Sendable, CustomTestStringConvertible {
    let name: String
    let source: String
    /// What the compiler says, empty for a program that is right.
    let message: String
    /// Whether Swift's language mode 5 has nothing against it.
    let isRightInMode5: Bool

    /// - Parameter body: The body of a function that has a connection `c`.
    init(_ name: String, _ body: String, _ message: String = "", isRightInMode5: Bool = false) {
        self.name = name
        self.isRightInMode5 = isRightInMode5
        self.message = message
        source = """
            import Foundation
            import SQift
            func \(name)(_ c: Connection) throws {
            \(body)
            }
            """
    }

    var testDescription: String { name }
}

/// What compiles, and what must go on compiling beside the explanations of mistakes.
let correctPrograms = [
    Program(
        "codableWithoutBindingType",
        """
        struct Engine: CodableBinding { var n: Int }
        try c.run("SELECT ?", Engine(n: 1))
        let e: Engine = try c.query("SELECT 1")
        print(e)
        """
    ),
    Program(
        "bytesEverywhere",
        """
        let bytes: [UInt8] = [1]
        let none: [UInt8]? = nil
        try c.run("?", bytes)
        try c.run("?", none)
        try c.run("?", bytes, 1, none)
        try c.run("?", [bytes, none, 1])
        try c.run("?", ["a": bytes])
        let values: [any Bindable] = [bytes, 1, "a"]
        try c.run("?", values)
        let n: Int = try c.query("?", bytes)
        print(n)
        """
    ),
    Program(
        "literals",
        """
        try c.run("?", [1, 2])
        try c.run("?", [1, nil])
        try c.run("?", [])
        try c.run("?", nil)
        try c.run("?", ["a": 1])
        let numbers: [Int] = [1]
        try c.run("?", numbers)
        let values: [any Bindable] = [1, 2]
        try c.run("?", values)
        """
    ),
    Program(
        "dateForText",
        """
        let date = Date()
        let n: Int? = try c.query("SELECT 1 WHERE ? < CURRENT_TIMESTAMP", date)
        print(n as Any)
        """
    ),
    Program(
        "tooManyValues",
        """
        try c.run("INSERT INTO t VALUES(?, ?)", 1, 2, 3, 4)
        """
    ),
    Program(
        "defaultForARow",
        """
        let name: String = try c.query("SELECT 1") ?? "none"
        print(name)
        """
    ),
    Program(
        "ownBindingType",
        """
        struct Own: CodableBinding {
            typealias BindingType = String
            var n: Int
            var bindingValue: BindingValue { .integer(1) }
            static func fromBindingValue(_ value: Any) -> Own? { nil }
        }
        try c.run("?", Own(n: 1))
        """
    ),
    Program(
        "rowsOfEveryKind",
        """
        struct Car: Codable, ExpressibleByRow {
            let name: String
            let price: Int?
        }
        let cars: [Car] = try c.query("SELECT name, price FROM cars")
        for car in cars {
            try c.run("INSERT INTO cars VALUES(:name, :price)", encoding: car)
        }
        let count = try c.run("DELETE FROM cars WHERE price = ?", 1)
        let pairs = try c.query("SELECT name, price FROM cars", as: (String, Int?).self)
        let pair = try c.query("SELECT 1, ?", 2, as: (Int, Int).self).first
        let cursor = try c.cursor("SELECT name FROM cars")
        while let row = try cursor.next() {
            print(try row.get(0) as String)
        }
        while let name = try cursor.next(as: String.self) {
            print(name)
        }
        print(count, pairs, pair as Any)
        """
    ),
    Program(
        "protocolsOfTheCaller",
        """
        try c.run("SELECT 1")
        }
        protocol Querying {
            func query<T: Extractable>(_ sql: SQL, _ parameters: (any Bindable)?...) throws -> T?
            func query<T: Extractable>(_ sql: SQL, _ parameters: (any Bindable)?...) throws -> [T]
            func query(_ sql: SQL, _ parameters: (any Bindable)?...) throws -> [Row]
            func query(_ sql: SQL, _ parameters: (any Bindable)?...) throws -> Row?
            func query<T>(
                _ sql: SQL, _ parameters: (any Bindable)?..., body: (Row) throws -> T
            ) throws -> [T]
            func run(_ sql: SQL, _ parameters: (any Bindable)?...) throws -> Int
            func execute(_ sql: SQL) throws
        }
        extension Connection: Querying {}
        protocol Answering {
            func query<T: Extractable>() throws -> [T]
            func query() throws -> [Row]
            func query<T>(_ body: (Row) throws -> T) throws -> [T]
        }
        extension Statement: Answering {}
        protocol Reading {
            func get<T: ColumnDecodable>(_ index: Int) throws -> T
            func get<T: ColumnDecodable>(_ name: String) throws -> T
        }
        extension Row: Reading {
        """
    ),
]
