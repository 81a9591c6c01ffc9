/// What a statement knows of the values that are bound to its parameters.
struct StatementBindings {
    /// Whether every parameter has a value.
    var isComplete: Bool
    /// Where parameters were found by their names.
    var lookups = ColumnLookups()
    /// How often values were bound by name.
    var namedCount = 0
    /// For each parameter, the `namedCount` at which it last got a value by name.
    var namedUses: [Int] = []
    /// Memory for short values.
    var arena = BindingArena()
    /// Whether a value isn't in the arena, so that SQLite keeps a copy.
    var holdsLargeValues = false
}
