extension Row.Column {
    /// A storage class of SQLite.
    ///
    /// SQLite: [Datatypes In SQLite](https://sqlite.org/datatype3.html)
    public enum DataType: String, Sendable {
        /// An `INTEGER` of 64 bits with a sign.
        case integer
        /// A `REAL`, a floating-point number of 64 bits.
        case float
        /// A `TEXT`, a string.
        case text
        /// A `BLOB`, bytes as they are.
        case blob
        /// No value: `NULL`.
        case null

        var sqlName: String { self == .float ? "REAL" : rawValue.uppercased() }
    }
}
