/// A flag that any thread can set and read without a lock.
final class AtomicFlag: Sendable {
    private let word = AtomicWord()

    /// Whether `set()` has been called.
    var isSet: Bool { word.value != 0 }

    func set() {
        word.value = 1
    }
}
