import Foundation

extension Database {
    /// A read-only view of the last commit. It stays the same until it is closed or released.
    ///
    /// It may be taken inside this database's closures.
    ///
    /// - Throws: `AccessError.Reason.notShareable` if the journal isn't a WAL, SQLite's error if no
    ///   connection can be opened.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    public func snapshot() throws -> DatabaseSnapshot {
        try makeSnapshot()
    }

    /// The asynchronous form, which opens the snapshot on another thread.
    public func snapshot() async throws -> DatabaseSnapshot {
        try await onAnotherThread { try self.makeSnapshot() }
    }

    private func makeSnapshot() throws -> DatabaseSnapshot {
        // close() and suspend() wait for this lock, so they also close a snapshot that is being
        // made. rekey() holds it: no snapshot begins with the old key meanwhile.
        try snapshotMaking.withLock { try openSnapshot() }
    }

    private func openSnapshot() throws -> DatabaseSnapshot {
        try writerConnectionQueue.checkAvailability()
        if isPrivate {
            throw AccessError(
                .notShareable,
                label: label,
                "a database in memory, or a temporary one, has one connection and no snapshots"
            )
        }

        let snapshot = try DatabaseSnapshot(source: readerSource, guard: reentryGuard)
        snapshots.withLock { snapshots in
            snapshots.removeAll { $0.snapshot == nil }
            snapshots.append(WeakSnapshot(snapshot: snapshot))
        }
        do {
            try writerConnectionQueue.checkAvailability()
        } catch {
            // The database was closed or suspended meanwhile, and that call is waiting for the lock
            // to close this snapshot. The caller gets the error instead.
            try? snapshot.close()
            throw error
        }
        return snapshot
    }

    /// The snapshots that haven't been released.
    var livingSnapshots: [DatabaseSnapshot] {
        snapshots.withLock { $0.compactMap(\.snapshot) }
    }

    /// Closes all snapshots, also those that are being made.
    func closeSnapshots() -> [Result<Void, any Error>] {
        snapshotMaking.withLock {}
        return livingSnapshots.map { snapshot in Result { try snapshot.close() } }
    }
}

/// A snapshot that may have been released.
struct WeakSnapshot {
    weak var snapshot: DatabaseSnapshot?
}
