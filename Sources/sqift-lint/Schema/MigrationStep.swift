/// What a migration does to the schema.
enum MigrationStep {
    /// SQL; the second value is false if it may not run.
    case script(SQLText, isCertain: Bool)
    /// A call that neither adds nor removes anything.
    case call(SQLText)
    case rebuild(table: String, columns: SQLText)
    /// It changes this table in a way that isn't known.
    case changes(table: String)
    /// It does nothing to the schema.
    case nothing
    /// It does what isn't known.
    case unknown

    var sql: SQLText? {
        switch self {
        case .script(let sql, _), .rebuild(_, let sql), .call(let sql):
            sql
        case .changes, .nothing, .unknown: nil
        }
    }
}
