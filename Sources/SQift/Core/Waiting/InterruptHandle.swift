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
/// SQLite: [sqlite3_interrupt](https://sqlite.org/c3ref/interrupt.html)
public final class InterruptHandle: Sendable {
    /// Nil once the connection is closed.
    private let database: Locked<UncheckedSendable<OpaquePointer?>>

    init(_ database: OpaquePointer) {
        self.database = Locked(UncheckedSendable(value: database))
    }

    /// Makes the statements that run now throw `SQLITE_INTERRUPT`, and also those that start before
    /// all of them have ended. If no statement runs, it has no effect.
    ///
    /// A full-text index (FTS5) that the open transaction has written to counts as running until
    /// the transaction ends. An interrupt can then make every further statement fail, even
    /// ROLLBACK. In that case close the connection.
    public func interrupt() {
        database.withLock { database in
            if let pointer = database.value {
                sqlite3_interrupt(pointer)
            }
        }
    }

    /// Forgets the database while `close` runs, and forever if that returns `SQLITE_OK`.
    ///
    /// It doesn't hold the lock while it closes: closing releases the objects that SQL functions
    /// and hooks hold, and those may call `interrupt()`.
    func detach(while close: () -> Int32) -> Int32 {
        let detached = database.value
        database.withLock { $0.value = nil }
        // "Any new SQL statements that are started after the sqlite3_interrupt() call and before
        // the running statement count reaches zero are interrupted":
        // https://sqlite.org/c3ref/interrupt.html
        // An interrupt lasts until SQLite compiles something while no statement runs. Until then
        // closing would stop early, and leave the WAL behind.
        sqlite3_exec(detached.value, " ", nil, nil, nil)

        let code = close()
        if code != SQLITE_OK {
            database.withLock { $0 = detached }
        }
        return code
    }
}
