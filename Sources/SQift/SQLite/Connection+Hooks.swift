internal import CSQift

// What SQLite tells of changes, while it makes them.
//
// The closures are called in the middle of a statement, on its thread. They mustn't use the
// connection: inside a commit or a rollback hook its statements throw. The connection keeps a
// closure until it is replaced, set to nil, or the connection is closed.
extension Connection {
    /// What happened to a row.
    public enum UpdateHookType: String, Sendable, CustomStringConvertible {
        /// It was inserted.
        case insert
        /// It was updated.
        case update
        /// It was deleted.
        case delete

        /// `insert`, `update` or `delete`.
        public var description: String { rawValue }
    }

    /// Hears of a change, without using the connection: what it was, the database (`main`, `temp`
    /// or an attached one), the table, and the row's rowid.
    public typealias UpdateHook = (
        UpdateHookType, _ databaseName: String?, _ tableName: String?, _ rowID: Int64
    ) ->
        Void

    /// Answers whether to turn a commit into a rollback. It mustn't use the connection, whose
    /// statements throw meanwhile.
    public typealias CommitHook = () -> Bool

    /// Hears of a rollback. It mustn't use the connection, whose statements throw meanwhile.
    public typealias RollbackHook = () -> Void

    /// Sets the closure that hears of each row that this connection inserts, updates or deletes, by
    /// triggers and foreign keys too; nil removes it.
    ///
    /// It isn't told of everything: not of tables `WITHOUT ROWID`; not of rows that `REPLACE`
    /// deletes to make room; not of a `DELETE` without `WHERE` on a table without triggers, for
    /// which SQLite empties the table at once (`DELETE … WHERE true` is told row by row, and so is
    /// every `DELETE` if an authorizer answers `.ignore` to it). What it is told may be undone
    /// later, by the statement's failure, a savepoint or a rollback. What other connections change
    /// it never hears: compare `dataVersion`.
    ///
    /// https://sqlite.org/c3ref/update_hook.html
    public func updateHook(_ hook: UpdateHook?) {
        guard let handle else { return }
        guard let hook else {
            sqlite3_update_hook(handle, nil, nil)
            if hasCallbacks {
                callbacks.updateHook = nil
            }
            return
        }
        callbacks.updateHook = hook
        sqlite3_update_hook(
            handle,
            { callbacks, operation, database, table, rowID in
                let type: UpdateHookType =
                    switch operation {
                    case SQLITE_INSERT: .insert
                    case SQLITE_DELETE: .delete
                    default: .update
                    }
                let database = database.map { String(cString: $0) }
                Callbacks.at(callbacks)?.updateHook?(
                    type,
                    database,
                    table.map { String(cString: $0) },
                    rowID
                )
            },
            callbacks.pointer
        )
    }

    /// Sets the closure that is asked before each commit, of a statement outside a transaction too;
    /// nil removes it. True makes it a rollback, and the statement throws
    /// `SQLITE_CONSTRAINT_COMMITHOOK`.
    ///
    /// It isn't asked where a transaction that began `.deferred` has written nothing.
    ///
    /// https://sqlite.org/c3ref/commit_hook.html
    public func commitHook(_ hook: CommitHook?) {
        guard let handle else { return }
        guard let hook else {
            sqlite3_commit_hook(handle, nil, nil)
            if hasCallbacks {
                callbacks.commitHook = nil
            }
            return
        }
        callbacks.commitHook = hook
        sqlite3_commit_hook(
            handle,
            { callbacks in
                guard let callbacks = Callbacks.at(callbacks), let hook = callbacks.commitHook
                else { return 0 }
                return callbacks.connection.callingHook(hook) ? 1 : 0
            },
            callbacks.pointer
        )
    }

    /// Sets the closure that hears of each rollback: by `ROLLBACK`, by an error, by a commit that
    /// was refused; nil removes it.
    ///
    /// It hears of `close()` inside a transaction too. It isn't told of `ROLLBACK TO` a savepoint,
    /// nor where a `COMMIT` fails and the transaction stays open, as with a deferred foreign key;
    /// what `transaction` then rolls back, it hears of.
    ///
    /// https://sqlite.org/c3ref/commit_hook.html
    public func rollbackHook(_ hook: RollbackHook?) {
        if handle != nil {
            rollbackHook = hook
        }
    }
}
