/// The functions and collations that the sources register.
struct RegisteredNames {
    /// By name, whether it is an aggregate.
    var functions: [String: Bool] = [:]
    var collations: Set<String> = []
    /// The names under which databases are attached; `*` for a name that isn't known.
    var databases: Set<String> = []
    /// Whether some have names that aren't known.
    var areOpen = false
}
