import Foundation

/// Keeps a WAL near its limit. SQLite reuses the WAL only after every reader has left it, which
/// overlapping readers can postpone forever.
final class WALTrimmer: Sendable {
    /// The size of the WAL file in bytes beyond which the WAL is started from its beginning again.
    private let limit: Int
    /// Before this time no write looks at the WAL's size or waits for readers.
    private let nextLook = Locked(DispatchTime.now())

    /// How many seconds no write looks again, since asking the file costs as much as a small commit
    /// does. Nobody writes much meanwhile.
    private static let interval: TimeInterval = 0.01
    /// How many seconds a write waits for readers at most: for two generations of them, one after
    /// the other.
    private static let longestWait: TimeInterval = 0.2
    /// How many seconds no write waits after a failure, so that most of the time is left for
    /// writing.
    private static let pause: TimeInterval = 10 * longestWait

    /// Returns nil if there is no WAL, or it isn't this database that keeps it short.
    init?(_ connection: Connection, _ configuration: Database.Configuration) throws {
        guard configuration.accessMode == .readWrite, configuration.checkpoints == .automatic,
            let limit = configuration.journalSizeLimit, limit >= 0, try connection.isInWALMode()
        else { return nil }
        let pageSize = try connection.pageSize()
        // Each frame has a header of 24 bytes: https://sqlite.org/fileformat2.html#walformat
        // Automatic checkpoints take care of a WAL up to 1,000 pages.
        self.limit = max(limit, 1000 * (pageSize + 24))
    }

    /// Called after each access to the connection that writes.
    @Sendable func trim(_ connection: Connection) {
        let isTime = nextLook.withLock { nextLook in
            let now = DispatchTime.now()
            guard now >= nextLook else { return false }
            nextLook = now + Self.interval
            return true
        }
        guard isTime, connection.walSize > limit, !connection.isInsideTransaction,
            !connection.isCancelled
        else { return }
        if !connection.restartWAL(waiting: Self.longestWait) {
            nextLook.withLock { $0 = .now() + Self.pause }
        }
    }
}
