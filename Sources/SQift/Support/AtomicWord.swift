internal import CSQift

/// A number that threads share without a lock, because it is read very often; 0 at first.
final class AtomicWord {
    /// The number's memory, valid as long as this object. Reading it here saves a reference count.
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

// Only C11 atomic operations read and write the memory.
extension AtomicWord: @unchecked Sendable {}

/// The number of the calling thread: no other running thread has the same one. Never 0.
var currentThread: UInt { sqift_thread() }
