internal import CSQift

/// Numbers that threads share without a lock, because they are read very often; 0 at first.
final class AtomicNumbers {
    /// The numbers' memory, valid as long as this object. Reading it here saves a reference count.
    let pointer: UnsafeMutablePointer<UInt>
    let count: Int

    init(count: Int) {
        self.count = count
        pointer = .allocate(capacity: count)
        pointer.initialize(repeating: 0, count: count)
    }

    deinit {
        pointer.deallocate()
    }

    /// The index isn't checked.
    subscript(index: Int) -> UInt {
        get { sqift_atomic_load(pointer + index) }
        set { sqift_atomic_store(pointer + index, newValue) }
    }
}

// Only C11 atomic operations read and write the memory.
extension AtomicNumbers: @unchecked Sendable {}

/// The number of the calling thread: no other running thread has the same one. Never 0.
var currentThread: UInt { sqift_thread() }
