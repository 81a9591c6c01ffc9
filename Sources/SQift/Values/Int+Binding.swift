// https://sqlite.org/datatype3.html

// The integers are stored as INTEGER, and read only if no bit is lost. A type's own members take
// precedence over these.

extension Bindable where Self: FixedWidthInteger {
    /// `.integer`, or `.null` for an integer that doesn't fit.
    @inlinable public var bindingValue: BindingValue {
        Int64(exactly: self).map { .integer($0) } ?? .null
    }

    /// Binds `bindingValue`.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISMATCH`) for an integer that doesn't fit.
    @inlinable public func bind(to slot: borrowing ParameterSlot) throws {
        let value = bindingValue
        if case .null = value, Int64(exactly: self) == nil {
            throw slot.failure(.mismatch, "SQLite's integers have 64 bits: store text or a BLOB")
        }
        try slot.bind(value)
    }
}

extension Extractable where Self: FixedWidthInteger {
    /// Stored as INTEGER.
    public typealias BindingType = Int64
    /// An integer that fits, or a `Double` that is an integer and fits.
    @inlinable public static func fromBindingValue(_ value: Any) -> Self? {
        // This cast nearly always succeeds. One that fails takes much longer.
        guard let integer = value as? Int64 ?? BindingValue(anyValue: value)?.int64Value else {
            return nil
        }
        return Self(exactly: integer)
    }
    /// Reads an INTEGER that fits, or a REAL that is an integer and fits.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Self {
        try row.integer(at: index)
    }
}

extension Row {
    /// An INTEGER or a REAL that is exactly a `T`.
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
    /// `.integer` with the same bits. A value above `Int64.max` is stored as a negative integer: it
    /// comes back unchanged, but sorts first.
    public var bindingValue: BindingValue {
        .integer(Int64(bitPattern: self))
    }
    /// The integer with the same bits, or a `Double` that is an integer and fits.
    public static func fromBindingValue(_ value: Any) -> UInt64? {
        BindingValue(anyValue: value).flatMap(Self.init(value:))
    }
    /// Reads an INTEGER as its bits, or a REAL that is an integer and fits.
    public static func decode(from row: Row, at index: Int) throws -> UInt64 {
        try row.convert(at: index, Self.init)
    }
}

extension UInt: Binding {
    /// Stored as INTEGER; read from INTEGER and REAL.
    public typealias BindingType = Int64
    /// A REAL may be beyond `Int64.max`.
    public typealias RawBindingType = BindingValue
    /// `.integer` with the same bits. A value above `Int64.max` is stored as a negative integer: it
    /// comes back unchanged, but sorts first.
    public var bindingValue: BindingValue {
        UInt64(self).bindingValue
    }
    /// The integer with the same bits, or a `Double` that is an integer and fits.
    public static func fromBindingValue(_ value: Any) -> UInt? {
        BindingValue(anyValue: value).flatMap(Self.init(value:))
    }
    /// Reads an INTEGER as its bits, or a REAL that is an integer and fits.
    public static func decode(from row: Row, at index: Int) throws -> UInt {
        try row.convert(at: index, Self.init)
    }
}

extension UnsignedInteger where Self: FixedWidthInteger {
    init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self.init(exactly: UInt64(bitPattern: integer))
        case .real(let real): self.init(exactly: real)
        default: return nil
        }
    }
}

@available(*, unavailable, message: "SQLite's integers have 64 bits: store text or a BLOB")
extension Int128: Binding {}

@available(*, unavailable, message: "SQLite's integers have 64 bits: store text or a BLOB")
extension UInt128: Binding {}
