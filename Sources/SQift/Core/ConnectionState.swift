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
    /// Nil unless somebody listens to the connection's changes. It is one of the attachments.
    @exclusivity(unchecked) unowned(unsafe) var observer: (any StatementObserver)? {
        didSet { isObserved = observer != nil }
    }
    /// Asked by each run of a statement: even a call for no observer would count its references.
    @exclusivity(unchecked) private(set) var isObserved = false
    /// How other threads end the connection's work; nil if nobody can.
    var cancellation: Cancellation? {
        didSet { cancellationFlag = cancellation?.flagPointer }
    }
    @exclusivity(unchecked) private var cancellationFlag: UnsafeMutablePointer<UInt>?

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
