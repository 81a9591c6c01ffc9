@testable import SQift

/// What a connection's listeners are told.
enum HeardChange: Equatable {
    case committed(TableChanges)
    case rollback

    /// A commit that has changed these tables, and nothing else.
    static func commit(_ tables: String...) -> HeardChange {
        .committed(TableChanges(tables: Set(tables)))
    }

    var tables: Set<String>? {
        if case .committed(let changes) = self { changes.tables } else { nil }
    }
}

extension Connection {
    /// Adds listeners. Returns what they hear, in order.
    func hearChanges() -> Notes<HeardChange> {
        let heard = Notes<HeardChange>()
        didCommit { heard.note(.committed($0)) }
        didRollback { heard.note(.rollback) }
        return heard
    }
}
