import Foundation

// What happens to connections that nobody uses, and what a database asks of its pool.
extension ConnectionPool {
    // MARK: Draining

    func planDrain() {
        timerQueue.asyncAfter(deadline: .now() + max(drainDelay, 0)) { [weak self] in self?.drain()
        }
    }

    private func drain() {
        let slots = contents.withLock { contents in
            defer {
                contents.isDrainPlanned = contents.state.hasSurplus
                if contents.isDrainPlanned {
                    planDrain()
                }
            }
            return contents.state.drain()
        }
        for slot in slots {
            close(slot)
        }
    }

    // MARK: What a database asks of its pool

    /// Whether this thread is in one of the pool's closures, or in one of the writer's.
    func isUsed(by thread: UInt) -> Bool {
        if writer?.value == thread {
            return true
        }
        // A thread that is in a closure has counted itself.
        return lentCount.value > 0 && contents.withLock { $0.owners.contains(thread) }
    }

    /// Interrupts what runs; with a reason, for good.
    func interrupt(_ reason: Cancellation.Reason?) {
        contents.withLock { contents in
            for slot in contents.connections.indices where contents.state.isLent(slot) {
                contents.cancellations[slot].interrupt(reason)
            }
        }
    }

    /// Refuses accesses from now on, also those in line. Those that run go on.
    func stop(_ phase: PoolState.Phase) {
        let refused = contents.withLock { contents in
            contents.state.stop(phase).compactMap { contents.waiters.removeValue(forKey: $0) }
        }
        for waiter in refused {
            waiter(.failure(AccessError.stopped(phase, source.label)))
        }
    }

    func resume() {
        contents.withLock { $0.state.resume() }
    }

    /// Blocks until no connection is lent.
    func waitUntilIdle() {
        let semaphore = DispatchSemaphore(value: 0)
        contents.withLock { contents in
            if contents.state.lentCount == 0 {
                _ = semaphore.signal()
                return
            }
            contents.idleObservers.append { semaphore.signal() }
        }
        semaphore.wait()
    }

    /// Calls `body` with each connection that nobody uses, and with none that somebody wants; false
    /// closes the connection.
    func withIdleConnections(_ body: (Connection) -> Bool) {
        let slots = contents.withLock { $0.state.takeIdle() }
        for slot in slots {
            guard let connection = contents.withLock({ $0.connections[slot] }) else { continue }
            if body(connection) { giveBack(slot, connection) } else { close(slot) }
        }
    }
}
