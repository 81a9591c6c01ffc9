/// The error of a backup or a restore.
public struct BackupError: ReasonedError, Hashable {
    /// The kinds of error. Later versions may add some, so give a `switch` a `default`.
    public enum Reason: Sendable {
        /// Source and destination are the same file, or belong to the same connection.
        case sameDatabase

        /// The destination has another page size, which can't be changed.
        case pageSize

        /// The destination's text has another encoding, which can't be changed.
        case textEncoding

        /// One of the databases is encrypted and the other isn't.
        case encryption

        /// The destination is open elsewhere, or another backup is writing it.
        case destinationInUse

        /// A backup can't replace the destination: it isn't a path, it is a folder or a device, or
        /// it is a file that can't be opened as a database (of another kind, damaged, or with
        /// another key).
        case unsuitableDestination

        /// The new backup has replaced the old one, but it may not survive a power failure: its
        /// folder couldn't be synced to the disk.
        case notSynced

        /// The database to back up has no tables, views or other objects, and the backup that it
        /// would replace has some: an app's new or lost file never replaces its last backup.
        case emptySource

        /// The copy didn't pass SQLite's integrity check, so the source wouldn't pass it either.
        /// Or the backup to restore didn't pass it.
        case damaged
    }

    /// The kind of error.
    public let reason: Reason

    /// What happened, to which database, and what to do about it.
    public let message: String

    /// What to do about a database and a backup that don't have the same key.
    static let keyAdvice =
        "both need a key or none: open one as the other was, or copy it (Docs/Encryption.md)"

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}
