import Foundation

// The methods that a database needs.
extension ConnectionQueue {
    /// Throws unless accesses may begin.
    func checkAvailability() throws {
        try state.withLock { $0.availability }.check(label)
    }

    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Interrupts the running statements. With a reason, their accesses can't continue afterwards.
    func interrupt(_ reason: Cancellation.Reason?) {
        state.withLock { state in
            if state.isRunning {
                state.connection.cancellation?.interrupt(reason)
            }
        }
    }

    /// Refuses accesses from now on, also those in line. Accesses that run continue.
    func stop(_ availability: Availability) {
        state.withLock { $0.availability.stop(availability) }
    }

    /// Ends a suspension.
    func resume() {
        state.withLock { $0.availability.resume() }
    }

    /// Blocks until no closure runs, and rolls back what the last one left open.
    func waitUntilIdle() {
        queue.sync {
            _ = state.withLock { $0.connection }.rollBackLeftovers()
        }
    }

    /// Closes the connection once it isn't in use.
    func close() throws {
        stop(.closed)
        try queue.sync {
            let connection = state.withLock { $0.connection }
            // Even if it can't be closed, it holds no lock any more.
            connection.rollBackLeftovers()
            try connection.close()
        }
    }
}
