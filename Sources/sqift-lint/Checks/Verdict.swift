/// What came of looking at a call.
enum Verdict: CustomStringConvertible {
    case checked
    /// Why a part of it wasn't judged.
    case inPart(String)
    /// Why it wasn't looked at.
    case skipped(String)

    var description: String {
        switch self {
        case .checked: "checked"
        case .inPart(let reason): "checked in part: \(reason)"
        case .skipped(let reason): "not checked: \(reason)"
        }
    }
}

/// The messages about a call, and what came of looking at it.
struct CallReport {
    var messages: [Message] = []
    var verdict = Verdict.checked

    var hasErrors: Bool { messages.contains { $0.severity == .error } }

    var isWhole: Bool {
        if case .checked = verdict { true } else { false }
    }

    mutating func add(_ severity: Message.Severity, _ text: String, at place: Place?) {
        messages.append(Message(severity, text, at: place))
    }
}
