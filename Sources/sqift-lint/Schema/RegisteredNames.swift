/// The functions and collations that the sources register. An empty name is one that isn't known.
struct RegisteredNames {
    /// By name, whether it is an aggregate.
    var functions: [String: Bool] = [:]
    var collations: Set<String> = []
    /// Whether databases are attached.
    var attaches = false

    /// Whether some have names that aren't known.
    var areOpen: Bool {
        functions[""] != nil || collations.contains("")
    }
}
