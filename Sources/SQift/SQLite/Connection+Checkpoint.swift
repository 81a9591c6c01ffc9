internal import CSQift
import Foundation

extension Connection {
    /// How far a checkpoint goes. https://sqlite.org/c3ref/wal_checkpoint_v2.html
    public enum CheckpointMode: Sendable {
        /// Moves what it can without waiting for anybody, which may be a part.
        case passive
        /// Waits, as the busy handler says, for the writer and for readers of older states, and
        /// moves everything.
        case full
        /// As `full`, and then waits for all readers of the WAL, so that the next write starts it
        /// from its beginning.
        case restart
        /// As `restart`, and truncates the WAL file to zero bytes.
        case truncate

        fileprivate var code: Int32 {
            switch self {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    /// What a checkpoint did.
    public struct CheckpointResult: Sendable, Hashable {
        /// How many frames, of one page each, the WAL had; 0 after `.truncate`, and -1 where the
        /// journal isn't a WAL.
        public let logFrames: Int
        /// How many of them are in the database file now.
        public let checkpointedFrames: Int
        /// Whether that is all of them. It is false after `.passive` only; the other modes throw.
        public var isComplete: Bool { checkpointedFrames == logFrames }
    }

    /// Moves what was committed from the WAL into the database file.
    ///
    /// SQLite does so by itself every 1,000 pages. To ship or copy a single file: `VACUUM` if it
    /// should be small, then this, and nobody else connected.
    ///
    /// - Parameters:
    ///   - name: The database's name; nil means all attached ones, of which the result is `main`'s.
    ///   - mode: How far to go.
    /// - Throws: `SQLiteError`: `SQLITE_BUSY` if another connection's read or write kept it from
    ///   being complete, in any mode but `.passive`, and if another connection checkpoints;
    ///   `SQLITE_LOCKED` inside a transaction.
    ///
    /// https://sqlite.org/wal.html#ckpt
    @discardableResult public func checkpoint(
        attachedDatabaseName name: String? = "main",
        mode: CheckpointMode = .truncate
    ) throws -> CheckpointResult {
        let name = try name?.withoutNUL()
        for database in try databases(name) {
            // Without this, SQLite doesn't know yet that there is a WAL, and does nothing. It also
            // notices a name that isn't there.
            try run("PRAGMA \(database.quotedAsIdentifier).schema_version")
        }
        return try withUnsafeHandle { handle in
            var frames: Int32 = -1
            var moved: Int32 = -1
            let code = sqlite3_wal_checkpoint_v2(handle, name, mode.code, &frames, &moved)
            guard code == SQLITE_OK else {
                var error = error(code, hasOffset: false)
                // Of several databases these would be main's.
                if code & 0xff == SQLITE_BUSY, name != nil, moved < frames {
                    error.message +=
                        ": the checkpoint is incomplete, \(moved) of \(frames) frames are in the database file"
                }
                throw error
            }
            return CheckpointResult(logFrames: Int(frames), checkpointedFrames: Int(moved))
        }
    }
}

/// What a connection knows of its main database's WAL, from its own commits.
struct WriteAheadLog {
    /// How many frames it had after the last one.
    var frames: Int32 = 0
    /// From how many on a commit moves what it can into the database file; 0 is never.
    var checkpointInterval: Int32 = 0
}

extension Connection {
    /// How many frames the main database's WAL had after this connection's last commit, once
    /// `observeWAL()` was called.
    var walFrames: Int { hasCallbacks ? Int(callbacks.writeAheadLog.frames) : 0 }

    /// Hears of each commit to a WAL, in the place of SQLite's automatic checkpoint, which it does
    /// itself.
    ///
    /// https://sqlite.org/c3ref/wal_hook.html
    func observeWAL() throws {
        callbacks.writeAheadLog.checkpointInterval = try query("PRAGMA wal_autocheckpoint")
        try withUnsafeHandle { handle in
            _ = sqlite3_wal_hook(
                handle,
                { callbacks, handle, name, frames in
                    guard let callbacks = Callbacks.at(callbacks), let name else {
                        return SQLITE_OK
                    }
                    if strcmp(name, "main") == 0 {
                        callbacks.writeAheadLog.frames = frames
                    }
                    let interval = callbacks.writeAheadLog.checkpointInterval
                    if interval > 0, frames >= interval {
                        sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                    }
                    return SQLITE_OK
                },
                callbacks.pointer
            )
        }
    }

    /// Moves everything into the database file, so that the next write starts the WAL from its
    /// beginning.
    ///
    /// Two generations of readers can be in the way: those that read an older state, and those that
    /// began before everything was moved. Later ones read the database file only. If the first ones
    /// haven't ended after half the time, waiting for the second ones would be in vain.
    ///
    /// - Parameter timeout: How many seconds it waits for readers at most.
    /// - Returns: Whether it could.
    func restartWAL(waiting timeout: TimeInterval) -> Bool {
        guard let handle else { return false }
        // SQLite's own waiting is for the readers' places in the WAL, which the next readers take.
        // Called anew, it sees that those read the newest state.
        return withoutBusyHandler { restartWALWithoutWaiting(handle, within: timeout) }
    }

    private func restartWALWithoutWaiting(
        _ handle: OpaquePointer,
        within timeout: TimeInterval
    ) -> Bool {
        let start = DispatchTime.now()
        while true {
            var frames: Int32 = -1
            var moved: Int32 = -1
            let mode = SQLITE_CHECKPOINT_RESTART
            let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &moved)
            if code == SQLITE_OK {
                callbacks.writeAheadLog.frames = 0
                return true
            }

            let isEverythingMoved = frames >= 0 && moved == frames
            let longestWait = isEverythingMoved ? timeout : timeout / 2
            guard code & 0xff == SQLITE_BUSY, start.secondsAgo < longestWait,
                !isCancelled
            else { return false }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }
}
