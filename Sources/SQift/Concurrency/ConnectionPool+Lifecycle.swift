import Foundation

// Idle connections, and what a database asks of its pool.
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

    /// Interrupts what runs. With a reason, what runs can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        contents.withLock { contents in
            for (number, slot) in contents.slots.enumerated() where contents.state.isLent(number) {
                slot.cancellation.interrupt(reason)
            }
        }
    }

    /// Refuses accesses from now on, and those in line. What runs continues.
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
                contents.idleObservers.append { semaphore.signal() }
            }
        }
        semaphore.wait()
    }

    /// Calls `body` with each idle connection. It keeps no access waiting, and leaves those
    /// connections alone that come back meanwhile.
    func forEachIdleConnection(_ body: (Connection) -> Void) {
        for slot in contents.withLock({ $0.state.takeIdle() }) {
            guard let connection = contents.withLock({ $0.slots[slot].connection }) else {
                continue
            }
            body(connection)
            giveBack(Loan(slot: slot, connection: connection))
        }
    }

    /// Closes the idle connections.
    func closeIdleConnections() {
        for slot in contents.withLock({ $0.state.takeIdle() }) {
            closeConnection(in: slot)
        }
    }
}
