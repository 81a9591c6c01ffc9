// A queue and a pool lend a connection to one closure at a time. This is what happens before and
// after the closure.
extension Connection {
    /// Calls `body` as one access: checks that nothing is open, runs the closure, and cleans up. If
    /// another thread has stopped it, the error says why.
    ///
    /// - Parameters:
    ///   - mode: The conditions under which the closure runs.
    ///   - access: Used by other threads to cancel it; nil for a synchronous access.
    ///   - label: The database's name for errors.
    ///   - registrations: The closures that the connection must have run before this one.
    func runAccess(
        as mode: AccessMode,
        to access: CancellableAccess?,
        label: String,
        registrations: Registrations,
        _ body: (Connection) throws -> Void
    ) throws {
        do {
            try checkNothingIsOpen(before: mode, label: label)
        } catch {
            access?.end()
            throw error
        }

        let wasForReading = isForReading
        isForReading = wasForReading || mode.isQueryOnly
        defer {
            isForReading = wasForReading
            restoreCallbacks()
        }
        do {
            try registrations.apply(to: self)
            if mode.isQueryOnly, !wasForReading {
                try setting(.queryOnly, to: true) {
                    // An interrupt lasts as long as one is in the middle of its rows.
                    defer { resetStatements() }
                    try runInTransaction(mode.transaction, access, body)
                }
            } else {
                try runInTransaction(mode.transaction, access, body)
            }
        } catch {
            let wasCancelled = access?.end() == true
            let reason = cancellation?.reason
            if !mode.mayLeaveTransactionOpen {
                rollBackLeftovers()
            } else if reason != nil {
                resetStatements()
            }
            if wasCancelled {
                throw CancellationError()
            }
            throw AccessError.stopped(by: reason, label: label) ?? error
        }

        if !mode.mayLeaveTransactionOpen, rollBackLeftovers() {
            throw AccessError(
                .transactionLeftOpen,
                label: label,
                "the closure left a transaction open, which was rolled back"
            )
        }
    }

    /// Throws if an earlier access has left something open that prevents this one.
    private func checkNothingIsOpen(before mode: AccessMode, label: String) throws {
        if !isUsable() {
            try throwObstacle()
        }
        if !mode.mayLeaveTransactionOpen, isInsideTransaction {
            throw AccessError(
                .transactionLeftOpen,
                label: label,
                "an earlier execute has left a transaction open: end it"
            )
        }
    }

    @inline(__always) private func runInTransaction(
        _ type: TransactionType?,
        _ access: CancellableAccess?,
        _ body: (Connection) throws -> Void
    ) throws {
        guard let type else { return try runClosure(access, body) }
        try transaction(transactionType: type) {
            try runClosure(access, body)
        }
    }

    /// Runs the closure and ends the access. After that the cancellation of its task can't
    /// interrupt COMMIT or ROLLBACK; closing and suspending still can. The statements are reset,
    /// since an interrupt lasts as long as one is in the middle of its rows, and would stop
    /// ROLLBACK too.
    @inline(__always) private func runClosure(
        _ access: CancellableAccess?,
        _ body: (Connection) throws -> Void
    ) throws {
        guard let access else { return try lending(body) }
        do {
            try lending(body)
        } catch {
            access.end()
            resetStatements()
            throw error
        }
        if access.end() {
            resetStatements()
            throw CancellationError()
        }
    }
}
