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
