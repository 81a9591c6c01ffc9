import Foundation

/// Keeps a WAL near its limit. SQLite reuses the WAL only after every reader has left it, which
/// overlapping readers can postpone forever.
final class WALTrimmer: Sendable {
    /// The WAL's length in frames beyond which it is started from its beginning again.
    private let frameLimit: UInt
    /// How many frames the WAL had after the last commit.
    private let length = AtomicWords(count: 1)
    /// When readers were last in the way.
    private let lastFailure = Locked<DispatchTime?>(nil)

    /// How many seconds a write waits for readers at most: for two generations of them, one after
    /// the other.
    private static let longestWait: TimeInterval = 0.2
    /// How many seconds no write waits after a failure, so that most of the time is left for
    /// writing.
    private static let pause: TimeInterval = 10 * longestWait

    /// Returns nil if there is no WAL, or no limit.
    ///
    /// - Parameter limit: The WAL's length in bytes; a negative number is no limit.
    init?(_ connection: Connection, limit: Int) throws {
        let journalMode: String = try connection.query("PRAGMA journal_mode")
        guard limit >= 0, journalMode == "wal" else { return nil }
        let pageSize = try connection.pageSize(of: "main")
        // Each frame has a header of 24 bytes: https://sqlite.org/fileformat2.html#walformat
        // Automatic checkpoints take care of a WAL up to 1,000 pages.
        frameLimit = UInt(max(limit / (pageSize + 24), 1000))
        try observe(connection)
    }

    /// Learns the WAL's length from the connection that writes from now on.
    func observe(_ connection: Connection) throws {
        try connection.observeWAL(recording: length)
    }

    /// Called after each access to the connection that writes.
    @Sendable func trim(_ connection: Connection) {
        guard length[0] > frameLimit, !connection.isInsideTransaction,
            !connection.isCancelled
        else { return }
        let failure = lastFailure.withLock { $0 }
        if let failure, failure.secondsAgo < Self.pause {
            return
        }

        let hasRestarted = connection.restartWAL(waiting: Self.longestWait)
        if hasRestarted {
            length[0] = 0
        }
        lastFailure.withLock { $0 = hasRestarted ? nil : DispatchTime.now() }
    }
}
