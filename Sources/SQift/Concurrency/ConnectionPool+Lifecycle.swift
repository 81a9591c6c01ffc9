import Foundation

// Idle connections, and the methods that a database needs.
extension ConnectionPool {
    // MARK: Draining

    func planDrain() {
        timerQueue.asyncAfter(deadline: .now() + max(drainDelay, 0)) { [weak self] in
            self?.drain()
        }
    }

    private func drain() {
        let slots = contents.withLock { contents in
            let slots = contents.state.drain()
            contents.isDrainPlanned = contents.state.hasSurplus
            if contents.isDrainPlanned {
                planDrain()
            }
            return slots
        }
        for slot in slots {
            closeConnection(in: slot)
        }
    }

    // MARK: For a database

    /// Interrupts the running statements. With a reason, their accesses can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        contents.withLock { contents in
            for (slot, content) in contents.slots.enumerated() where contents.state.isLent(slot) {
                content.cancellation.interrupt(reason)
            }
        }
    }

    /// Refuses accesses from now on, also those in line. Accesses that run continue.
    func stop(_ availability: Availability) {
        let refused = contents.withLock { contents in
            contents.state.stop(availability).compactMap {
                contents.waiters.removeValue(forKey: $0)
            }
        }
        for waiter in refused {
            waiter(.failure(AccessError.unavailable(availability, label: source.label)))
        }
    }

    /// Ends a suspension.
    func resume() {
        contents.withLock { $0.state.resume() }
    }

    /// Blocks until no connection is lent.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        contents.withLock { contents in
            if contents.state.lentCount == 0 {
                semaphore.signal()
            } else {
                contents.idleObservers.append(semaphore)
            }
        }
        semaphore.wait()
    }

    /// Calls `body` with each idle connection. It doesn't wait for connections that are in use. All
    /// idle ones are lent meanwhile, so an access may have to wait for `body`.
    func forEachIdleConnection(_ body: (Connection) -> Void) {
        for slot in contents.withLock({ $0.state.takeIdle() }) {
            guard let loan = try? takeConnection(in: slot) else { continue }
            body(loan.connection)
            giveBack(loan)
        }
    }

    /// Calls `body` while no connection is open. It waits for those in use, and other callers wait
    /// in line.
    func withoutConnections(_ body: () throws -> Void) throws {
        var slots: [PoolState.Slot] = []
        defer { slots.forEach(closeConnection) }
        while slots.count < maximumConnectionCount {
            slots.append(try waitInLine())
        }
        for slot in slots {
            try contents.withLock { $0.slots[slot].connection }?.close()
        }
        try body()
    }

    /// Closes the idle connections.
    func closeIdleConnections() {
        for slot in contents.withLock({ $0.state.takeIdle() }) {
            closeConnection(in: slot)
        }
    }
}
