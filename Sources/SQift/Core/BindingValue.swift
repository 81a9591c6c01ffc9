import Foundation

/// A value as SQLite stores it, in one of the five storage classes.
///
/// https://sqlite.org/datatype3.html
public enum BindingValue: Hashable, Sendable {
    /// NULL
    case null
    /// INTEGER
    case integer(Int64)
    /// REAL. SQLite has no NaN: binding one throws.
    case real(Double)
    /// TEXT, which may contain NUL bytes.
    case text(String)
    /// BLOB
    case blob(Data)

    var dataType: Row.Column.DataType {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .float
        case .text: .text
        case .blob: .blob
        }
    }

    /// The plain Swift value, nil for NULL.
    @usableFromInline var any: Any? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .real(let value): value
        case .text(let value): value
        case .blob(let value): value
        }
    }

    /// The value as what `fromBindingValue(_:)` of a type with this `BindingType` expects, or nil
    /// if it isn't one.
    @inlinable func any<BindingType>(as type: BindingType.Type) -> Any? {
        switch type {
        case is Int64.Type: Int64(value: self)
        case is Double.Type: Double(value: self)
        case is String.Type: String(value: self)
        case is Data.Type: Data(value: self)
        case is BindingValue.Type: self
        default: any.flatMap { $0 is BindingType ? $0 : nil }
        }
    }

    /// The reverse of `any`: what SQift's own types make of an argument of `fromBindingValue(_:)`.
    @usableFromInline init?(any: Any) {
        switch any {
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
        case .blob(let value): "x'" + value.map { String(format: "%02x", $0) }.joined() + "'"
        }
    }
}

extension BindingValue: Binding {
    /// Itself.
    public typealias BindingType = BindingValue

    /// Itself.
    public var bindingValue: BindingValue { self }

    /// The value as SQLite would store it.
    public static func fromBindingValue(_ value: Any) -> BindingValue? {
        BindingValue(any: value)
    }

    /// Reads any column, NULL as `.null`; as an optional, NULL is nil.
    public static func decode(from row: Row, at index: Int) throws -> BindingValue {
        try row.bindingValue(at: index)
    }
}

extension NSNull: Bindable {
    /// `.null`
    public var bindingValue: BindingValue { .null }
}
