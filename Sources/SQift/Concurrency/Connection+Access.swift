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
        _ body: (Connection) throws -> Void
    ) throws {
        try checkNothingIsOpen(before: kind, label: label)
        defer { restoreCallbacks() }
        do {
            try preparations.apply(to: self)
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

        if kind == .snapshot {
            try checkSnapshot(label)
        } else if !kind.mayLeaveTransactionOpen, rollBackLeftovers() {
            throw AccessError(
                .transactionLeftOpen,
                label: label,
                "the closure left a transaction open, which was rolled back"
            )
        }
    }

    /// Throws if an earlier access has left something open that prevents this one.
    private func checkNothingIsOpen(before kind: AccessKind, label: String) throws {
        if !isUsable() {
            try throwObstacle()
        }
        if kind == .snapshot {
            try checkSnapshot(label)
        } else if !kind.mayLeaveTransactionOpen, isInsideTransaction {
            throw AccessError(
                .transactionLeftOpen,
                label: label,
                "an earlier execute has left a transaction open: end it"
            )
        }
    }

    /// Throws if the transaction that a snapshot is isn't open.
    private func checkSnapshot(_ label: String) throws {
        guard isInsideTransaction else {
            throw AccessError(
                .closed,
                label: label,
                "the snapshot is over: one of its closures ended its transaction"
            )
        }
    }

    /// Runs the closure, and ends the access. After that the cancellation of its task can't
    /// interrupt COMMIT or ROLLBACK; closing and suspending still can. An interrupt that came
    /// before lasts as long as a statement is in the middle of its rows. If it stops ROLLBACK too,
    /// `rollBackLeftovers` resets the statements and rolls back.
    @inline(__always) private func runClosure(
        _ access: AsyncAccess?,
        _ body: (Connection) throws -> Void
    ) throws {
        defer { access?.end() }
        try lending(body)
        if access?.end() == true {
            throw CancellationError()
        }
    }
}
