extension Bool: Binding {
    /// Stored as INTEGER, 0 or 1; read from INTEGER and REAL.
    public typealias BindingType = Int64
    /// A REAL may have a fraction.
    public typealias RawBindingType = BindingValue
    /// The INTEGER 1 for true, 0 for false.
    @inlinable public var bindingValue: BindingValue {
        .integer(self ? 1 : 0)
    }
    /// Whether a number isn't zero.
    public static func fromBindingValue(_ value: Any) -> Bool? {
        Double.fromBindingValue(value).map { $0 != 0 }
    }
    /// Reads an INTEGER or a REAL; it is true unless the number is zero.
    @inlinable public static func decode(from row: Row, at index: Int) throws -> Bool {
        try row.double(at: index, as: Bool.self) != 0
    }
}
