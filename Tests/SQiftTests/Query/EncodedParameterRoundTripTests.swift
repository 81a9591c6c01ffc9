import Foundation
import SQiftTestSupport
import Testing

import SQift

private enum Energy: String, Codable {
    case petrol, diesel
}

private enum Gear: Int, Codable {
    case first = 1
    case reverse = -1
}

private enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case point
}

private struct Motor: Codable, Equatable {
    var cylinders: Int
    var label: String?
    var parts: [[String]] = []
}

private struct Sizes: CodableBinding, Equatable {
    var width: Int
}

/// A type that encodes itself as a single value.
private struct Wrapping<Value: Codable & Equatable>: Codable, Equatable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private struct Everything: Codable, ExpressibleByRow, Equatable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, double
        case float, string, data, date, url, uuid, decimal, energy, gear, bytes, motor, sizes
        case shape, names, counts, numbers, tag, moment
    }

    var bool = false
    var int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var double = 0.0
    var float: Float = 0
    var string = ""
    var data = Data()
    var date = Date(timeIntervalSince1970: 0)
    var url: URL
    var uuid = UUID()
    var decimal = Decimal(0)
    var energy = Energy.petrol
    var gear = Gear.first
    var bytes: [UInt8] = []
    var motor = Motor(cylinders: 0)
    var sizes = Sizes(width: 0)
    var shape = Shape.point
    var names: [String] = []
    var counts: [String: Int] = [:]
    var numbers: [Int] = []
    var tag = Wrapping("")
    var moment = Wrapping(Date(timeIntervalSince1970: 0))
}

private struct OptionalEverything: Codable, ExpressibleByRow, Equatable {
    var bool: Bool?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var double: Double?
    var float: Float?
    var string: String?
    var data: Data?
    var date: Date?
    var url: URL?
    var uuid: UUID?
    var decimal: Decimal?
    var energy: Energy?
    var gear: Gear?
    var bytes: [UInt8]?
    var motor: Motor?
    var sizes: Sizes?
    var shape: Shape?
    var names: [String]?
    var counts: [String: Int]?
    var numbers: [Int]?
    var tag: Wrapping<String>?
    var moment: Wrapping<Date>?

    init() {}

    init(_ all: Everything) throws {
        let list = try PropertyListEncoder().encode(all)
        self = try PropertyListDecoder().decode(Self.self, from: list)
    }
}

/// Values that are encoded as parameters, stored, and decoded from their rows.
struct EncodedParameterRoundTripTests {
    private let connection: Connection
    private let insert: SQL

    init() throws {
        let names = Everything.CodingKeys.allCases.map(\.rawValue)
        let columns = names.joined(separator: ", ")
        let parameters = names.map { ":" + $0 }.joined(separator: ", ")
        insert = "INSERT INTO t(\(columns)) VALUES(\(parameters))"
        connection = try Connection()
        try connection.execute("CREATE TABLE t(\(columns))")
    }

    private func expectRoundTrip<T: Codable & ExpressibleByRow & Equatable>(
        of value: T,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try connection.run("DELETE FROM t")
        let changes = try connection.run(insert, encoding: value)
        let returned: T = try connection.query(insert + " RETURNING *", encoding: value)
        try connection.prepare(insert).bind(encoding: value).run()
        let read: [T] = try connection.query("SELECT * FROM t ORDER BY rowid")
        #expect(changes == 1, sourceLocation: sourceLocation)
        #expect(returned == value, sourceLocation: sourceLocation)
        #expect(read == [value, value, value], sourceLocation: sourceLocation)
    }

    private func simple() throws -> Everything {
        Everything(url: try #require(URL(string: "https://example.com")))
    }

    private func smallest() throws -> Everything {
        var value = try simple()
        value.int = .min
        value.int8 = .min
        value.int16 = .min
        value.int32 = .min
        value.int64 = .min
        value.double = -.greatestFiniteMagnitude
        value.float = -.greatestFiniteMagnitude
        value.date = Date(timeIntervalSince1970: -62_167_219_200)
        value.decimal = Decimal(sign: .minus, exponent: -9, significand: 1_234_567_890_123_456_789)
        value.gear = .reverse
        return value
    }

    private func largest() throws -> Everything {
        var value = try simple()
        value.bool = true
        value.int = .max
        value.int8 = .max
        value.int16 = .max
        value.int32 = .max
        value.int64 = .max
        value.uint = .max
        value.uint8 = .max
        value.uint16 = .max
        value.uint32 = .max
        value.uint64 = .max
        value.double = .infinity
        value.float = .infinity
        value.date = Date(timeIntervalSince1970: 253_402_300_799.5)
        value.decimal = Decimal(sign: .plus, exponent: 20, significand: 99)
        value.bytes = Array(0...255)
        value.data = Data(value.bytes)
        return value
    }

    /// A value whose texts are of every kind.
    private func textual() throws -> Everything {
        let text = "Škoda \"🚗\" \\ 'x' \u{0}\n\u{7F} e\u{301} /"
        var value = try simple()
        value.string = text
        value.url = try #require(URL(string: "https://example.com/%C3%A9?q=%00#f"))
        value.motor = Motor(cylinders: .max, label: text, parts: [[text, ""], []])
        value.shape = .circle(radius: 0.1)
        value.names = [text, "", "\u{0}"]
        value.counts = [text: .min, "": .max, "\u{0}": 0]
        value.numbers = [.min, 0, .max]
        value.sizes = Sizes(width: -1)
        value.tag = Wrapping(text)
        value.moment = Wrapping(Date(timeIntervalSince1970: 1_700_000_000.5))
        value.energy = .diesel
        return value
    }

    @Test func simpleValuesAndEmptyListsComeBack() throws {
        try expectRoundTrip(of: simple())
        try expectRoundTrip(of: OptionalEverything(simple()))
    }

    @Test func theSmallestValuesComeBack() throws {
        try expectRoundTrip(of: smallest())
        try expectRoundTrip(of: OptionalEverything(smallest()))
    }

    @Test func theLargestValuesComeBack() throws {
        try expectRoundTrip(of: largest())
        try expectRoundTrip(of: OptionalEverything(largest()))
    }

    @Test func textsOfEveryKindComeBack() throws {
        try expectRoundTrip(of: textual())
        try expectRoundTrip(of: OptionalEverything(textual()))
    }

    @Test func nothingComesBack() throws {
        try expectRoundTrip(of: OptionalEverything())
        #expect(
            try connection.query(
                "SELECT typeof(names), count(*) FROM t GROUP BY 1"
            ) as [String: Int] == ["null": 3]
        )
    }

    @Test func theStorageIsThatOfThePlainTypes() throws {
        try connection.run(insert, encoding: textual())
        let names = Everything.CodingKeys.allCases.map(\.rawValue)
        let types = names.map { "typeof(\($0))" }.joined(separator: ", ")
        let row: Row = try connection.query("SELECT \(types) FROM t")
        let found = try names.indices.map { try row.get($0) as String }
        let expected: [[String]] = [
            Array(repeating: "integer", count: 11),
            ["real", "real", "text", "blob", "text", "text", "text", "text", "text"],
            ["integer", "blob"],
            Array(repeating: "text", count: 8),
        ]
        #expect(found == expected.flatMap { $0 })
    }
}
