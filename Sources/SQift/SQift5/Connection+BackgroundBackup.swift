import Foundation

extension Connection {
    /// How a backup in SQift 5.1's form ended.
    public enum BackupResult: Sendable {
        /// The destination is the same as the source.
        case success
        /// The destination is as it was.
        case failure(any Error)
        /// The backup was cancelled through its `Progress`. The destination is as it was.
        case cancelled

        /// Whether the result is `success`.
        public var isSuccess: Bool { if case .success = self { true } else { false } }

        /// Whether the result is `failure`.
        public var isFailure: Bool { if case .failure = self { true } else { false } }

        /// Whether the result is `cancelled`.
        public var isCancelled: Bool { if case .cancelled = self { true } else { false } }
    }

    /// Copies one of this connection's databases into another connection's in the background, as in
    /// SQift 5.1.
    ///
    /// You can use this connection meanwhile: the backup reads the file through a connection of its
    /// own, which sees what is committed. In WAL mode it copies the state at this moment. With
    /// another journal it copies step by step, and a write makes it start over. A database without
    /// a file is copied before this method returns. An attached database with another key than
    /// `main` is refused: use the form without a completion.
    ///
    /// Don't use the destination's connection and its statements before the completion is called:
    /// until then every use throws. The backup keeps its queue, or a thread of it, until it ends,
    /// even while it is paused.
    ///
    /// - Parameters:
    ///   - name: The database to copy: `main`, `temp` or the name of an attached one.
    ///   - destination: The connection to copy to. It must not be in a transaction.
    ///   - destinationName: The database to overwrite.
    ///   - pageSize: How many pages are copied at a time; a negative number copies all at once.
    ///   - backupQueue: The queue that copies.
    ///   - completionQueue: The queue that calls the completion.
    ///   - completion: Called once.
    /// - Returns: The progress in pages. It can be paused, resumed and cancelled from any thread.
    /// - Throws: `SQLiteError`, even where `Backup.init` throws a `BackupError`, and inside a write
    ///   transaction. The completion's errors are the same.
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
            throw misuse("a step of 0 pages copies nothing: -1 copies all")
        }
        let progress = Progress(totalUnitCount: 1)
        progress.isPausable = true
        progress.isCancellable = true
        let backup: Locked<UncheckedSendable<Backup?>>
        do {
            let value = try Backup(
                from: connectionForBackground(databaseNamed: name),
                to: destination,
                as: destinationName
            )
            backup = Locked(UncheckedSendable(value: value))
        } catch let error as BackupError {
            throw error.asSQLiteError
        } catch var error as SQLiteError where error.resultCode == .notADatabase {
            error.message += "; with another key than main's, use backup without a completion"
            throw error
        }
        backupQueue.async {
            let result = backup.withLock { backup in
                // The source's connection is closed before the completion is called.
                defer { backup.value = nil }
                return backup.value?.copyEverything(pagesPerStep: Int(pageSize), as: progress)
            }
            completionQueue.async { result.map(completion) }
        }
        return progress
    }

    /// Returns a connection that another thread may use. Its `main` has the content that this
    /// connection sees in the database.
    private func connectionForBackground(databaseNamed name: String) throws -> Connection {
        try refuseOwnWrite(to: name)
        guard let file = try file(of: name) else {
            let copy = try Connection(storageLocation: .temporary)
            try backup(databaseNamed: name, to: copy, pagesPerStep: -1)
            return copy
        }

        let source = try openSibling(
            at: location(ofFile: file, of: name),
            onVFSOf: name,
            isIndependent: true
        ) { configuration in
            configuration.busyTimeout = 0
            configuration.readOnly = true
        }
        if try source.retryingWhileLocked({ try source.isInWALMode() }) {
            try source.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
        }
        return source
    }
}

extension Backup {
    /// Copies everything, unless the progress is cancelled. While that is paused, this waits.
    fileprivate func copyEverything(
        pagesPerStep: Int,
        as progress: Foundation.Progress
    ) -> Connection.BackupResult {
        do {
            while !progress.isCancelled {
                if progress.isPaused {
                    Thread.sleep(forTimeInterval: 0.001)
                    continue
                }
                let isIncomplete = try step(pages: pagesPerStep)
                progress.totalUnitCount = Int64(pageCount)
                progress.completedUnitCount = Int64(self.progress.completedPageCount)
                guard isIncomplete else { return .success }
            }
            return .cancelled
        } catch {
            return .failure((error as? BackupError)?.asSQLiteError ?? error)
        }
    }
}

extension BackupError {
    /// The error as SQift 5.1 threw it: SQLite's.
    fileprivate var asSQLiteError: SQLiteError {
        SQLiteError(code: reason == .pageSize ? .readOnly : .error, message: message)
    }
}
