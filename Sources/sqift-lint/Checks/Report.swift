/// The messages about a call, and how much of it was looked at.
struct Report {
    enum Extent {
        case whole
        /// All but what is in doubt.
        case part(Doubt)
        /// Nothing of it.
        case none(Doubt)
    }

    /// How well a call fits a schema, which may not have its tables: the best first.
    enum Fit: Int, Comparable {
        case whole, inPart, withWarnings, withErrors, withoutItsTables

        static func < (left: Fit, right: Fit) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    var messages: [Message] = []
    var extent = Extent.whole
    /// Whether the schema doesn't have its tables.
    var lacksTables = false

    init() {}

    /// A report on what wasn't looked at.
    init(_ reason: String) {
        extent = .none(Doubt(reason))
    }

    var isInPart: Bool {
        if case .part = extent { true } else { false }
    }

    var isError: Bool {
        messages.contains {
            $0.severity == .error
        }
    }

    var fit: Fit {
        if lacksTables {
            return .withoutItsTables
        }
        if isError {
            return .withErrors
        }
        if !messages.isEmpty {
            return .withWarnings
        }
        return doubt == nil
            ? .whole
            : .inPart
    }

    /// Why not all of it was checked.
    var doubt: Doubt? {
        switch extent {
        case .whole: nil
        case .part(let doubt), .none(let doubt): doubt
        }
    }
}

extension Report.Extent: CustomStringConvertible {
    var description: String {
        switch self {
        case .whole: "checked"
        case .part(let doubt): "checked in part: \(doubt.description)"
        case .none(let doubt): "not checked: \(doubt.description)"
        }
    }
}
