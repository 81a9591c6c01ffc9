import Foundation

/// Keeps a WAL near its limit: SQLite cuts it back only when it starts anew, which readers that overlap can put off for ever.
final class WALTrimmer: Sendable {
    /// The WAL's length, in frames, beyond which it is made to start anew.
    private let frameLimit: Int
    // When to try again after readers were in the way.
    private let nextAttempt = Locked(Date.distantPast)

    /// How long a write waits for readers, in seconds. A failed attempt is followed by ten times that without one.
    private static let longestWait: TimeInterval = 0.1

    /// Answers nil where there is no WAL, or no limit.
    init?(_ connection: Connection, limit: Int) throws {
        let journalMode: String = try connection.query("PRAGMA journal_mode")
        guard limit >= 0, journalMode == "wal" else { return nil }
        let pageSize: Int = try connection.query("PRAGMA page_size")
        // Each frame has a header of 24 bytes: https://sqlite.org/fileformat2.html#walformat
        // A WAL that is no longer than between two automatic checkpoints is left to those.
        frameLimit = max(limit / (pageSize + 24), 1000)
        try connection.observeWAL()
    }

    /// Called after each access to the connection that writes.
    func trim(_ connection: Connection) {
        guard connection.walFrames > frameLimit, !connection.isInsideTransaction else { return }
        guard Date() >= nextAttempt.withLock({ $0 }) else { return }
        if !connection.restartWAL(waiting: Self.longestWait) {
            nextAttempt.withLock { $0 = Date(timeIntervalSinceNow: 10 * Self.longestWait) }
        }
    }
}
