/// A flag that any thread can set and read without a lock.
final class AtomicFlag: Sendable {
    private let number = AtomicWord()

    /// Whether `set()` has been called.
    var isSet: Bool { number.value != 0 }

    func set() {
        number.value = 1
    }
}
