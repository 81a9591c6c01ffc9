internal import CSQift

// Used by the queue and the pool, which lend a connection to one closure at a time.
extension Connection {
    /// Whether it has been closed. One that is lent to a backup hasn't.
    var isClosed: Bool { handle == nil && !isLent }

    /// Calls `body`, which can't close the connection.
    @inline(__always) func lending<T>(_ body: (Connection) throws -> T) rethrows -> T {
        isInAccess = true
        defer {
            isInAccess = false
            if !cursors.isEmpty {
                closeCursors()
            }
        }
        return try body(self)
    }

    // MARK: Before an access

    /// Makes the connection ready for another access, by undoing what an earlier one couldn't undo.
    ///
    /// - Returns: Whether it can be used: it isn't closed, and no failed transaction is open in it.
    func makeReadyForAccess() -> Bool {
        if isClosed {
            return false
        }
        if state.transactions.hasPendingUndo {
            shielded {
                resetStatements()
                // One interrupt may hit the rollback itself.
                for _ in 0..<2 {
                    undoFailedTransaction()
                }
            }
        }
        return !state.transactions.hasPendingUndo
    }

    /// Whether the connection can't be used again: it is closed, or a whole transaction in it can't
    /// be rolled back. If only a savepoint can't be rolled back, that is tried again later: the
    /// transaction around it belongs to a caller.
    func mustBeReplaced() -> Bool {
        isClosed || (!makeReadyForAccess() && state.transactions.pendingUndo?.isWhole == true)
    }

    // MARK: After an access

    /// Whether no transaction is open, and no statement in the middle of its rows holds a lock.
    ///
    /// https://sqlite.org/c3ref/txn_state.html
    var isAtRest: Bool {
        guard let handle else { return true }
        return sqift_txn_state(handle, nil) == SQLITE_TXN_NONE
            && sqlite3_get_autocommit(handle) != 0
            && !state.transactions.hasPendingUndo && !state.isInsideHook
    }

    /// Resets the statements that a closure left in the middle of their rows, and rolls back the
    /// transaction that it left open. Neither a cancellation nor the user's progress handler
    /// prevents it.
    ///
    /// - Returns: Whether there was a transaction.
    @discardableResult func rollBackLeftovers() -> Bool {
        guard !isAtRest else {
            hasLeftovers = false
            return false
        }
        let wasOpen = isInsideTransaction

        shielded {
            resetStatements()
            undoFailedTransaction()
            // One interrupt may hit the rollback itself.
            for _ in 0..<2 where isInsideTransaction {
                sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            }
            undoFailedTransaction()
        }
        hasLeftovers = !isAtRest
        return wasOpen
    }

    /// Resets every statement that is in the middle of its rows: SQLite can't roll back while one
    /// of them is interrupted.
    func resetStatements() {
        guard let handle else { return }
        closeCursors()
        var statement = sqlite3_next_stmt(handle, nil)
        while let next = statement {
            if sqlite3_stmt_busy(next) != 0 {
                // An open blob is a statement without SQL, which points into its row.
                if sqlite3_sql(next) == nil {
                    blobResetCount += 1
                }
                sqlite3_reset(next)
            }
            statement = sqlite3_next_stmt(handle, next)
        }
    }
}
