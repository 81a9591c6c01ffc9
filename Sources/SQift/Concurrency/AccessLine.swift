/// Where accesses wait for a connection.
///
/// A ``DatabaseReader`` or ``DatabaseWriter`` of your own has no line of its own. It hands on that
/// of the queue, pool, database or snapshot that it uses.
public struct AccessLine: Sendable {
    let runner: any AccessRunner
    /// The kind of all accesses, whatever they ask for.
    var onlyKind: AccessKind?

    @inlinable @inline(__always) func access<T>(
        _ kind: AccessKind,
        returning body: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try access(kind) { result = try body($0) }
        return try returned(result)
    }

    @usableFromInline func access(_ kind: AccessKind, _ body: AccessBody) throws {
        try runner.access(onlyKind ?? kind, body)
    }

    /// Calls `body` on another thread.
    ///
    /// - Parameter isFinal: Whether `body` returns only when it has done what can't be undone. Its
    ///   result then counts, even if the access was cancelled before.
    func asyncAccess<T: Sendable>(
        _ kind: AccessKind,
        isFinal: Bool = false,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        let access = AsyncAccess(isFinal: isFinal, runner.enqueue)
        return try await withTaskCancellationHandler {
            try await access.run { slot in
                var result: T?
                try runner.run(slot, as: onlyKind ?? kind, for: access) {
                    result = try body($0)
                }
                return try returned(result)
            }
        } onCancel: {
            access.cancel()
        }
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
