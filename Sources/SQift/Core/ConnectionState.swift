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

    @exclusivity(unchecked) var obstacles: Obstacles = []
    @exclusivity(unchecked) var transactions = RunningTransactions()
    /// Why the connection is broken, and the SQL that would have rolled a failed transaction back.
    var breakage: (error: SQLiteError, undo: SQL?)? {
        didSet { set(.broken, breakage != nil) }
    }
    /// Whether an access that only reads is running, on a connection that could write.
    @exclusivity(unchecked) var refusesWrites = false
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
    @inline(__always) var isCancelled: Bool {
        guard let cancellationFlag else { return false }
        return sqift_atomic_load(cancellationFlag) != 0
    }

    /// Whether no statement may run. This takes only a few loads, since every run of a statement
    /// asks. `throwObstacle` says why.
    @inline(__always) func isObstructed(_ database: @autoclosure () -> OpaquePointer?) -> Bool {
        !obstacles.isEmpty || isCancelled
            || (transactions.depth > 0 && sqlite3_get_autocommit(database()) != 0)
    }
}

/// The transactions and savepoints whose closures run on a connection.
struct RunningTransactions {
    /// How many closures are running.
    private(set) var depth = 0
    /// Why SQLite ended the transaction by itself, if it did.
    private(set) var causeOfLoss: String?
    /// How many transactions have been rolled back on this connection, by SQLite or by a statement.
    var rollbackCount = 0

    mutating func enter() {
        depth += 1
    }

    mutating func leave() {
        depth -= 1
        if depth == 0 {
            causeOfLoss = nil
        }
    }

    /// Remembers the first error with which SQLite ended the transaction.
    mutating func noteLoss(by error: SQLiteError) {
        if depth > 0, causeOfLoss == nil {
            causeOfLoss = "SQLite rolled it back (\(error.message))"
        }
    }
}
