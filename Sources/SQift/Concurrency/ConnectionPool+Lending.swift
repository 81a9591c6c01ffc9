import Foundation

// How a connection reaches a closure and comes back. PoolState decides; this does it.
extension ConnectionPool {
    /// A connection in use.
    struct Loan {
        let slot: PoolState.Slot
        let connection: Connection
    }

    // MARK: Borrowing

    /// Borrows a connection for this thread. Blocks until it is this thread's turn.
    func borrow() throws -> Loan {
        try reentryGuard.check(source.label)
        let granted = contents.withLock { contents in
            contents.state.requestAtOnce().map { slot in
                (slot: slot, connection: contents.slots[slot].connection)
            }
        }
        if let granted, let connection = granted.connection {
            reentryGuard.enter(1 + granted.slot)
            return Loan(slot: granted.slot, connection: connection)
        }
        return try takeConnection(in: granted?.slot ?? waitInLine())
    }

    /// Returns the connection of a slot that was granted, and opens it if necessary. If that fails,
    /// the loan is ended.
    func takeConnection(in slot: PoolState.Slot) throws -> Loan {
        reentryGuard.enter(1 + slot)
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
            // Read first: `endLoan` clears it.
            let reason = present.cancellation.reason
            endLoan(of: slot, isUsable: false)
            throw AccessError.stopped(by: reason, label: source.label) ?? error
        }
    }

    // MARK: Giving back

    func giveBack(_ loan: Loan) {
        let connection = loan.connection
        let isUsable = !connection.isBroken && !connection.isClosed && !connection.isLent
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
        var next: Waiter?
        let hasEnded = contents.withLock { contents in
            let isStaying = isUsable && contents.state.availability != .closed
            if !isStaying, contents.slots[slot].connection != nil {
                return false
            }
            reentryGuard.leave(1 + slot)
            contents.slots[slot].cancellation.clear()
            if let ticket = contents.state.giveBack(slot, isUsable: isUsable) {
                next = contents.waiters.removeValue(forKey: ticket)
                return true
            }

            if !contents.isDrainPlanned, contents.state.hasSurplus {
                contents.isDrainPlanned = true
                contents.state.beginDrainPeriod()
                planDrain()
            }
            while contents.state.lentCount == 0, let observer = contents.idleObservers.popLast() {
                observer.signal()
            }
            return true
        }
        next?(.success(slot))
        return hasEnded
    }
}
