import Foundation

// Waiting for a connection: a thread that blocks, or a task that holds no thread.
extension ConnectionPool {
    /// A caller in line. It is called on the thread that gives a connection back.
    typealias Waiter = @Sendable (Result<PoolState.Slot, any Error>) -> Void

    /// Returns a slot if one is free.
    func requestAtOnce() throws -> PoolState.Slot? {
        try contents.withLock { contents in
            try gate.check()
            return contents.state.requestAtOnce()
        }
    }

    /// Blocks until it is the caller's turn.
    func waitInLine() throws -> PoolState.Slot {
        // Waking a thread takes about 5 µs, which is more than most reads. If others are in line,
        // this would let later ones overtake: on a busy machine a yield takes milliseconds.
        for _ in 0..<4 where contents.withLock({ $0.state.waiting.isEmpty }) {
            sched_yield()
            if let slot = try requestAtOnce() {
                return slot
            }
        }

        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Result<PoolState.Slot, any Error>?>(nil)
        request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        semaphore.wait()
        return try returned(turn.withLock { $0 }).get()
    }

    func enqueue(_ access: AsyncAccess) {
        let waiter: Waiter = { result in
            switch result {
            case .success(let slot):
                self.lanes[slot].queue.async {
                    if !access.begin(in: slot) {
                        self.giveBack(slot)
                    }
                }
            case .failure(let error): access.fail(error)
            }
        }
        let ticket = request(waiter)
        // The access may have run by now, and its task have ended. Then only the waiter holds it.
        withExtendedLifetime(waiter) {
            if let ticket {
                access.onFailure { _ = self.withdraw(ticket) }
            }
        }
    }

    /// Asks for a connection, and gets in line if none is free.
    ///
    /// - Parameter waiter: Called once, unless its ticket is withdrawn.
    /// - Returns: The ticket of a waiter that is in line; nil if it has been called already.
    @discardableResult private func request(_ waiter: @escaping Waiter) -> PoolState.Ticket? {
        var ticket: PoolState.Ticket?
        let turn: Result<PoolState.Slot, any Error>? = contents.withLock { contents in
            if let refusal = gate.refusal {
                return .failure(refusal)
            }
            if let slot = contents.state.requestAtOnce() {
                return .success(slot)
            }
            let newTicket = contents.state.wait()
            contents.waiters[newTicket] = waiter
            ticket = newTicket
            return nil
        }
        if let turn {
            waiter(turn)
        } else if let ticket, let acquisitionTimeout {
            limitWaiting(of: ticket, to: acquisitionTimeout)
        }
        return ticket
    }

    private func limitWaiting(of ticket: PoolState.Ticket, to timeout: TimeInterval) {
        timerQueue.asyncAfter(deadline: .now() + timeout) { [weak self] in
            guard let self, let waiter = withdraw(ticket) else { return }
            let error = AccessError(
                .poolExhausted,
                label: gate.label,
                "all \(maximumConnectionCount) connections stayed in use for \(timeout) s: close "
                    + "long snapshots, or raise the maximum count of connections or readers"
            )
            waiter(.failure(error))
        }
    }

    /// Leaves the line.
    ///
    /// - Returns: Nil if the ticket's turn has come already.
    private func withdraw(_ ticket: PoolState.Ticket) -> Waiter? {
        contents.withLock { contents in
            contents.state.withdraw(ticket) ? contents.waiters.removeValue(forKey: ticket) : nil
        }
    }
}
