/// What the sources register or make, in migrations or elsewhere.
struct RegisteredNames {
    /// By name, whether it is an aggregate.
    var functions: [String: Bool] = [:]
    var collations: Set<String> = []
    /// Why there may be functions and collations that the sources don't name.
    var unknownFunctions: Doubt?
    /// Why there may be another database.
    var attachedDatabase: Doubt?
    /// Why there may be the tables of migrations that the sources don't hold.
    var foreignMigrations: Doubt?
    /// Why there may be other indexes and triggers than those of the migrations.
    var otherDefinitions: Doubt?
    /// The tables and views that some SQL makes.
    var tables: Set<String> = ["sqlite_\u{FFFD}", "dbstat"]
    /// What SQL outside the migrations changes.
    var changes: [SchemaChange] = []
    /// The oldest SQLite that the app runs with: 39 for 3.39.
    var oldest: Int?
}
