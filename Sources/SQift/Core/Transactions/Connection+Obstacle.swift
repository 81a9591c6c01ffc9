internal import CSQift

// What keeps a statement from running.
extension Connection {
    /// Throws if a statement can't run now. Whatever uses the connection calls it first.
    func checkObstacles() throws {
        if state.isObstructed(handle) {
            try throwObstacle()
        }
    }

    /// Throws the obstacle if there is one.
    func throwObstacle() throws {
        if handle == nil {
            throw unusableError
        }
        // A statement that a commit or rollback hook runs would itself commit or roll back, in the
        // middle of the one that called the hook.
        if state.isInsideHook {
            throw misuse("a hook mustn't use the connection that calls it")
        }
        if isCancelled {
            throw SQLiteError(
                code: .interrupt,
                message: "the access that this statement belongs to was cancelled"
            )
        }
        if let breakage = state.breakage {
            throw breakage.error
        }
        // "The only way to find out whether SQLite automatically rolled back the transaction after
        // an error is to use this function.": https://sqlite.org/c3ref/get_autocommit.html
        if state.transactionDepth > 0, !isInsideTransaction {
            throw SQLiteError(
                code: .abortRollback,
                message: "the transaction is over: an error or a statement in its closure ended it"
            )
        }
    }

    // MARK: Broken connections

    /// Whether the library couldn't undo something. Nothing runs then.
    var isBroken: Bool { state.breakage != nil }

    /// Runs SQL by which the library cleans up, in plain C: no cancellation and no callback of the
    /// user's can stop it.
    func runShielded(_ sql: SQL) -> Int32 {
        shielded {
            let code = sqlite3_exec(handle, sql, nil, nil, nil)
            // One interrupt may hit the cleaning itself.
            return code & 0xff == SQLITE_INTERRUPT ? sqlite3_exec(handle, sql, nil, nil, nil) : code
        }
    }

    /// Notes that the last call of SQLite's couldn't undo something.
    ///
    /// - Parameters:
    ///   - problem: What is left.
    ///   - undo: The SQL that would have rolled it back.
    func noteBreakage(_ problem: String, undo: SQL? = nil) {
        let reason = String(cString: sqlite3_errmsg(handle))
        let error = SQLiteError(
            code: undo == nil ? .abort : .abortRollback,
            message: "the connection is broken, \(problem): \(reason)"
        )
        state.breakage = (error, undo)
    }
}
