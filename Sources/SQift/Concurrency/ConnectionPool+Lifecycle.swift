import Foundation

// Idle connections, and the methods that a database needs.
extension ConnectionPool {
    // MARK: Draining

    func planDrain() {
        timerQueue.asyncAfter(deadline: .now() + drainDelay) { [weak self] in
            self?.drain()
        }
    }

    private func drain() {
        for slot in contents.withLock({ $0.state.drain() }) {
            giveBack(slot, closing: true)
        }
        contents.withLock { contents in
            contents.isDrainPlanned = contents.state.hasSurplus
            if contents.isDrainPlanned {
                planDrain()
            }
        }
    }

    // MARK: For a database

    /// Ends the waiting of the accesses in line, after the gate was closed.
    func refuseWaiting() {
        guard let refusal = gate.refusal else { return }
        for waiter in contents.withLock({ $0.state.endWaiting() }) {
            waiter(.failure(refusal))
        }
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

    /// Frees the memory of the idle connections. It doesn't wait for those in use. All idle ones
    /// are lent meanwhile, so an access may have to wait.
    func releaseMemory() {
        for slot in contents.withLock({ $0.state.takeIdle() }) {
            lanes[slot].withConnection { $0.releaseMemory() }
            giveBack(slot)
        }
    }

    /// Closes the idle connections.
    ///
    /// - Throws: The first error of those that can't be closed.
    func closeIdleConnections() throws {
        let slots = contents.withLock { $0.state.takeIdle() }
        let failures = slots.compactMap { giveBack($0, closing: true) }
        if let failure = failures.first {
            throw failure
        }
    }
}
