/// What the sources register or make, in migrations or elsewhere. An empty name is one that isn't
/// known.
struct RegisteredNames {
    /// By name, whether it is an aggregate.
    var functions: [String: Bool] = [:]
    var collations: Set<String> = []
    /// The tables and views that some SQL makes, and those that SQL outside the migrations changes.
    var tables: Set<String> = ["sqlite_\u{FFFD}", "dbstat"]
    var openTables: Set<String> = []
    /// The oldest SQLite that the app runs with: 39 for 3.39.
    var oldest: Int?
    /// Whether databases are attached.
    var attaches = false
}
