extension Row.Column {
    /// A storage class of SQLite.
    ///
    /// SQLite: [Datatypes In SQLite](https://sqlite.org/datatype3.html)
    public enum DataType: String, Sendable {
        /// `INTEGER`
        case integer
        /// `REAL`
        case float
        /// `TEXT`
        case text
        /// `BLOB`
        case blob
        /// `NULL`
        case null

        var sqlName: String { self == .float ? "REAL" : rawValue.uppercased() }
    }
}
