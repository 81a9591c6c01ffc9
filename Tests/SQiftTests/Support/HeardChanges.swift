// Only the library makes `TableChanges`.
@testable import SQift

extension TableChanges {
    /// A commit that has changed these tables, and nothing else.
    package static func commit(_ tables: String...) -> TableChanges {
        TableChanges(tables: Set(tables))
    }
}

extension Connection {
    /// Adds a listener. Returns what it hears, in order.
    package func hearChanges() -> Notes<TableChanges> {
        let heard = Notes<TableChanges>()
        didCommit { heard.note($0) }
        return heard
    }
}
