extension Row {
    /// A column of a row: its index, its name and its value.
    public struct Column: Sendable, Hashable, CustomStringConvertible {
        /// The column's index, from 0.
        public let index: Int
        /// The column's name.
        public let name: String
        /// The column's value.
        public let bindingValue: BindingValue

        /// How the value is stored.
        public var dataType: DataType { bindingValue.storageClass }

        /// The value, nil for NULL: an `Int64`, `Double`, `String` or `Data`.
        public var value: Any? { bindingValue.anyValue }

        /// The column in one line, as in `{ index: 0 name: "id", type: "integer", value: 1 }`.
        public var description: String {
            let value = value.map { "\($0)" } ?? "nil"
            let type = dataType.rawValue
            return #"{ index: \#(index) name: "\#(name)", type: "\#(type)", value: \#(value) }"#
        }
    }

    /// All columns from left to right, with copies of their values.
    public var columns: [Column] {
        guard let row = detached().stored else { return [] }
        return row.values.enumerated().map { index, value in
            Column(index: index, name: row.names[index], bindingValue: value)
        }
    }
}

extension Row: CustomStringConvertible {
    /// The values as SQL literals: `[1, 'text', NULL]`.
    public var description: String { "\(columns.map(\.bindingValue))" }
}
