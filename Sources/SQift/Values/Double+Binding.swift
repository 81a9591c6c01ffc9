import Foundation

extension Double: Binding {
    /// Stored as REAL.
    public typealias BindingType = Double
    /// `.real`. Binding NaN throws: SQLite would store NULL.
    @inlinable public var bindingValue: BindingValue {
        .real(self)
    }
    /// A `Double`, or an `Int64` as the nearest one.
    @inlinable public static func fromBindingValue(_ value: Any) -> Double? {
        value as? Double ?? BindingValue(anyValue: value)?.doubleValue
    }
    /// Reads a REAL, or an INTEGER as the nearest Double.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Double {
        try row.double(at: index, as: Double.self)
    }
}

extension Float: _ConvertedBinding {
    /// Stored as REAL; read from REAL and INTEGER.
    public typealias BindingType = Double
    /// An INTEGER is converted directly, so that it is rounded only once.
    public typealias RawBindingType = BindingValue
    /// `.real`. Binding NaN throws: SQLite would store NULL.
    @inlinable public var bindingValue: BindingValue {
        .real(Double(self))
    }

    /// From a REAL or an INTEGER: the nearest Float, which is infinite beyond Float's range.
    public static func _converted(from value: BindingValue) -> Float? {
        switch value {
        case .integer(let integer): Float(integer)
        case .real(let real): Float(real)
        default: nil
        }
    }
}

extension CGFloat: Binding {
    /// Stored as REAL; read from REAL and INTEGER.
    public typealias BindingType = Double
    /// `.real`. Binding NaN throws: SQLite would store NULL.
    public var bindingValue: BindingValue {
        .real(Double(self))
    }
    /// A number as the nearest `CGFloat`.
    public static func fromBindingValue(_ value: Any) -> CGFloat? {
        Double.fromBindingValue(value).map { CGFloat($0) }
    }
}
