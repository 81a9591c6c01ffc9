/// What SQLite says of a statement.
struct CompiledStatement {
    /// The column of a table that a column of the result is.
    typealias Origin = (table: String, column: String)

    /// The names without their prefixes; empty for a parameter that has none.
    var parameters: [String] = []
    /// The origin is nil if there is none, or if SQLite's build can't tell.
    var columns: [(name: String, origin: Origin?)] = []
    var isReadOnly = true
    /// Its part of the bytes that were compiled.
    var sql: ArraySlice<UInt8> = []
}
