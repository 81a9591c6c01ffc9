import Foundation

// What concerns all of a database's connections.
extension Database {
    /// Registers a closure that each connection runs once: those that are open before their next
    /// access, others after they were opened. It is the place for functions, collations and hooks.
    ///
    /// ```swift
    /// database.prepareConnections { connection in
    ///     try connection.addFunction(named: "slug") { (text: String) in text.lowercased() }
    /// }
    /// ```
    ///
    /// What it throws is thrown by the access, and it is run again at the next one.
    public func prepareConnections(_ prepare: @escaping @Sendable (Connection) throws -> Void) {
        guard let prepare = reportingErrors(in: "prepareConnections", prepare) else { return }
        readerConnectionPool.source.laterPreparations.append(prepare)
    }

    /// A read-only view of the last commit, which stays as it is until it is closed or let go.
    ///
    /// It may be taken inside this database's closures.
    ///
    /// - Throws: `AccessError.Reason.notShareable` where the journal isn't a WAL, SQLite's error if
    ///   no connection can be opened.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    public func snapshot() throws -> DatabaseSnapshot {
        try makeSnapshot()
    }

    /// The same, on another thread.
    public func snapshot() async throws -> DatabaseSnapshot {
        try await onAnotherThread { try self.makeSnapshot() }
    }

    private func makeSnapshot() throws -> DatabaseSnapshot {
        // Who closes or suspends waits for it, and so sees the snapshot.
        snapshotsInTheMaking.enter()
        defer { snapshotsInTheMaking.leave() }
        try writerConnectionQueue.checkOpen()
        if isPrivate {
            let message =
                "a database in memory, or a temporary one, has one connection and no snapshots"
            throw AccessError(.notShareable, readerConnectionPool.source.label, message)
        }
        let snapshot = try DatabaseSnapshot(beside: readerConnectionPool)
        snapshots.withLock { snapshots in
            snapshots.removeAll { $0.snapshot == nil }
            snapshots.append(WeakSnapshot(snapshot: snapshot))
        }
        do {
            try writerConnectionQueue.checkOpen()
        } catch {
            // Whoever waits closes it too, but doesn't see one that is gone already.
            try? snapshot.close()
            throw error
        }
        return snapshot
    }

    /// Moves what was committed from the WAL into the database file, on the connection that writes.
    ///
    /// - Returns: How far it came, which for `.passive` may be a part.
    /// - Throws: As `Connection.checkpoint`: `SQLITE_BUSY` if a read that began earlier, or a
    ///   snapshot, kept it from being complete for as long as the busy timeout.
    ///
    /// https://sqlite.org/wal.html#ckpt
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @discardableResult
    public func checkpoint(
        mode: Connection.CheckpointMode = .truncate
    ) throws -> Connection.CheckpointResult {
        try writerConnectionQueue.writeWithoutTransaction { try $0.checkpoint(mode: mode) }
    }

    /// The same, on another thread.
    @discardableResult public func checkpoint(
        mode: Connection.CheckpointMode = .truncate
    ) async throws -> Connection.CheckpointResult {
        try await writerConnectionQueue.asyncAccess(.plain) { try $0.checkpoint(mode: mode) }
    }

    /// Frees the memory of connections that nobody uses now; of the one that writes once it isn't
    /// in use. It waits for nobody.
    ///
    /// https://sqlite.org/c3ref/db_release_memory.html
    public func releaseMemory() {
        readerConnectionPool.withIdleConnections { connection in
            connection.releaseMemory()
            return true
        }
        writerConnectionQueue.whenIdle { $0.releaseMemory() }
    }

    /// Makes the statements that run at this moment throw `SQLITE_INTERRUPT`, on every connection.
    /// What begins later isn't affected.
    ///
    /// https://sqlite.org/c3ref/interrupt.html
    public func interrupt() {
        interrupt(nil)
    }

    /// Ends what runs and holds no lock until `resume()`: for an app that is about to be suspended,
    /// which its system kills if it holds a lock on a shared file.
    ///
    /// What runs is interrupted and rolled back, what waits is refused, both with
    /// `AccessError.Reason.suspended`, and so is every later access; snapshots are closed. It
    /// returns when the last closure has.
    ///
    /// - Throws: `AccessError.Reason.reentrant` inside one of this database's closures.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    public func suspend() throws {
        try stop(.suspended, .suspension)
        waitUntilSuspended()
    }

    /// The same, waiting on another thread.
    public func suspend() async throws {
        try stop(.suspended, .suspension)
        try await onAnotherThread { self.waitUntilSuspended() }
    }

    private func waitUntilSuspended() {
        readerConnectionPool.waitUntilIdle()
        writerConnectionQueue.waitUntilAtRest()
        // One of which a statement is still alive holds no lock all the same.
        _ = closeSnapshots()
    }

    /// Lets accesses begin again after `suspend()`.
    public func resume() {
        readerConnectionPool.resume()
        writerConnectionQueue.resume()
    }

    /// Closes all connections, the one that writes last, so that SQLite takes the WAL in and
    /// removes its file. Later calls throw `AccessError.Reason.closed`. It may be called again.
    ///
    /// What runs is waited for; what waits is refused.
    ///
    /// - Parameter interrupting: Whether what runs is interrupted and rolled back instead.
    /// - Throws: `AccessError.Reason.reentrant` inside one of this database's closures, where
    ///   nothing is closed. `SQLITE_BUSY` if a statement of the connection that writes, or of a
    ///   snapshot, is still alive, as `Connection.close()`; the others are closed then, and it can
    ///   be called again.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    public func close(
        interrupting: Bool = false
    ) throws {
        try stop(.closed, interrupting ? .closing : nil)
        try closeAll()
    }

    /// The same, waiting on another thread.
    public func close(interrupting: Bool = false) async throws {
        try stop(.closed, interrupting ? .closing : nil)
        try await onAnotherThread { try self.closeAll() }
    }

    private func closeAll() throws {
        let snapshots = closeSnapshots()
        readerConnectionPool.withIdleConnections { _ in false }
        // What comes back from now on is closed too, and what is being drained is waited for.
        readerConnectionPool.waitUntilIdle()
        try writerConnectionQueue.close()
        for result in snapshots {
            try result.get()
        }
    }

    private func closeSnapshots() -> [Result<Void, any Error>] {
        snapshotsInTheMaking.wait()
        return livingSnapshots.map { snapshot in Result { try snapshot.close() } }
    }

    private var livingSnapshots: [DatabaseSnapshot] {
        snapshots.withLock { $0.compactMap(\.snapshot) }
    }

    /// Refuses accesses from now on, and interrupts what runs if there is a reason. Throws in any
    /// closure of the database or of a snapshot of it, where waiting for them would be waiting for
    /// oneself.
    private func stop(_ phase: PoolState.Phase, _ reason: Cancellation.Reason?) throws {
        try writerConnectionQueue.checkReentry()
        for snapshot in livingSnapshots {
            try snapshot.checkReentry()
        }
        writerConnectionQueue.stop(phase)
        readerConnectionPool.stop(phase)
        if let reason {
            interrupt(reason)
        }
    }

    private func interrupt(_ reason: Cancellation.Reason?) {
        readerConnectionPool.interrupt(reason)
        writerConnectionQueue.interrupt(reason)
        for snapshot in livingSnapshots {
            snapshot.interrupt(reason)
        }
    }

    private func onAnotherThread<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            // A queue of its own has a thread even where the global ones are all blocked.
            DispatchQueue(label: "SQift.Database").async {
                continuation.resume(with: Result(catching: body))
            }
        }
    }
}
