import Foundation

// How a connection reaches a closure and comes back. PoolState decides; this does it.
extension ConnectionPool {
    /// A connection in use.
    struct Loan {
        let slot: PoolState.Slot
        let connection: Connection
    }

    /// The next action after a loan, once the lock is released.
    private enum AfterLoan {
        /// The connection must be closed before the slot is free.
        case closeFirst
        /// The slot goes to the caller that waits longest.
        case handOver(Waiter, PoolState.Slot)
        /// No connection is lent any more.
        case becomeIdle([@Sendable () -> Void])
        case nothing
    }

    // MARK: Borrowing

    /// Borrows a connection for this thread. Blocks until it is this thread's turn.
    func borrow() throws -> Loan {
        guard isShareable else { throw notShareable }
        try reentryGuard.check(source.label)
        let granted = contents.withLock { contents in
            contents.state.requestAtOnce().map { slot in
                (slot: slot, connection: contents.slots[slot].connection)
            }
        }
        if let granted, let connection = granted.connection {
            reentryGuard.enter(reentryOffset + granted.slot)
            return Loan(slot: granted.slot, connection: connection)
        }
        return try takeConnection(in: granted?.slot ?? waitInLine())
    }

    /// The connection of a slot that was granted. It is opened if necessary.
    func takeConnection(in slot: PoolState.Slot) throws -> Loan {
        reentryGuard.enter(reentryOffset + slot)
        let present = contents.withLock { $0.slots[slot] }
        if let connection = present.connection {
            return Loan(slot: slot, connection: connection)
        }
        do {
            let connection = try source.open(present.cancellation)
            if connection.isDatabasePrivate {
                throw notShareable
            }
            try contents.withLock { contents in
                try contents.state.availability.check(source.label)
                contents.slots[slot].connection = connection
            }
            return Loan(slot: slot, connection: connection)
        } catch {
            let reason = present.cancellation.reason
            endLoan(of: slot, isUsable: false)
            throw AccessError.stopped(by: reason, label: source.label) ?? error
        }
    }

    // MARK: Giving back

    func giveBack(_ loan: Loan) {
        let connection = loan.connection
        let isUsable = !connection.hasLeftovers && !connection.isClosed && !connection.isLent
        if !endLoan(of: loan.slot, isUsable: isUsable) {
            closeConnection(in: loan.slot)
        }
    }

    /// Closes the connection of a lent slot, and ends the loan afterwards: when the pool counts as
    /// idle, its connections are closed, and the last one to the file can be the one that writes.
    func closeConnection(in slot: PoolState.Slot) {
        let connection = contents.withLock { contents in
            let connection = contents.slots[slot].connection
            contents.slots[slot].connection = nil
            return connection
        }
        try? connection?.close()
        endLoan(of: slot, isUsable: false)
    }

    /// Ends a loan.
    ///
    /// - Returns: False if nothing was done because the connection must be closed first.
    @discardableResult private func endLoan(of slot: PoolState.Slot, isUsable: Bool) -> Bool {
        switch contents.withLock({ endLoan(of: slot, isUsable: isUsable, in: &$0) }) {
        case .closeFirst: return false
        case .handOver(let waiter, let slot): waiter(.success(slot))
        case .becomeIdle(let observers): observers.forEach { $0() }
        case .nothing: break
        }
        return true
    }

    private func endLoan(
        of slot: PoolState.Slot,
        isUsable: Bool,
        in contents: inout Contents
    ) -> AfterLoan {
        let isStaying = isUsable && contents.state.availability != .closed
        if !isStaying, contents.slots[slot].connection != nil {
            return .closeFirst
        }
        reentryGuard.leave(reentryOffset + slot)
        contents.slots[slot].cancellation.clear()
        if let turn = contents.state.giveBack(slot, isUsable: isUsable) {
            let waiter = contents.waiters.removeValue(forKey: turn.ticket)
            return waiter.map { .handOver($0, turn.slot) } ?? .nothing
        }

        if !contents.isDrainPlanned, contents.state.hasSurplus {
            contents.isDrainPlanned = true
            contents.state.beginDrainPeriod()
            planDrain()
        }
        guard contents.state.lentCount == 0, !contents.idleObservers.isEmpty else {
            return .nothing
        }
        defer { contents.idleObservers = [] }
        return .becomeIdle(contents.idleObservers)
    }
}
