internal import CSQift

// What keeps a statement from running now.
extension Connection {
    /// Throws if a statement can't run now. Whatever uses the connection calls it first.
    @inline(__always) func checkObstacles() throws {
        if handle == nil || state.mayObstruct(handle) {
            try throwObstacle()
        }
    }

    /// Throws the obstacle if there is one. First it tries once more to undo a failed transaction
    /// and to restore settings.
    @inline(never) func throwObstacle() throws {
        guard let handle else { throw unusableError }
        // A statement that a commit or rollback hook runs would itself commit or roll back, in the
        // middle of the one that called the hook.
        if state.isInsideHook {
            throw SQLiteError.misuse("a hook mustn't use the connection that calls it")
        }
        if isCancelled {
            throw SQLiteError(
                code: .interrupt,
                message: "the access that this statement belongs to was cancelled"
            )
        }

        undoFailedTransaction()
        if state.transactions.hasPendingUndo {
            let reason = String(cString: sqlite3_errmsg(handle))
            throw SQLiteError(
                code: .abortRollback,
                message: "a failed transaction can't be rolled back yet: \(reason)"
            )
        }
        if restoreSettings() != SQLITE_OK {
            let reason = String(cString: sqlite3_errmsg(handle))
            throw SQLiteError(
                code: .abort,
                message: "a setting of the connection can't be restored yet: \(reason)"
            )
        }
        if state.transactions.depth > 0, !isInsideTransaction {
            let cause = state.transactions.causeOfLoss ?? "its closure ended it"
            throw SQLiteError(
                code: .abortRollback,
                message: "the transaction is no longer open: \(cause)"
            )
        }
    }

    /// The error for a use of the connection while it has no handle.
    var unusableError: SQLiteError {
        guard isLent else { return .connectionIsClosed }
        return .misuse(
            "connection can't be used: it is the destination of a backup that isn't finished"
        )
    }
}
