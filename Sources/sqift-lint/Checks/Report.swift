/// The messages about a call, and how much of it was looked at.
struct Report {
    enum Extent: String {
        case whole = "checked"
        case part = "checked in part"
        case none = "not checked"
    }

    var messages: [Message] = []
    var extent = Extent.whole
    /// Why it isn't the whole.
    var reason = ""

    var description: String {
        reason.isEmpty ? extent.rawValue : "\(extent.rawValue): \(reason)"
    }
}
