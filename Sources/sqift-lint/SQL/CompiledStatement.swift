/// What SQLite says of a statement.
struct CompiledStatement {
    /// A column of the result, and the column of a table that it is. The latter two are empty if it
    /// is none, or if SQLite's build can't tell.
    typealias Column = (name: String, table: String, origin: String)

    /// The names without their prefixes; empty for a parameter that has none.
    var parameters: [String] = []
    var columns: [Column] = []
    var isReadOnly = true
    /// Its part of the bytes that were compiled.
    var sql: ArraySlice<UInt8> = []
}
