/// A type that can be bound to a parameter and read from a column.
public protocol Binding: Bindable, Extractable {}

// A type with a raw value is stored as that value, so its conformance can be empty.

extension Extractable where Self: RawRepresentable, RawValue: Extractable {
    /// The type that the raw value is stored as.
    public typealias BindingType = RawValue.RawBindingType
}

extension Extractable
where Self: RawRepresentable, RawValue: Extractable, RawValue.DataType == RawValue {
    /// The value with that raw value, or nil if there is none.
    @inlinable public static func fromBindingValue(_ value: Any) -> Self? {
        guard let rawValue = RawValue.fromBindingValue(value) else { return nil }
        return Self(rawValue: rawValue)
    }
}

extension Bindable where Self: RawRepresentable, RawValue: Bindable {
    /// The raw value as SQLite stores it.
    public var bindingValue: BindingValue { rawValue.bindingValue }

    /// Binds the raw value.
    ///
    /// - Throws: The error of the raw value's `bind(to:)`, if the raw value can't be stored.
    public func bind(to slot: borrowing ParameterSlot) throws {
        let value = bindingValue
        // The type's own `bindingValue` may return .null on purpose. The raw value's returns it,
        // too, if the raw value can't be stored; its `bind(to:)` then throws.
        if value == .null {
            try rawValue.bind(to: slot)
        }
        try slot.bind(value)
    }
}
