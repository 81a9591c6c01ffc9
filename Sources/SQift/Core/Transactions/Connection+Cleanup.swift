internal import CSQift

// Used by the queue and the pool, which lend a connection to one closure at a time.
extension Connection {
    /// Calls `body`, which can't close the connection.
    @inline(__always) func lending<T>(_ body: (Connection) throws -> T) rethrows -> T {
        let holder = give(to: .closure)
        defer {
            give(to: holder)
            if !cursors.isEmpty {
                closeCursors()
            }
        }
        return try body(self)
    }

    /// Runs `body` as the lender, not as the closure that it has lent the connection to.
    func unlending<T>(_ body: () throws -> T) rethrows -> T {
        let holder = give(to: .program)
        defer { give(to: holder) }
        return try body()
    }

    /// Before a callback of the user's is changed, remembers how to set it back when the access
    /// ends. The first change in an access counts.
    ///
    /// - Parameter callback: What is changed.
    func restoringAfterAccess(
        _ callback: String = #function,
        _ restore: @escaping (Connection) -> Void
    ) {
        if isLentToClosure, restorers[callback] == nil {
            restorers[callback] = restore
        }
    }

    /// Lets the callbacks stay that were changed since the access began.
    func keepCallbacks() {
        restorers = [:]
    }

    // MARK: Before an access

    /// Whether it isn't closed or broken. What couldn't be undone is tried once more, without the
    /// statements that may have been in the way.
    func isUsable() -> Bool {
        if isBroken {
            resetStatements()
            mend()
        }
        return isOpen && !isBroken
    }

    // MARK: After an access

    /// Sets back the callbacks that the access has changed. Its transaction has ended by now: hooks
    /// and trace closures hear of that too.
    func restoreCallbacks() {
        guard !restorers.isEmpty else { return }
        for restore in restorers.values {
            restore(self)
        }
        restorers = [:]
    }

    /// Resets the statements that a closure left in the middle of their rows, and rolls back the
    /// transaction that it left open. Neither a cancellation nor the user's progress handler
    /// prevents it.
    ///
    /// - Returns: Whether there was a transaction.
    @discardableResult func rollBackLeftovers() -> Bool {
        let wasOpen = isInsideTransaction
        // A statement in the middle of its rows may hold a lock although no transaction was begun.
        // https://sqlite.org/c3ref/txn_state.html
        let holdsLock = handle != nil && sqift_txn_state(handle, nil) != SQLITE_TXN_NONE
        guard wasOpen || holdsLock || isBroken else { return false }
        resetStatements()
        undo(Self.rollback)
        return wasOpen
    }

    /// Resets every statement that is in the middle of its rows: SQLite can't roll back while one
    /// of them is interrupted. An open blob is one too, and expires.
    ///
    /// No caller further up the stack may be stepping one, which is why it is called after an
    /// access, and by what has refused to begin otherwise (`refuseRunningStatements`); a source
    /// test knows both.
    func resetStatements() {
        closeCursors()
        for statement in statementHandles where sqlite3_stmt_busy(statement) != 0 {
            sqlite3_reset(statement)
            resetCount += 1
        }
    }
}
