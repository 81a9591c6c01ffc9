internal import CSQift

extension Connection {
    /// When a transaction takes its locks. https://sqlite.org/lang_transaction.html
    public enum TransactionType: String, Sendable {
        /// At the first read and at the first write. A write after a read can fail with `SQLITE_BUSY` at once.
        case deferred
        /// The write lock at the beginning, for which the busy timeout waits.
        case immediate
        /// As `immediate`; outside WAL it keeps readers out too.
        case exclusive
    }

    /// Runs `closure` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// ```swift
    /// try connection.transaction(transactionType: .immediate) {
    ///     try connection.run("UPDATE accounts SET balance = balance - ? WHERE id = ?", amount, from)
    ///     try connection.run("UPDATE accounts SET balance = balance + ? WHERE id = ?", amount, to)
    /// }
    /// ```
    ///
    /// Inside an open transaction it is a savepoint, and the type doesn't matter. SQLite ends a transaction by itself
    /// when it is interrupted in a write, or the disk is full or fails; every statement then throws until the outermost
    /// `transaction` has ended, which throws too, so that nothing runs outside it by accident.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or SQLite's error of BEGIN or COMMIT; a failed COMMIT is rolled back.
    ///
    /// https://sqlite.org/lang_transaction.html
    public func transaction<T>(
        transactionType: TransactionType = .deferred,
        closure: () throws -> T
    ) throws -> T {
        if isInsideTransaction { return try savepoint(closure: closure) }
        try run("BEGIN \(transactionType.rawValue)")
        return try finishing(with: "COMMIT", orUndoingWith: "ROLLBACK", closure)
    }

    /// Runs `closure` in a savepoint: released when it returns, rolled back and released when it throws.
    ///
    /// Savepoints nest, and names may repeat. Outside a transaction a savepoint is one.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or SQLite's error.
    ///
    /// https://sqlite.org/lang_savepoint.html
    public func savepoint<T>(named name: String, closure: () throws -> T) throws -> T {
        let name = name.sqift.quotedIdentifier
        try run("SAVEPOINT \(name)")
        return try finishing(
            with: "RELEASE SAVEPOINT \(name)",
            orUndoingWith: "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)",
            closure
        )
    }

    /// The same with a name of its own.
    public func savepoint<T>(closure: () throws -> T) throws -> T {
        try savepoint(named: "sqift \(transactionState.depth)", closure: closure)
    }

    private func finishing<T>(with end: SQL, orUndoingWith undo: SQL, _ closure: () throws -> T) throws -> T {
        transactionState.depth += 1
        defer {
            transactionState.depth -= 1
            if transactionState.depth == 0 { transactionState.causeOfLoss = nil }
        }
        do {
            let result = try closure()
            try run(end)
            return result
        } catch {
            transactionState.undo = undo
            transactionState.isUndoPending = true
            retryUndo()
            throw error
        }
    }

    /// Undoes what a failed transaction left, unless SQLite did so already: asked, never inferred from a result code.
    ///
    /// SQLite can't roll back while a statement further up the stack is interrupted. Then this is called again when that
    /// statement ends, and until it succeeds no other one may run.
    func retryUndo() {
        guard transactionState.isUndoPending, let handle else { return }
        if isInsideTransaction {
            let code = sqlite3_exec(handle, transactionState.undo, nil, nil, nil) & 0xff
            if code == SQLITE_INTERRUPT || code == SQLITE_BUSY { return }
        }
        transactionState.isUndoPending = false
    }

    /// Throws if a statement may not run now, because its transaction isn't what the caller thinks.
    func checkTransaction() throws {
        if isInsideTransaction, !transactionState.isUndoPending { return }
        retryUndo()
        if transactionState.isUndoPending {
            let message = "the failed transaction can't be rolled back before the statement further up the stack ends"
            throw SQLiteError(code: .abortRollback, message: message)
        }
        guard transactionState.depth > 0, !isInsideTransaction else { return }
        let cause = transactionState.causeOfLoss ?? "its closure ended it"
        throw SQLiteError(code: .abortRollback, message: "the transaction is no longer open: \(cause)")
    }

    /// Remembers why SQLite ended a transaction by itself.
    func noteFailure(_ error: SQLiteError) {
        guard transactionState.depth > 0, transactionState.causeOfLoss == nil, !isInsideTransaction else { return }
        transactionState.causeOfLoss = "SQLite rolled it back (\(error.message))"
    }
}

/// What a connection knows of the transactions that its closures are in. Every statement looks at it before it runs.
final class TransactionState {
    /// How many `transaction` and `savepoint` closures are running.
    @exclusivity(unchecked) var depth = 0
    /// Whether a failed transaction couldn't be undone yet.
    @exclusivity(unchecked) var isUndoPending = false
    /// The SQL that undoes it.
    @exclusivity(unchecked) var undo: SQL = ""
    /// Why SQLite ended the transaction, if it did.
    @exclusivity(unchecked) var causeOfLoss: String?
}
