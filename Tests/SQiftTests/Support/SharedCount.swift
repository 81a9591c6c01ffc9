import Foundation

/// A number that threads change, and its highest value so far.
package final class SharedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var current = 0
    private var highest = 0

    package init() {}

    package var value: Int { lock.withLock { current } }
    package var peak: Int { lock.withLock { highest } }

    @discardableResult
    package func add(_ difference: Int) -> Int {
        lock.withLock {
            current += difference
            highest = max(highest, current)
            return current
        }
    }
}
