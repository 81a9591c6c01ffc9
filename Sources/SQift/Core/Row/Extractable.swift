/// A type that a column can be read as: every ``Extractable`` type and its optional.
public protocol ColumnDecodable: NonisolatedConformance {
    /// Reads the column at `index`, from 0.
    ///
    /// - Throws: `ExtractionError`, or the type's own error, if the value doesn't fit.
    static func decode(from row: Row, at index: Int) throws -> Self
}

/// A type whose values can be read from a column.
///
/// A conformance names the type it is stored as (`Int64`, `Double`, `String`, `Data` or
/// ``BindingValue``) and converts a value of that type:
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
/// An enumeration with a raw value needs only `extension Color: Binding {}`. To read a column
/// without the conversion to `Any`, implement `decode(from:at:)` too.
public protocol Extractable: ColumnDecodable, RowDecodable {
    /// The type that a column is converted to before it is passed to `fromBindingValue(_:)`.
    associatedtype BindingType

    /// The type that `fromBindingValue(_:)` returns, nearly always the type itself.
    associatedtype DataType = Self

    /// The `BindingType` of a type that has this one as its raw value. By default it is this type's
    /// `BindingType`. It is `BindingValue` if this type can be read from more than one type.
    associatedtype RawBindingType = Self.BindingType

    /// Makes a value from a `BindingType`. Returns nil if that isn't one of the type's values; it
    /// mustn't trap.
    static func fromBindingValue(_ value: Any) -> DataType?
}

extension Extractable {
    /// Converts the column to `BindingType` and calls `fromBindingValue(_:)`.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Self {
        // Inlined into the caller, which knows the type. For a type that isn't known at compile
        // time, this takes five times as long.
        let value = try row.bindingValue(at: index)
        if value != .null, let stored = value.anyValue(for: BindingType.self),
            let made = fromBindingValue(stored), let result = made as? Self
        {
            return result
        }
        return try convert(row, at: index)
    }

    /// Converts again, outside the inlined code, to throw the error that says what doesn't fit.
    @usableFromInline static func convert(_ row: Row, at index: Int) throws -> Self {
        try row.convert(
            at: index,
            form: (Self.self as? any RawRepresentable.Type).map { storedForm(of: $0) }
        ) { value in
            value.anyValue(for: BindingType.self).flatMap { fromBindingValue($0) as? Self }
        }
    }

    /// Reads the first column.
    @inlinable public static func decode(from row: Row) throws -> Self {
        try decode(from: row, at: 0)
    }

    /// Reads the first column. Returns nil if it is NULL.
    @inlinable public static func decodeIfPresent(from row: Row) throws -> Self? {
        try Self?.decode(from: row, at: 0)
    }
}

extension Optional: ColumnDecodable where Wrapped: Extractable {
    /// Reads the wrapped type. Returns nil for NULL.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Wrapped? {
        try row.isNull(at: index, as: Wrapped.self) ? nil : Wrapped.decode(from: row, at: index)
    }
}

// MARK: The form of an enumeration, for errors

/// The first ten cases as they are stored, or the raw value's type if there is no list of cases.
private func storedForm<T: RawRepresentable>(of type: T.Type) -> String {
    let cases = (type as? any CaseIterable.Type).map { storedCases(of: $0) } ?? []
    guard !cases.isEmpty else { return "a case's raw value, of type \(T.RawValue.self)" }
    return (cases.prefix(10) + (cases.count > 10 ? ["…"] : [])).joined(separator: ", ")
}

private func storedCases<T: CaseIterable>(of type: T.Type) -> [String] {
    type.allCases.prefix(11).compactMap { ($0 as? any Bindable)?.bindingValue.description }
}
