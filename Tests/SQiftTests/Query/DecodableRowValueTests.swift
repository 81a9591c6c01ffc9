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

/// An optional property of each type. Those that aren't optional: EncodedParameterRoundTripTests.
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

private let uuidText = "0A0B0C0D-0102-0304-0506-0708090A0B0C"

private let plainSQL = """
    SELECT 1 AS bool, -1 AS int, -128 AS int8, -32768 AS int16, -2147483648 AS int32,
        -9223372036854775807 AS int64, -2 AS uint, 255 AS uint8, 65535 AS uint16,
        4294967295 AS uint32, -1 AS uint64, 0.5 AS double, 0.25 AS float, 'Škoda' AS string,
        x'00ff' AS data, '1970-01-02' AS date, '\(uuidText)' AS uuid, '12.5' AS decimal,
        'diesel' AS energy, x'0102' AS bytes, '{"cylinders":6,"parts":{}}' AS motor,
        'https://example.com' AS url, '{"width":3}' AS sizes
    """

/// What the properties of a decoded type are read from. What its own type reads from a column is in
/// Values, and JSON in DecodableRowJSONTests.
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
        let ofNothing: [OptionalPlain] = try connection.query(
            "SELECT 1 AS other UNION ALL SELECT 2"
        )
        #expect(names.count == 23)
        #expect(try connection.query("SELECT \(nulls)") == OptionalPlain())
        #expect(ofNothing == [OptionalPlain(), OptionalPlain()])
    }

    @Test(arguments: [[], [0], [1, 0, 255]] as [[UInt8]])
    func bytesAreDecodedFromABlob(bytes: [UInt8]) throws {
        #expect(try decode(bound: bytes) as [UInt8] == bytes)
        #expect(try decode(bound: bytes) as [UInt8]? == bytes)
        #expect(try decode(bound: bytes) as Data == Data(bytes))
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
