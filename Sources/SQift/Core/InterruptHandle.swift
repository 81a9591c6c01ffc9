internal import CSQift

/// Interrupts a connection from any thread, and does nothing once the connection is closed.
///
/// ```swift
/// let handle = connection.interruptHandle
/// Task.detached {
///     try await Task.sleep(for: .seconds(5))
///     handle.interrupt()
/// }
/// ```
///
/// https://sqlite.org/c3ref/interrupt.html
public final class InterruptHandle: Sendable {
    private struct Target {
        var database: OpaquePointer?
        var wasInterrupted = false
    }

    private let target: Locked<Target>

    init(_ database: OpaquePointer) {
        target = Locked(Target(database: database))
    }

    /// Makes the statements that run at this moment throw `SQLITE_INTERRUPT`, and those that start
    /// before all of them have ended. Without one running it does nothing.
    ///
    /// SQLite counts a full-text index (FTS5) that the open transaction has written to as running
    /// until the transaction ends. An interrupt can then make every further statement fail,
    /// ROLLBACK too: close the connection.
    public func interrupt() {
        target.withLock { target in
            guard let database = target.database else { return }
            sqlite3_interrupt(database)
            target.wasInterrupted = true
        }
    }

    /// Forgets the database while `close` runs, and for good if that answers `SQLITE_OK`.
    ///
    /// The lock isn't held meanwhile: closing releases what SQL functions and hooks hold, which may
    /// call `interrupt()`.
    func close(_ close: () -> Int32) -> Int32 {
        let (closing, wasInterrupted) = target.withLock { target in
            defer { target = Target() }
            return (target.database, target.wasInterrupted)
        }
        // An interrupt stays until a statement starts with none running; closing would heed it, and
        // not take the WAL in.
        if wasInterrupted {
            sqlite3_exec(closing, "SELECT 1", nil, nil, nil)
        }
        let code = close()
        if code != SQLITE_OK {
            target.withLock { $0 = Target(database: closing) }
        }
        return code
    }
}
