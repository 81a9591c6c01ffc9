/// Migrations in their order: what makes a schema.
struct MigrationList {
    var steps: [MigrationStep] = []
    /// Why some of them aren't known.
    var doubt: Doubt?
    /// Where its expression begins. Files belong to no one list.
    var start: Cursor?
    /// Whether it is a file that says what the tables are, whatever other code does.
    var isSchemaFile = false
}

extension MigrationList {
    /// Files whose SQL runs as it is.
    init(_ files: [SourceFile]) {
        steps = files.map {
            MigrationStep(
                name: $0.path.fileName,
                sql: SQLText($0),
                location: Location(file: $0, offset: 0)
            )
        }
    }

    init(schemaFile: SourceFile) {
        self.init([schemaFile])
        isSchemaFile = true
    }

    /// The tables that it makes at any time.
    var definedTables: Set<String> {
        Set(steps.compactMap(\.sql).flatMap(\.words.madeNames))
    }

    /// What it does to tables that another list may make.
    var foreignChanges: [SchemaChange] {
        let own = definedTables
        let changes = steps.compactMap(\.sql).flatMap { sql in
            sql.words.statements.compactMap { SchemaChange($0, of: sql) }
        }
        return changes.filter { !own.contains($0.table) }
    }
}
