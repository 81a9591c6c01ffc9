import Foundation

// What happens to connections that nobody uses, and what a database asks of its pool.
extension ConnectionPool {
    // MARK: Draining

    func planDrain() {
        queue.asyncAfter(deadline: .now() + max(drainDelay, 0)) { [weak self] in self?.drain() }
    }

    private func drain() {
        // Closed outside the lock, when the array goes.
        _ = contents.withLock { contents -> [Connection?] in
            let slots = contents.state.drain()
            defer { for slot in slots { contents.connections[slot] = nil } }
            contents.isDrainPlanned = contents.state.hasSurplus
            if contents.isDrainPlanned { planDrain() }
            return slots.map { contents.connections[$0] }
        }
    }

    // MARK: What a database asks of its pool

    /// Whether this thread is in one of the pool's closures.
    func isUsed(by thread: UInt) -> Bool {
        contents.withLock { $0.owners.contains(thread) }
    }

    /// Interrupts what runs; with a reason, for good.
    func interrupt(_ reason: Interruptor.Reason? = nil) {
        contents.withLock { contents in
            for (slot, connection) in contents.connections.enumerated() {
                guard let interruptor = connection?.interruptor, !contents.state.idle.contains(slot) else { continue }
                if let reason { interruptor.interrupt(reason) } else { interruptor.interrupt() }
            }
        }
    }

    /// Refuses accesses from now on, also those in line. Those that run go on.
    func stop(_ phase: PoolState.Phase) {
        let refused = contents.withLock { contents in
            contents.state.stop(phase).compactMap { contents.waiters.removeValue(forKey: $0) }
        }
        for waiter in refused { waiter(.failure(AccessError.stopped(phase, source.label))) }
    }

    func resume() {
        contents.withLock { $0.state.resume() }
    }

    /// Blocks until no connection is lent.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        contents.withLock { contents in
            if contents.state.lentCount == 0 { return _ = semaphore.signal() }
            contents.idleObservers.append { semaphore.signal() }
        }
        semaphore.wait()
    }

    /// Calls `body` with each connection that nobody uses, and with none that somebody wants; false closes the connection.
    func withIdleConnections(_ body: (Connection) -> Bool) {
        let slots = contents.withLock { $0.state.takeIdle() }
        for slot in slots {
            guard let connection = contents.withLock({ $0.connections[slot] }) else { continue }
            if body(connection) {
                giveBack(slot, connection)
            } else {
                contents.withLock { $0.connections[slot] = nil }
                try? connection.close()
                settle(slot, isUsable: false)
            }
        }
    }
}
