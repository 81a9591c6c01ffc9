import Foundation

// How the connection reaches a closure and comes back.
extension ConnectionQueue {
    @inlinable @inline(__always) func access<T>(
        _ mode: AccessMode,
        returning body: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try access(mode) { result = try body($0) }
        return try returned(result)
    }

    @usableFromInline func access(_ mode: AccessMode, _ body: (Connection) throws -> Void) throws {
        try reentryGuard.check(label)
        var failure: (any Error)?
        // The form of sync without a result: the generic one looks its type up at run time.
        queue.sync {
            do {
                let connection = try claimUsableConnection()
                defer { giveBack(connection) }
                try lend(connection, as: mode, to: nil, body)
            } catch {
                failure = error
            }
        }
        if let failure {
            throw failure
        }
    }

    func enqueue<T: Sendable>(
        _ access: CancellableAccess,
        resuming continuation: CheckedContinuation<T, any Error>,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) {
        guard access.enqueue(onFailure: { continuation.resume(throwing: $0) }) else { return }
        queue.async {
            do {
                let connection = try self.claimUsableConnection()
                guard access.begin(connection.cancellation) else {
                    return self.giveBack(connection)
                }
                let result = Result { try body(connection) }
                self.giveBack(connection)
                continuation.resume(with: result)
            } catch {
                access.fail(error)
            }
        }
    }

    @inline(__always) func lend(
        _ connection: Connection,
        as mode: AccessMode,
        to access: CancellableAccess?,
        _ body: (Connection) throws -> Void
    ) throws {
        beforeAccess?(connection)
        defer { afterAccess?(connection) }
        try connection.runAccess(
            as: mode,
            to: access,
            label: label,
            registrations: registrations,
            body
        )
    }

    /// Calls `body` with the connection once it isn't in use. It returns immediately.
    func whenIdle(_ body: @escaping @Sendable (Connection) -> Void) {
        queue.async {
            guard let connection = try? self.claimUsableConnection() else { return }
            body(connection)
            self.giveBack(connection)
        }
    }

    /// Calls `body` with the connection now. Nil if it is in use, or may not be used.
    func ifIdle<T>(_ body: (Connection) -> T?) -> T? {
        guard isIdle, (try? reentryGuard.check(label)) != nil else { return nil }
        return queue.sync {
            guard let connection = try? claimUsableConnection() else { return nil }
            defer { giveBack(connection) }
            return body(connection)
        }
    }

    /// Takes the connection for a closure, on the dispatch queue. A connection that is closed or
    /// broken is replaced if possible.
    private func claimUsableConnection() throws -> Connection {
        let connection = try state.withLock { state in
            try state.availability.check(label)
            state.isRunning = true
            reentryGuard.enter(0)
            return state.connection
        }
        guard let openReplacement, !connection.isUsable() else { return connection }

        do {
            connection.resetStatements()
            try connection.close()
            let replacement = try openReplacement(connection.cancellation ?? Cancellation())
            state.withLock { $0.connection = replacement }
            return replacement
        } catch {
            giveBack(connection)
            throw error
        }
    }

    private func giveBack(_ connection: Connection) {
        state.withLock { state in
            reentryGuard.leave(0)
            state.isRunning = false
            connection.cancellation?.clear()
        }
    }
}
