internal import CSQift

/// The closures that SQLite calls on a connection and has no destructor for. The connection keeps
/// them here.
///
/// SQLite has one place for each kind of callback. Whoever else wants to listen is called from the
/// same C function, beside the user's closure: so does the transactions' count of rollbacks (see
/// Transaction.swift), which needs no such object.
final class Callbacks {
    var busyHandler: Connection.CustomBusyHandler?
    var updateHook: Connection.UpdateHook?
    var commitHook: Connection.CommitHook?
    var transactionState: TransactionState?
    var authorizer: Connection.Authorizer?
    /// Whether neither the progress handler nor the authorizer is asked, while the library puts
    /// things in order.
    var isShielded = false
    /// Whether BEGIN, COMMIT and ROLLBACK are denied, whatever the authorizer says.
    var deniesTransactions = false
    /// What the progress handler looks at for those who cancel.
    var cancellation: AtomicWord?
    var progressHandler: Connection.ProgressHandler?
    var trace: ((String) -> Void)?
    var profile: ((SQL, Double) -> Void)?
    var writeAheadLog = WriteAheadLog()
    var traceEvent: (mask: UInt32, closure: (Connection.TraceEvent) -> Void)?
    /// How many of the closures are being called that SQLite may call without a statement: the
    /// authorizer, the busy handler and the progress handler.
    private(set) var runningClosureCount = 0

    /// Calls one of these closures.
    func callingBack<Result>(_ body: () -> Result) -> Result {
        runningClosureCount += 1
        defer { runningClosureCount -= 1 }
        return body()
    }

    /// What a C callback is given to find its way back.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The callbacks that such a pointer leads to.
    static func at(_ pointer: UnsafeMutableRawPointer?) -> Callbacks? {
        pointer.map { Unmanaged<Callbacks>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes SQLite forget them all, for a handle that outlives its connection.
    static func remove(from handle: OpaquePointer?) {
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_update_hook(handle, nil, nil)
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_set_authorizer(handle, nil, nil)
        sqlite3_progress_handler(handle, 0, nil, nil)
        sqlite3_trace_v2(handle, 0, nil, nil)
        sqlite3_wal_hook(handle, nil, nil)
    }
}
