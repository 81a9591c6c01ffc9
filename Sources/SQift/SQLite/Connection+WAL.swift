internal import CSQift
import Foundation

// Used by a Database to keep a WAL short, or to leave it alone.
extension Connection {
    /// Stops SQLite from making checkpoints by itself: after a commit, and when the last connection
    /// is closed, which would delete the WAL too.
    ///
    /// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
    func stopCheckpoints() throws {
        try execute("PRAGMA wal_autocheckpoint = 0")
        sqift_db_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
    }

    /// Installs a WAL hook that records the length of the main database's WAL. SQLite's automatic
    /// checkpoint is a WAL hook too, so this one makes that as well.
    ///
    /// - Parameter length: Where the number of the WAL's frames goes after each commit.
    ///
    /// https://sqlite.org/c3ref/wal_hook.html
    func observeWAL(recording length: AtomicWords) throws {
        let attachment = attachment(WALAttachment.self)
        attachment.length = length
        attachment.checkpointInterval = try query("PRAGMA wal_autocheckpoint")
        sqlite3_wal_hook(
            handle,
            { attachment, handle, name, frames in
                if let attachment = WALAttachment.at(attachment), let name {
                    attachment.receiveCommit(on: handle, to: name, frames: frames)
                }
                return SQLITE_OK
            },
            attachment.pointer
        )
    }

    /// Moves everything into the database file, so that the next write starts the WAL from its
    /// beginning.
    ///
    /// Two generations of readers can prevent it: those that read an older state, and those that
    /// began before everything was moved. Later readers use the database file only. If readers of
    /// the first generation are still there after half of the time, this method gives up: the other
    /// half is for the second generation.
    ///
    /// - Parameter timeout: How many seconds it waits for readers at most.
    /// - Returns: Whether the WAL was restarted.
    func restartWAL(waiting timeout: TimeInterval) -> Bool {
        let start = DispatchTime.now()
        // SQLite's busy handler would wait until a reader's slot in the WAL is free, and the next
        // readers keep taking it. A new call notices that they read the newest state.
        let restart: Void? = withoutWaiting {
            try? retryingWhileLocked(for: timeout) {
                var frames: Int32 = -1
                var moved: Int32 = -1
                let mode = SQLITE_CHECKPOINT_RESTART
                let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &moved)
                let isEverythingMoved = frames >= 0 && moved == frames
                if code != SQLITE_OK, !isEverythingMoved, start.secondsAgo >= timeout / 2 {
                    throw SQLiteError(code: .abort)
                }
                try check(code)
            }
        }
        return restart != nil
    }
}

private final class WALAttachment: ConnectionAttachment {
    var length: AtomicWords?
    /// After a commit that leaves at least as many frames, a checkpoint moves what it can into the
    /// database file; 0 means never.
    var checkpointInterval: Int32 = 0

    override func detach(from handle: OpaquePointer) {
        sqlite3_wal_hook(handle, nil, nil)
    }

    func receiveCommit(
        on handle: OpaquePointer?,
        to database: UnsafePointer<CChar>,
        frames: Int32
    ) {
        if strcmp(database, "main") == 0 {
            length?[0] = UInt(frames)
        }
        if checkpointInterval > 0, frames >= checkpointInterval {
            sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }
}
