internal import CSQift
import Foundation

// What those need who lend a connection to one closure after the other.
extension Connection {
    /// Lets other threads end what runs: statements look at the word before they begin, while they
    /// wait for a lock, and now and then while they run, since SQLite forgets an interrupt that
    /// comes just before a statement starts.
    func makeCancellable(by word: AtomicWord = AtomicWord()) {
        guard handle != nil, transactionState.cancellation == nil else { return }
        transactionState.cancellation = word
        callbacks.cancellation = word
        installProgressHandler()
        adoptBusyTimeout()
    }

    /// Makes a timeout that was set by SQLite's own means hear of cancellations.
    private func adoptBusyTimeout() {
        let milliseconds = setting("PRAGMA busy_timeout") ?? 0
        if milliseconds > 0 {
            try? busyHandler(.timeout(Double(milliseconds) / 1000))
        }
    }

    /// The answer of a pragma, which a cached statement may have from when it was compiled.
    ///
    /// - Returns: 0 if there is no answer; nil if an interrupt kept SQLite from it again and again.
    private func setting(_ pragma: SQL) -> Int32? {
        // An interrupt is over when the next statement begins, unless one is in the middle of its rows.
        for _ in 0..<10 {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            var code = sqlite3_prepare_v2(handle, pragma, -1, &statement, nil)
            if code == SQLITE_OK {
                code = sqlite3_step(statement)
            }
            if code == SQLITE_ROW {
                return sqlite3_column_int(statement, 0)
            }
            guard code & 0xff == SQLITE_INTERRUPT else { return 0 }
        }
        return nil
    }

    /// The same for `PRAGMA busy_timeout`, which acts whenever SQLite compiles it, and whose one
    /// column has this name.
    func noteBusyTimeout(of statement: OpaquePointer) {
        guard sqlite3_column_count(statement) == 1, let name = sqlite3_column_name(statement, 0)
        else { return }
        if strcmp(name, "timeout") == 0 {
            adoptBusyTimeout()
        }
    }

    /// What another thread holds to end what runs. Nil before `makeCancellable()`.
    var interruptor: Interruptor? {
        transactionState.cancellation.map { Interruptor(cancellation: $0, handle: interruptHandle) }
    }

    /// What other threads set to end what runs.
    var cancellation: AtomicWord { transactionState.cancellation ?? AtomicWord() }

    /// Lets statements begin again after a cancellation.
    func clearCancellation() {
        transactionState.cancellation?.value = 0
    }

    /// Whether it has been closed. One that is lent to a backup hasn't.
    var isClosed: Bool { handle == nil && !isLent }

    /// Makes it ready for another access, by undoing what an earlier one couldn't undo.
    ///
    /// - Returns: Whether it can be used: it isn't closed, and no failed transaction is open in it.
    func isReadyForAccess() -> Bool {
        if isClosed {
            return false
        }
        if transactionState.isUndoPending {
            undoWhatIsPending()
        }
        return !transactionState.isUndoPending
    }

    /// Whether only closing it helps: it is closed, or a whole transaction in it can't be rolled
    /// back. What a savepoint has left is tried again: the transaction around it is somebody's.
    func mustBeReplaced() -> Bool {
        isClosed || (!isReadyForAccess() && transactionState.isRollbackPending)
    }

    /// Undoes the transaction or the savepoint that couldn't be undone before, and nothing else.
    private func undoWhatIsPending() {
        if hasCallbacks {
            callbacks.isShielded = true
        }
        defer { if hasCallbacks { callbacks.isShielded = false } }
        resetStatements()
        // One interrupt may hit the rollback itself.
        for _ in 0..<2 {
            retryUndo()
        }
    }

    /// Calls `body`, which can't close the connection.
    @inline(__always) func lending<T>(_ body: (Connection) throws -> T) rethrows -> T {
        isInAccess = true
        defer { isInAccess = false }
        return try body(self)
    }

    /// Whether no transaction is open, and no statement in the middle of its rows holds a lock.
    ///
    /// https://sqlite.org/c3ref/txn_state.html
    var isAtRest: Bool {
        guard let handle else { return true }
        return sqift_txn_state(handle, nil) == SQLITE_TXN_NONE
            && sqlite3_get_autocommit(handle) != 0
            && !transactionState.mustBeChecked
    }

    /// Ends what a closure left: resets its statements, and rolls its transaction back. Neither a
    /// cancellation nor the user's progress handler keeps it from that.
    ///
    /// - Returns: Whether there was a transaction.
    func settle() -> Bool {
        guard !isAtRest else { return false }
        let wasOpen = isInsideTransaction
        if hasCallbacks {
            callbacks.isShielded = true
        }
        defer { if hasCallbacks { callbacks.isShielded = false } }

        resetStatements()
        retryUndo()
        // One interrupt may hit the rollback itself.
        for _ in 0..<2 where isInsideTransaction {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        }
        retryUndo()
        return wasOpen
    }

    /// Resets every statement that is in the middle of its rows: SQLite can't roll back while one
    /// of them is interrupted.
    func resetStatements() {
        guard let handle else { return }
        var statement = sqlite3_next_stmt(handle, nil)
        while let next = statement {
            if sqlite3_stmt_busy(next) != 0 {
                // A blob's, which points into it.
                if sqlite3_sql(next) == nil {
                    transactionState.blobResets += 1
                }
                sqlite3_reset(next)
            }
            statement = sqlite3_next_stmt(handle, next)
        }
    }

    /// Runs `body` with one of SQLite's switches on or off, and puts it back whatever happens.
    ///
    /// - Parameter pragma: `query_only`, which keeps statements from writing; `foreign_keys`, which
    ///   can't change in a transaction; or `legacy_alter_table`, with which a renaming looks at
    ///   nothing else.
    func with<T>(_ pragma: SQL, _ isOn: Bool, _ body: () throws -> T) throws -> T {
        guard handle != nil else { throw unusableError }
        try checkBeforeUse()
        guard let value = setting("PRAGMA \(pragma)") else { throw SQLiteError(code: .interrupt) }
        let wasOn = value != 0
        // Not by statements of ours, which a cancellation stops when SQLite has set it already.
        // `body` may have changed it as well.
        defer {
            if wasOn != isOn || setting("PRAGMA \(pragma)").map({ $0 != 0 }) != wasOn {
                putBack("PRAGMA \(pragma) = \(wasOn)")
            }
        }
        let code = sqlite3_exec(handle, "PRAGMA \(pragma) = \(isOn)", nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, hasOffset: false) }
        return try body()
    }

    /// An interrupt can hit this too, and stays while a statement is in the middle of its rows; a
    /// transaction that couldn't be undone may be in the way. The user's handlers aren't asked.
    private func putBack(_ setting: SQL) {
        guard handle != nil else { return }
        if hasCallbacks {
            callbacks.isShielded = true
        }
        defer { if hasCallbacks { callbacks.isShielded = false } }
        if transactionState.isUndoPending {
            resetStatements()
        }
        retryUndo()
        while sqlite3_exec(handle, setting, nil, nil, nil) & 0xff == SQLITE_INTERRUPT {
            resetStatements()
        }
    }
}

/// Ends what runs on a connection, from any thread, for as long as it is known to run.
struct Interruptor: Sendable {
    /// Why.
    enum Reason: UInt {
        case cancellation = 1
        case closing, suspension
    }

    fileprivate let cancellation: AtomicWord
    fileprivate let handle: InterruptHandle

    /// Interrupts the statements that run and, with a reason, keeps further ones from beginning.
    func interrupt(_ reason: Reason?) {
        if let reason {
            cancellation.value = reason.rawValue
        }
        handle.interrupt()
    }

    /// What was asked for, if anything was.
    var reason: Reason? { Reason(rawValue: cancellation.value) }
}
