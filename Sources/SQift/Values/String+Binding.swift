import Foundation

// Text and blobs, and what is stored as such. https://sqlite.org/datatype3.html

extension String: Binding {
    /// Stored as TEXT.
    public typealias BindingType = String
    /// `.text`
    public var bindingValue: BindingValue { .text(self) }
    /// A `String`.
    @inlinable public static func fromBindingValue(_ value: Any) -> String? {
        value as? String ?? BindingValue(any: value).flatMap(Self.init(value:))
    }
    /// Binds a TEXT; NUL bytes are kept.
    @inlinable public func bind(to slot: ParameterSlot) throws {
        try slot.bind(self)
    }
    /// Reads a TEXT. Bytes that aren't UTF-8 are replaced by U+FFFD; `Row.withUnsafeBytes(at:_:)`
    /// gives them as they are.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> String {
        try row.string(at: index)
    }

    @usableFromInline init?(value: BindingValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Data: Binding {
    /// Stored as BLOB.
    public typealias BindingType = Data
    /// `.blob`
    public var bindingValue: BindingValue { .blob(self) }
    /// A `Data`.
    public static func fromBindingValue(_ value: Any) -> Data? {
        BindingValue(any: value).flatMap(Data.init(value:))
    }
    /// Binds a BLOB; an empty one isn't NULL.
    @inlinable public func bind(to slot: ParameterSlot) throws {
        try slot.bind(self)
    }
    /// Reads a BLOB.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Data {
        try row.data(at: index)
    }

    @usableFromInline init?(value: BindingValue) {
        guard case .blob(let data) = value else { return nil }
        self = data
    }
}

/// What an array that is stored as a BLOB consists of: `UInt8`, and nothing else.
///
/// It is a protocol, since the compiler would take a literal such as `[1, 2]` for bytes if an
/// array's elements were asked to be `UInt8`.
public protocol _OnlyUInt8: BitwiseCopyable {}

extension UInt8: _OnlyUInt8 {}

extension Array: Bindable where Element: _OnlyUInt8 {
    /// `.blob`
    public var bindingValue: BindingValue { withUnsafeBytes { .blob(Data($0)) } }

    /// Binds a BLOB, as one value and not as a list of parameters; an empty one isn't NULL.
    ///
    /// A BLOB is read as `Data`, or without a copy by `Row.withUnsafeBytes(at:_:)`.
    public func bind(to slot: ParameterSlot) throws {
        try withUnsafeBytes { try slot.bind(blob: $0) }
    }
}

extension URL: Binding {
    /// Stored as TEXT.
    public typealias BindingType = String
    /// The absolute string.
    public var bindingValue: BindingValue { .text(absoluteString) }
    /// The URL of a `String`.
    public static func fromBindingValue(_ value: Any) -> URL? {
        BindingValue(any: value).flatMap(URL.init(value:))
    }
    /// Reads a TEXT that is a URL.
    public static func decode(from row: Row, at index: Int) throws -> URL {
        try row.convert(at: index, form: "a URL, percent-encoded where it must be", Self.init)
    }

    init?(value: BindingValue) {
        guard case .text(let text) = value else { return nil }
        // Text that isn't a URL isn't made one by percent-encoding it, where Foundation can be told
        // so.
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
            self.init(string: text, encodingInvalidCharacters: false)
        } else {
            self.init(string: text)
        }
    }
}

extension UUID: Binding {
    /// Stored as TEXT; read from TEXT in either case, and from a BLOB of 16 bytes.
    public typealias BindingType = BindingValue
    /// The string with upper-case letters.
    public var bindingValue: BindingValue { .text(uuidString) }
    /// The UUID of a `String`, or of the 16 bytes of a `Data`.
    public static func fromBindingValue(_ value: Any) -> UUID? {
        BindingValue(any: value).flatMap(UUID.init(value:))
    }
    /// Reads a TEXT, or a BLOB of 16 bytes.
    public static func decode(from row: Row, at index: Int) throws -> UUID {
        try row.convert(
            at: index,
            form: "8-4-4-4-12 hexadecimal digits, or a BLOB of 16 bytes",
            Self.init
        )
    }

    init?(value: BindingValue) {
        switch value {
        case .text(let text): self.init(uuidString: text)
        case .blob(let data) where data.count == 16:
            self.init(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        default: return nil
        }
    }
}

extension Decimal: Binding {
    /// Stored as TEXT, so that no digit is lost; read from TEXT, INTEGER and REAL.
    public typealias BindingType = BindingValue
    /// The digits with a point, in no locale; `.null` for NaN, which `bind(to:)` refuses.
    public var bindingValue: BindingValue { isNaN ? .null : .text("\(self)") }
    /// The number in a `String`, an `Int64` or a `Double`.
    public static func fromBindingValue(_ value: Any) -> Decimal? {
        BindingValue(any: value).flatMap(Self.init(value:))
    }
    /// Reads a TEXT that is a number and no more precise than a `Decimal` can be, an INTEGER, or
    /// the shortest digits that name a REAL.
    public static func decode(from row: Row, at index: Int) throws -> Decimal {
        try row.decimal(at: index)
    }
    /// Binds a TEXT. NaN throws.
    public func bind(to slot: ParameterSlot) throws {
        guard !isNaN else { throw slot.failure(.mismatch, "NaN can't be stored") }
        try slot.bind(bindingValue)
    }

    init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self.init(integer)
        case .real(let real): self.init(number: "\(real)")
        case .text(let text): self.init(number: text)
        default: return nil
        }
    }

    /// A number and nothing else, all of whose digits a `Decimal` holds: `Decimal(string:)` ignores
    /// what is too much.
    init?(number: String) {
        guard let count = Self.significantDigits(of: number), let decimal = Decimal(string: number),
            !decimal.isNaN
        else { return nil }
        // Its 128 bits hold any 38 digits, and some 39.
        guard count <= 38 || Self.significantDigits(of: "\(decimal)") == count else { return nil }
        self = decimal
    }

    /// How many digits there are between the zeros at both ends; nil if the text isn't a number.
    private static func significantDigits(of text: String) -> Int? {
        var text = text
        return text.withUTF8 { significantDigits(of: $0[...]) }
    }

    private static func significantDigits(of text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let number = withoutSign(text)
        let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var count = 0
        var zeros = 0
        var hasDigits = false
        var hasPoint = false
        for byte in mantissa {
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if byte == UInt8(ascii: "0") {
                hasDigits = true
                zeros += 1
            } else if isDigit(byte) {
                hasDigits = true
                count = count == 0 ? 1 : count + zeros + 1
                zeros = 0
            } else {
                return nil
            }
        }
        guard hasDigits else { return nil }
        if mantissa.endIndex == number.endIndex {
            return count
        }

        let exponent = withoutSign(number[mantissa.endIndex...].dropFirst())
        return !exponent.isEmpty && exponent.allSatisfy(isDigit) ? count : nil
    }

    private static func withoutSign(
        _ text: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        let isSigned = text.first == UInt8(ascii: "+") || text.first == UInt8(ascii: "-")
        return isSigned ? text.dropFirst() : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
