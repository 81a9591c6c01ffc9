import Foundation

// The numbers, and Bool. https://sqlite.org/datatype3.html

extension Int64 {
    /// An INTEGER, or a REAL without a fraction that fits.
    @usableFromInline init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self = integer
        case .real(let real): self.init(exactly: real)
        default: return nil
        }
    }

    /// The same of an argument of `fromBindingValue(_:)`.
    @inlinable init?(any: Any) {
        // The cast that nearly always succeeds, since one that fails takes much longer.
        if let integer = any as? Int64 {
            self = integer
        } else {
            guard let value = BindingValue(any: any) else { return nil }
            self.init(value: value)
        }
    }
}

// The integers: stored as INTEGER, and read only where no bit is lost. What an integer type
// declares itself comes first.

extension Bindable where Self: FixedWidthInteger {
    /// `.integer`, or `.null` for an integer that doesn't fit, of a type that says nothing itself.
    @inlinable public var bindingValue: BindingValue {
        Int64(exactly: self).map { .integer($0) } ?? .null
    }
}

extension Extractable where Self: FixedWidthInteger {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
    /// An integer that fits, or a `Double` without a fraction that fits.
    @inlinable public static func fromBindingValue(_ value: Any) -> Self? {
        guard let integer = Int64(any: value) else { return nil }
        return Self(exactly: integer)
    }
    /// Reads an INTEGER that fits, or a REAL without a fraction that fits.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Self {
        try row.integer(at: index)
    }
}

extension Row {
    @inlinable @inline(__always) func integer<T: FixedWidthInteger>(at index: Int) throws -> T {
        guard let value = T(exactly: try int64(at: index, as: T.self)) else {
            throw extractionError(.notExact, T.self, at: index)
        }
        return value
    }
}

extension Int: Binding {}
extension Int8: Binding {}
extension Int16: Binding {}
extension Int32: Binding {}
extension Int64: Binding {}
extension UInt8: Binding {}
extension UInt16: Binding {}
extension UInt32: Binding {}

extension UInt64: Binding {
    /// Stored as INTEGER; read from INTEGER and REAL.
    public typealias BindingType = Int64
    /// A REAL may be beyond `Int64.max`.
    public typealias RawBindingType = BindingValue
    /// `.integer` with the same bits: negative above `Int64.max`, so that such values come back
    /// unharmed but sort first.
    public var bindingValue: BindingValue { .integer(Int64(bitPattern: self)) }
    /// The integer with the same bits, or a `Double` without a fraction that fits.
    public static func fromBindingValue(_ value: Any) -> UInt64? {
        BindingValue(any: value).flatMap(Self.init(value:))
    }
    /// Reads an INTEGER as its bits, or a REAL without a fraction that fits.
    public static func decode(from row: Row, at index: Int) throws -> UInt64 {
        try row.convert(at: index, Self.init)
    }

    init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self.init(bitPattern: integer)
        case .real(let real): self.init(exactly: real)
        default: return nil
        }
    }
}

extension UInt: Binding {
    /// Stored as INTEGER; read from INTEGER and REAL.
    public typealias BindingType = Int64
    /// A REAL may be beyond `Int64.max`.
    public typealias RawBindingType = BindingValue
    /// `.integer` with the same bits: negative above `Int64.max`, so that such values come back
    /// unharmed but sort first.
    public var bindingValue: BindingValue { UInt64(self).bindingValue }
    /// The integer with the same bits, or a `Double` without a fraction that fits.
    public static func fromBindingValue(_ value: Any) -> UInt? {
        UInt64.fromBindingValue(value).flatMap(Self.init)
    }
    /// Reads an INTEGER as its bits, or a REAL without a fraction that fits.
    public static func decode(from row: Row, at index: Int) throws -> UInt {
        try row.convert(at: index) { UInt64(value: $0).flatMap(UInt.init(exactly:)) }
    }
}

extension Double: Binding {
    /// Stored as REAL.
    public typealias BindingType = Double
    /// `.real`; binding NaN throws, since SQLite would store NULL.
    @inlinable public var bindingValue: BindingValue { .real(self) }
    /// A `Double`, or an `Int64` as the nearest one.
    @inlinable public static func fromBindingValue(_ value: Any) -> Double? {
        value as? Double ?? BindingValue(any: value).flatMap(Self.init(value:))
    }
    /// Reads a REAL, or an INTEGER as the nearest Double.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Double {
        try row.double(at: index, as: Double.self)
    }

    /// A REAL, or an INTEGER.
    @usableFromInline init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self = Double(integer)
        case .real(let real): self = real
        default: return nil
        }
    }
}

extension Float: Binding {
    /// Stored as REAL; read from REAL and INTEGER.
    public typealias BindingType = Double
    /// An INTEGER is rounded once only.
    public typealias RawBindingType = BindingValue
    /// `.real`; binding NaN throws, since SQLite would store NULL.
    @inlinable public var bindingValue: BindingValue { .real(Double(self)) }
    /// A number as the nearest `Float`.
    public static func fromBindingValue(_ value: Any) -> Float? {
        BindingValue(any: value).flatMap(Float.init(value:))
    }
    /// Reads a REAL or an INTEGER as the nearest Float; beyond its range that is an infinity.
    public static func decode(from row: Row, at index: Int) throws -> Float {
        try row.convert(at: index, Self.init)
    }

    init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self = Float(integer)
        case .real(let real): self = Float(real)
        default: return nil
        }
    }
}

extension Bool: Binding {
    /// Stored as INTEGER, 0 or 1; read from INTEGER and REAL.
    public typealias BindingType = Int64
    /// A REAL may have a fraction.
    public typealias RawBindingType = BindingValue
    /// `.integer`, 0 or 1
    @inlinable public var bindingValue: BindingValue { .integer(self ? 1 : 0) }
    /// Whether a number isn't zero.
    public static func fromBindingValue(_ value: Any) -> Bool? {
        Double.fromBindingValue(value).map { $0 != 0 }
    }
    /// Reads an INTEGER or a REAL: true unless it is zero.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Bool {
        try row.double(at: index, as: Bool.self) != 0
    }
}
