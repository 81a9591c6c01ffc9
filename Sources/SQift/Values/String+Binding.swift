extension String: Binding {
    /// Stored as TEXT.
    public typealias BindingType = String
    /// The string as a TEXT.
    public var bindingValue: BindingValue {
        .text(self)
    }
    /// The value, if it is a `String`.
    @inlinable public static func fromBindingValue(_ value: Any) -> String? {
        value as? String ?? BindingValue(anyValue: value)?.stringValue
    }
    /// Binds a TEXT; NUL bytes are kept.
    @inlinable public func bind(to slot: borrowing ParameterSlot) throws {
        try slot.bind(self)
    }
    /// Reads a TEXT. Bytes that aren't UTF-8 are replaced by U+FFFD; ``Row/withUnsafeBytes(at:_:)``
    /// gives them as they are.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> String {
        try row.string(at: index)
    }
}

extension Substring: Bindable {
    /// The string as a TEXT.
    public var bindingValue: BindingValue {
        .text(String(self))
    }
}
