internal import CSQift

/// A number that is asked for too often for a lock, from any thread; 0 at first.
final class AtomicWord {
    /// Where it is, for those who ask without a reference to this object, which they keep alive.
    let pointer: UnsafeMutablePointer<UInt>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: 0)
    }

    deinit {
        pointer.deallocate()
    }

    var value: UInt {
        get { sqift_atomic_load(pointer) }
        set { sqift_atomic_store(pointer, newValue) }
    }
}

// The memory is read and written by C11 atomic operations only.
extension AtomicWord: @unchecked Sendable {}

/// A number that no other running thread has; never 0.
var currentThread: UInt { sqift_thread() }
