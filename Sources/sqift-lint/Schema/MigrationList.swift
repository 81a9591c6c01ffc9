/// Migrations in their order: what makes a schema.
struct MigrationList {
    var steps: [MigrationStep] = []
    /// Whether some of them aren't known.
    var isPartial = false
    /// Where its expression begins. Files are everybody's.
    var start: Cursor?
}
