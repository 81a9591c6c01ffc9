#if compiler(>=6.2)
    /// Keeps a conformance from being bound to an actor, as in a module whose code is on the main
    /// actor by default: values are bound and read on whatever thread has the connection. In such a
    /// module, state the conformance where the type is declared, or mark the extension that states
    /// it `nonisolated`.
    public typealias NonisolatedConformance = SendableMetatype
#else
    /// Before Swift 6.2 no conformance was bound to an actor.
    public typealias NonisolatedConformance = Any
#endif

/// A type whose values can be bound to a statement's parameters.
///
/// `bindingValue` is all that a conformance needs. A type that can fail, or that wants to avoid the
/// copy into a `BindingValue`, implements `bind(to:)` too.
///
/// https://sqlite.org/c3ref/bind_blob.html
public protocol Bindable: NonisolatedConformance {
    /// The value as SQLite stores it.
    var bindingValue: BindingValue { get }

    /// Binds the value to a parameter: by default, its `bindingValue`.
    ///
    /// - Throws: What keeps the value from being stored; the statement then isn't run.
    func bind(to slot: ParameterSlot) throws
}

extension Bindable {
    /// Binds the `bindingValue`.
    @inlinable public func bind(to slot: ParameterSlot) throws {
        try slot.bind(bindingValue)
    }
}

/// A type that a column can be read as: every `Extractable` type, and its optional.
public protocol ColumnDecodable: NonisolatedConformance {
    /// Reads the column at `index`, from 0.
    ///
    /// - Throws: `ExtractionError`, or the type's own error, if the value doesn't fit.
    static func decode(from row: Row, at index: Int) throws -> Self
}

/// A type whose values can be read from a column.
///
/// A conformance names the type it is stored as (`Int64`, `Double`, `String`, `Data` or
/// `BindingValue`) and converts a value of that type:
///
/// ```swift
/// struct Celsius: Binding {
///     typealias BindingType = Double
///     let degrees: Double
///
///     var bindingValue: BindingValue { .real(degrees) }
///
///     static func fromBindingValue(_ value: Any) -> Celsius? {
///         (value as? Double).map(Celsius.init)
///     }
/// }
/// ```
///
/// An enumeration with a raw value needs no more than `extension Color: Binding {}`. A type that
/// reads its column without the detour through `Any` implements `decode(from:at:)` instead of
/// relying on its default.
public protocol Extractable: ColumnDecodable, RowDecodable {
    /// The type that a column is converted to before `fromBindingValue(_:)` sees it.
    associatedtype BindingType

    /// The type that `fromBindingValue(_:)` makes, which is nearly always the type itself.
    associatedtype DataType = Self

    /// The `BindingType` of a type that has this one as its raw value: by default this one's, or
    /// `BindingValue` where this one can be read from more than that.
    associatedtype RawBindingType = Self.BindingType

    /// Makes a value from a `BindingType`, or answers nil if that isn't one of the type's values.
    /// It mustn't trap.
    static func fromBindingValue(_ value: Any) -> DataType?
}

/// A type that can be bound to a parameter and read from a column.
public protocol Binding: Bindable, Extractable {}

extension Extractable {
    /// Converts the column to `BindingType` and calls `fromBindingValue(_:)`.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Self {
        // Inlined where the type is known, since unknown types take five times as long.
        let value = try row.bindingValue(at: index)
        if value != .null, let stored = value.any(as: BindingType.self),
            let made = fromBindingValue(stored), let result = made as? Self
        {
            return result
        }
        return try convert(row, at: index)
    }

    /// The same, with the error if there is one.
    @usableFromInline static func convert(_ row: Row, at index: Int) throws -> Self {
        try row.convert(at: index, form: storedForm(of: Self.self)) { value in
            value.any(as: BindingType.self).flatMap { fromBindingValue($0) as? Self }
        }
    }

    /// Reads the first column.
    @inlinable public static func decode(from row: Row) throws -> Self {
        try decode(from: row, at: 0)
    }

    /// Reads the first column, or answers nil if it is NULL.
    @inlinable public static func decodeIfPresent(from row: Row) throws -> Self? {
        try row.isNull(at: 0, as: Self.self) ? nil : decode(from: row, at: 0)
    }
}

// MARK: Optional

extension Optional: Bindable where Wrapped: Bindable {
    /// The wrapped value's, or `.null`.
    public var bindingValue: BindingValue { self?.bindingValue ?? .null }

    /// Binds the wrapped value, or NULL.
    @inlinable public func bind(to slot: ParameterSlot) throws {
        if let self { try self.bind(to: slot) } else { try slot.bindNull() }
    }
}

extension Optional: ColumnDecodable where Wrapped: Extractable {
    /// Reads the wrapped type, or answers nil for NULL.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Wrapped? {
        try row.isNull(at: index, as: Wrapped.self) ? nil : Wrapped.decode(from: row, at: index)
    }
}

// MARK: RawRepresentable

extension Extractable where Self: RawRepresentable, RawValue: Extractable {
    /// The raw value's.
    public typealias BindingType = RawValue.RawBindingType
}

extension Bindable where Self: RawRepresentable, RawValue: Bindable {
    /// The raw value's.
    public var bindingValue: BindingValue { rawValue.bindingValue }

    /// Binds `bindingValue`.
    ///
    /// - Throws: What the raw value's `bind(to:)` throws where it has no value to store.
    public func bind(to slot: ParameterSlot) throws {
        let value = bindingValue
        // A type's own `bindingValue` may well be .null; a raw value's may stand for what can't be
        // stored.
        if value == .null {
            try rawValue.bind(to: slot)
        }
        try slot.bind(value)
    }
}

extension Extractable
where Self: RawRepresentable, RawValue: Extractable, RawValue.DataType == RawValue {
    /// The value with that raw value, or nil if there is none.
    @inlinable public static func fromBindingValue(_ value: Any) -> Self? {
        guard let rawValue = RawValue.fromBindingValue(value) else { return nil }
        return Self(rawValue: rawValue)
    }
}

/// What the values of an enumeration look like in a column, nil for other types.
private func storedForm(of type: Any.Type) -> String? {
    guard let type = type as? any RawRepresentable.Type else { return nil }
    if let listable = type as? any CaseIterable.Type, let list = storedCases(of: listable) {
        return list
    }
    return "a raw value, of type \(rawType(of: type))"
}

private func rawType<T: RawRepresentable>(of type: T.Type) -> T.RawValue.Type {
    T.RawValue.self
}

/// The first cases as they are stored, nil if there are none.
private func storedCases<T: CaseIterable>(of type: T.Type) -> String? {
    let values = type.allCases.prefix(11).compactMap { ($0 as? any Bindable)?.bindingValue }
    guard !values.isEmpty else { return nil }
    let list = values.prefix(10).map(\.description) + (values.count > 10 ? ["…"] : [])
    return list.joined(separator: ", ")
}
