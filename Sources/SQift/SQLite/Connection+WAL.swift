internal import CSQift
import Foundation

// The WAL, which a Database keeps short, or leaves alone.
extension Connection {
    /// Sets whether the `-wal` and the `-shm` of a database stay beside its file when the last
    /// connection to it is closed.
    ///
    /// SQLite removes them by default, and Apple's SQLite keeps them. A ``Database`` has them
    /// removed. A process that may not write into the folder needs them: it can open a database in
    /// WAL mode only while they are there. The connection that is closed last decides. A database
    /// without a file ignores this, and so does another VFS than SQLite's own.
    ///
    /// - Parameters:
    ///   - isPersistent: Whether they stay.
    ///   - database: The name of the database: `main`, or an attached one.
    /// - Throws: `SQLiteError` if there is no such database.
    ///
    /// SQLite: [SQLITE_FCNTL_PERSIST_WAL](
    /// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlpersistwal)
    public func setPersistentWAL(_ isPersistent: Bool, database: String = "main") throws {
        let name = try database.withoutNUL()
        try withUnsafeHandle { handle in
            guard sqlite3_db_readonly(handle, name) >= 0 else {
                throw SQLiteError(code: .error, message: "unknown database \(database)")
            }
            var value: Int32 = isPersistent ? 1 : 0
            sqlite3_file_control(handle, name, SQLITE_FCNTL_PERSIST_WAL, &value)
        }
    }

    /// Whether the journal of a database is a WAL.
    func isInWALMode(_ database: String = "main") throws -> Bool {
        try shielded { try query("PRAGMA \(database.quotedAsIdentifier).journal_mode") == "wal" }
    }

    /// Stops SQLite from making checkpoints by itself: after a commit, and when the last connection
    /// is closed, which would delete the WAL too.
    ///
    /// SQLite: [SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE](
    /// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose)
    func stopCheckpoints() throws {
        // "the wal_autocheckpoint pragma both invoke sqlite3_wal_hook() and will overwrite any
        // prior sqlite3_wal_hook() settings": https://sqlite.org/c3ref/wal_hook.html
        try execute("PRAGMA wal_autocheckpoint = 0")
        dbConfig(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: 1)
    }

    /// The size of the main database's WAL file in bytes; 0 before its first use, and while the
    /// connection can't be used.
    ///
    /// SQLite: [SQLITE_FCNTL_JOURNAL_POINTER](
    /// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntljournalpointer)
    var walSize: Int64 {
        guard let handle else { return 0 }
        var file: UnsafeMutablePointer<sqlite3_file>?
        var size: sqlite3_int64 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        _ = file?.pointee.pMethods?.pointee.xFileSize(file, &size)
        return size
    }

    /// Checkpoints everything, so that the next write starts the WAL from its beginning.
    ///
    /// Two generations of readers can prevent it: those that read an older state, and those that
    /// began before everything was moved. Later readers use the database file only.
    ///
    /// - Parameter timeout: How many seconds it waits for readers at most.
    /// - Returns: Whether the WAL was restarted.
    func restartWAL(waiting timeout: TimeInterval) -> Bool {
        let mode = SQLITE_CHECKPOINT_RESTART
        // SQLite's busy handler would wait until a reader's slot in the WAL is free, and the next
        // readers keep taking it. A new call notices that they read the newest state.
        let restart: Void? = withoutWaiting {
            try? retryingWhileLocked(for: timeout) {
                try check(sqlite3_wal_checkpoint_v2(handle, "main", mode, nil, nil))
            }
        }
        return restart != nil
    }
}
