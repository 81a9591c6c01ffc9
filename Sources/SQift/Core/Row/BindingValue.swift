import Foundation

/// A value as SQLite stores it, in one of the five storage classes.
///
/// The storage classes have these names here and in SQift 5.1's types:
///
/// | SQLite | `BindingValue` | ``Row/Column/DataType`` | ``Connection/FunctionValue/DataType`` |
/// | --- | --- | --- | --- |
/// | NULL | `null` | `null` | `null` |
/// | INTEGER | `integer` | `integer` | `integer` |
/// | REAL | `real` | `float` | `double` |
/// | TEXT | `text` | `text` | `text` |
/// | BLOB | `blob` | `blob` | `data` |
///
/// ``Extractable/DataType`` isn't a storage class: it is a Swift type.
///
/// SQLite: [Datatypes In SQLite](https://sqlite.org/datatype3.html)
public enum BindingValue: Hashable, Sendable {
    /// No value: NULL.
    case null
    /// An INTEGER of 64 bits with a sign.
    case integer(Int64)
    /// A REAL, a floating-point number of 64 bits. SQLite has no NaN: binding one throws.
    case real(Double)
    /// A TEXT, which may contain NUL bytes.
    case text(String)
    /// A BLOB: bytes as they are.
    case blob(Data)

    var storageClass: Row.Column.DataType {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .float
        case .text: .text
        case .blob: .blob
        }
    }
}

// The value as one Swift type, or nil if its storage class doesn't fit.
extension BindingValue {
    /// An INTEGER, or a REAL that is an integer and fits.
    @usableFromInline var int64Value: Int64? {
        switch self {
        case .integer(let integer): integer
        case .real(let real): Int64(exactly: real)
        default: nil
        }
    }

    /// A REAL or an INTEGER.
    @usableFromInline var doubleValue: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// A TEXT.
    @usableFromInline var stringValue: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The bytes of a TEXT or a BLOB.
    var bytes: Data? {
        dataValue ?? stringValue.map { Data($0.utf8) }
    }

    /// A BLOB.
    @usableFromInline var dataValue: Data? {
        guard case .blob(let data) = self else { return nil }
        return data
    }
}

// The argument of `Extractable.fromBindingValue(_:)`.
extension BindingValue {
    /// The plain Swift value; nil for NULL.
    @usableFromInline var anyValue: Any? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .real(let value): value
        case .text(let value): value
        case .blob(let value): value
        }
    }

    /// The argument for `fromBindingValue(_:)` of a type with this `BindingType`, or nil if the
    /// value doesn't fit that.
    @inlinable func anyValue<BindingType>(for type: BindingType.Type) -> Any? {
        switch type {
        case is Int64.Type: int64Value
        case is Double.Type: doubleValue
        case is String.Type: stringValue
        case is Data.Type: dataValue
        case is BindingValue.Type: self
        default: anyValue.flatMap { $0 is BindingType ? $0 : nil }
        }
    }

    /// The reverse of `anyValue`: the value that an argument of `fromBindingValue(_:)` stands for.
    @usableFromInline init?(anyValue: Any) {
        switch anyValue {
        case let value as BindingValue: self = value
        case let value as Int64: self = .integer(value)
        case let value as Double: self = .real(value)
        case let value as String: self = .text(value)
        case let value as Data: self = .blob(value)
        default: return nil
        }
    }
}

extension BindingValue: CustomStringConvertible {
    /// The value as an SQL literal: `NULL`, `1`, `1.5`, `'text'` or `x'00ff'`.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): value.isNaN ? "NULL" : "\(value)"
        case .text(let value): value.quotedAsLiteral
        case .blob(let value): "x'\(value.hexadecimal)'"
        }
    }
}

extension Data {
    /// Two digits for each byte.
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
