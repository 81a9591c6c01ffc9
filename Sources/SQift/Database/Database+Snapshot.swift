import Foundation

extension Database {
    /// Takes a snapshot of the newest commit, on the calling thread.
    ///
    /// - Throws: As the asynchronous form.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    public func snapshot() throws -> DatabaseSnapshot {
        if hasOneConnection {
            try gate.check()
            throw AccessError(
                .notShareable,
                label: gate.label,
                "a database in memory, or a temporary one, has one connection and no snapshots"
            )
        }
        for lane in snapshotLanes.living where lane.connection == nil {
            try lane.gate.checkReentry()
        }

        let snapshot = DatabaseSnapshot(source: readerSource, gate: gate, openLanes: snapshotLanes)
        // From now on close() and suspend() see it. They wait until it is open, and close it.
        try snapshot.open()
        try gate.check()
        return snapshot
    }

    /// Takes a snapshot, a read-only view of the newest commit. It stays the same until it is
    /// closed or released.
    ///
    /// ```swift
    /// let snapshot = try await database.snapshot()
    /// let count: Int = try await snapshot.read { try $0.query("SELECT count(*) FROM cars") }
    /// let names: [String] = try await snapshot.read { try $0.query("SELECT name FROM cars") }
    /// try snapshot.close()
    /// ```
    ///
    /// You may take it inside this database's closures, unless the closure prepares the connection
    /// of another snapshot. Cancelling the task doesn't end the wait for another process's lock.
    ///
    /// - Throws: `AccessError.Reason.notShareable` if the journal isn't a WAL or the connections
    ///   share a cache, `reentrant` in the preparation of a snapshot, SQLite's error if no
    ///   connection can be opened.
    public func snapshot() async throws -> DatabaseSnapshot {
        try await onAnotherThread { try snapshot() }
    }
}
