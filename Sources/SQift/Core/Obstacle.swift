internal import CSQift

/// The reason why a statement can't run now.
enum Obstacle {
    case closed
    /// A backup that writes to the database has the handle.
    case lentToBackup
    /// SQLite calls a commit or rollback hook, in which a statement would commit or roll back.
    case insideHook
    /// Another thread has cancelled the access that the statement belongs to.
    case cancelled
    /// A failed transaction couldn't be rolled back yet, with SQLite's message.
    case rollbackPending(String)
    /// The transaction of a closure that still runs is over, with the cause.
    case transactionLost(String)

    var error: SQLiteError {
        switch self {
        case .closed:
            SQLiteError.connectionIsClosed
        case .lentToBackup:
            SQLiteError.misuse(
                "connection can't be used: it is the destination of a backup that isn't finished"
            )
        case .insideHook:
            SQLiteError.misuse("a hook mustn't use the connection that calls it")
        case .cancelled:
            SQLiteError(
                code: .interrupt,
                message: "the access that this statement belongs to was cancelled"
            )
        case .rollbackPending(let reason):
            SQLiteError(
                code: .abortRollback,
                message: "a failed transaction can't be rolled back yet: \(reason)"
            )
        case .transactionLost(let cause):
            SQLiteError(
                code: .abortRollback,
                message: "the transaction is no longer open: \(cause)"
            )
        }
    }
}

extension Connection {
    /// Throws if a statement can't run now. Whatever uses the connection calls it first.
    @inline(__always) func checkObstacles() throws {
        if handle == nil || state.mayObstruct(handle) {
            try throwObstacle()
        }
    }

    /// Throws the obstacle if there is one. First it tries once more to undo a failed transaction.
    @inline(never) func throwObstacle() throws {
        if let obstacle = obstacle() {
            throw obstacle.error
        }
    }

    private func obstacle() -> Obstacle? {
        guard let handle else { return isLent ? .lentToBackup : .closed }
        if state.isInsideHook {
            return .insideHook
        }
        if isCancelled {
            return .cancelled
        }

        undoFailedTransaction()
        if state.transactions.hasPendingUndo {
            return .rollbackPending(String(cString: sqlite3_errmsg(handle)))
        }
        if state.transactions.depth > 0, !isInsideTransaction {
            return .transactionLost(state.transactions.causeOfLoss ?? "its closure ended it")
        }
        return nil
    }

    /// The error for a use of the connection while it has no handle.
    var unusableError: SQLiteError {
        isLent ? Obstacle.lentToBackup.error : Obstacle.closed.error
    }
}
