/// The columns of a statement's rows, and where they were found by their names.
struct StatementColumns {
    let count: Int
    /// How often SQLite had compiled the statement again when the columns were read.
    let preparationCount: Int32
    var lookups = ColumnLookups()
    /// Of names that stand for their snake case.
    var snakeCaseLookups = ColumnLookups()
    /// Nil until they are asked for.
    var names: [String]?
}
