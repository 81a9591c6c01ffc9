import Foundation

/// How many states are alive, and what was called how often. A test has one of its own, as a task's
/// value.
final class Ledger: @unchecked Sendable {
    @TaskLocal static var current = Ledger()
    // Tests without one of their own share the first one.
    private let lock = NSLock()
    private var counts = (living: 0, made: 0, finalized: 0)

    var living: Int { lock.withLock { counts.living } }
    var made: Int { lock.withLock { counts.made } }
    var finalized: Int { lock.withLock { counts.finalized } }

    func count(living: Int = 0, made: Int = 0, finalized: Int = 0) {
        lock.withLock {
            counts = (counts.living + living, counts.made + made, counts.finalized + finalized)
        }
    }
}
