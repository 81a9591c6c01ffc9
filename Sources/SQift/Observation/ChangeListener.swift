/// A closure that hears of a connection's commits until `end()`, see
/// ``Connection/didCommit(once:_:)``.
///
/// It belongs to the same thread as the connection.
public final class ChangeListener {
    private weak var tracker: ChangeTracker?
    private(set) var hasEnded = false
    /// Whether it ends with the first call.
    var isOnce = false

    init(of tracker: ChangeTracker) {
        self.tracker = tracker
    }

    /// Ends the listening. The closure isn't called any more, and is released. Ending it again does
    /// nothing.
    public func end() {
        hasEnded = true
        tracker?.remove(self)
    }
}
