internal import CSQift

extension Connection {
    /// When a transaction takes its locks.
    ///
    /// SQLite: [Transaction](https://sqlite.org/lang_transaction.html)
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
    /// that throws too, so nothing runs outside the transaction by accident, unless a function ends
    /// the transaction that its own statement runs in: the rest of the statement is then committed.
    /// If a rollback fails, for want of memory for example, the connection is broken: every later
    /// call throws and says so, until it is closed.
    ///
    /// - Returns: The closure's result. For a single `try connection.run(…)` that is the number
    ///   of changed rows. If the call is the only expression of a closure that returns nothing,
    ///   write `_ = try` before it, since the compiler's message doesn't say so.
    /// - Throws: The closure's error, or SQLite's error of BEGIN or COMMIT. A failed COMMIT is
    ///   rolled back.
    ///
    /// SQLite: [Transaction](https://sqlite.org/lang_transaction.html)
    @discardableResult public func transaction<T>(
        transactionType: TransactionType = .deferred,
        closure: () throws -> T
    ) throws -> T {
        try checkObstacles()
        if isInsideTransaction {
            return try savepoint(closure: closure)
        }
        return try run(
            closure,
            begin: transactionType.statement,
            commit: "COMMIT",
            undo: Self.rollback
        )
    }

    /// Runs `closure` in a savepoint of this name: released when it returns, rolled back and
    /// released when it throws.
    ///
    /// ```swift
    /// try connection.savepoint(named: "attempt") {
    ///     try connection.run("DELETE FROM cars")
    ///     try connection.run("ROLLBACK TO attempt")  // the cars are there again
    ///     try connection.run("DELETE FROM cars WHERE price IS NULL")
    /// }
    /// ```
    ///
    /// Savepoints nest, and names may repeat. Outside a transaction a savepoint is one.
    ///
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or SQLite's error.
    ///
    /// SQLite: [Savepoints](https://sqlite.org/lang_savepoint.html)
    @discardableResult public func savepoint<T>(
        named name: String,
        closure: () throws -> T
    ) throws -> T {
        // It runs inside a savepoint with a unique name. Ending that one can't end another
        // savepoint with the caller's name.
        try savepoint {
            try runUninterrupted("SAVEPOINT \(name.quotedAsIdentifier)")
            return try closure()
        }
    }

    /// Runs `closure` in a savepoint. The library chooses its name.
    ///
    /// ```swift
    /// try connection.transaction {
    ///     for car in cars {
    ///         // If one fails, what it has written is undone, and the others are kept.
    ///         try? connection.savepoint {
    ///             try connection.run("INSERT INTO cars VALUES(?, ?)", car.name, car.price)
    ///             try connection.run("INSERT INTO wheels VALUES(?, ?)", car.name, car.wheelSize)
    ///         }
    ///     }
    /// }
    /// ```
    @discardableResult public func savepoint<T>(closure: () throws -> T) throws -> T {
        try checkObstacles()
        guard isInsideTransaction else { return try transaction(closure: closure) }
        let name = "\"sqift \(state.transactionDepth)\""
        var isUndone = true
        state.observer?.savepointHasBegun()
        defer { state.observer?.savepointHasEnded(isUndone: isUndone && isInsideTransaction) }
        let result = try run(
            closure,
            begin: "SAVEPOINT \(name)",
            commit: "RELEASE SAVEPOINT \(name)",
            undo: "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)"
        )
        isUndone = false
        return result
    }

    /// Runs `closure` between two statements. If it throws, or the second one does, what was done
    /// since the first is undone.
    private func run<T>(
        _ closure: () throws -> T,
        begin: SQL,
        commit: SQL,
        undo: SQL
    ) throws -> T {
        try runUninterrupted(begin)
        state.transactionDepth += 1
        defer {
            state.transactionDepth -= 1
            assert(state.transactionDepth >= 0, "transactions end in the reverse order")
            state.observer?.reportEndOfTransaction()
        }
        do {
            let result = try closure()
            try runUninterrupted(commit)
            return result
        } catch {
            self.undo(undo)
            throw error
        }
    }

    /// Runs a statement that begins or ends a transaction or a savepoint.
    ///
    /// SQLite asks a progress handler even when a statement has done its work. A veto would then be
    /// the error of a COMMIT that has taken effect, so none is asked. An interrupt can only come
    /// before the work.
    ///
    /// The transaction of an access is the library's, so no authorizer is asked either. It begins
    /// and ends outside the closure that the connection is lent to.
    private func runUninterrupted(_ sql: SQL) throws {
        let isOfAccess = cancellation != nil && !isLentToClosure
        try running(as: isShielded || isOfAccess ? .accessTransaction : .transaction) {
            try withCachedStatement(sql) { _ = try $0.run() }
        }
    }

    // MARK: Undoing

    static var rollback: SQL { "ROLLBACK" }

    /// Undoes what a failed transaction left, unless SQLite did so already. SQLite is asked: a
    /// result code doesn't tell.
    ///
    /// If that fails, the connection is broken. SQLite can't roll back while a statement further up
    /// the stack is interrupted: the end of that statement tries once more. The next access of a
    /// queue does the same, because a database in memory would be lost with its connection.
    func undo(_ undo: SQL) {
        // SQLite would read what is then where an open blob's row was.
        resetCount += 1
        let code = isInsideTransaction ? runShielded(undo) : SQLITE_OK
        // A savepoint that doesn't exist is undone. Nothing else uses its name, so the error can't
        // mean anything else.
        let isUndone =
            undo == Self.rollback
            ? !isInsideTransaction : code == SQLITE_OK || code == SQLITE_ERROR
        if !isUndone {
            noteBreakage("a failed transaction can't be rolled back", undo: undo)
        } else if state.breakage?.undo != nil {
            state.breakage = nil
        }
    }

    /// Tries once more to roll a failed transaction back.
    func mend() {
        if let failedUndo = state.breakage?.undo {
            undo(failedUndo)
        }
    }
}
