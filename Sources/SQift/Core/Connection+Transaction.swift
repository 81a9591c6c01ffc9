internal import CSQift

extension Connection {
    /// When a transaction takes its locks. <https://sqlite.org/lang_transaction.html>
    public enum TransactionType: String, Sendable {
        /// At the first read and at the first write. A write after a read can fail with
        /// `SQLITE_BUSY` immediately.
        case deferred
        /// The write lock at the beginning, for which the busy timeout waits.
        case immediate
        /// Like `immediate`, but outside WAL it also keeps readers out.
        case exclusive

        // Literals, since "BEGIN \(rawValue)" would be put together for each transaction.
        fileprivate var statement: SQL {
            switch self {
            case .deferred: "BEGIN deferred"
            case .immediate: "BEGIN immediate"
            case .exclusive: "BEGIN exclusive"
            }
        }
    }

    /// Runs `closure` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// ```swift
    /// try connection.transaction(transactionType: .immediate) {
    ///     try connection.run("UPDATE a SET balance = balance - ? WHERE id = ?", amount, from)
    ///     try connection.run("UPDATE a SET balance = balance + ? WHERE id = ?", amount, to)
    /// }
    /// ```
    ///
    /// Inside an open transaction it is a savepoint, and the type doesn't matter.
    ///
    /// SQLite ends a transaction by itself if a write is interrupted, or if the disk is full or
    /// fails. Every further statement then throws until the outermost `transaction` returns, and
    /// that throws too. So nothing runs outside the transaction by accident. If a rollback fails,
    /// for want of memory for example, the connection is broken: every later call throws and says
    /// so, until it is closed.
    ///
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or SQLite's error of BEGIN or COMMIT. A failed COMMIT is
    ///   rolled back.
    ///
    /// <https://sqlite.org/lang_transaction.html>
    @discardableResult public func transaction<T>(
        transactionType: TransactionType = .deferred,
        closure: () throws -> T
    ) throws -> T {
        try checkObstacles()
        if isInsideTransaction {
            return try savepoint(closure: closure)
        }
        let sql = TransactionSQL(
            begin: transactionType.statement,
            commit: "COMMIT",
            undo: Self.rollback
        )
        return try runTransaction(sql, closure) { !self.isInsideTransaction }
    }

    /// Runs `closure` in a savepoint of this name: released when it returns, rolled back and
    /// released when it throws.
    ///
    /// Savepoints nest, and names may repeat. Outside a transaction a savepoint is one.
    ///
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or SQLite's error.
    ///
    /// <https://sqlite.org/lang_savepoint.html>
    @discardableResult public func savepoint<T>(
        named name: String,
        closure: () throws -> T
    ) throws -> T {
        // It runs inside a savepoint with a unique name. Ending that one can't end another
        // savepoint with the caller's name.
        try savepoint {
            try runCached("SAVEPOINT \(name.quotedAsIdentifier)")
            return try closure()
        }
    }

    /// Runs `closure` in a savepoint. The library chooses its name.
    @discardableResult public func savepoint<T>(closure: () throws -> T) throws -> T {
        try checkObstacles()
        let name = "\"sqift \(state.transactions.depth)\""
        let isOutermost = !isInsideTransaction
        let sql = TransactionSQL(
            begin: "SAVEPOINT \(name)",
            commit: "RELEASE SAVEPOINT \(name)",
            undo: isOutermost
                ? Self.rollback : "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)"
        )
        return try runTransaction(sql, closure) {
            isOutermost ? !self.isInsideTransaction : self.rollBackIsRefused(toSavepoint: name)
        }
    }

    private struct TransactionSQL {
        let begin: SQL
        let commit: SQL
        let undo: SQL
    }

    /// Runs `closure` between the begin and the commit. If one of them fails, it undoes what was
    /// done since the begin.
    ///
    /// - Parameter hasEnded: Whether the transaction is over, asked after an interrupted commit.
    private func runTransaction<T>(
        _ sql: TransactionSQL,
        _ closure: () throws -> T,
        hasEnded: () -> Bool
    ) throws -> T {
        let rollbackCount = state.transactions.rollbackCount
        try begin(sql)
        state.transactions.enter()
        var isUndone = false
        if sql.undo != Self.rollback {
            state.withObserver { $0.savepointHasBegun() }
        }
        defer {
            state.transactions.leave()
            if sql.undo != Self.rollback {
                state.withObserver { $0.savepointHasEnded(isUndone: isUndone) }
            }
            state.withObserver { $0.reportEndOfTransaction() }
        }

        do {
            let result = try closure()
            do {
                try runCached(sql.commit)
            } catch let error as SQLiteError where .interrupt ~= error.extendedResultCode {
                // An interrupted COMMIT may have taken effect. It has if the transaction is over
                // and nothing was rolled back since BEGIN (FTS5 can roll back inside COMMIT).
                guard hasEnded(), rollbackCount == state.transactions.rollbackCount else {
                    throw error
                }
            }
            return result
        } catch {
            undo(sql.undo)
            isUndone = true
            throw error
        }
    }

    private func begin(_ sql: TransactionSQL) throws {
        do {
            try runCached(sql.begin)
        } catch let error as SQLiteError where .interrupt ~= error.extendedResultCode {
            // A statement that fails with an interrupt may have done its work already.
            if isInsideTransaction {
                undo(sql.undo)
            }
            throw error
        }
    }

    // MARK: Undoing

    static var rollback: SQL { "ROLLBACK" }

    /// Undoes what a failed transaction left, unless SQLite did so already. SQLite is asked: a
    /// result code doesn't tell.
    ///
    /// If that fails, the connection is broken. SQLite can't roll back while a statement further up
    /// the stack is interrupted: the end of that statement tries once more. So does the next access
    /// of a queue, because a database in memory would be lost with its connection.
    func undo(_ undo: SQL) {
        var isUndone = !isInsideTransaction
        if !isUndone {
            let code = cleanUp(undo)
            // A savepoint that doesn't exist is undone. Nobody else uses its name, so the error
            // can't mean anything else.
            isUndone =
                undo == Self.rollback
                ? !isInsideTransaction : code == SQLITE_OK || code == SQLITE_ERROR
        }
        if !isUndone {
            noteBreakage("a failed transaction can't be rolled back", undo: undo)
        } else if state.breakage?.undo != nil {
            state.breakage = nil
        }
    }

    /// Rolls back to the savepoint, which is the only way to ask whether it exists. Returns true if
    /// it doesn't.
    private func rollBackIsRefused(toSavepoint quotedName: String) -> Bool {
        sqlite3_exec(handle, "ROLLBACK TO SAVEPOINT \(quotedName)", nil, nil, nil) == SQLITE_ERROR
    }

    /// Remembers why SQLite ended a transaction by itself.
    func noteFailure(_ error: SQLiteError) {
        if !isInsideTransaction {
            state.transactions.noteLoss(by: error)
        }
    }

    // MARK: Counting rollbacks

    /// Counts rollbacks from now on, and calls the user's hook for each.
    func observeRollbacks() {
        sqlite3_rollback_hook(
            handle,
            { context in
                guard let context else { return }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                connection.state.transactions.rollbackCount += 1
                connection.state.withObserver { $0.transactionWasRolledBack() }
                if let hook = connection.rollbackHook {
                    connection.callingHook(hook)
                }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
