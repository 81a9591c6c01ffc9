import Foundation

/// Keeps a WAL near its limit. SQLite reuses the WAL only after every reader has left it, which
/// overlapping readers can postpone forever.
final class WALTrimmer: Sendable {
    /// The size of the WAL file in bytes beyond which the WAL is started from its beginning again.
    private let limit: Int
    /// Before this time no write looks at the WAL's size or waits for readers.
    private let nextLook = Locked(DispatchTime.now())

    /// Returns nil if there is no WAL, or it isn't this database that keeps it short.
    init?(_ connection: Connection, _ configuration: Database.Configuration) throws {
        guard configuration.accessMode == .readWrite, configuration.checkpoints == .automatic,
            let limit = configuration.journalSizeLimit, limit >= 0, try connection.isInWALMode()
        else { return nil }
        // Each frame has a header of 24 bytes: https://sqlite.org/fileformat2.html#walformat
        // Automatic checkpoints take care of a WAL up to 1,000 pages.
        self.limit = try max(limit, 1000 * (connection.pageSize() + 24))
    }

    /// Called after each access to the connection that writes.
    func trim(_ connection: Connection) {
        guard .now() >= nextLook.value, !connection.isInsideTransaction, !connection.isCancelled
        else { return }
        // Asking the file costs as much as a small commit does, and in 10 ms little is written.
        var pause = 0.01
        // In seconds, for two generations of readers, one after the other.
        let longestWait = 0.2
        if connection.walSize > limit, !connection.restartWAL(waiting: longestWait) {
            // Most of the time is left for writing.
            pause = 10 * longestWait
        }
        nextLook.withLock { $0 = .now() + pause }
    }
}
