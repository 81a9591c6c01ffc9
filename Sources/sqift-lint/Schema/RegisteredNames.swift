/// The functions and collations that the sources register.
struct RegisteredNames {
    /// Stands for a name that isn't known.
    static let unknown = "*"

    /// By name, whether it is an aggregate.
    var functions: [String: Bool] = [:]
    var collations: Set<String> = []
    /// Whether databases are attached.
    var attaches = false

    /// Whether some have names that aren't known.
    var areOpen: Bool {
        functions[RegisteredNames.unknown] != nil
            || collations.contains(RegisteredNames.unknown)
    }
}
