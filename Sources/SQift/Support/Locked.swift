import Foundation

/// A value behind a lock. State that threads share is in one of these, or in `AtomicNumbers`.
final class Locked<Value> {
    private let lock = NSLock()
    @exclusivity(unchecked) private var content: Value

    init(_ value: Value) {
        content = value
    }

    /// A copy of the value.
    var value: Value { withLock { $0 } }

    /// Calls `body` with the value, while no other thread has it.
    ///
    /// The compiler doesn't check that a result may leave the lock. The lane, the background backup
    /// and `InterruptHandle` return what isn't `Sendable`, and hand it to one thread at a time.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        if !lock.try() {
            wait()
        }
        defer { lock.unlock() }
        return try body(&content)
    }

    /// Tries a few times before it sleeps: a lock is held for nanoseconds, and sleeping takes
    /// microseconds.
    @inline(never) private func wait() {
        for _ in 0..<50 where lock.try() {
            return
        }
        lock.lock()
    }
}

// The value is reached only under the lock.
extension Locked: @unchecked Sendable {}
