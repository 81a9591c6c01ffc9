extension Database {
    /// Writes a backup as the asynchronous form does, on the calling thread.
    ///
    /// - Throws: As the asynchronous form, but no `CancellationError`.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    public func backup(
        to location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: Backup.ProgressReceiver? = nil
    ) throws {
        let snapshot = try snapshotToCopy()
        defer { try? snapshot?.close() }
        let line = snapshot?.readers ?? readers
        let unsynced = try line.access(.autocommitRead) { connection in
            try connection.writeBackup(
                to: BackupDestination(location),
                pagesPerStep: pagesPerStep,
                progress: progress
            )
        }
        if let unsynced {
            throw unsynced
        }
    }

    /// Writes a backup of the database to a file. The file is replaced as a whole, or it stays as
    /// it is.
    ///
    /// ```swift
    /// try await database.backup(to: .onDisk(path)) { progress in
    ///     print(progress.fractionCompleted)
    /// }
    /// ```
    ///
    /// The copy is of one state, even if the database is written to meanwhile. In WAL mode no one
    /// waits, but the WAL can't shrink until the copy is made. With another journal, writes wait
    /// for one step at a time. A database in memory is copied in a single access.
    ///
    /// The copy is made beside the destination, checked (`PRAGMA integrity_check`, which takes
    /// about as long as the copying), synced to the disk, and renamed. It is a single file, without
    /// a WAL. It gets the permissions of the file that it replaces, and its owner and group if this
    /// process may set them. If it replaces none, it gets the permissions of the database. It is an
    /// ordinary file of SQLite's default VFS, even if the database uses another one.
    ///
    /// The destination may be missing, or a database that no connection has open. It waits for
    /// those that have it open as long as the busy timeout. An idle connection to a database
    /// without a WAL can't be noticed, so don't open backups for writing. If the destination is a
    /// symbolic link, the file that it leads to is written.
    ///
    /// - Parameters:
    ///   - location: The destination, `.onDisk`.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`; a negative
    ///     number copies all at once, 0 throws `SQLITE_MISUSE`.
    ///   - progress: Called after each step, on the thread that copies. If it throws, the backup
    ///     ends.
    /// - Throws: `BackupError`; `SQLiteError`, for a full disk for example; `AccessError`; what
    ///   `progress` throws; `CancellationError` if the task is cancelled before the file is in
    ///   place. The old file is then as it was, except after `BackupError.Reason.notSynced`: the
    ///   new file has replaced it.
    public func backup(
        to location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: (@Sendable (Backup.Progress) throws -> Void)? = nil
    ) async throws {
        let snapshot = try await onAnotherThread { try snapshotToCopy() }
        defer { try? snapshot?.close() }
        let line = snapshot?.readers ?? readers
        let unsynced = try await line.asyncAccess(.autocommitRead, isFinal: true) { connection in
            try connection.writeBackup(
                to: BackupDestination(location),
                pagesPerStep: pagesPerStep,
                progress: progress
            )
        }
        if let unsynced {
            throw unsynced
        }
    }

    /// A snapshot to copy from, or nil for a database that can't be shared: it has none.
    private func snapshotToCopy() throws -> DatabaseSnapshot? {
        do {
            return try snapshot()
        } catch let error as AccessError
            where error.reason == .notShareable
        {
            return nil
        }
    }
}
