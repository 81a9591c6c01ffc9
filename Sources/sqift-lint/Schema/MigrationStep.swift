/// What a migration does to the schema.
enum MigrationStep {
    /// SQL; the second value is false if it may not run.
    case script(SQLText, isCertain: Bool)
    /// A call that neither adds nor removes anything.
    case call(Call)
    case rebuild(table: String, columns: SQLText)
    /// It changes this table in a way that isn't known.
    case changes(table: String)
    /// It does what isn't known.
    case unknown
}

/// A migration that is written as `Migration(…)` or as a file.
struct MigrationSource {
    let name: String
    var steps: [MigrationStep]
}

/// Migrations in their order: what makes a schema.
struct MigrationList {
    var migrations: [MigrationSource] = []
    /// Whether some of them aren't known.
    var isPartial = false
    /// Where it is written: the file, and the token of its bracket. Files are everybody's.
    var location: (source: Declarations, token: Int)?

    /// All SQL in it.
    var scripts: [SQLText] {
        migrations.flatMap(\.steps).compactMap { step in
            switch step {
            case .script(let sql, _), .rebuild(_, let sql): sql
            case .call(let call): call.sql
            case .changes, .unknown: nil
            }
        }
    }
}
