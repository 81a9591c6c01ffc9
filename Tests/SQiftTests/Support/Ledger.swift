import Foundation
import Testing

/// How many states of aggregates are alive, and how often their methods were called.
///
/// `withLedger` gives a test its own; tests without it share the first one.
package final class Ledger: @unchecked Sendable {
    @TaskLocal package static var current = Ledger()
    private let lock = NSLock()
    private var counts = (living: 0, made: 0, finalized: 0)

    package init() {}

    package var living: Int { lock.withLock { counts.living } }
    package var made: Int { lock.withLock { counts.made } }
    package var finalized: Int { lock.withLock { counts.finalized } }

    package func count(living: Int = 0, made: Int = 0, finalized: Int = 0) {
        lock.withLock {
            counts.living += living
            counts.made += made
            counts.finalized += finalized
        }
    }
}

/// Runs `body` with its own ledger, and expects that no state outlives it.
package func withLedger(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Ledger) throws -> Void
) throws {
    let ledger = Ledger()
    try Ledger.$current.withValue(ledger) { try body(ledger) }
    #expect(ledger.living == 0, sourceLocation: sourceLocation)
    #expect(ledger.made > 0, sourceLocation: sourceLocation)
}
