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

/// A migration that is written as `Migration(…)` or as a file.
struct MigrationSource {
    let name: String
    let steps: [MigrationStep]
}

/// Migrations in their order: what makes a schema.
struct MigrationList {
    var migrations: [MigrationSource] = []
    /// Whether some of them aren't known.
    var isPartial = false
    /// Where its expression begins. Files are everybody's.
    var start: Cursor?

    /// The tables and other things that any of them makes, in lower case.
    var definedNames: Set<String> {
        let scripts = migrations.flatMap(\.steps).compactMap(\.sql)
        let statements = scripts.flatMap {
            [SQLWord]($0.bytes).statements
        }
        let definitions = statements.filter { $0.verb == "create" }.compactMap(\.definition?.name)
        return Set(definitions)
    }
}
