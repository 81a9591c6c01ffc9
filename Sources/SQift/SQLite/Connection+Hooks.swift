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
    /// deletes, even by triggers and foreign keys; nil removes it.
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
    /// SQLite: [sqlite3_update_hook](https://sqlite.org/c3ref/update_hook.html)
    public func updateHook(_ hook: UpdateHook?) {
        setHook(\.updateHook, to: hook)
    }

    /// Sets the closure that is called before each commit, even that of a statement outside a
    /// transaction; nil removes it.
    ///
    /// If it returns true, the commit becomes a rollback, and the statement throws
    /// `SQLITE_CONSTRAINT_COMMITHOOK`.
    ///
    /// It isn't called if a transaction that began `.deferred` has written nothing. Releasing a
    /// cursor or closing a blob in it commits, and then its answer comes too late.
    ///
    /// The closure is called on the connection's thread, in the middle of SQLite's work, and must
    /// not use the connection. The connection keeps it until it is replaced or removed, or the
    /// connection is closed. Set in a closure of a queue, a pool or a `Database`, it ends with that
    /// closure's access, after its COMMIT or ROLLBACK.
    ///
    /// SQLite: [sqlite3_commit_hook](https://sqlite.org/c3ref/commit_hook.html)
    public func commitHook(_ hook: CommitHook?) {
        setHook(\.commitHook, to: hook)
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
    /// SQLite: [sqlite3_commit_hook](https://sqlite.org/c3ref/commit_hook.html)
    public func rollbackHook(_ hook: RollbackHook?) {
        setHook(\.rollbackHook, to: hook)
    }

    private func setHook<Hook>(
        _ hook: ReferenceWritableKeyPath<HookAttachment, Hook?>,
        to newHook: Hook?,
        caller: String = #function
    ) {
        guard handle != nil else { return }
        let attachment = attachment(HookAttachment.self)
        let oldHook = attachment[keyPath: hook]
        restoringAfterAccess(caller) { $0.setHook(hook, to: oldHook) }
        attachment[keyPath: hook] = newHook
        installHooks()
    }

    /// Makes SQLite call the user's closures, and tell the observer of each rollback.
    func installHooks() {
        let attachment = attachment(HookAttachment.self)
        let pointer = attachment.pointer
        // "The commit and rollback hook callbacks are not reentrant.":
        // https://sqlite.org/c3ref/commit_hook.html
        sqlite3_commit_hook(handle, { HookAttachment.at($0)?.receiveCommit() ?? 0 }, pointer)
        sqlite3_rollback_hook(handle, { HookAttachment.at($0)?.receiveRollback() }, pointer)
        if attachment.updateHook == nil {
            sqlite3_update_hook(handle, nil, nil)
            return
        }
        // "The update hook implementation must not do anything that will modify the database
        // connection that invoked the update hook.": https://sqlite.org/c3ref/update_hook.html
        sqlite3_update_hook(
            handle,
            { attachment, operation, database, table, rowID in
                guard let attachment, let database, let table else { return }
                let type: UpdateHookType =
                    switch operation {
                    case SQLITE_INSERT: .insert
                    case SQLITE_DELETE: .delete
                    default: .update
                    }
                // Without a reference count, since it is called for each row.
                Unmanaged<HookAttachment>.fromOpaque(attachment)._withUnsafeGuaranteedRef {
                    $0.updateHook?(type, String(cString: database), String(cString: table), rowID)
                }
            },
            pointer
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

    func receiveCommit() -> Int32 {
        guard let commitHook else { return 0 }
        return calling(commitHook) ? 1 : 0
    }

    func receiveRollback() {
        if connection.isInsideTransaction {
            connection.resetCount += 1
        }
        connection.state.observer?.transactionWasRolledBack()
        if let rollbackHook {
            calling(rollbackHook)
        }
    }

    /// Calls a commit or rollback hook, in which no statement of the connection may run
    /// (`throwObstacle`). A cursor or a blob that ends in a commit hook commits, and so calls it
    /// again.
    private func calling<Result>(_ hook: () -> Result) -> Result {
        let wasInsideHook = connection.state.isInsideHook
        connection.state.set(.hook, true)
        defer { connection.state.set(.hook, wasInsideHook) }
        return hook()
    }
}
