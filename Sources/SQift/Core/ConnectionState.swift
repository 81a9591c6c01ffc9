internal import CSQift

/// The state that can keep the statements of a connection from running.
///
/// Each statement holds this object. Asking the connection instead would cost each run a reference
/// count, since a cached statement doesn't own its connection.
final class ConnectionState {
    @exclusivity(unchecked) var transactions = TransactionStack()
    /// The SQL that sets back what the library has switched for a while, if that failed.
    @exclusivity(unchecked) var unrestoredSettings: SQL?
    /// Whether SQLite is calling a commit or rollback hook.
    @exclusivity(unchecked) var isInsideHook = false
    /// Whether a backup has the connection's handle.
    @exclusivity(unchecked) var isLent = false
    /// Nil unless somebody listens to the connection's changes. It is one of the attachments, which
    /// keep it until the connection is closed.
    @exclusivity(unchecked) private var observer: Unmanaged<StatementObserver>?
    /// How other threads end the connection's work; nil if nobody can.
    var cancellation: Cancellation? {
        didSet { cancellationFlag = cancellation?.flagPointer }
    }
    @exclusivity(unchecked) private var cancellationFlag: UnsafeMutablePointer<UInt>?

    var isObserved: Bool { observer != nil }

    func setObserver(_ newObserver: StatementObserver?) {
        observer = newObserver.map { Unmanaged.passUnretained($0) }
    }

    /// Calls `body` with the observer, if there is one. Each run of a statement does this, so no
    /// reference is counted.
    @inline(__always) func withObserver(_ body: (StatementObserver) -> Void) {
        observer?._withUnsafeGuaranteedRef { body($0) }
    }

    /// Whether another thread wants the work to end, so that no further statement may start.
    @inline(__always) var isCancelled: Bool {
        guard let cancellationFlag else { return false }
        return sqift_atomic_load(cancellationFlag) != 0
    }

    /// Whether there may be an obstacle. This takes only a few loads, since every run of a
    /// statement asks.
    @inline(__always) func mayObstruct(_ database: @autoclosure () -> OpaquePointer?) -> Bool {
        if isInsideHook || isLent || transactions.hasPendingUndo || isCancelled
            || unrestoredSettings != nil
        {
            return true
        }
        return transactions.depth > 0 && sqlite3_get_autocommit(database()) != 0
    }
}
