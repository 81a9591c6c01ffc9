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
            giveBack(slot, closing: true)
        }
    }

    // MARK: For a database

    /// Interrupts the running statements. With a reason, their accesses can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        for lane in lanes {
            lane.interrupt(reason)
        }
    }

    /// Refuses accesses from now on, also those in line. Accesses that run continue.
    func stop(_ availability: Availability) {
        let refused = contents.withLock { contents in
            contents.state.stop(availability).compactMap {
                contents.waiters.removeValue(forKey: $0)
            }
        }
        for lane in lanes {
            lane.stop(availability)
        }
        for waiter in refused {
            waiter(.failure(AccessError.unavailable(availability, label: label)))
        }
    }

    /// Ends a suspension.
    func resume() {
        for lane in lanes {
            lane.resume()
        }
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
            lanes[slot].withConnection(body)
            giveBack(slot)
        }
    }

    /// Calls `body` while no connection is open. It waits for those in use, and other callers wait
    /// in line.
    func withoutConnections(_ body: () throws -> Void) throws {
        var slots: [PoolState.Slot] = []
        defer { slots.forEach { giveBack($0) } }
        while slots.count < maximumConnectionCount {
            slots.append(try waitInLine())
        }
        for slot in slots {
            try lanes[slot].discardConnection()
        }
        try body()
    }

    /// Closes the idle connections.
    func closeIdleConnections() {
        for slot in contents.withLock({ $0.state.takeIdle() }) {
            giveBack(slot, closing: true)
        }
    }
}
