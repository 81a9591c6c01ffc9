// https://sqlite.org/datatype3.html

// The integers are stored as INTEGER, and read only if no bit is lost. A type's own members take
// precedence over these.

extension FixedWidthInteger {
    /// Whether it is stored by its bits, so that values above `Int64.max` are negative integers:
    /// `UInt64` and `UInt`.
    @inlinable static var isStoredByBits: Bool { !isSigned && bitWidth == Int64.bitWidth }

    /// The INTEGER that it is stored as, or nil if it doesn't fit.
    @inlinable var stored: Int64? {
        Self.isStoredByBits ? Int64(truncatingIfNeeded: self) : Int64(exactly: self)
    }

    /// The value of an INTEGER, or nil if it doesn't fit.
    @inlinable init?(stored: Int64) {
        if Self.isStoredByBits {
            self.init(truncatingIfNeeded: stored)
        } else {
            self.init(exactly: stored)
        }
    }

    /// The value of an INTEGER, or of a REAL that is an integer, if it fits.
    @usableFromInline init?(value: BindingValue) {
        switch value {
        case .integer(let integer): self.init(stored: integer)
        case .real(let real): self.init(exactly: real)
        default: return nil
        }
    }
}

extension Bindable where Self: FixedWidthInteger {
    /// `.integer`, or `.null` for an integer that doesn't fit. A `UInt64` or `UInt` above
    /// `Int64.max` is the negative integer with the same bits: it comes back unchanged, but sorts
    /// first.
    @inlinable public var bindingValue: BindingValue {
        stored.map { .integer($0) } ?? .null
    }

    /// Binds what `bindingValue` returns.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISMATCH`) for an integer that doesn't fit.
    @inlinable public func bind(to slot: borrowing ParameterSlot) throws {
        let value = bindingValue
        if case .null = value, stored == nil {
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
        if let integer = value as? Int64 {
            return Self(stored: integer)
        }
        return BindingValue(anyValue: value).flatMap { Self(value: $0) }
    }
    /// Reads an INTEGER that fits, or a REAL that is an integer and fits.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Self {
        if let integer = row.int64(at: index), let value = Self(stored: integer) {
            return value
        }
        if let integer = row.argumentInt64(at: index), let value = Self(stored: integer) {
            return value
        }
        return try row.convert(at: index) { Self(value: $0) }
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
}

extension UInt: Binding {
    /// Stored as INTEGER; read from INTEGER and REAL.
    public typealias BindingType = Int64
    /// A REAL may be beyond `Int64.max`.
    public typealias RawBindingType = BindingValue
}

@available(*, unavailable, message: "SQLite's integers have 64 bits: store text or a BLOB")
extension Int128: Binding {}

@available(*, unavailable, message: "SQLite's integers have 64 bits: store text or a BLOB")
extension UInt128: Binding {}
