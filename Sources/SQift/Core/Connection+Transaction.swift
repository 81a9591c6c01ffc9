internal import CSQift

extension Connection {
    /// When a transaction takes its locks. https://sqlite.org/lang_transaction.html
    public enum TransactionType: String, Sendable {
        /// At the first read and at the first write. A write after a read can fail with
        /// `SQLITE_BUSY` at once.
        case deferred
        /// The write lock at the beginning, for which the busy timeout waits.
        case immediate
        /// As `immediate`; outside WAL it keeps readers out too.
        case exclusive

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
    ///     try connection.run("UPDATE accounts SET balance = balance - ? WHERE id = ?", amount, from)
    ///     try connection.run("UPDATE accounts SET balance = balance + ? WHERE id = ?", amount, to)
    /// }
    /// ```
    ///
    /// Inside an open transaction it is a savepoint, and the type doesn't matter. SQLite ends a
    /// transaction by itself when it is interrupted in a write, or the disk is full or fails; every
    /// statement then throws until the outermost `transaction` has ended, which throws too, so that
    /// nothing runs outside it by accident.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or SQLite's error of BEGIN or COMMIT; a failed COMMIT is
    ///   rolled back.
    ///
    /// https://sqlite.org/lang_transaction.html
    @discardableResult public func transaction<T>(
        transactionType: TransactionType = .deferred,
        closure: () throws -> T
    ) throws -> T {
        try checkBeforeUse()
        if isInsideTransaction {
            return try savepoint(closure: closure)
        }
        return try perform(
            begin: transactionType.statement,
            commit: "COMMIT",
            undo: Connection.rollback,
            hasEnded: { !self.isInsideTransaction },
            closure
        )
    }

    /// Runs `closure` in a savepoint of this name: released when it returns, rolled back and
    /// released when it throws.
    ///
    /// Savepoints nest, and names may repeat. Outside a transaction a savepoint is one.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or SQLite's error.
    ///
    /// https://sqlite.org/lang_savepoint.html
    @discardableResult public func savepoint<T>(
        named name: String,
        closure: () throws -> T
    ) throws -> T {
        // Inside one whose name nobody else has, so that what ends is this savepoint and no other
        // of the same name.
        try savepoint {
            try run("SAVEPOINT \(name.quotedAsIdentifier)")
            return try closure()
        }
    }

    /// Runs `closure` in a savepoint without a name of the caller's.
    @discardableResult public func savepoint<T>(closure: () throws -> T) throws -> T {
        try checkBeforeUse()
        let name = "\"sqift \(transactionState.depth)\""
        let isOutermost = !isInsideTransaction
        return try perform(
            begin: "SAVEPOINT \(name)",
            commit: "RELEASE SAVEPOINT \(name)",
            undo: isOutermost
                ? Connection.rollback : "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)",
            hasEnded: { isOutermost ? !self.isInsideTransaction : !self.hasSavepoint(name) },
            closure
        )
    }

    private func perform<T>(
        begin: SQL,
        commit: SQL,
        undo: SQL,
        hasEnded: () -> Bool,
        _ closure: () throws -> T
    ) throws -> T {
        let rollbacks = transactionState.rollbacks
        do {
            try run(begin)
        } catch {
            // A progress handler can make a statement fail that has done its work.
            if (error as? SQLiteError)?.resultCode == .interrupt, isInsideTransaction {
                self.undo(undo)
            }
            throw error
        }
        transactionState.depth += 1
        defer {
            transactionState.depth -= 1
            if transactionState.depth == 0 {
                transactionState.causeOfLoss = nil
            }
        }
        do {
            let result = try closure()
            do {
                try run(commit)
            } catch let error as SQLiteError
                where .interrupt ~= error.extendedResultCode
            {
                // The same: it is done if it has ended, and not by a rollback: in the closure, or
                // of an index in COMMIT (FTS5).
                guard hasEnded(), rollbacks == transactionState.rollbacks else { throw error }
            }
            return result
        } catch {
            self.undo(undo)
            throw error
        }
    }

    /// Before anything but a statement uses the connection: a transaction that failed earlier may
    /// still have to be undone.
    func checkBeforeUse() throws {
        if transactionState.depth > 0 || transactionState.mustBeChecked
            || transactionState.isCancelled
        {
            try checkTransaction()
        }
    }

    /// Counts what SQLite rolls back, for as long as this connection has its transactions.
    func observeRollbacks(_ isObserving: Bool) {
        guard let handle else { return }
        guard isObserving else {
            _ = sqlite3_rollback_hook(handle, nil, nil)
            return
        }
        let state = Unmanaged.passUnretained(transactionState).toOpaque()
        sqlite3_rollback_hook(
            handle,
            { state in
                guard let state else { return }
                let transactionState = Unmanaged<TransactionState>.fromOpaque(state)
                    .takeUnretainedValue()
                transactionState.rollbacks += 1
                if let hook = transactionState.rollbackHook {
                    transactionState.inHook(hook)
                }
            },
            state
        )
    }

    private func undo(_ sql: SQL) {
        transactionState.undo = sql
        transactionState.isUndoPending = true
        retryUndo()
    }

    /// Asks SQLite, which has no other way to answer, by rolling back to the savepoint.
    private func hasSavepoint(_ quotedName: String) -> Bool {
        sqlite3_exec(handle, "ROLLBACK TO SAVEPOINT \(quotedName)", nil, nil, nil) != SQLITE_ERROR
    }

    /// Undoes what a failed transaction left, unless SQLite did so already: asked, never inferred
    /// from a result code.
    ///
    /// SQLite can't roll back while a statement further up the stack is interrupted, or where an
    /// authorizer forbids it. Then this is called again when a statement ends and before the next
    /// one, and until it succeeds none may run.
    func retryUndo() {
        guard transactionState.isUndoPending, !transactionState.isInHook, let handle else { return }
        if isInsideTransaction {
            let code = sqlite3_exec(handle, transactionState.undo, nil, nil, nil)
            // A savepoint that isn't there is undone. Its name is nobody else's, so the error says
            // nothing else.
            let isDone =
                transactionState.undo == Connection.rollback
                ? false : code == SQLITE_OK || code == SQLITE_ERROR
            if isInsideTransaction, !isDone {
                return
            }
        }
        transactionState.isUndoPending = false
    }

    fileprivate static let rollback = "ROLLBACK"

    /// Throws if a statement may not run now, because its transaction isn't what the caller thinks.
    func checkTransaction() throws {
        guard handle != nil else { throw unusableError }
        if transactionState.isInHook {
            throw SQLiteError.misuse("a hook mustn't use the connection that calls it")
        }
        if transactionState.isCancelled {
            throw SQLiteError(
                code: .interrupt,
                message: "the access that this statement belongs to was cancelled"
            )
        }
        if isInsideTransaction, !transactionState.isUndoPending {
            return
        }
        retryUndo()
        if transactionState.isUndoPending {
            let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? ""
            throw SQLiteError(
                code: .abortRollback,
                message: "a failed transaction can't be rolled back yet: \(reason)"
            )
        }
        guard transactionState.depth > 0, !isInsideTransaction else { return }
        let cause = transactionState.causeOfLoss ?? "its closure ended it"
        throw SQLiteError(
            code: .abortRollback,
            message: "the transaction is no longer open: \(cause)"
        )
    }

    /// Remembers why SQLite ended a transaction by itself.
    func noteFailure(_ error: SQLiteError) {
        guard transactionState.depth > 0, transactionState.causeOfLoss == nil, !isInsideTransaction
        else { return }
        transactionState.causeOfLoss = "SQLite rolled it back (\(error.message))"
    }
}

/// What a connection knows of the transactions that its closures are in. Every statement looks at
/// it before it runs.
final class TransactionState {
    /// How many `transaction` and `savepoint` closures are running.
    @exclusivity(unchecked) var depth = 0
    /// Whether a failed transaction couldn't be undone yet.
    @exclusivity(unchecked) var isUndoPending = false { didSet { noteState() } }
    /// Whether SQLite is calling a commit or a rollback hook, inside which a statement would commit
    /// or roll back itself.
    @exclusivity(unchecked) private(set) var isInHook = false { didSet { noteState() } }
    /// Whether a backup has the database.
    var isLent = false { didSet { noteState() } }
    /// Whether one of these keeps statements from running.
    @exclusivity(unchecked) private(set) var mustBeChecked = false
    /// The SQL that undoes it.
    @exclusivity(unchecked) var undo: SQL = ""
    /// Whether it is a whole transaction that couldn't be undone yet, and no savepoint in one.
    var isRollbackPending: Bool { isUndoPending && undo == Connection.rollback }
    /// Why SQLite ended the transaction, if it did.
    @exclusivity(unchecked) var causeOfLoss: String?
    /// Whether an access has done what can't be undone, and is to answer so even if it is cancelled
    /// meanwhile.
    @exclusivity(unchecked) var isComplete = false
    /// Whether a function has thrown what SQLite itself says of a table that is locked in a shared
    /// cache. Trying again wouldn't help.
    var hasTableLockOfFunction = false
    /// How often the statement of an open blob was reset.
    var blobResets = 0
    /// How many transactions have been rolled back, by SQLite or by a statement.
    @exclusivity(unchecked) var rollbacks = 0
    /// The user's closure that hears of them too.
    var rollbackHook: Connection.RollbackHook?
    /// Not zero from when another thread wants what runs to end until it has; nil where nobody can
    /// want that.
    var cancellation: AtomicWord? { didSet { cancellationWord = cancellation?.pointer } }
    @exclusivity(unchecked) private var cancellationWord: UnsafeMutablePointer<UInt>?

    /// Whether no further statement may begin.
    var isCancelled: Bool {
        guard let cancellationWord else { return false }
        return sqift_atomic_load(cancellationWord) != 0 && !isComplete
    }

    /// Whether it was a function that said that the table is locked, asked once for each time.
    func takeTableLockOfFunction() -> Bool {
        defer { hasTableLockOfFunction = false }
        return hasTableLockOfFunction
    }

    private func noteState() {
        mustBeChecked = isUndoPending || isInHook || isLent
    }

    func inHook<Result>(_ hook: () -> Result) -> Result {
        let wasInHook = isInHook
        isInHook = true
        defer { isInHook = wasInHook }
        return hook()
    }
}
