internal import CSQift

/// The closures of the facilities that have no attachment of their own yet.
final class Callbacks: ConnectionAttachment {
    unowned(unsafe) let connection: Connection
    var updateHook: Connection.UpdateHook?
    var commitHook: Connection.CommitHook?
    var authorizer: Connection.Authorizer?
    /// Whether BEGIN, COMMIT and ROLLBACK are denied, whatever the authorizer says.
    var deniesTransactions = false
    var trace: ((String) -> Void)?
    var profile: ((SQL, Double) -> Void)?
    var writeAheadLog = WriteAheadLog()
    var traceEvent: (mask: UInt32, closure: (Connection.TraceEvent) -> Void)?

    init(_ connection: Connection) {
        self.connection = connection
    }

    func detach(from handle: OpaquePointer) {
        sqlite3_update_hook(handle, nil, nil)
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_set_authorizer(handle, nil, nil)
        sqlite3_trace_v2(handle, 0, nil, nil)
        sqlite3_wal_hook(handle, nil, nil)
        receiveClosing(of: handle)
    }
}
