internal import CSQift
import Foundation

/// A value behind a lock. The library's shared state is all in here.
final class Locked<Value> {
    private let lock = NSLock()
    @exclusivity(unchecked) private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with the value. The compiler lets what isn't `Sendable` out: only those do so
    /// who hand it to one thread at a time, which are the pool and the queue with their
    /// connections.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        if !lock.try() {
            wait()
        }
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Whoever has the lock has it for nanoseconds, and falling asleep takes microseconds.
    @inline(never) private func wait() {
        for _ in 0..<50 where lock.try() {
            return
        }
        lock.lock()
    }
}

// The value is reached only under the lock.
extension Locked: @unchecked Sendable {}
