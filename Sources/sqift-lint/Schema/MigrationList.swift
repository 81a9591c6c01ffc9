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
        return Set(scripts.flatMap { [SQLWord]($0.bytes[...]).madeNames })
    }
}
