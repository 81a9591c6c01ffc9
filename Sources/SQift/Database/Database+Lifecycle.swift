import Foundation

// Methods that concern all of a database's connections.
extension Database {
    /// Registers a closure that each connection runs once: those that are open before their next
    /// access, others after they were opened. Add functions, collations and hooks here.
    ///
    /// ```swift
    /// database.prepareConnections { connection in
    ///     try connection.addFunction(named: "slug") { (text: String) in text.lowercased() }
    /// }
    /// ```
    ///
    /// It isn't run while a transaction is open, except on a snapshot. If it throws, or its access
    /// is cancelled, the access throws the error, and the next access runs it again on the same
    /// connection. Undo in a `catch` what the closure has done by then, such as an attached
    /// database.
    public func prepareConnections(_ prepare: @escaping Connection.Preparation) {
        for preparations in [writerLane.preparations, readerSource.preparations] {
            preparations.append("prepareConnections", prepare)
        }
    }

    /// Moves what was committed from the WAL into the database file, on the calling thread.
    ///
    /// - Returns: How much was moved, which for `.passive` may be a part.
    /// - Throws: As the asynchronous form, but no `CancellationError`.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    @discardableResult
    public func checkpoint(
        mode: Connection.CheckpointMode = .truncate
    ) throws -> Connection.CheckpointResult {
        try writeWithoutTransaction { try $0.checkpoint(mode: mode) }
    }

    /// Moves what was committed from the WAL into the database file, on the connection that writes.
    ///
    /// - Returns: How much was moved, which for `.passive` may be a part.
    /// - Throws: As `Connection.checkpoint`: `SQLITE_BUSY` if a read that began earlier, or a
    ///   snapshot, kept it from being complete for as long as the busy timeout. `CancellationError`
    ///   if the task is cancelled.
    ///
    /// SQLite: [Checkpointing](https://sqlite.org/wal.html#ckpt)
    @discardableResult public func checkpoint(
        mode: Connection.CheckpointMode = .truncate
    ) async throws -> Connection.CheckpointResult {
        try await writeWithoutTransaction { try $0.checkpoint(mode: mode) }
    }

    /// Frees the memory of idle readers now, and of the writer when it is next idle. It returns
    /// without waiting.
    ///
    /// SQLite: [sqlite3_db_release_memory](https://sqlite.org/c3ref/db_release_memory.html)
    public func releaseMemory() {
        readerConnectionPool.releaseMemory()
        writerLane.line.async { [writerLane] in
            writerLane.withConnection { $0.releaseMemory() }
        }
    }

    /// Makes the statements that run at this moment throw `SQLITE_INTERRUPT`, on every connection.
    /// Statements that start later aren't affected.
    ///
    /// SQLite: [sqlite3_interrupt](https://sqlite.org/c3ref/interrupt.html)
    public func interrupt() {
        lanes.forEach { $0.interrupt(nil) }
    }

    /// Ends the running accesses as the asynchronous form does, and waits on the calling thread.
    ///
    /// - Throws: As the asynchronous form.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    public func suspend() throws {
        try stop(for: .suspension, interrupting: true)
        waitUntilSuspended()
    }

    /// Ends the running accesses, and refuses others until `resume()`. Use it in an app that is
    /// about to be suspended: the system kills an app that then holds a lock on a shared file. In
    /// WAL mode SQLite keeps one shared lock, which the system accepts if it recognises the file.
    ///
    /// ```swift
    /// try await database.suspend()  // when the app goes to the background
    /// database.resume()  // when it comes back
    /// ```
    ///
    /// Running accesses are interrupted and rolled back, and waiting ones are refused, both with
    /// `AccessError.Reason.suspended`. Every later access is refused too, and snapshots are closed.
    /// It returns when the last closure has returned.
    ///
    /// - Throws: ``AccessError/Reason/reentrant`` inside one of this database's closures.
    public func suspend() async throws {
        try stop(for: .suspension, interrupting: true)
        try await onAnotherThread { waitUntilSuspended() }
    }

    private func waitUntilSuspended() {
        readerConnectionPool.waitUntilIdle()
        writerLane.waitUntilIdle()
        // A snapshot that can't be closed, because a statement of it is alive, holds no lock
        // either.
        _ = snapshotLanes.closeConnections()
    }

    /// Lets accesses begin again after `suspend()`.
    public func resume() {
        gate.resume()
        observer.value?.hasResumed()
    }

    /// Closes all connections as the asynchronous form does, and waits on the calling thread.
    ///
    /// - Throws: As the asynchronous form.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    public func close(interrupting: Bool = false) throws {
        try stop(for: .closing, interrupting: interrupting)
        try closeAll()
    }

    /// Closes all connections, the one that writes last, so that SQLite moves the WAL into the file
    /// and removes it. Later calls throw `AccessError.Reason.closed`. It may be called again.
    ///
    /// It waits for the closures that run, and refuses those that wait.
    ///
    /// - Parameter interrupting: Whether running accesses are interrupted and rolled back instead.
    /// - Throws: ``AccessError/Reason/reentrant`` inside one of this database's closures, where
    ///   nothing is closed. `SQLITE_BUSY` if a statement of one of the connections is still alive,
    ///   as `Connection.close()`; the others are closed then, and it can be called again.
    public func close(interrupting: Bool = false) async throws {
        try stop(for: .closing, interrupting: interrupting)
        try await onAnotherThread { try closeAll() }
    }

    private func closeAll() throws {
        defer { observer.value?.hasClosed() }
        var closings = snapshotLanes.closeConnections()
        // The pool closes what comes back from now on. What came back just before is idle then, and
        // what is lent again afterwards is being closed.
        readerConnectionPool.waitUntilIdle()
        closings.append(Result { try readerConnectionPool.closeIdleConnections() })
        readerConnectionPool.waitUntilIdle()
        try writerLane.close()
        for closing in closings {
            try closing.get()
        }
    }

    /// Refuses accesses from now on, also those in line.
    ///
    /// - Throws: `AccessError` in any closure of the database or of one of its snapshots, because
    ///   waiting for them would be waiting for itself.
    private func stop(for reason: Cancellation.Reason, interrupting: Bool) throws {
        for lane in lanes {
            try lane.gate.checkReentry()
        }
        gate.stop(for: reason)
        readerConnectionPool.refuseWaiting()
        if interrupting {
            lanes.forEach { $0.interrupt(reason) }
        }
    }

    private var lanes: [Lane] {
        [writerLane] + readerConnectionPool.lanes + snapshotLanes.living
    }
}
