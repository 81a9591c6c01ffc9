/// A queue or a pool: what lends a connection to one closure at a time.
protocol ConnectionLender: Sendable {
    /// Puts an asynchronous access in line, and calls `body` on another thread when its turn comes.
    ///
    /// - Parameter continuation: Resumed once: with the result of `body` after the connection has
    ///   been given back, or with the error that ended the waiting.
    func enqueue<T: Sendable>(
        _ access: CancellableAccess,
        resuming continuation: CheckedContinuation<T, any Error>,
        _ body: @escaping @Sendable (Connection) throws -> T
    )

    /// Calls `body` as one access to the connection.
    ///
    /// - Parameter access: Nil for a synchronous access, which can't be cancelled.
    func lend(
        _ connection: Connection,
        as mode: AccessMode,
        to access: CancellableAccess?,
        _ body: (Connection) throws -> Void
    ) throws
}

extension ConnectionLender {
    /// Calls `body` on another thread, with the access that it is in.
    func asyncAccess<T: Sendable>(
        _ mode: AccessMode,
        _ body: @escaping @Sendable (Connection, CancellableAccess) throws -> T
    ) async throws -> T {
        let access = CancellableAccess()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(access, resuming: continuation) { connection in
                    var result: T?
                    try lend(connection, as: mode, to: access) {
                        result = try body($0, access)
                    }
                    return try returned(result)
                }
            }
        } onCancel: {
            access.cancel()
        }
    }

    /// Calls `body` on another thread.
    func asyncAccess<T: Sendable>(
        _ mode: AccessMode,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await asyncAccess(mode) { connection, _ in try body(connection) }
    }
}

/// Returns the result that a closure has put into its caller's variable.
///
/// The public methods are inlined and keep their closure's result in a local variable. The
/// functions that they call have no type parameter, and so look up no type at run time.
@inlinable func returned<T>(_ result: T?) throws -> T {
    guard let result else {
        throw SQLiteError(code: .internalError, message: "the closure was not called")
    }
    return result
}
