import Foundation
import SQift

/// Counts the connections that a pool has opened, and those of them that still exist.
package final class OpenedConnections: @unchecked Sendable {
    private struct Reference {
        weak var connection: Connection?
    }

    private let lock = NSLock()
    private var references: [Reference] = []

    package init() {}

    package func note(_ connection: Connection) {
        lock.withLock { references.append(Reference(connection: connection)) }
    }

    /// How many were opened in all.
    package var count: Int { lock.withLock { references.count } }
    /// How many are open.
    package var openCount: Int {
        lock.withLock { references.filter { $0.connection != nil }.count }
    }
}
