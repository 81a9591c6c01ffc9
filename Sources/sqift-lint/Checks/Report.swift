/// The messages about a call, and how much of it was looked at.
struct Report {
    enum Extent: String {
        case whole = "checked"
        case part = "checked in part"
        case none = "not checked"
    }

    var messages: [Message] = []
    var extent = Extent.whole
    /// Whether the schema doesn't have its tables.
    var isForeign = false
    /// Why it isn't the whole.
    var reason = ""

    init() {}

    init(unchecked reason: String) {
        extent = .none
        self.reason = reason
    }

    var isError: Bool {
        messages.contains {
            $0.severity == .error
        }
    }

    /// How much speaks against the schema that it is about, which may not have its tables.
    var weight: Int {
        if isForeign {
            return 4
        }
        return isError
            ? 3
            : !messages.isEmpty ? 2 : extent == .whole ? 0 : 1
    }
}
