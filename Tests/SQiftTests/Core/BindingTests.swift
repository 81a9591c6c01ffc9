import Foundation
import SQiftTestSupport
import Testing

import SQift

private enum Number: Int, Binding { case one = 1, two }
private enum Small: UInt8, Binding { case a = 1, b = 255 }
private enum Color: String, Binding, CaseIterable { case red, green, empty = "" }
private enum Size: Double, Binding { case small = 0.5, large = 2 }

private struct Identifier: RawRepresentable, Hashable, Binding {
    let rawValue: UUID
}

private struct Moment: RawRepresentable, Hashable, Binding {
    let rawValue: Date
}

private struct Bits: RawRepresentable, Hashable, Binding {
    let rawValue: UInt64
}

private struct Bytes: RawRepresentable, Hashable, Binding {
    let rawValue: Data
}

private struct Price: RawRepresentable, Hashable, Binding {
    let rawValue: Decimal
}

private struct Options: OptionSet, Hashable, Binding {
    let rawValue: Int
}

/// A type with conversions of its own that is also RawRepresentable.
private enum Reversed: String, Binding {
    case abc

    typealias BindingType = String
    var bindingValue: BindingValue { .text(String(rawValue.reversed())) }
    static func fromBindingValue(_ value: Any) -> Reversed? {
        (value as? String).flatMap { Reversed(rawValue: String($0.reversed())) }
    }
}

struct RawRepresentableBindingTests {
    @Test func isStoredAsItsRawValue() throws {
        #expect(try stored(Number.two) == .integer(2))
        #expect(try stored(Small.b) == .integer(255))
        #expect(try stored(Color.green) == .text("green"))
        #expect(try stored(Color.empty) == .text(""))
        #expect(try stored(Size.small) == .real(0.5))
        #expect(try stored(Bits(rawValue: .max)) == .integer(-1))
        #expect(try stored(Bytes(rawValue: Data())) == .blob(Data()))
        #expect(try stored(Options(rawValue: 5)) == .integer(5))
        #expect(
            try stored(Moment(rawValue: Date(timeIntervalSince1970: 0)))
                == .text("1970-01-01T00:00:00.000")
        )
        let uuid = UUID()
        #expect(try stored(Identifier(rawValue: uuid)) == .text(uuid.uuidString))
        #expect(try stored(Price(rawValue: 1)) == .text("1"))
    }

    @Test func comesBackEqual() throws {
        try expectRoundTrip(of: Number.one)
        try expectRoundTrip(of: Small.b)
        for color in Color.allCases {
            try expectRoundTrip(of: color)
        }
        try expectRoundTrip(of: Size.large)
        let identifier = Identifier(rawValue: UUID())
        try expectRoundTrip(of: identifier)
        let moment = Moment(rawValue: Date(timeIntervalSince1970: -1.5))
        try expectRoundTrip(of: moment)
        try expectRoundTrip(of: Bits(rawValue: .max))
        try expectRoundTrip(of: Bytes(rawValue: Data([1])))
        #expect(
            try roundTrip(Options(rawValue: 3)) == [Options(rawValue: 1), Options(rawValue: 2)]
        )
        try expectRoundTrip(of: Price(rawValue: 12.5))
    }

    @Test func isReadFromWhateverItsRawValueIsReadFrom() throws {
        try expectReading("2.0", as: Number.self, is: .two)
        try expectReading("2", as: Size.self, is: .large)
        let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        try expectReading(
            "x'0102030405060708090a0b0c0d0e0f10'",
            as: Identifier.self,
            is: Identifier(rawValue: uuid)
        )
        try expectReading(
            "'\(uuid.uuidString.lowercased())'",
            as: Identifier.self,
            is: Identifier(rawValue: uuid)
        )
        try expectReading("1.5", as: Price.self, is: Price(rawValue: 1.5))
        try expectReading(
            "'1970-01-01 00:00'",
            as: Moment.self,
            is: Moment(rawValue: Date(timeIntervalSince1970: 0))
        )
    }

    @Test(arguments: ["60", "60.0"])
    func aDateRawValueIsReadFromUnixSecondsAsADateIs(expression: String) throws {
        try expectReading(
            expression,
            as: Moment.self,
            is: Moment(rawValue: Date(timeIntervalSince1970: 60))
        )
    }

    @Test func aUInt64RawValueIsReadFromALargeRealAsAUInt64Is() throws {
        try expectReading("9223372036854775808.0", as: Bits.self, is: Bits(rawValue: 1 << 63))
    }

    @Test func anUnknownRawValueIsAMismatch() throws {
        for expression in ["0", "3", "-1", "'one'", "x'01'"] {
            try expectMismatch(expression, as: Number.self)
        }
        for expression in ["0", "254"] {
            try expectMismatch(expression, as: Small.self)
        }
        for expression in ["'blue'", "'Red'", "' red'", "1", "x'726564'"] {
            try expectMismatch(expression, as: Color.self)
        }
        for expression in ["1", "1.5", "'2'"] {
            try expectMismatch(expression, as: Size.self)
        }
        for expression in ["'x'", "x'00'"] {
            try expectMismatch(expression, as: Identifier.self)
        }
    }

    @Test func anUnknownRawValueIsNilForTheOptionalSubscriptOnly() throws {
        let connection = try Connection()
        let row: Row? = try connection.query("SELECT 'blue' AS c")
        let color: Color? = row?["c"]
        #expect(color == nil)
        expectExtractionError(expectedType: "Color") {
            try connection.query("SELECT 'blue'") as Color?
        }
        expectExtractionError(row: 2) { try connection.query("VALUES('red'), ('blue')") as [Color] }
        let missing: Color? = try connection.query("SELECT 'red' WHERE 0")
        #expect(missing == nil)
    }

    @Test func aTypesOwnConversionsAreNotOverridden() throws {
        #expect(try stored(Reversed.abc) == .text("cba"))
        try expectRoundTrip(of: Reversed.abc)
        try expectMismatch("'abc'", as: Reversed.self)
        #expect(try Connection().query("SELECT ?", [Reversed.abc]) as BindingValue == .text("cba"))
    }

    @Test func aRawValueThatCannotBeStoredIsRefused() throws {
        try expectRefused(Moment(rawValue: Date(timeIntervalSince1970: 1e12)))
        try expectRefused(Price(rawValue: .nan))
    }
}

// MARK: Custom types, written as for SQift 5.1

private struct Celsius: Binding, Equatable {
    typealias BindingType = Double
    let degrees: Double
    var bindingValue: BindingValue { .real(degrees) }
    static func fromBindingValue(_ value: Any) -> Celsius? {
        Celsius(degrees: value as! Double)
    }
}

private struct Cents: Binding, Equatable {
    typealias BindingType = Int64
    let cents: Int64
    var bindingValue: BindingValue { .integer(cents) }
    static func fromBindingValue(_ value: Any) -> Cents? {
        Cents(cents: value as! Int64)
    }
}

private struct Tag: Binding, Equatable {
    typealias BindingType = String
    let name: String
    var bindingValue: BindingValue { .text(name) }
    static func fromBindingValue(_ value: Any) -> Tag? {
        let name = value as! String
        return name.isEmpty ? nil : Tag(name: name)
    }
}

private struct Digest: Binding, Equatable {
    typealias BindingType = Data
    let bytes: Data
    var bindingValue: BindingValue { .blob(bytes) }
    static func fromBindingValue(_ value: Any) -> Digest? {
        Digest(bytes: value as! Data)
    }
}

private struct StoreOnly: Bindable {
    var bindingValue: BindingValue { .text("stored") }
}

private class Shape: Extractable {
    typealias BindingType = String
    typealias DataType = Shape
    let name: String
    required init(_ name: String) {
        self.name = name
    }
    static func fromBindingValue(_ value: Any) -> Shape? {
        switch value as? String {
        case "circle": Circle("circle")
        case let name?: Shape(name)
        case nil: nil
        }
    }
}

private final class Circle: Shape {}

/// A type that only says how another one is read.
private struct Trimmed: Extractable, Equatable {
    typealias BindingType = String
    typealias DataType = String
    static func fromBindingValue(_ value: Any) -> String? {
        (value as? String)?.trimmingCharacters(in: .whitespaces)
    }
}

struct CustomBindingTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func comesBackEqual() throws {
        try expectRoundTrip(of: Celsius(degrees: -0.5))
        try expectRoundTrip(of: Cents(cents: .min))
        try expectRoundTrip(of: Tag(name: "a\u{0}b"))
        try expectRoundTrip(of: Digest(bytes: Data()))
    }

    @Test func theConversionGetsItsBindingTypeWhateverIsStored() throws {
        try expectReading("20", as: Celsius.self, is: Celsius(degrees: 20))
        try expectReading("20.0", as: Cents.self, is: Cents(cents: 20))
        for expression in ["'20'", "x'20'"] {
            try expectMismatch(expression, as: Celsius.self)
            try expectMismatch(expression, as: Cents.self)
        }
        for expression in ["0.5", "1e300", "9e999"] {
            try expectMismatch(expression, as: Cents.self)
        }
        for expression in ["1", "1.5", "x'61'"] {
            try expectMismatch(expression, as: Tag.self)
        }
        for expression in ["1", "1.5", "'a'", "''"] {
            try expectMismatch(expression, as: Digest.self)
        }
    }

    @Test func nilFromTheConversionIsAMismatchNotANull() throws {
        try expectMismatch("''", as: Tag.self)
        expectExtractionError(row: 2) { try connection.query("VALUES('a'), ('')") as [Tag] }
        expectExtractionError(row: 2) { try connection.query("VALUES('a'), ('')") as [Tag?] }
    }

    @Test func nullNeverReachesTheConversion() throws {
        let nothing: Tag? = try connection.query("SELECT NULL")
        #expect(nothing == nil)
        #expect(try connection.query("VALUES('a'), (NULL)") as [Tag?] == [Tag(name: "a"), nil])
        expectExtractionError(.null) { try connection.query("SELECT NULL") as Tag }
    }

    @Test func aTypeThatIsOnlyBindableCanBeStored() throws {
        let viaPack: String = try connection.query("SELECT ?", StoreOnly())
        let viaArray: String = try connection.query("SELECT ?", [StoreOnly()])
        #expect([viaPack, viaArray] == ["stored", "stored"])
    }

    @Test func aClassIsReadAsTheSubclassThatItsConversionMakes() throws {
        let shape: Shape = try connection.query("SELECT 'circle'")
        #expect(shape is Circle)
        let shapes: [Shape] = try connection.query("VALUES('circle'), ('square')")
        #expect(shapes.map(\.name) == ["circle", "square"])
    }

    @Test func aConversionThatMakesAnotherTypeIsAMismatchNotACrash() throws {
        try expectMismatch("' a '", as: Trimmed.self)
        #expect(Trimmed.fromBindingValue(" a ") == "a")
    }

    @Test func customTypesAreKeysAndValuesOfDictionaries() throws {
        struct Key: Binding, Hashable {
            typealias BindingType = Int64
            let id: Int64
            var bindingValue: BindingValue { .integer(id) }
            static func fromBindingValue(_ value: Any) -> Key? {
                Key(id: value as! Int64)
            }
        }
        #expect(
            try connection.query("VALUES(1, 'a'), (2, NULL)") as [Key: Tag?] == [
                Key(id: 1): Tag(name: "a"), Key(id: 2): nil,
            ]
        )
    }
}
