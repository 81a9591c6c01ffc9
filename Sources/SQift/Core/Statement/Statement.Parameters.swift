extension Statement {
    /// Values for the parameters of a statement: an array literal, in order, or a dictionary
    /// literal, by name, with or without the prefix.
    ///
    /// ```swift
    /// try connection.forEachRow("SELECT * FROM cars WHERE name = ?", ["Audi"]) { print($0) }
    /// try connection.forEachRow("SELECT * FROM cars WHERE name = :name", ["name": name]) {
    ///     print($0)
    /// }
    /// ```
    public enum Parameters: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
        /// The values in order.
        case list(BindableArray)
        /// The values by name.
        case named(BindableDictionary)

        /// Takes the values of an array literal, which may be `nil` or of different types.
        public init(arrayLiteral elements: (any Bindable)?...) {
            self = .list(elements)
        }

        /// Takes the values of a dictionary literal. The last of equal names counts.
        public init(dictionaryLiteral elements: (String, (any Bindable)?)...) {
            self = .named(Dictionary(elements) { $1 })
        }
    }

    @usableFromInline func bind(all parameters: Parameters) throws -> Statement {
        switch parameters {
        case .list(let values): try bind(values)
        case .named(let values): try bind(values)
        }
    }
}
