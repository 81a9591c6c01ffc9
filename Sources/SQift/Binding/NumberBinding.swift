import Foundation

// The numbers, and Bool. https://sqlite.org/datatype3.html

extension Int64 {
    /// An INTEGER, or a REAL without a fraction that fits.
    init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self = integer
        case .real(let real): self.init(exactly: real)
        default: return nil
        }
    }
}

extension Double {
    /// A REAL, or an INTEGER.
    init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self = Double(integer)
        case .real(let real): self = real
        default: return nil
        }
    }
}

// The integers: stored as INTEGER, and read only where no bit is lost.

extension Bindable where Self: FixedWidthInteger {
    /// `.integer`
    public var bindingValue: BindingValue { .integer(Int64(self)) }

    /// Binds an INTEGER.
    @inlinable
    public func bind(to slot: ParameterSlot) throws { try slot.bind(Int64(self)) }
}

extension Extractable where Self: FixedWidthInteger, BindingType == Int64 {
    /// An integer that fits, or a `Double` without a fraction that fits.
    public static func fromBindingValue(_ value: Any) -> Self? {
        BindingValue(any: value).flatMap(Int64.init(value:)).flatMap(Self.init(exactly:))
    }

    /// Reads an INTEGER that fits, or a REAL without a fraction that fits.
    @inlinable
    public static func decode(from row: Row, at index: Int) throws -> Self {
        guard let value = Self(exactly: try row.int64(at: index, as: Self.self)) else {
            throw row.extractionError(.notExact, Self.self, at: index)
        }
        return value
    }
}

extension Int: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension Int8: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension Int16: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension Int32: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension Int64: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension UInt8: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension UInt16: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension UInt32: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
}

extension UInt64: Binding {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
    /// `.integer` with the same bits: negative above `Int64.max`, so that such values come back unharmed but sort first.
    public var bindingValue: BindingValue { .integer(Int64(bitPattern: self)) }
    /// Binds an INTEGER with the same bits.
    @inlinable public func bind(to slot: ParameterSlot) throws { try slot.bind(Int64(bitPattern: self)) }
    /// The integer with the same bits, or a `Double` without a fraction that fits.
    public static func fromBindingValue(_ value: Any) -> UInt64? {
        BindingValue(any: value).flatMap(UInt64.init(value:))
    }
    /// Reads an INTEGER as its bits, or a REAL without a fraction that fits.
    public static func decode(from row: Row, at index: Int) throws -> UInt64 {
        try row.convert(at: index, UInt64.init(value:))
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
    /// Stored as INTEGER.
    public typealias BindingType = Int64
    /// `.integer` with the same bits: negative above `Int64.max`, so that such values come back unharmed but sort first.
    public var bindingValue: BindingValue { UInt64(self).bindingValue }
    /// Binds an INTEGER with the same bits.
    @inlinable public func bind(to slot: ParameterSlot) throws { try UInt64(self).bind(to: slot) }
    /// The integer with the same bits, or a `Double` without a fraction that fits.
    public static func fromBindingValue(_ value: Any) -> UInt? {
        UInt64.fromBindingValue(value).flatMap(UInt.init(exactly:))
    }
    /// Reads an INTEGER as its bits, or a REAL without a fraction that fits.
    public static func decode(from row: Row, at index: Int) throws -> UInt {
        try row.convert(at: index) { UInt64(value: $0).flatMap(UInt.init(exactly:)) }
    }
}

extension Double: Binding {
    /// Stored as REAL.
    public typealias BindingType = Double
    /// `.real`
    public var bindingValue: BindingValue { .real(self) }
    /// A `Double`, or an `Int64` as the nearest one.
    public static func fromBindingValue(_ value: Any) -> Double? {
        BindingValue(any: value).flatMap(Double.init(value:))
    }
    /// Binds a REAL. NaN throws: SQLite would store NULL.
    @inlinable public func bind(to slot: ParameterSlot) throws { try slot.bind(self) }
    /// Reads a REAL, or an INTEGER as the nearest Double.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Double {
        try row.double(at: index, as: Double.self)
    }
}

extension Float: Binding {
    /// Stored as REAL.
    public typealias BindingType = Double
    /// `.real`
    public var bindingValue: BindingValue { .real(Double(self)) }
    /// A number as the nearest `Float`.
    public static func fromBindingValue(_ value: Any) -> Float? { Double.fromBindingValue(value).map(Float.init) }
    /// Binds a REAL. NaN throws: SQLite would store NULL.
    @inlinable public func bind(to slot: ParameterSlot) throws { try slot.bind(Double(self)) }
    /// Reads a REAL or an INTEGER as the nearest Float; beyond its range that is an infinity.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Float {
        Float(try row.double(at: index, as: Float.self))
    }
}

extension Bool: Binding {
    /// Stored as INTEGER, 0 or 1.
    public typealias BindingType = Int64
    /// `.integer`, 0 or 1
    public var bindingValue: BindingValue { .integer(self ? 1 : 0) }
    /// Whether a number isn't zero.
    public static func fromBindingValue(_ value: Any) -> Bool? { Double.fromBindingValue(value).map { $0 != 0 } }
    /// Binds the INTEGER 0 or 1.
    @inlinable public func bind(to slot: ParameterSlot) throws { try slot.bind(self ? 1 : 0 as Int64) }
    /// Reads an INTEGER or a REAL: true unless it is zero.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Bool {
        try row.double(at: index, as: Bool.self) != 0
    }
}
