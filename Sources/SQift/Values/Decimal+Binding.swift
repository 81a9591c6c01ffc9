import Foundation

extension Decimal: _ConvertedBinding {
    /// Stored as TEXT, so that no digit is lost; read from TEXT, INTEGER and REAL.
    public typealias BindingType = BindingValue
    /// The digits with a point, whatever the locale. For NaN it is `.null`, and `bind(to:)` throws.
    public var bindingValue: BindingValue {
        isNaN ? .null : .text("\(self)")
    }
    /// Binds the digits as a TEXT.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISMATCH`) for NaN.
    public func bind(to slot: borrowing ParameterSlot) throws {
        guard !isNaN else { throw slot.failure(.mismatch, "NaN can't be stored") }
        try slot.bind(bindingValue)
    }

    /// The form that can be read, for errors.
    public static var _form: String? { "a number of at most 38 digits, such as 1234.5" }

    /// From a TEXT that is a number and no more precise than a `Decimal` can be, an INTEGER, or
    /// the shortest digits that name a REAL.
    public static func _converted(from value: BindingValue) -> Decimal? {
        switch value {
        case .integer(let integer): Decimal(integer)
        case .real(let real): Decimal(number: "\(real)")
        case .text(let text): Decimal(number: text)
        default: nil
        }
    }

    /// Creates a decimal from a string that is a number and nothing else. Returns nil if a
    /// `Decimal` can't hold all of its digits: `Decimal(string:)` would drop the rest.
    init?(number: String) {
        guard let count = Self.significantDigits(of: number),
            let decimal = Decimal(string: number),
            !decimal.isNaN,
            // The 128 bits of a Decimal hold any number of 38 digits, and some of 39.
            count <= 38 || Self.significantDigits(of: "\(decimal)") == count
        else {
            return nil
        }
        self = decimal
    }

    /// The number of digits without the zeros at both ends; nil if the text isn't a number.
    private static func significantDigits(of text: String) -> Int? {
        // `Double` takes a number and nothing else, but names and hexadecimal digits too.
        guard text.utf8.allSatisfy({ 43...57 ~= $0 || $0 | 0x20 == "e" }), Double(text) != nil
        else {
            return nil
        }
        let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { 48...57 ~= $0 }
        return digits.drop { $0 == "0" }.reversed().drop { $0 == "0" }.count
    }
}
