import Foundation

// Waiting for a connection: a thread that blocks, or a task that holds no thread.
extension ConnectionPool {
    /// A caller in line. It is called on the thread that gives a connection back.
    typealias Waiter = @Sendable (Turn) -> Void
    typealias Turn = Result<Slot, any Error>
    typealias Slot = Int

    /// Returns a slot if one is free.
    func requestAtOnce() throws -> Slot? {
        try contents.withLock { contents in
            try gate.check()
            return contents.state.requestAtOnce()
        }
    }

    /// Blocks until it is the caller's turn.
    func waitInLine() throws -> Slot {
        // Waking a thread takes about 5 µs, which is more than most reads. If others are in line,
        // this would let later ones overtake: on a busy machine a yield takes milliseconds.
        for _ in 0..<4 where contents.withLock({ $0.state.isLineEmpty }) {
            sched_yield()
            if let slot = try requestAtOnce() {
                return slot
            }
        }

        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Turn?>(nil)
        request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        semaphore.wait()
        return try returned(turn.value).get()
    }

    func enqueue(_ access: AsyncAccess) {
        let ticket = request { result in
            switch result {
            case .success(let slot):
                self.lanes[slot].line.async {
                    if !access.begin(in: slot) {
                        self.giveBack(slot)
                    }
                }
            case .failure(let error): access.fail(error)
            }
        }
        if let ticket {
            access.leavesLine {
                // What the waiter holds is released after the lock.
                let waiter = self.contents.withLock { $0.state.withdraw(ticket) }
                withExtendedLifetime(waiter) {}
            }
        }
    }

    /// Asks for a connection, and gets in line if none is free.
    ///
    /// - Parameter waiter: Called once, unless it is withdrawn.
    /// - Returns: Its ticket, if it got in line.
    @discardableResult private func request(
        _ waiter: @escaping Waiter
    ) -> PoolState<Waiter>.Ticket? {
        var ticket: PoolState<Waiter>.Ticket?
        var nextLook: DispatchTime?
        let turn: Turn? = contents.withLock { contents in
            if let refusal = gate.refusal {
                return .failure(refusal)
            }
            if let slot = contents.state.requestAtOnce() {
                return .success(slot)
            }
            let deadline = acquisitionTimeout.map { .now() + $0 } ?? DispatchTime.distantFuture
            ticket = contents.state.wait(waiter, until: deadline)
            if !contents.isLookPlanned, deadline < .distantFuture {
                contents.isLookPlanned = true
                nextLook = deadline
            }
            return nil
        }
        if let turn {
            waiter(turn)
        }
        if let nextLook {
            planLook(at: nextLook)
        }
        return ticket
    }

    // MARK: Giving up

    /// One look at a time is planned, for the front of the line.
    private func planLook(at deadline: DispatchTime) {
        ThreadGroup.accesses.run { [weak self] in
            // The timers of libdispatch need one of its threads.
            _ = DispatchSemaphore(value: 0).wait(timeout: deadline)
            self?.failExpired()
        }
    }

    private func failExpired() {
        let (expired, nextLook) = contents.withLock { contents in
            let expired = contents.state.takeExpired(at: .now())
            let nextLook = contents.state.nextDeadline
            contents.isLookPlanned = nextLook != nil
            return (expired, nextLook)
        }
        if let nextLook {
            planLook(at: nextLook)
        }

        let timeout = acquisitionTimeout ?? 0
        let error = AccessError(
            .poolExhausted,
            label: gate.label,
            """
            all \(maximumConnectionCount) connections stayed in use for \(timeout) s: close long \
            snapshots, or raise the maximum count of connections or readers
            """
        )
        for waiter in expired {
            waiter(.failure(error))
        }
    }
}
