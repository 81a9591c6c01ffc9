internal import CSQift

/// What can keep the statements of a connection from running.
///
/// Each statement holds this object. Asking the connection instead would cost each run a reference
/// count, since a cached statement doesn't own its connection.
final class ConnectionState {
    /// Reasons why no statement may run.
    struct Obstacles: OptionSet {
        let rawValue: UInt8

        /// The connection has no handle: it is closed, or a backup has the handle.
        static let noHandle = Obstacles(rawValue: 1)
        /// SQLite is calling a commit or rollback hook.
        static let hook = Obstacles(rawValue: 2)
        /// The library couldn't undo something.
        static let broken = Obstacles(rawValue: 4)
    }

    var obstacles: Obstacles = []
    /// How many closures of `transaction` and `savepoint` are running.
    var transactionDepth = 0
    /// Why the connection is broken, and the SQL that would roll a failed transaction back.
    var breakage: (error: SQLiteError, undo: SQL?)? {
        didSet { set(.broken, breakage != nil) }
    }
    /// Whether it is lent for reading, so that writes are refused.
    var isReading = false
    /// Nil while nothing listens to the connection's changes. It is one of the attachments, which
    /// keep it until the connection is closed.
    unowned(unsafe) var observer: StatementObserver? {
        didSet { uncountedObserver = observer.map { Unmanaged.passUnretained($0) } }
    }
    /// The observer, for what each run of a statement does: a call counts no reference.
    private(set) var uncountedObserver: Unmanaged<StatementObserver>?
    /// How other threads end the connection's work; nil if none can.
    var cancellation: Cancellation? {
        didSet { cancellationFlag = cancellation?.flagPointer }
    }
    private var cancellationFlag: UnsafeMutablePointer<UInt>?

    // MARK: Obstacles

    func set(_ obstacle: Obstacles, _ isInTheWay: Bool) {
        if isInTheWay {
            obstacles.insert(obstacle)
        } else {
            obstacles.remove(obstacle)
        }
    }

    var isInsideHook: Bool { obstacles.contains(.hook) }

    /// Whether another thread wants the work to end, so that no further statement may start.
    var isCancelled: Bool {
        guard let cancellationFlag else { return false }
        return sqift_atomic_load(cancellationFlag) != 0
    }

    /// Whether no statement may run. This takes only a few loads, since every run of a statement
    /// asks. `throwObstacle` says why.
    @inline(__always) func isObstructed(_ database: @autoclosure () -> OpaquePointer?) -> Bool {
        !obstacles.isEmpty || isCancelled
            || (transactionDepth > 0 && sqlite3_get_autocommit(database()) != 0)
    }
}
