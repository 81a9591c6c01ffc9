import Foundation

/// A number that threads change, and its highest value so far.
final class SharedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var current = 0
    private var highest = 0

    var value: Int { lock.withLock { current } }
    var peak: Int { lock.withLock { highest } }

    @discardableResult
    func add(_ difference: Int) -> Int {
        lock.withLock {
            current += difference
            highest = max(highest, current)
            return current
        }
    }
}
