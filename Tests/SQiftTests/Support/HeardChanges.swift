// Only the library makes `TableChanges`.
import Testing

@testable import SQift

extension TableChanges {
    /// A commit that has changed these tables, and nothing else.
    package static func commit(_ tables: String...) -> TableChanges {
        TableChanges(tables: Set(tables))
    }
}

extension Notes where Element == TableChanges {
    /// Expects that these commits, and no others, were heard since the last call.
    package func expect(
        _ commits: TableChanges...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(take() == commits, sourceLocation: sourceLocation)
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
