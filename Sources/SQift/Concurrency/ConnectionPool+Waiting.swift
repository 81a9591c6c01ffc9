import Foundation

// Waiting for a connection: a thread that blocks, or a task that holds no thread.
extension ConnectionPool {
    /// A caller in line. It is called on the thread that gives a connection back.
    typealias Waiter = @Sendable (Result<PoolState.Slot, any Error>) -> Void

    /// Blocks until it is the caller's turn.
    func waitInLine() throws -> PoolState.Slot {
        // Waking a thread takes about 5 µs, which is more than most reads. This never overtakes a
        // waiter: a returned connection goes to the line first.
        for _ in 0..<4 {
            sched_yield()
            if let slot = contents.withLock({ $0.state.requestAtOnce() }) {
                return slot
            }
        }

        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Result<PoolState.Slot, any Error>>(.failure(exhausted))
        let ticket = request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        let deadline: DispatchTime = acquisitionTimeout.map { .now() + $0 } ?? .distantFuture
        if semaphore.wait(timeout: deadline) == .timedOut, let ticket, !withdraw(ticket) {
            // Its turn came at the last moment.
            semaphore.wait()
        }
        return try turn.withLock { $0 }.get()
    }

    func enqueue<T: Sendable>(
        _ access: CancellableAccess,
        resuming continuation: CheckedContinuation<T, any Error>,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) {
        let ticket = Locked<PoolState.Ticket?>(nil)
        let isWaiting = access.enqueue { error in
            // Otherwise a connection would be granted to an access that is over.
            if let ticket = ticket.withLock({ $0 }) {
                _ = self.withdraw(ticket)
            }
            continuation.resume(throwing: error)
        }
        guard isWaiting else { return }

        @Sendable func run(in slot: PoolState.Slot) {
            do {
                let loan = try takeConnection(in: slot)
                guard access.begin(loan.connection.cancellation) else { return giveBack(loan) }
                let result = Result { try body(loan.connection) }
                giveBack(loan)
                continuation.resume(with: result)
            } catch {
                access.fail(error)
            }
        }
        let number = request { result in
            switch result {
            case .success(let slot): self.queues[slot].async { run(in: slot) }
            case .failure(let error): access.fail(error)
            }
        }
        guard let number else { return }
        ticket.withLock { $0 = number }
        limitWaiting(of: access, ticket: number)
    }

    private func limitWaiting(of access: CancellableAccess, ticket: PoolState.Ticket) {
        guard let acquisitionTimeout else { return }
        timerQueue.asyncAfter(deadline: .now() + acquisitionTimeout) { [weak self, weak access] in
            guard let self, let access, self.withdraw(ticket) else { return }
            access.fail(self.exhausted)
        }
    }

    /// Asks for a connection, and gets in line if none is free.
    ///
    /// - Returns: The ticket of a waiter that is in line; nil if it has been called already.
    private func request(_ waiter: @escaping Waiter) -> PoolState.Ticket? {
        let reply = contents.withLock { contents in
            let reply = contents.state.request()
            if case .wait(let ticket) = reply {
                contents.waiters[ticket] = waiter
            }
            return reply
        }
        switch reply {
        case .grant(let slot): waiter(.success(slot))
        case .refusal(let availability):
            waiter(.failure(AccessError.unavailable(availability, label: source.label)))
        case .wait(let ticket): return ticket
        }
        return nil
    }

    /// Leaves the line.
    ///
    /// - Returns: False if the ticket's turn has come already.
    private func withdraw(_ ticket: PoolState.Ticket) -> Bool {
        contents.withLock { contents in
            contents.waiters[ticket] = nil
            return contents.state.withdraw(ticket)
        }
    }

    private var exhausted: AccessError {
        let seconds = acquisitionTimeout ?? 0
        return AccessError(
            .poolExhausted,
            label: source.label,
            "all \(maximumConnectionCount) connections stayed in use for \(seconds) s: close long "
                + "snapshots, or raise the maximum count of connections or readers"
        )
    }
}
