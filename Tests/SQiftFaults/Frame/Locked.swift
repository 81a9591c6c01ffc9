import Foundation

/// A value that threads share.
final class Locked<Value>: @unchecked Sendable {
    // Nobody reaches the value without the lock.
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) {
        self.value = value
    }

    func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
