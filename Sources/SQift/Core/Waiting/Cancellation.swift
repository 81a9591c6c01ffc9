/// Ends the work of a connection from any thread: the statements that run now, and every later one,
/// until it is cleared.
///
/// `sqlite3_interrupt` alone isn't enough: it has no effect if it arrives between two statements.
/// That is why a cancellation is a flag as well. Statements check it before they start, while they
/// wait for a lock (the busy handler), and periodically while they run (the progress handler).
///
/// A connection takes one by `makeCancellable(by:)`.
final class Cancellation: Sendable {
    /// Why the work ends.
    enum Reason: UInt {
        /// The task that waits for the work was cancelled.
        case task = 1
        /// The owner of the connection is being closed.
        case closing
        /// The owner of the connection is suspended.
        case suspension
    }

    private let flag: AtomicNumbers
    private let handle = Locked<InterruptHandle?>(nil)

    /// - Parameter other: The cancellation of a connection that this one helps, for example by
    ///   holding the copy of a backup: one flag ends the work of both.
    init(sharingFlagOf other: Cancellation? = nil) {
        flag = other?.flag ?? AtomicNumbers(count: 1)
    }

    /// The reason of the request, or nil if nothing was requested.
    var reason: Reason? { Reason(rawValue: flag[0]) }

    /// The flag's memory. Statements read it so often that they don't go through this object, which
    /// they keep alive.
    var flagPointer: UnsafeMutablePointer<UInt> { flag.pointer }

    /// Interrupts the statements that run now; with a reason, it keeps others from starting too.
    func interrupt(_ reason: Reason?) {
        if let reason {
            flag[0] = reason.rawValue
        }
        handle.value?.interrupt()
    }

    /// Takes the handle by which it interrupts what runs.
    func use(_ handle: InterruptHandle) {
        self.handle.withLock { $0 = handle }
    }

    /// Lets statements start again.
    func clear() {
        flag[0] = 0
    }
}
