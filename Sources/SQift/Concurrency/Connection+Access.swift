// What happens before and after the closure of an access.
extension Connection {
    /// Calls `body` as one access: checks that nothing is open, runs the closure, and cleans up.
    ///
    /// - Parameters:
    ///   - kind: The conditions under which the closure runs.
    ///   - access: Used by other threads to cancel it; nil for a synchronous access.
    ///   - label: The database's name for errors.
    ///   - preparations: What the connection must have run before.
    func runAccess(
        as kind: AccessKind,
        for access: AsyncAccess?,
        label: String,
        preparations: Preparations,
        _ body: AccessBody
    ) throws {
        // Throws if the transaction that a snapshot is isn't open, or if one is open that mustn't
        // be.
        func checkTransaction(
            _ isTransactionOpen: @autoclosure () -> Bool,
            _ problem: String
        ) throws {
            if kind == .snapshot, !isInsideTransaction {
                throw AccessError(
                    .closed,
                    label: label,
                    "the snapshot is over: one of its closures ended its transaction"
                )
            }
            if !kind.mayLeaveTransactionOpen, isTransactionOpen() {
                throw AccessError(.transactionLeftOpen, label: label, problem)
            }
        }

        if !isUsable() {
            try throwObstacle()
        }
        try checkTransaction(
            isInsideTransaction,
            "an earlier execute has left a transaction open: end it"
        )
        defer { restoreCallbacks() }
        do {
            // Some pragmas throw in a transaction. That of a snapshot lasts as long as it does.
            if kind == .snapshot || !isInsideTransaction {
                try preparations.apply(to: self)
            }
            let wasReading = state.isReading
            state.isReading = wasReading || kind.isQueryOnly
            defer { state.isReading = wasReading }
            if let transactionType = kind.transaction {
                try transaction(transactionType: transactionType) { try runClosure(access, body) }
            } else {
                try runClosure(access, body)
            }
        } catch {
            if !kind.mayLeaveTransactionOpen {
                rollBackLeftovers()
            } else if isCancelled {
                resetStatements()
            }
            throw error
        }

        try checkTransaction(
            rollBackLeftovers(),
            "the closure left a transaction open, which was rolled back"
        )
    }

    /// Runs the closure, and ends the access. After that the cancellation of its task can't
    /// interrupt COMMIT or ROLLBACK; closing and suspending still can. An interrupt that came
    /// before lasts as long as a statement is in the middle of its rows. If it stops ROLLBACK too,
    /// `rollBackLeftovers` resets the statements and rolls back.
    @inline(__always) private func runClosure(
        _ access: AsyncAccess?,
        _ body: AccessBody
    ) throws {
        defer { access?.end() }
        try lending(body)
        if let access, access.end(), !access.isFinal {
            throw CancellationError()
        }
    }
}
