import Foundation

extension Database {
    /// Restores a backup as the asynchronous form does, on the calling thread.
    ///
    /// ```swift
    /// try database.backup(to: .onDisk(backupPath))
    /// try database.restore(from: .onDisk(backupPath))
    /// ```
    ///
    /// - Throws: As the asynchronous form, but no `CancellationError`.
    @available(
        *,
        noasync,
        message: "await it in a function, not in main.swift; name the result's type, a Sendable one"
    )
    public func restore(
        from location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: Backup.ProgressReceiver? = nil
    ) throws {
        try writer.access(.autocommit) {
            try restore($0, from: location, pagesPerStep: pagesPerStep, progress: progress)
        }
    }

    /// Replaces the content of the database with a backup.
    ///
    /// ```swift
    /// try await database.backup(to: .onDisk(backupPath))
    /// try await database.restore(from: .onDisk(backupPath))
    /// ```
    ///
    /// In WAL mode others can read meanwhile: reads that have begun see the old state, later ones
    /// the new one. In another journal mode, reads and the restore wait for each other, as long as
    /// the busy timeout. Connections that are open stay usable, which they wouldn't if you replaced
    /// the file of an open database by another file.
    ///
    /// The backup is only read, and it is checked first. The database keeps its journal mode and
    /// its page size: a backup with another page size is first copied to a temporary file beside
    /// the database, for which the connections must be able to attach one more database. With a key
    /// it is refused. A path is read through SQLite's default VFS, even if the database uses
    /// another one. A URI can name another VFS.
    ///
    /// - Parameters:
    ///   - location: The backup.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`; a negative
    ///     number copies all at once, 0 throws `SQLITE_MISUSE`.
    ///   - progress: Called after each step, on the thread that copies. If it throws, the restore
    ///     ends. The last call's error is ignored: everything is restored by then.
    /// - Throws: `BackupError` if the backup is damaged, is empty, has text in another encoding, is
    ///   the database itself, or has a key and pages of another size; `SQLiteError`, for a file
    ///   that isn't a database for example; `AccessError`; what `progress` throws;
    ///   `CancellationError` if the task is cancelled before everything is copied. The database is
    ///   then as it was.
    public func restore(
        from location: StorageLocation,
        pagesPerStep: Int = 100,
        progress: (@Sendable (Backup.Progress) throws -> Void)? = nil
    ) async throws {
        try await writer.asyncAccess(.autocommit, isFinal: true) { writer in
            try self.restore(
                writer,
                from: location,
                pagesPerStep: pagesPerStep,
                progress: progress
            )
        }
    }

    private func restore(
        _ writer: Connection,
        from location: StorageLocation,
        pagesPerStep: Int,
        progress: Backup.ProgressReceiver?
    ) throws {
        func copy(from source: Connection) throws {
            try source.backup(to: writer, pagesPerStep: pagesPerStep) { step in
                do {
                    try progress?(step)
                } catch _ where step.remainingPageCount == 0 {
                    // Everything is restored, which can't be undone.
                }
            }
        }

        let backup = try openBackup(location.forReading, for: writer)
        let pageSize = try writer.pageSize()
        let hasItsPageSize = try backup.pageSize() == pageSize
        // The copy has the source's journal mode, unless the database is in WAL mode.
        let keepsJournalMode = try writer.isInWALMode() || !backup.isInWALMode()
        // SQLite refuses another page size then, and says so.
        let isEncrypted = writer.sharedConfiguration.key != nil
        if hasItsPageSize ? keepsJournalMode : isEncrypted {
            return try copy(from: backup)
        }

        let destination = try BackupDestination(.onDisk(pathForAdaptedBackup(of: writer)))
        try destination.withLock(for: backup.fileName, name: location.path) {
            // A preparation may have switched it on.
            try backup.execute("PRAGMA query_only = OFF; PRAGMA page_size = \(pageSize)")
            try backup.vacuum(into: backup.fileOnDefaultVFS(destination.copyPath, mode: "rw"))

            let source = readerSource.forFile(at: .onDisk(destination.copyPath), readOnly: false)
            let adapted = try source.open(Cancellation(sharingFlagOf: writer.cancellation))
            // SQLite 3.35 keeps the page size when it copies a database in WAL mode.
            if try adapted.pageSize() != pageSize {
                try adapted.execute(
                    "PRAGMA query_only = OFF; PRAGMA page_size = \(pageSize); VACUUM"
                )
            }
            try copy(from: adapted)
        }
    }

    /// The path for a copy of a backup that has to be adapted. It is beside the database's file. If
    /// there is none, or another VFS keeps it, it is among the temporary files.
    private func pathForAdaptedBackup(of writer: Connection) -> String {
        if FileManager.default.fileExists(atPath: writer.fileName) {
            return writer.fileName
        }
        return "\(NSTemporaryDirectory())/sqift-\(UUID().uuidString)"
    }

    /// Throws for a pipe and a device. SQLite would wait for a pipe forever. It refuses a folder.
    private func refuseSpecialFile(_ path: String) throws {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        )
        guard let type = attributes?[.type] as? FileAttributeType,
            ![.typeRegular, .typeDirectory].contains(type)
        else { return }
        throw BackupError(.damaged, "\(path) isn't a file, so it can't be a backup")
    }

    /// Opens a backup for reading, with the functions and collations that its schema needs. Throws
    /// if it can't be restored.
    private func openBackup(
        _ location: StorageLocation,
        for writer: Connection
    ) throws -> Connection {
        let path = location.path
        try refuseSpecialFile(path)
        do {
            let backup = try readerSource.forFile(at: location, readOnly: true).open(
                Cancellation(sharingFlagOf: writer.cancellation)
            )
            try Backup.refuseSameFile(backup.fileName, writer.fileName)
            guard try backup.hasSchema() else {
                throw BackupError(.damaged, "\(path) is empty, and no backup of a database")
            }
            try backup.refuseDamage(message: "\(path) is damaged, and wasn't restored")
            try refuseUnsafeTables(of: backup)
            return backup
        } catch let error as SQLiteError
            where [.notADatabase, .corrupt, .readOnly].contains(error.resultCode)
        {
            // SQLite's error names neither the file nor a statement of the caller's.
            let advice = error.resultCode == .notADatabase ? "; \(BackupError.keyAdvice)" : ""
            throw SQLiteError(
                code: error.extendedResultCode,
                message: "\(path) can't be restored: \(error.message)\(advice)"
            )
        }
    }

    /// Throws if a table of the backup's calls a function that a hardened connection refuses.
    /// SQLite leaves CHECK constraints out where it can only read, so the tables are made in a
    /// database in memory.
    private func refuseUnsafeTables(of backup: Connection) throws {
        guard backup.isHardened else { return }
        let model = try backup.openSibling(at: .inMemory) { $0.key = nil }
        for closure in writerLane.preparations.closures.value
            + readerSource.preparations.closures.value
        {
            // It may need a table, which isn't there.
            try? model.lending(closure)
        }
        model.distrustSchemaWithOthersFunctions()
        model.allowSystemTables()
        try model.shielded {
            // No preparation's table has the name of one of the backup's, and names that only
            // SQLite itself may give are accepted.
            try model.execute(
                """
                PRAGMA query_only = OFF;
                PRAGMA writable_schema = ON;
                DELETE FROM sqlite_schema;
                PRAGMA writable_schema = RESET;
                PRAGMA writable_schema = ON
                """
            )
            for table in try backup.query(
                "SELECT sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
            ) as [SQL] {
                do {
                    _ = try model.prepare(table)
                } catch let error as SQLiteError where error.message.contains("unsafe use of") {
                    throw SQLiteError(code: .corrupt, message: error.message)
                } catch {
                    // SQLite accepts more in a schema that it reads than in a new table.
                }
            }
        }
    }
}
