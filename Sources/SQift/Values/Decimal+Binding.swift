import Foundation

extension Decimal: Binding {
    /// Stored as TEXT, so that no digit is lost; read from TEXT, INTEGER and REAL.
    public typealias BindingType = BindingValue
    /// The digits with a point, whatever the locale. For NaN it is `.null`, and `bind(to:)` throws.
    public var bindingValue: BindingValue {
        isNaN ? .null : .text("\(self)")
    }
    /// The number in a `String`, an `Int64` or a `Double`.
    public static func fromBindingValue(_ value: Any) -> Decimal? {
        BindingValue(anyValue: value).flatMap(Self.init(value:))
    }
    /// Reads a TEXT that is a number and no more precise than a `Decimal` can be, an INTEGER, or
    /// the shortest digits that name a REAL.
    public static func decode(from row: Row, at index: Int) throws -> Decimal {
        let form = "a number of at most 38 digits, such as 1234.5"
        return try row.convert(at: index, form: form, Decimal.init(value:))
    }
    /// Binds a TEXT.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISMATCH`) for NaN.
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

    /// Creates a decimal from a text that is a number and nothing else. Returns nil if a `Decimal`
    /// can't hold all of its digits: `Decimal(string:)` would drop the rest.
    init?(number: String) {
        guard let count = Self.significantDigits(of: number),
            let decimal = Decimal(string: number),
            !decimal.isNaN
        else {
            return nil
        }
        // The 128 bits of a Decimal hold any number of 38 digits, and some of 39.
        guard count <= 38 || Self.significantDigits(of: "\(decimal)") == count else {
            return nil
        }
        self = decimal
    }

    /// The number of digits without the zeros at both ends; nil if the text isn't a number.
    private static func significantDigits(of text: String) -> Int? {
        let number = withoutSign(text.utf8[...])
        let mantissa = number.prefix { $0 | 0x20 != "e" }
        let digits = mantissa.filter { $0 != "." }
        guard !digits.isEmpty, digits.allSatisfy(isDigit), mantissa.count - digits.count <= 1 else {
            return nil
        }
        if mantissa.endIndex < number.endIndex {
            let exponent = withoutSign(number[mantissa.endIndex...].dropFirst())
            guard !exponent.isEmpty, exponent.allSatisfy(isDigit) else { return nil }
        }
        return digits.drop { $0 == "0" }.reversed().drop { $0 == "0" }.count
    }

    private static func withoutSign(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isSigned = text.first.map { $0 == "+" || $0 == "-" } ?? false
        return isSigned ? text.dropFirst() : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 48 < 10
    }
}
