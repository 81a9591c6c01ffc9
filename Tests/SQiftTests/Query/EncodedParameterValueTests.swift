import Foundation
import SQiftTestSupport
import Testing

import SQift

private enum Energy: String, Codable {
    case petrol, diesel
}

private enum Gear: Int, Codable {
    case first = 1
}

private enum Shape: Encodable {
    case circle(radius: Double)
}

private struct Motor: Encodable {
    var power: Int
    var cylinders: Int
    var label: String?
    var parts: [String: [Int]] = [:]
}

private struct Sizes: CodableBinding {
    var width: Int
    var height: Int
}

private struct Property<Value: Encodable>: Encodable {
    let value: Value
}

/// A type that encodes itself as a single value.
private struct Wrapping<Value: Encodable>: Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// Encodes its value as null, into a container of a single value.
private struct Nothing: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

private struct Stop: Codable, Equatable {
    let at: Date
}

private struct Trip: Codable, ExpressibleByRow, Equatable {
    let start: Date
    let stops: [Stop]
    let last: Stop?

    static var jsonEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    static var jsonDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

/// What the properties of an encoded value are stored as.
struct EncodedParameterValueTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    /// What a property of this value is stored as.
    private func encoded(_ value: some Encodable) throws -> BindingValue {
        try connection.query("SELECT :value", encoding: Property(value: value))
    }

    /// Expects the same for a property, an optional property and a wrapper.
    private func expect(
        _ value: some Encodable,
        isStoredAs expected: BindingValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let forms: [BindingValue] = [
            try encoded(value), try encoded(Optional(value)), try encoded(Wrapping(value: value)),
            try encoded(Wrapping(value: Optional(value))),
            try encoded(Wrapping(value: Wrapping(value: value))),
        ]
        #expect(
            forms == Array(repeating: expected, count: forms.count),
            "\(value)",
            sourceLocation: sourceLocation
        )
    }

    // MARK: Plain values

    @Test func numbersAreStoredAsNumbers() throws {
        try expect(true, isStoredAs: .integer(1))
        try expect(false, isStoredAs: .integer(0))
        try expect(Int.min, isStoredAs: .integer(.min))
        try expect(Int8(-8), isStoredAs: .integer(-8))
        try expect(Int16(-16), isStoredAs: .integer(-16))
        try expect(Int32(-32), isStoredAs: .integer(-32))
        try expect(Int64.max, isStoredAs: .integer(.max))
        try expect(UInt8.max, isStoredAs: .integer(255))
        try expect(UInt16.max, isStoredAs: .integer(65_535))
        try expect(UInt32.max, isStoredAs: .integer(4_294_967_295))
        try expect(UInt64.max, isStoredAs: .integer(-1))
        try expect(UInt.max, isStoredAs: .integer(-1))
        try expect(0.5, isStoredAs: .real(0.5))
        try expect(Float(0.25), isStoredAs: .real(0.25))
        try expect(-Double.infinity, isStoredAs: .real(-.infinity))
        try expect(Decimal(7), isStoredAs: .text("7"))
    }

    @Test func textAndBytesAreStoredAsThey() throws {
        let uuidText = "0A0B0C0D-0102-0304-0506-0708090A0B0C"
        let uuid = try #require(UUID(uuidString: uuidText))
        let url = try #require(URL(string: "https://example.com/a?b"))
        try expect("", isStoredAs: .text(""))
        try expect("a\u{0}Š🚗", isStoredAs: .text("a\u{0}Š🚗"))
        try expect(Data(), isStoredAs: .blob(Data()))
        try expect(Data([0, 255]), isStoredAs: .blob(Data([0, 255])))
        try expect([UInt8](), isStoredAs: .blob(Data()))
        try expect([0, 255] as [UInt8], isStoredAs: .blob(Data([0, 255])))
        try expect(uuid, isStoredAs: .text(uuidText))
        try expect(url, isStoredAs: .text("https://example.com/a?b"))
        try expect(
            Date(timeIntervalSince1970: 86_400.5),
            isStoredAs: .text("1970-01-02T00:00:00.500")
        )
    }

    @Test func enumerationsAreStoredAsTheirRawValues() throws {
        try expect(Energy.diesel, isStoredAs: .text("diesel"))
        try expect(Gear.first, isStoredAs: .integer(1))
    }

    @Test func nilIsNULL() throws {
        #expect(try encoded(Int?.none) == .null)
        #expect(try encoded(Energy?.none) == .null)
        #expect(try encoded([UInt8]?.none) == .null)
        #expect(try encoded([Int]?.none) == .null)
        #expect(try encoded(Nothing()) == .null)
        #expect(try encoded(Wrapping(value: Date?.none)) == .null)
        #expect(try encoded(Wrapping(value: Motor?.none)) == .null)
    }

    @Test func aWrapperOfNaNThrows() throws {
        expectThrows((any Error).self) { try encoded(Wrapping(value: Double.nan)) }
        expectThrows((any Error).self) { try encoded([1, Double.nan]) }
        expectThrows((any Error).self) { try encoded(["a": Double.nan]) }
        expectThrows((any Error).self) { try encoded(Decimal.nan) }
        expectThrows((any Error).self) { try encoded(Shape.circle(radius: .nan)) }
        #expect(try encoded(Wrapping(value: 1.5)) == .real(1.5))
    }

    // MARK: JSON

    @Test func aNestedValueIsJSONTextWithSortedKeys() throws {
        let motor = Motor(power: 300, cylinders: 6, parts: ["b": [1], "a": []])
        let json = #"{"cylinders":6,"parts":{"a":[],"b":[1]},"power":300}"#
        try expect(motor, isStoredAs: .text(json))
        try expect([motor], isStoredAs: .text("[\(json)]"))
        #expect(
            try connection.query(
                "SELECT json_extract(:value, '$.parts.b[0]')",
                encoding: Property(value: motor)
            ) == 1
        )
    }

    @Test func listsAndDictionariesAreJSONText() throws {
        try expect([Int](), isStoredAs: .text("[]"))
        try expect([1, nil, 3] as [Int?], isStoredAs: .text("[1,null,3]"))
        try expect([["Š"], []] as [[String]], isStoredAs: .text(#"[["Š"],[]]"#))
        try expect([String: Int](), isStoredAs: .text("{}"))
        try expect(["b": 1, "a": 2], isStoredAs: .text(#"{"a":2,"b":1}"#))
        try expect(Shape.circle(radius: 1.5), isStoredAs: .text(#"{"circle":{"radius":1.5}}"#))
    }

    @Test func codableBindingsAreStoredAsElsewhere() throws {
        try expect(Sizes(width: 3, height: 2), isStoredAs: .text(#"{"height":2,"width":3}"#))
        try expect(ArrayBinding(elements: [1, 2]), isStoredAs: .text("[1,2]"))
        try expect(DictionaryBinding(elements: ["a": 1]), isStoredAs: .text(#"{"a":1}"#))
    }

    @Test func aTypeMayChooseItsJSONEncoder() throws {
        let trip = Trip(
            start: Date(timeIntervalSince1970: 86_400),
            stops: [Stop(at: Date(timeIntervalSince1970: 0))],
            last: nil
        )
        let sql = "SELECT :start AS start, :stops AS stops, :last AS last"
        let row: Row = try connection.query(sql, encoding: trip)
        let read: Trip = try connection.query(sql, encoding: trip)
        #expect(try row.bindingValue(at: 0) == .text("1970-01-02T00:00:00.000"))
        #expect(try row.bindingValue(at: 1) == .text(#"[{"at":"1970-01-01T00:00:00Z"}]"#))
        #expect(try row.bindingValue(at: 2) == .null)
        #expect(read == trip)
    }

    /// SQLite's integers have 64 bits.
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    @Test(arguments: [Int128.max, .min])
    func anIntegerOf128BitsIsRefused(value: Int128) throws {
        expectSQLiteError(.mismatch) { try encoded(value) }
        #expect(try encoded(Int128(1)) == .integer(1))
    }
}
