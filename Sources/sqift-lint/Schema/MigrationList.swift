/// Migrations in their order: what makes a schema.
struct MigrationList {
    var steps: [MigrationStep] = []
    /// Whether some of them aren't known.
    var isPartial = false
    /// Where its expression begins. Files belong to no one list.
    var start: Cursor?
}

extension MigrationList {
    /// Files whose SQL runs as it is.
    init(_ files: [SourceFile]) {
        steps = files.map {
            MigrationStep(name: $0.path.fileName, sql: SQLText($0))
        }
    }
}
