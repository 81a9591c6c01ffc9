import Foundation
internal import CSQift

extension Connection {
    /// Copies one of this connection's databases into another connection's, and returns when all is
    /// copied.
    ///
    /// ```swift
    /// let memory = try Connection()
    /// try connection.backup(to: memory)
    /// ```
    ///
    /// In WAL the copy is of one state, and writes of other connections go on meanwhile. With
    /// another journal they wait for a step at a time; where they make the copy start over again
    /// and again, it is made in one step. If it fails, the destination is as it was. For a backup
    /// in a file, `Database.backup` does more.
    ///
    /// - Parameters:
    ///   - name: The database to copy: `main`, `temp` or the name of an attached one.
    ///   - destination: The connection to copy to, which must not be in a transaction.
    ///   - destinationName: The database to overwrite.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`; a negative
    ///     number copies all at once.
    ///   - progress: Called after each step; what it throws ends the backup, but for the last call,
    ///     when all is copied. It must not write through this connection.
    /// - Throws: As `Backup`, and what `progress` throws.
    ///
    /// https://sqlite.org/backup.html
    public func backup(
        databaseNamed name: String = "main",
        to destination: Connection,
        as destinationName: String = "main",
        pagesPerStep: Int = 100,
        progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws {
        try pinned(name) {
            try Backup(from: self, databaseNamed: name, to: destination, as: destinationName).run(
                pagesPerStep: pagesPerStep,
                progress
            )
        }
    }

    /// Calls `body` in a read transaction if the database is in a WAL, where that is in nobody's
    /// way.
    private func pinned(_ name: String, _ body: () throws -> Void) throws {
        let database = name.quotedAsIdentifier
        let journalMode: String = try retryingWhileLocked {
            try query("PRAGMA \(database).journal_mode")
        }
        guard journalMode == "wal" else { return try body() }
        try transaction {
            // BEGIN alone pins nothing.
            try run("SELECT 1 FROM \(database).sqlite_schema LIMIT 1")
            try body()
        }
    }

    /// How a backup of SQift 5.1's form has ended.
    public enum BackupResult: Sendable {
        /// The destination is the same as the source.
        case success
        /// The destination is as it was.
        case failure(any Error)
        /// It was cancelled through its `Progress`. The destination is as it was.
        case cancelled

        /// Whether it is `success`.
        public var isSuccess: Bool { if case .success = self { true } else { false } }
        /// Whether it is `failure`.
        public var isFailure: Bool { if case .failure = self { true } else { false } }
        /// Whether it is `cancelled`.
        public var isCancelled: Bool { if case .cancelled = self { true } else { false } }
    }

    /// Copies one of this connection's databases into another connection's in the background, as
    /// SQift 5.1 did.
    ///
    /// This connection stays free: its file is read by a connection of the backup's own, which sees
    /// what is committed. In WAL that is the state of this moment; with another journal it goes
    /// step by step, and a write makes it start over. A database without a file is copied before
    /// this returns. The destination's connection and its statements must be left alone until the
    /// completion, which is the moment from which it may be used again: until then, what uses it
    /// throws.
    ///
    /// - Parameters:
    ///   - name: The database to copy: `main`, `temp` or the name of an attached one.
    ///   - destination: The connection to copy to, which must not be in a transaction.
    ///   - destinationName: The database to overwrite.
    ///   - pageSize: How many pages are copied at a time; a negative number copies all at once.
    ///   - backupQueue: Where the copying takes place.
    ///   - completionQueue: Where the completion is called.
    ///   - completion: Called once.
    /// - Returns: The progress in pages, which can be paused, resumed and cancelled from any
    ///   thread.
    /// - Throws: `SQLiteError`, also where `Backup.init` throws a `BackupError`, and inside a write
    ///   transaction. The completion's errors are such too.
    @preconcurrency @discardableResult public func backup(
        databaseNamed name: String = "main",
        to destination: Connection,
        as destinationName: String = "main",
        pageSize: Int32 = 100,
        backupQueue: DispatchQueue = .global(qos: .default),
        completionQueue: DispatchQueue = .main,
        completion: @escaping @Sendable (BackupResult) -> Void
    ) throws -> Progress {
        guard pageSize != 0 else {
            throw SQLiteError.misuse("a step of 0 pages copies nothing: -1 copies all")
        }
        let progress = Progress(totalUnitCount: 1)
        (progress.isPausable, progress.isCancellable) = (true, true)
        let backup: Backup
        do {
            backup = try Backup(from: backgroundSource(name), to: destination, as: destinationName)
        } catch let error as BackupError {
            throw error.asSQLiteError
        }
        // Nobody else keeps the backup and its source alive when it has ended.
        BackgroundBackup(backup, pages: Int(pageSize), progress, backupQueue) { result in
            completionQueue.async { completion(result) }
        }
        .schedule(after: 0)
        return progress
    }

    /// The name of the file system layer that a database's file is on.
    private func vfsName(of database: String) throws -> String? {
        try withUnsafeHandle { handle in
            var vfs: UnsafeMutablePointer<sqlite3_vfs>?
            // https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlvfspointer
            sqlite3_file_control(handle, database, SQLITE_FCNTL_VFS_POINTER, &vfs)
            return vfs.map { String(cString: $0.pointee.zName) }
        }
    }

    /// A connection that another thread may use, which reads what this one sees in a database.
    private func backgroundSource(_ name: String) throws -> Connection {
        try refuseOwnWrite(to: name)
        guard let file = try file(of: name) else {
            let copy = try Connection(storageLocation: .temporary)
            try backup(databaseNamed: name, to: copy, pagesPerStep: -1)
            return copy
        }
        var readOnly = Configuration()
        readOnly.readOnly = true
        readOnly.vfs = try vfsName(of: name)
        let source = try Connection(path: file, configuration: readOnly)
        let journalMode: String = try retryingWhileLocked {
            try source.query("PRAGMA journal_mode")
        }
        if journalMode == "wal" {
            try source.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
        }
        return source
    }
}

/// A backup that goes on by itself, one step after the other, each as a closure on a queue.
private final class BackgroundBackup: Sendable {
    private let backup: Locked<Backup?>
    private let lockedSince = Locked<DispatchTime?>(nil)
    private let pages: Int
    private let progress: Progress
    private let queue: DispatchQueue
    private let completion: @Sendable (Connection.BackupResult) -> Void

    init(
        _ backup: Backup,
        pages: Int,
        _ progress: Progress,
        _ queue: DispatchQueue,
        completion: @escaping @Sendable (Connection.BackupResult) -> Void
    ) {
        // A lock is waited for in step(), without a thread.
        backup.timeout = 0
        self.backup = Locked(backup)
        (self.pages, self.progress, self.queue, self.completion) = (
            pages, progress, queue, completion
        )
    }

    func schedule(after seconds: TimeInterval) {
        queue.asyncAfter(deadline: .now() + seconds) { self.step() }
    }

    private func step() {
        if progress.isCancelled {
            return end(.cancelled)
        }
        // A pause and a lock are looked at again a little later: no thread waits for them.
        if progress.isPaused {
            return schedule(after: 0.02)
        }
        do {
            let isIncomplete = try backup.withLock { backup in
                guard let backup else { return false }
                let isIncomplete = try backup.step(pages: pages)
                progress.totalUnitCount = Int64(backup.pageCount)
                progress.completedUnitCount = Int64(backup.progress.completedPageCount)
                if !isIncomplete {
                    try backup.finish()
                }
                return isIncomplete
            }
            lockedSince.withLock { $0 = nil }
            if isIncomplete { schedule(after: 0) } else { end(.success) }
        } catch let error as SQLiteError where error.isLock {
            let now = DispatchTime.now()
            let since = lockedSince.withLock { since in
                since = since ?? now
                return since ?? now
            }
            if since.secondsAgo < 5 { schedule(after: 0.005) } else { end(.failure(error)) }
        } catch {
            end(.failure((error as? BackupError)?.asSQLiteError ?? error))
        }
    }

    private func end(_ result: Connection.BackupResult) {
        // Its connection to the source is closed before the completion is called.
        backup.withLock { $0 = nil }
        completion(result)
    }
}
