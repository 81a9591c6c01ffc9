/// A type of the library's whose values are made from a copy of the column's value.
public protocol _ConvertedBinding: Binding {
    /// The value, or nil if what is stored doesn't fit.
    static func _converted(from value: BindingValue) -> Self?

    /// The form of a value that fits, for errors.
    static var _form: String? { get }
}

extension _ConvertedBinding {
    /// None: the storage class says it.
    public static var _form: String? { nil }

    /// Makes a value from what is stored as an `Int64`, a `Double`, a `String` or a `Data`.
    public static func fromBindingValue(_ value: Any) -> Self? {
        BindingValue(anyValue: value).flatMap(_converted)
    }

    /// Reads a column.
    ///
    /// - Throws: ``ExtractionError``, which names the form of a value that fits.
    public static func decode(from row: Row, at index: Int) throws -> Self {
        try row.convert(at: index, form: _form, _converted)
    }
}
