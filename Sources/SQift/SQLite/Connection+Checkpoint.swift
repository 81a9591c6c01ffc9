internal import CSQift

extension Connection {
    /// How much a checkpoint does, with SQLite's number.
    ///
    /// SQLite: [sqlite3_wal_checkpoint_v2](https://sqlite.org/c3ref/wal_checkpoint_v2.html)
    public enum CheckpointMode: Int32, Sendable {
        /// Copies as many frames as it can without waiting.
        case passive = 0
        /// Copies all frames. It waits for the writer and for readers of older states, as the busy
        /// handler says.
        case full
        /// Does the same as `full`, and then waits for all readers of the WAL, so that the next
        /// write starts the WAL from its beginning.
        case restart
        /// Does the same as `restart`, and truncates the WAL file to zero bytes.
        case truncate
    }

    /// The result of a checkpoint.
    public struct CheckpointResult: Sendable, Hashable {
        /// How many frames the WAL had, of one page each; 0 after `.truncate`, and -1 if the
        /// journal isn't a WAL.
        public let logFrames: Int
        /// How many of these frames are in the database file now.
        public let checkpointedFrames: Int
        /// Whether all frames are in the database file. It can be false only after `.passive`: the
        /// other modes throw.
        public var isComplete: Bool { checkpointedFrames == logFrames }
    }

    /// Checkpoints the WAL: copies committed changes from it into the database file.
    ///
    /// ```swift
    /// let result = try connection.checkpoint(mode: .passive)
    /// print(result.checkpointedFrames, "of", result.logFrames)
    /// ```
    ///
    /// SQLite does this by itself every 1,000 pages. To ship or copy a single file, run `VACUUM` if
    /// it should be small, and then this, without other connections to the file.
    ///
    /// - Parameters:
    ///   - name: The database's name; nil means all, with the result of `main`.
    ///   - mode: How much to do.
    /// - Throws: `SQLiteError`: `SQLITE_BUSY` if another connection checkpoints or, in any mode but
    ///   `.passive`, if another connection's read or write prevents a complete checkpoint;
    ///   `SQLITE_LOCKED` inside a transaction.
    ///
    /// SQLite: [Checkpointing](https://sqlite.org/wal.html#ckpt)
    @discardableResult public func checkpoint(
        attachedDatabaseName name: String? = "main",
        mode: CheckpointMode = .truncate
    ) throws -> CheckpointResult {
        let name = try name?.withoutNUL()
        for database in try databases(name) {
            // Before its first read SQLite doesn't know that there is a WAL, and would do nothing.
            // A name that doesn't exist throws here.
            try run("PRAGMA \(database.quotedAsIdentifier).schema_version")
        }
        var frames: Int32 = -1
        var moved: Int32 = -1
        // "The busy-handler callback is never invoked in the SQLITE_CHECKPOINT_PASSIVE mode.":
        // https://sqlite.org/c3ref/wal_checkpoint_v2.html
        let code = sqlite3_wal_checkpoint_v2(handle, name, mode.rawValue, &frames, &moved)
        guard code == SQLITE_OK else {
            var error = error(code)
            // For several databases the numbers would be those of `main`.
            if code & 0xff == SQLITE_BUSY, name != nil, moved < frames {
                error.message +=
                    """
                    : the checkpoint is incomplete, \(moved) of \(frames) frames are in the \
                    database file
                    """
            }
            throw error
        }
        return CheckpointResult(logFrames: Int(frames), checkpointedFrames: Int(moved))
    }
}
