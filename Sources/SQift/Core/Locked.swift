import Foundation
internal import CSQift

/// A value behind a lock. The library's shared state is all in here, so that the compiler checks the rest.
final class Locked<Value> {
    private let lock = NSLock()
    @exclusivity(unchecked) private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with the value, which must not leave it unless it may be shared.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

// The value is reached only under the lock.
extension Locked: @unchecked Sendable {}

/// A flag that is set once and asked for often, from any thread.
final class AtomicFlag {
    private let value: UnsafeMutablePointer<Int32>

    init() {
        value = .allocate(capacity: 1)
        value.initialize(to: 0)
    }

    deinit {
        value.deallocate()
    }

    var isSet: Bool { sqift_atomic_load(value) != 0 }

    func set() { sqift_atomic_store(value, 1) }
}

// The memory is read and written by C11 atomic operations only.
extension AtomicFlag: @unchecked Sendable {}
