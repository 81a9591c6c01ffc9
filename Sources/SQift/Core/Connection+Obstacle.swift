internal import CSQift

// What keeps a statement from running.
extension Connection {
    /// Throws if a statement can't run now. Whatever uses the connection calls it first.
    @inline(__always) func checkObstacles() throws {
        if state.isObstructed(handle) {
            try throwObstacle()
        }
    }

    /// Throws the obstacle if there is one.
    @inline(never) func throwObstacle() throws {
        if handle == nil {
            throw unusableError
        }
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
        if let breakage = state.breakage {
            throw breakage.error
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

    // MARK: Broken connections

    /// Whether the library couldn't undo something. Nothing runs then.
    var isBroken: Bool { state.breakage != nil }

    /// Tries once more to roll back, when what was in the way may have ended.
    func mend() {
        if let undo = state.breakage?.undo {
            self.undo(undo)
        }
    }

    /// Runs SQL by which the library cleans up. Neither a progress handler nor an authorizer of the
    /// user's can stop it.
    func cleanUp(_ sql: SQL) -> Int32 {
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
    ///   - undo: The SQL that would have rolled it back, for `mend`.
    func noteBreakage(_ problem: String, undo: SQL? = nil) {
        let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? ""
        let error = SQLiteError(
            code: undo == nil ? .abort : .abortRollback,
            message: "the connection is broken, \(problem): \(reason)"
        )
        state.breakage = (error, undo)
    }
}
