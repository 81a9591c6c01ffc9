// How SQift 5.1 read a row beside the subscripts: as `Any?`, or by methods.

extension Row {
    /// The column's value, nil for NULL: an `Int64`, `Double`, `String` or `Data`.
    public func value(at index: Int) -> Any? {
        (self[index] as BindingValue?)?.anyValue
    }

    /// Returns the value, or nil for NULL and for what doesn't fit, as the optional subscript does.
    public func value<T: Extractable>(at index: Int) -> T? {
        self[index]
    }

    /// Returns the value, or nil for NULL and for what doesn't fit, as the optional subscript does.
    public func value<T: Extractable>(forColumnName name: String) -> T? {
        self[name]
    }

    /// The values from left to right, nil for NULL: `Int64`, `Double`, `String` and `Data`.
    public var values: [Any?] { columns.map(\.value) }
}

extension Row: Sequence {
    /// Iterates over ``values``.
    public func makeIterator() -> IndexingIterator<[Any?]> {
        values.makeIterator()
    }
}
