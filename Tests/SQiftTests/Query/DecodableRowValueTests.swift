import Foundation
import SQiftTestSupport
import Testing

import SQift

private enum Energy: String, Codable {
    case petrol, diesel
}

private enum Gear: Int, Codable {
    case first = 1
    case second
}

private enum Paint: String, Codable, Binding {
    case red, blue
}

/// Stored as JSON.
private struct Motor: Codable, Equatable {
    var cylinders: Int
    var label: String?
    var parts: [String: [Int]] = [:]
}

private struct Sizes: CodableBinding, Equatable {
    var width: Int
}

/// A value of any type, whose type isn't known where it is decoded.
private struct Single<Value: Decodable>: Decodable, ExpressibleByRow {
    let value: Value
}

/// A property of each plain type.
private struct Plain: Decodable, ExpressibleByRow, Equatable {
    let bool: Bool
    let int: Int
    let int8: Int8
    let int16: Int16
    let int32: Int32
    let int64: Int64
    let uint: UInt
    let uint8: UInt8
    let uint16: UInt16
    let uint32: UInt32
    let uint64: UInt64
    let double: Double
    let float: Float
    let string: String
    let data: Data
    let date: Date
    let uuid: UUID
    let decimal: Decimal
    let energy: Energy
    let bytes: [UInt8]
    let motor: Motor
}

/// The same, but optional.
private struct OptionalPlain: Decodable, ExpressibleByRow, Equatable {
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
    var uuid: UUID?
    var decimal: Decimal?
    var energy: Energy?
    var bytes: [UInt8]?
    var motor: Motor?
    var url: URL?
    var sizes: Sizes?
}

private protocol DecodedInteger: Binding, FixedWidthInteger, Decodable {}

extension Int: DecodedInteger {}
extension Int8: DecodedInteger {}
extension Int16: DecodedInteger {}
extension Int32: DecodedInteger {}
extension Int64: DecodedInteger {}
extension UInt: DecodedInteger {}
extension UInt8: DecodedInteger {}
extension UInt16: DecodedInteger {}
extension UInt32: DecodedInteger {}
extension UInt64: DecodedInteger {}

private let integerTypes: [any DecodedInteger.Type] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
    UInt32.self, UInt64.self,
]

private let uuidText = "0A0B0C0D-0102-0304-0506-0708090A0B0C"

private let plainSQL = """
    SELECT 1 AS bool, -1 AS int, -128 AS int8, -32768 AS int16, -2147483648 AS int32,
        -9223372036854775807 AS int64, -2 AS uint, 255 AS uint8, 65535 AS uint16,
        4294967295 AS uint32, -1 AS uint64, 0.5 AS double, 0.25 AS float, 'Škoda' AS string,
        x'00ff' AS data, '1970-01-02' AS date, '\(uuidText)' AS uuid, '12.5' AS decimal,
        'diesel' AS energy, x'0102' AS bytes, '{"cylinders":6,"parts":{}}' AS motor,
        'https://example.com' AS url, '{"width":3}' AS sizes
    """

/// What the properties of a decoded type are read from. JSON: DecodableRowJSONTests.
struct DecodableRowValueTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func decode<Value: Decodable>(_ expression: SQL) throws -> Value {
        let row: Single<Value> = try connection.query("SELECT \(expression) AS value")
        return row.value
    }

    private func decode<Value: Decodable>(bound value: some Bindable) throws -> Value {
        let row: Single<Value> = try connection.query("SELECT ? AS value", value)
        return row.value
    }

    // MARK: All types

    @Test func everyPlainTypeIsDecoded() throws {
        let uuid = try #require(UUID(uuidString: uuidText))
        let decoded: Plain = try connection.query(plainSQL)
        let expected = Plain(
            bool: true,
            int: -1,
            int8: .min,
            int16: .min,
            int32: .min,
            int64: -Int64.max,
            uint: UInt.max - 1,
            uint8: .max,
            uint16: .max,
            uint32: .max,
            uint64: .max,
            double: 0.5,
            float: 0.25,
            string: "Škoda",
            data: Data([0, 255]),
            date: Date(timeIntervalSince1970: 86_400),
            uuid: uuid,
            decimal: 12.5,
            energy: .diesel,
            bytes: [1, 2],
            motor: Motor(cylinders: 6)
        )
        #expect(decoded == expected)
    }

    @Test func everyTypeMayBeOptional() throws {
        let decoded: OptionalPlain = try connection.query(plainSQL)
        let expected = OptionalPlain(
            bool: true,
            int: -1,
            int8: .min,
            int16: .min,
            int32: .min,
            int64: -Int64.max,
            uint: UInt.max - 1,
            uint8: .max,
            uint16: .max,
            uint32: .max,
            uint64: .max,
            double: 0.5,
            float: 0.25,
            string: "Škoda",
            data: Data([0, 255]),
            date: Date(timeIntervalSince1970: 86_400),
            uuid: UUID(uuidString: uuidText),
            decimal: 12.5,
            energy: .diesel,
            bytes: [1, 2],
            motor: Motor(cylinders: 6),
            url: URL(string: "https://example.com"),
            sizes: Sizes(width: 3)
        )
        #expect(decoded == expected)
    }

    @Test func everyOptionalTypeTakesNULLAndAMissingColumn() throws {
        let names = Mirror(reflecting: OptionalPlain()).children.compactMap(\.label)
        let nulls = names.map { "NULL AS \($0)" }.joined(separator: ", ")
        let ofNULL: OptionalPlain = try connection.query("SELECT \(nulls)")
        let ofNothing: [OptionalPlain] = try connection.query(
            "SELECT 1 AS other UNION ALL SELECT 2"
        )
        #expect(names.count == 23)
        #expect(ofNULL == OptionalPlain())
        #expect(ofNothing == [OptionalPlain(), OptionalPlain()])
    }

    // MARK: Numbers

    @Test(arguments: [("0", false), ("1", true), ("-7", true), ("0.0", false), ("0.5", true)])
    func aBoolIsWhetherANumberIsNotZero(expression: String, expected: Bool) throws {
        let decoded: Bool = try decode(expression)
        #expect(decoded == expected)
    }

    @Test(arguments: integerTypes)
    fileprivate func anIntegerIsDecodedIfItFits(
        type: any DecodedInteger.Type
    ) throws {
        func check<T: DecodedInteger>(_ type: T.Type) throws {
            for value in [T.min, 0, 1, T.max] {
                let decoded: T = try decode(bound: value)
                let optional: T? = try decode(bound: value)
                #expect(decoded == value)
                #expect(optional == value)
            }
            let ofReal: T = try decode("100.0")
            let ofNULL: T? = try decode("NULL")
            #expect(ofReal == 100)
            #expect(ofNULL == nil)
        }
        try check(type)
    }

    @Test func realsAreDecodedFromNumbers() throws {
        #expect(try decode("1.5") as Double == 1.5)
        #expect(try decode("9007199254740993") as Double == 9_007_199_254_740_992)
        #expect(try decode("-9e999") as Double == -.infinity)
        #expect(try decode("0.1") as Float == 0.1)
        #expect(try decode("16777217") as Float == 16_777_216)
    }

    @Test func aDecimalIsDecodedFromTextAndNumbers() throws {
        let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
        #expect(try decode("'0.1'") as Decimal == tenth)
        #expect(try decode("0.1") as Decimal == tenth)
        #expect(try decode("-7") as Decimal == -7)
    }

    // MARK: Text and bytes

    @Test(arguments: ["", "Škoda 🚗", "a\u{0}b", "'quoted'"])
    func textIsDecoded(text: String) throws {
        #expect(try decode(bound: text) as String == text)
        #expect(try decode(bound: text) as String? == text)
    }

    @Test(arguments: [[], [0], [1, 0, 255]] as [[UInt8]])
    func bytesAreDecodedFromABlob(bytes: [UInt8]) throws {
        #expect(try decode(bound: bytes) as [UInt8] == bytes)
        #expect(try decode(bound: bytes) as [UInt8]? == bytes)
        #expect(try decode(bound: bytes) as Data == Data(bytes))
    }

    @Test(arguments: [
        ("'1970-01-02T00:00:00.500'", 86_400.5), ("'1970-01-02 01:00+01:00'", 86_400),
        ("'1970-01-02'", 86_400), ("86400", 86_400), ("-0.5", -0.5),
    ])
    func aDateIsDecodedFromTextAndUnixSeconds(expression: String, seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try decode(expression) as Date == date)
        #expect(try decode(expression) as Date? == date)
    }

    @Test func aUUIDIsDecodedFromTextInEitherCaseAndFromBytes() throws {
        let uuid = try #require(UUID(uuidString: uuidText))
        #expect(try decode("'\(uuidText)'") as UUID == uuid)
        #expect(try decode("lower('\(uuidText)')") as UUID == uuid)
        #expect(try decode("x'0a0b0c0d0102030405060708090a0b0c'") as UUID == uuid)
    }

    @Test func aURLIsDecodedFromText() throws {
        let text = "https://example.com/a%20b?c=d#e"
        let url = try #require(URL(string: text))
        #expect(try decode(bound: text) as URL == url)
    }

    // MARK: Types of one's own

    @Test func anEnumerationIsDecodedFromItsRawValue() throws {
        #expect(try decode("'diesel'") as Energy == .diesel)
        #expect(try decode("'diesel'") as Energy? == .diesel)
        #expect(try decode("2") as Gear == .second)
        #expect(try decode("1.0") as Gear == .first)
        #expect(try decode("'blue'") as Paint == .blue)
    }

    @Test func codableBindingsAreDecodedAsElsewhere() throws {
        #expect(try decode(#"'{"width":2}'"#) as Sizes == Sizes(width: 2))
        #expect(try decode(#"CAST('{"width":2}' AS BLOB)"#) as Sizes == Sizes(width: 2))
        #expect(try (decode("'[1,2]'") as ArrayBinding<Int>).elements == [1, 2])
        #expect(try (decode("'[1,2]'") as SetBinding<Int>).elements == [1, 2])
        #expect(try (decode(#"'{"a":1}'"#) as DictionaryBinding<String, Int>).elements == ["a": 1])
    }
}
