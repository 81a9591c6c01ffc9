/// A flag that any thread can set and read without a lock.
final class AtomicFlag: Sendable {
    private let numbers = AtomicWords(count: 1)

    /// Whether `set()` has been called.
    var isSet: Bool { numbers[0] != 0 }

    func set() {
        numbers[0] = 1
    }
}
