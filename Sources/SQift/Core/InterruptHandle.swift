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
    private let database: Locked<OpaquePointer?>

    init(_ database: OpaquePointer) {
        self.database = Locked(database)
    }

    /// Makes the statements that run at this moment throw `SQLITE_INTERRUPT`, and those that start before all of them have
    /// ended. Without one running it does nothing.
    ///
    /// SQLite counts a full-text index (FTS5) that the open transaction has written to as running until the transaction ends.
    /// An interrupt can then make every further statement fail, ROLLBACK too: close the connection.
    public func interrupt() {
        database.withLock { database in
            if let database { sqlite3_interrupt(database) }
        }
    }

    /// Forgets the database while `close` runs, and for good if that answers `SQLITE_OK`.
    ///
    /// The lock isn't held meanwhile: closing releases what SQL functions and hooks hold, which may call `interrupt()`.
    func close(_ close: () -> Int32) -> Int32 {
        let closing = database.withLock { database in
            defer { database = nil }
            return database
        }
        let code = close()
        if code != SQLITE_OK { database.withLock { $0 = closing } }
        return code
    }
}
