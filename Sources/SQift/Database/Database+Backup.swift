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
    /// The copy is of one state, however much is written meanwhile; in WAL, nobody waits, and the
    /// WAL can't shrink until it is made. With another journal, writes wait for a step at a time; a
    /// database in memory is copied in one access. The copy is made beside the destination, checked
    /// (`PRAGMA integrity_check`, about as long as the copying), synced to the disk, and renamed.
    /// It is one file, without a WAL, and has the permissions of the file that it replaces, and
    /// where this process may set them its owner and group; else the permissions of the database.
    /// It is an ordinary file of SQLite's default VFS, whatever the database's own is.
    ///
    /// The destination may be missing, or a database that nobody has open. Without a WAL, a
    /// connection to it that does nothing at the moment can't be noticed: don't open backups for
    /// writing.
    ///
    /// - Parameters:
    ///   - location: Where to, `.onDisk`.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`.
    ///   - progress: Called after each step, on the thread that copies; what it throws ends the
    ///     backup.
    /// - Throws: `BackupError`, `SQLiteError`, for a full disk for instance, `AccessError`, and
    ///   what `progress` throws. The old file is then as it was, but after
    ///   `BackupError.Reason.notSynced`, when the new one is in its place.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    public func backup(
        to location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws {
        let snapshot: DatabaseSnapshot
        do {
            snapshot = try self.snapshot()
        } catch let error as AccessError
            where error.reason == .notShareable
        {
            var unsynced: BackupError?
            try accessToRead(inTransaction: false) {
                unsynced = try $0.writeBackup(
                    to: BackupDestination(location),
                    pagesPerStep,
                    progress
                )
            }
            if let unsynced {
                throw unsynced
            }
            return
        }
        defer { try? snapshot.close() }
        let unsynced = try snapshot.read {
            try $0.writeBackup(to: BackupDestination(location), pagesPerStep, progress)
        }
        if let unsynced {
            throw unsynced
        }
    }

    /// The same on another thread, where `progress` is called too.
    ///
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   file is in place.
    public func backup(
        to location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: (@Sendable (Backup.Progress) throws -> Void)? = nil
    ) async throws {
        let write: @Sendable (Connection) throws -> BackupError? = {
            let unsynced = try $0.writeBackup(
                to: BackupDestination(location),
                pagesPerStep,
                progress
            )
            $0.ignoresCancellation = true
            return unsynced
        }
        let snapshot: DatabaseSnapshot
        do {
            snapshot = try await self.snapshot()
        } catch let error as AccessError
            where error.reason == .notShareable
        {
            let unsynced =
                isPrivate
                ? try await writerConnectionQueue.asyncAccess(.plainQueryOnly, write)
                : try await readerConnectionPool.asyncAccess(.plain, write)
            if let unsynced {
                throw unsynced
            }
            return
        }
        defer { try? snapshot.close() }
        if let unsynced = try await snapshot.read(write) {
            throw unsynced
        }
    }

    /// Replaces all that is in the database by a backup. In WAL others go on reading: those that
    /// read now see the old state, later ones the new one; with another journal mode they and this
    /// wait for each other, as long as the busy timeout.
    ///
    /// The backup, which is only read, is checked before. The journal mode stays, and the page
    /// size: a backup with pages of another size is copied to a temporary file beside the database
    /// first. Unlike putting another file in the place of an open database, this harms nobody who
    /// has it open. A path is one of SQLite's default VFS, whatever the database's own is; a URI
    /// can name another.
    ///
    /// - Parameters:
    ///   - location: The backup.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`.
    ///   - progress: Called after each step, on the thread that copies; what it throws ends the
    ///     restoring.
    /// - Throws: `BackupError` for a backup that is damaged, holds nothing, or has text in another
    ///   encoding; `SQLiteError`, for what is no database for instance; `AccessError`. The database
    ///   is then as it was.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    public func restore(
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
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before all
    ///   is copied.
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
        source.configuration.vfs = nil
        // It isn't the database, whose journal others take in.
        source.journalTaker = nil
        source.isForReading = false
        let cancellation = writer.cancellation ?? Cancellation()
        let backup = try openBackup(source, cancellation, for: writer)
        let mode: SQL = "PRAGMA journal_mode"
        let (pageSize, isWAL) = try (writer.pageSize(of: "main"), writer.query(mode) == "wal")
        // What is copied can't be undone, whatever the last call of `progress` throws.
        func copy(_ source: Connection) throws {
            try source.backup(to: writer, pagesPerStep: pagesPerStep) { step in
                guard step.remainingPageCount == 0 else { return try progress?(step) ?? () }
                for connection in [source, writer] {
                    connection.ignoresCancellation = true
                }
                try? progress?(step)
            }
        }
        // The journal mode is part of what is copied, unless it stays a WAL.
        if try backup.pageSize(of: "main") == pageSize, try isWAL || backup.query(mode) != "wal" {
            return try copy(backup)
        }
        let destination = try BackupDestination(.onDisk(adaptedPath(beside: writer)))
        try destination.withLock(for: backup.fileName) {
            try destination.createCopy(readableAs: backup.fileName)
            try backup.execute("PRAGMA page_size = \(pageSize)")
            try backup.vacuum(into: backup.fileOnDefaultVFS(destination.copyPath, mode: "rw"))
            source.storageLocation = .onDisk(destination.copyPath)
            source.configuration.readOnly = false
            let adapted = try source.open(Cancellation(sharingFlagOf: cancellation))
            try source.laterPreparations.apply(to: adapted)
            // SQLite 3.35 copies a database in a WAL with the pages that it has.
            if try adapted.pageSize(of: "main") != pageSize {
                try adapted.execute("PRAGMA page_size = \(pageSize); VACUUM")
            }
            try copy(adapted)
        }
    }

    /// Opens a backup to read it, with the functions and collations that its schema needs, and
    /// throws if it isn't one that can be restored.
    private func openBackup(
        _ source: ConnectionSource,
        _ cancellation: Cancellation,
        for writer: Connection
    ) throws -> Connection {
        let path = source.storageLocation.path
        do {
            let backup = try source.open(Cancellation(sharingFlagOf: cancellation))
            try source.laterPreparations.apply(to: backup)
            if let file = try writer.file(of: "main") {
                try refuseSameFile(backup.fileName, file)
            }
            guard try backup.query("PRAGMA page_count") > 0 else {
                throw BackupError(.damaged, "\(path) is empty, and no backup of a database")
            }
            try backup.refuseDamage(in: "main", "\(path) is damaged, and wasn't restored")
            return backup
        } catch let error as SQLiteError
            where [.notADatabase, .corrupt, .readOnly].contains(error.resultCode)
        {
            // SQLite names neither the file nor a statement that the caller knows.
            let message = "\(path) can't be restored: \(error.message)"
            throw SQLiteError(code: error.extendedResultCode, message: message)
        }
    }

    /// Where to copy a backup that has to be adapted: beside the file, or among the temporary files
    /// where there is none, or one in another VFS's keeping.
    private func adaptedPath(beside writer: Connection) throws -> String {
        if let file = try writer.file(of: "main"), FileManager.default.fileExists(atPath: file) {
            return file
        }
        return "\(NSTemporaryDirectory())/sqift-\(UUID().uuidString)"
    }
}
