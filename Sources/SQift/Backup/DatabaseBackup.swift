import Foundation

extension Database {
    /// Writes a backup of the database to a file, which is replaced as a whole or stays as it is.
    ///
    /// ```swift
    /// try await database.backup(to: .onDisk(path)) { progress in
    ///     print(progress.fractionCompleted)
    /// }
    /// ```
    ///
    /// The copy is of one state, however much is written meanwhile; in WAL, nobody waits, and the WAL can't shrink until it is made.
    /// With another journal, writes wait for a step at a time; a database in memory is copied in one access. The copy is made beside
    /// the destination, checked (`PRAGMA integrity_check`, about as long as the copying), synced to the disk, and renamed. It
    /// is one file, without a WAL, and has the permissions of the file that it replaces, else those of the database.
    ///
    /// The destination may be missing, or a database that nobody has open. Without a WAL, a connection to it that does nothing at the
    /// moment can't be noticed: don't open backups for writing.
    ///
    /// - Parameters:
    ///   - location: Where to, `.onDisk`.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`.
    ///   - progress: Called after each step, on the thread that copies; what it throws ends the backup.
    /// - Throws: `BackupError`, `SQLiteError`, for a full disk for instance, `AccessError`, and what `progress` throws. The old file is
    ///   then as it was.
    @available(*, noasync, message: "use await: this blocks the thread") public func backup(
        to location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws {
        let snapshot: DatabaseSnapshot
        do { snapshot = try self.snapshot() } catch let error as AccessError
            where error.reason == .notShareable
        {
            return try accessToRead(inTransaction: false) {
                try $0.writeBackup(to: location, pagesPerStep, progress)
            }
        }
        defer { try? snapshot.close() }
        try snapshot.read { try $0.writeBackup(to: location, pagesPerStep, progress) }
    }

    /// The same on another thread, where `progress` is called too.
    ///
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the file is in place.
    public func backup(
        to location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: (@Sendable (Backup.Progress) throws -> Void)? = nil
    ) async throws {
        let write: @Sendable (Connection) throws -> Void = {
            try $0.writeBackup(to: location, pagesPerStep, progress)
            $0.transactionState.isComplete = true
        }
        let snapshot: DatabaseSnapshot
        do { snapshot = try await self.snapshot() } catch let error as AccessError
            where error.reason == .notShareable
        {
            return isPrivate
                ? try await writerConnectionQueue.asyncAccess(.plainQueryOnly, write)
                : try await readerConnectionPool.asyncAccess(.plain, write)
        }
        defer { try? snapshot.close() }
        try await snapshot.read(write)
    }

    /// Replaces all that is in the database by a backup. In WAL others go on reading: those that read now see the old state, later ones
    /// the new one; with another journal mode they and this wait for each other, as long as the busy timeout.
    ///
    /// The backup, which is only read, is checked before. The journal mode stays, and the page size: a backup with pages of another
    /// size is copied to a temporary file beside the database first. Unlike putting another file in the place of an open database,
    /// this harms nobody who has it open.
    ///
    /// - Parameters:
    ///   - location: The backup.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`.
    ///   - progress: Called after each step, on the thread that copies; what it throws ends the restoring.
    /// - Throws: `BackupError` for a backup that is damaged, holds nothing, or has text in another encoding; `SQLiteError`, for what is
    ///   no database for instance; `AccessError`. The database is then as it was.
    @available(*, noasync, message: "use await: this blocks the thread") public func restore(
        from location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws {
        try writerConnectionQueue.access(.plain) {
            try restore(location, $0, pagesPerStep, progress)
        }
    }

    /// The same on another thread, where `progress` is called too.
    ///
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before all is copied.
    public func restore(
        from location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: (@Sendable (Backup.Progress) throws -> Void)? = nil
    ) async throws {
        try await writerConnectionQueue.asyncAccess(.plain) {
            try self.restore(location, $0, pagesPerStep, progress)
        }
    }

    private func restore(
        _ location: StorageLocation,
        _ writer: Connection,
        _ pagesPerStep: Int,
        _ progress: ((Backup.Progress) throws -> Void)?
    ) throws {
        var source = readerConnectionPool.source
        source.storageLocation = location.forReading
        source.configuration.readOnly = true
        let backup = try source.open(writer.transactionState.cancellation ?? AtomicWord())
        try source.laterPreparations.apply(to: backup)
        if let file = try writer.file(of: "main") { try refuseSameFile(backup.fileName, file) }
        guard try backup.query("PRAGMA page_count") > 0 else {
            throw BackupError(.damaged, "\(location.path) is empty, and no backup of a database")
        }
        try backup.refuseDamage(in: "main", "\(location.path) is damaged, and wasn't restored")
        let mode: SQL = "PRAGMA journal_mode"
        let (pageSize, isWAL) = try (writer.pageSize(of: "main"), writer.query(mode) == "wal")
        // What is copied can't be undone, whatever the last call of `progress` throws.
        func copy(_ source: Connection) throws {
            try source.backup(to: writer, pagesPerStep: pagesPerStep) { step in
                guard step.remainingPageCount == 0 else { return try progress?(step) ?? () }
                for connection in [source, writer] { connection.transactionState.isComplete = true }
                try? progress?(step)
            }
        }
        // The journal mode is part of what is copied, unless it stays a WAL.
        if try backup.pageSize(of: "main") == pageSize, try isWAL || backup.query(mode) != "wal" {
            return try copy(backup)
        }
        let copyPath =
            try writer.file(of: "main") ?? "\(NSTemporaryDirectory())/sqift-\(UUID().uuidString)"
        let destination = try BackupDestination(.onDisk(copyPath))
        try destination.withLock(for: backup.fileName) {
            try destination.createCopy(readableAs: backup.fileName)
            try backup.execute("PRAGMA page_size = \(pageSize)")
            try backup.vacuum(into: .onDisk(destination.copyPath))
            try copy(Connection(storageLocation: .onDisk(destination.copyPath), readOnly: true))
        }
    }
}
