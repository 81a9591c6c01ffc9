/// The messages about a call, and how much of it was looked at.
struct Report {
    var messages: [Message] = []
    /// Why it wasn't checked.
    var reason: String?
    /// Why it was checked only in part.
    var doubt: String?
    /// Whether the schema doesn't have its tables.
    var isForeign = false

    var extent: String {
        reason.map { "not checked: \($0)" } ?? doubt.map { "checked in part: \($0)" } ?? "checked"
    }

    var isError: Bool {
        messages.contains {
            $0.severity == .error
        }
    }

    /// How much speaks against the schema that it is about, which may not have its tables.
    var weight: Int {
        isForeign
            ? 4
            : isError
                ? 3
                : messages.isEmpty ? doubt == nil ? 0 : 1 : 2
    }
}
