import Foundation

extension Database {
    /// A read-only view of the last commit. It stays the same until it is closed or released.
    ///
    /// It may be taken inside this database's closures, but not by one that prepares the connection
    /// of another snapshot.
    ///
    /// - Throws: `AccessError.Reason.notShareable` if the journal isn't a WAL, `reentrant` in the
    ///   preparation of a snapshot, SQLite's error if no connection can be opened.
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
        let writer = writerConnectionQueue.lane
        let rekeyCount = readerSource.newKey.withLock { $0.rekeyCount }
        do {
            return try openSnapshot(writer)
        } catch let error as SQLiteError where readerSource.currentConfiguration.key != nil {
            // The key may have changed meanwhile, or is being changed, by an access of the writer.
            guard (try? reentryGuard.check(label)) != nil else { throw error }
            writer.queue.sync {}
            guard rekeyCount != readerSource.newKey.withLock({ $0.rekeyCount }) else {
                throw error
            }
            return try makeSnapshot()
        }
    }

    private func openSnapshot(_ writer: Lane) throws -> DatabaseSnapshot {
        if isPrivate {
            try writer.checkAvailability()
            throw AccessError(
                .notShareable,
                label: label,
                "a database in memory, or a temporary one, has one connection and no snapshots"
            )
        }
        for lane in livingSnapshots.map(\.lane) where lane.connection == nil {
            try lane.reentryGuard.check(lane.label)
        }

        let snapshot = DatabaseSnapshot(source: readerSource, guard: reentryGuard)
        snapshots.withLock { snapshots in
            snapshots.removeAll { $0.snapshot == nil }
            snapshots.append(WeakSnapshot(snapshot: snapshot))
        }
        // From now on close() and suspend() see it. They wait until it is open, and close it.
        try writer.checkAvailability()
        let opening = Result { try snapshot.open() }
        do {
            try writer.checkAvailability()
        } catch {
            // The caller gets this error, whatever the opening came to.
            try? snapshot.close()
            throw error
        }
        try opening.get()
        return snapshot
    }

    /// The snapshots that haven't been released.
    var livingSnapshots: [DatabaseSnapshot] {
        snapshots.withLock { $0.compactMap(\.snapshot) }
    }

    /// Closes all snapshots, also those that are being opened.
    func closeSnapshots() -> [Result<Void, any Error>] {
        livingSnapshots.map { snapshot in Result { try snapshot.close() } }
    }
}

/// A snapshot that may have been released.
struct WeakSnapshot {
    weak var snapshot: DatabaseSnapshot?
}
