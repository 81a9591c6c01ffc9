/// The messages about a call, and how much of it was looked at.
struct Report {
    var messages: [Message] = []
    /// Why it wasn't checked, or only in part.
    var reason: String?
    /// Whether it was checked in part.
    var isPartial = false
    /// Whether the schema doesn't have its tables.
    var isForeign = false

    var extent: String {
        reason.map { "\(isPartial ? "checked in part" : "not checked"): \($0)" } ?? "checked"
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
                : !messages.isEmpty ? 2 : reason == nil ? 0 : 1
    }
}
