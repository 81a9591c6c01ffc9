internal import CSQift

extension Connection {
    /// A kind of change to a row.
    public enum UpdateHookType: String, Sendable, CustomStringConvertible {
        /// The row was inserted.
        case insert
        /// The row was updated.
        case update
        /// The row was deleted.
        case delete

        public var description: String { rawValue }
    }

    /// Receives a change: its kind, the database (`main`, `temp` or the name of an attached one),
    /// the table and the row's rowid. It must not use the connection.
    public typealias UpdateHook = (
        UpdateHookType, _ databaseName: String?, _ tableName: String?, _ rowID: Int64
    ) -> Void

    /// Returns whether to turn a commit into a rollback. It must not use the connection: its
    /// statements throw while the hook runs.
    public typealias CommitHook = () -> Bool

    /// Called for a rollback. It must not use the connection: its statements throw while the hook
    /// runs.
    public typealias RollbackHook = () -> Void

    /// Sets the closure that is called for each row that this connection inserts, updates or
    /// deletes, also by triggers and foreign keys; nil removes it.
    ///
    /// It isn't called for:
    /// - tables `WITHOUT ROWID`;
    /// - rows that `REPLACE` deletes to make room;
    /// - a `DELETE` without `WHERE` on a table without triggers: SQLite empties the table in one
    ///   go. For `DELETE … WHERE true` it is called row by row, and also for every `DELETE` if an
    ///   authorizer returns `.ignore` for it;
    /// - changes of other connections: compare ``dataVersion``.
    ///
    /// A change can be undone afterwards, if the statement fails, or by a savepoint or a rollback.
    ///
    /// The closure is called on the connection's thread, in the middle of SQLite's work, and must
    /// not use the connection. The connection keeps it until it is replaced or removed, or the
    /// connection is closed. Set in a closure of a queue, a pool or a `Database`, it ends with that
    /// closure's access, after its COMMIT or ROLLBACK.
    ///
    /// <https://sqlite.org/c3ref/update_hook.html>
    public func updateHook(_ hook: UpdateHook?) {
        guard let handle else { return }
        let attachment = attachment(HookAttachment.self)
        restoringAfterAccess { [old = attachment.updateHook] in $0.updateHook(old) }
        attachment.updateHook = hook
        attachment.installUpdateHook(on: handle)
    }

    /// Sets the closure that is called before each commit, also that of a statement outside a
    /// transaction; nil removes it. If it returns true, the commit becomes a rollback, and the
    /// statement throws `SQLITE_CONSTRAINT_COMMITHOOK`.
    ///
    /// It isn't called if a transaction that began `.deferred` has written nothing.
    ///
    /// The closure is called on the connection's thread, in the middle of SQLite's work, and must
    /// not use the connection. The connection keeps it until it is replaced or removed, or the
    /// connection is closed. Set in a closure of a queue, a pool or a `Database`, it ends with that
    /// closure's access, after its COMMIT or ROLLBACK.
    ///
    /// <https://sqlite.org/c3ref/commit_hook.html>
    public func commitHook(_ hook: CommitHook?) {
        guard let handle else { return }
        let attachment = attachment(HookAttachment.self)
        restoringAfterAccess { [old = attachment.commitHook] in $0.commitHook(old) }
        attachment.commitHook = hook
        if hook == nil {
            sqlite3_commit_hook(handle, nil, nil)
            return
        }
        sqlite3_commit_hook(
            handle,
            { attachment in
                guard let attachment = HookAttachment.at(attachment),
                    let hook = attachment.commitHook
                else { return 0 }
                return attachment.connection.callingHook(hook) ? 1 : 0
            },
            attachment.pointer
        )
    }

    /// Sets the closure that is called for each rollback: by `ROLLBACK`, by an error, or by a
    /// commit that was refused; nil removes it.
    ///
    /// It is also called if the connection is closed inside a transaction. It isn't called for
    /// `ROLLBACK TO` a savepoint, nor if a `COMMIT` fails and the transaction stays open, as with a
    /// deferred foreign key. If `transaction` then rolls back, it is called.
    ///
    /// The closure is called on the connection's thread, in the middle of SQLite's work, and must
    /// not use the connection. The connection keeps it until it is replaced or removed, or the
    /// connection is closed. Set in a closure of a queue, a pool or a `Database`, it ends with that
    /// closure's access, after its COMMIT or ROLLBACK.
    ///
    /// <https://sqlite.org/c3ref/commit_hook.html>
    public func rollbackHook(_ hook: RollbackHook?) {
        guard handle != nil else { return }
        let attachment = attachment(HookAttachment.self)
        restoringAfterAccess { [old = attachment.rollbackHook] in $0.rollbackHook(old) }
        attachment.rollbackHook = hook
        observeRollbacks()
    }

    /// Makes SQLite tell the observer, and the user's closure, of each rollback.
    func observeRollbacks() {
        sqlite3_rollback_hook(
            handle,
            { HookAttachment.at($0)?.receiveRollback() },
            attachment(HookAttachment.self).pointer
        )
    }
}

private final class HookAttachment: ConnectionAttachment {
    @exclusivity(unchecked) var updateHook: Connection.UpdateHook?
    var commitHook: Connection.CommitHook?
    var rollbackHook: Connection.RollbackHook?

    override func detach(from handle: OpaquePointer) {
        sqlite3_update_hook(handle, nil, nil)
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_rollback_hook(handle, nil, nil)
    }

    func receiveRollback() {
        connection.state.withObserver { $0.transactionWasRolledBack() }
        if let rollbackHook {
            connection.callingHook(rollbackHook)
        }
    }

    func installUpdateHook(on handle: OpaquePointer) {
        if updateHook == nil {
            sqlite3_update_hook(handle, nil, nil)
            return
        }
        sqlite3_update_hook(
            handle,
            { attachment, operation, database, table, rowID in
                guard let attachment, let database, let table else { return }
                // Without a reference count, since it is called for each row.
                let hook = Unmanaged<HookAttachment>.fromOpaque(attachment)
                    ._withUnsafeGuaranteedRef { $0.updateHook }
                guard let hook else { return }
                let type: Connection.UpdateHookType =
                    switch operation {
                    case SQLITE_INSERT: .insert
                    case SQLITE_DELETE: .delete
                    default: .update
                    }
                hook(type, String(cString: database), String(cString: table), rowID)
            },
            pointer
        )
    }
}
