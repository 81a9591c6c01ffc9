/// What a migration does to the schema. Without SQL, it does what isn't known.
struct MigrationStep {
    /// The name of the migration.
    var name = ""
    /// What it runs, or a table's new columns.
    var sql: SQLText?
    /// The table that it changes, if it is known to change only one.
    var table: String?
    /// Whether it is about an index or a trigger whose name isn't known.
    var isOfIndexOrTrigger = false
    /// Whether it makes tables, whose names aren't known, beside those that are there.
    var makesUnknownTables = false
    /// Whether it is a call, of which the check of calls reports the syntax.
    var isCall = false
    /// Whether it always runs, and ends its migration if it fails.
    var isCertain = true
    /// Where it stands.
    let location: Location
}
