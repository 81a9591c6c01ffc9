import Foundation
internal import CSQift

/// Copies a database into another one, some pages at a time.
///
/// ```swift
/// let backup = try Backup(from: connection, to: copy)
/// while try backup.step(pages: 100) {
///     print(backup.progress.fractionCompleted)
/// }
/// try backup.finish()
/// ```
///
/// The destination is overwritten: it is the same as before until the last step, and as the source
/// then. It is lent: until the backup is finished, whatever uses its connection throws. What the
/// source's own connection writes meanwhile is carried over; a write of another connection makes
/// the next step start over, unless the source is in a read transaction. `Connection.backup` sees
/// to that, and `Database.backup` writes a file as a whole or not at all.
///
/// A backup belongs to the thread of its connections, which it keeps alive.
///
/// https://sqlite.org/backup.html
public final class Backup {
    /// How far a backup is.
    public struct Progress: Sendable, Hashable {
        /// How many pages the source has, as of the last step; 0 before the first one.
        public let pageCount: Int
        /// How many of them are still to be copied. It rises when a backup starts over.
        public let remainingPageCount: Int
        /// How many are copied.
        public var completedPageCount: Int { pageCount - remainingPageCount }
        /// From 0 to 1. An empty database is complete.
        public var fractionCompleted: Double {
            pageCount == 0 ? 1 : Double(completedPageCount) / Double(pageCount)
        }
    }

    /// How far it is.
    public private(set) var progress = Progress(pageCount: 0, remainingPageCount: 0)
    /// For how many seconds a step waits for locks of other connections.
    public var timeout: TimeInterval = 5

    private let source: Connection
    private let sourceName: String
    private let destination: Connection
    private let destinationName: String
    private let paths: (String, String)
    private var handle: OpaquePointer?
    private var isDone = false
    private var hasFailed = false

    /// Begins a backup. Nothing is copied before the first step.
    ///
    /// - Parameters:
    ///   - source: The connection to copy from.
    ///   - sourceName: The database to copy: `main`, `temp` or the name of an attached one.
    ///   - destination: The connection to copy to, which must not be in a transaction.
    ///   - destinationName: The database to overwrite.
    /// - Throws: `BackupError` if both are the same file, or hold text in different encodings;
    ///   `SQLiteError` if one of them is not there, or the destination is in use.
    ///
    /// https://sqlite.org/c3ref/backup_finish.html
    public init(
        from source: Connection,
        databaseNamed sourceName: String = "main",
        to destination: Connection,
        as destinationName: String = "main"
    ) throws {
        (self.source, self.destination) = (source, destination)
        (self.sourceName, self.destinationName) = (
            try sourceName.withoutNUL(), try destinationName.withoutNUL()
        )
        try source.checkObstacles()
        try destination.checkObstacles()
        let files = try (source.file(of: sourceName), destination.file(of: destinationName))
        paths = (files.0 ?? "a database without a file", files.1 ?? "a database without a file")
        guard source !== destination else {
            throw BackupError(
                .sameDatabase,
                "\(paths.0) and \(paths.1) are of one connection: open another one"
            )
        }
        if let file = files.0, let other = files.1 {
            try refuseSameFile(file, other)
        }
        try retryingWhileLocked { try Backup.checkEncodings(source, destination, destinationName) }
        try source.withUnsafeHandle { sourceHandle in
            let destinationHandle = try destination.lend()
            handle = sqlite3_backup_init(
                destinationHandle,
                destinationName,
                sourceHandle,
                sourceName
            )
            guard handle == nil else { return }
            destination.takeBack()
            throw destination.error(sqlite3_extended_errcode(destinationHandle), hasOffset: false)
        }
    }

    /// SQLite takes the copy of a database in another encoding, and then can't read it through the
    /// connections that are open.
    private static func checkEncodings(
        _ source: Connection,
        _ destination: Connection,
        _ name: String
    ) throws {
        let encoding: String = try source.query("PRAGMA encoding")
        let isEmpty = try destination.query("PRAGMA \(name.quotedAsIdentifier).page_count") == 0
        if isEmpty, name.lowercased() == "main" {
            try destination.run("PRAGMA encoding = '\(encoding)'")
        }
        let other: String = try destination.query("PRAGMA encoding")
        guard encoding != other else { return }
        let encodings = "the source's text is \(encoding), the destination's \(other)"
        throw BackupError(.textEncoding, "\(encodings): copy to a new database")
    }

    deinit {
        end()
    }

    /// How many pages the source has, as of the last step; 0 before the first one.
    ///
    /// https://sqlite.org/c3ref/backup_finish.html#sqlite3backuppagecount
    public var pageCount: Int { progress.pageCount }

    /// How many pages are still to be copied, as of the last step; 0 before the first one.
    public var remainingPageCount: Int { progress.remainingPageCount }

    /// Copies some pages. A lock of another connection is waited for as long as `timeout` says.
    ///
    /// - Parameter pages: How many; a negative number copies all that are left.
    /// - Returns: Whether pages are left. After false the destination is the same as the source.
    /// - Throws: `SQLiteError`: `SQLITE_BUSY` and `SQLITE_LOCKED`, after which it may be called
    ///   again; any other ends the backup and leaves the destination as it was. `BackupError` for
    ///   page sizes that can't be changed.
    ///
    /// https://sqlite.org/c3ref/backup_finish.html#sqlite3backupstep
    public func step(pages: Int = 100) throws -> Bool {
        guard let handle else { throw SQLiteError.misuse("the backup is finished") }
        guard pages != 0 else {
            throw SQLiteError.misuse("a step of 0 pages copies nothing: -1 copies all")
        }
        let start = DispatchTime.now()
        while !isDone {
            try source.checkObstacles()
            if destination.isCancelled {
                throw SQLiteError(
                    code: .interrupt,
                    message: "the access that this backup belongs to was cancelled"
                )
            }
            try source.refuseOwnWrite(to: sourceName)
            let result = ResultCode(rawValue: sqlite3_backup_step(handle, Int32(clamping: pages)))
            let (count, remaining) = (
                sqlite3_backup_pagecount(handle), sqlite3_backup_remaining(handle)
            )
            progress = Progress(pageCount: Int(count), remainingPageCount: Int(remaining))
            switch result.primary {
            case .ok: return true
            case .done: isDone = true
            case .busy, .locked: if start.secondsAgo >= timeout { throw failure(result) }
            default: throw failure(result)
            }
            if !isDone {
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
        return false
    }

    /// Ends the backup, and gives the destination back: unless the last step has answered false, as
    /// it was before. It may be called again.
    ///
    /// - Throws: `SQLiteError` if SQLite couldn't finish; not again what a step has thrown.
    public func finish() throws {
        let code = end()
        if code != SQLITE_OK, !hasFailed {
            throw destination.error(code, hasOffset: false)
        }
    }

    @discardableResult private func end() -> Int32 {
        guard let finishing = handle else { return SQLITE_OK }
        handle = nil
        defer { destination.takeBack() }
        return sqlite3_backup_finish(finishing)
    }

    /// The error of a step, after which the backup is over unless the step can be tried again.
    private func failure(_ code: ResultCode) -> any Error {
        hasFailed = true
        if SQLiteError(code: code).isLock {
            return SQLiteError(code: code)
        }
        end()
        let message = "\(code.standardMessage), while \(paths.0) was copied to \(paths.1)"
        let sizes = try? (
            source.pageSize(of: sourceName), destination.pageSize(of: destinationName)
        )
        guard code.primary == .readOnly, let sizes, sizes.0 != sizes.1 else {
            return SQLiteError(code: code, message: message)
        }
        let difference = "pages of \(sizes.0) bytes in \(paths.0) and of \(sizes.1) in \(paths.1)"
        let remedy = "copy to a new file, or use Database.restore"
        return BackupError(
            .pageSize,
            "\(difference): SQLite doesn't change that in a WAL or in memory: \(remedy)"
        )
    }

    /// Copies all, and tells of the progress. Where other connections' writes have made it start
    /// over a few times, the rest is copied at once, which lets them wait.
    func run(pagesPerStep: Int, _ progress: ((Progress) throws -> Void)?) throws {
        defer { end() }
        var (restarts, remaining, isIncomplete) = (0, Int.max, true)
        while isIncomplete {
            isIncomplete = try step(pages: restarts < 3 ? pagesPerStep : -1)
            if remainingPageCount >= remaining {
                restarts += 1
            }
            remaining = remainingPageCount
            try progress?(self.progress)
        }
        try finish()
    }
}

@available(*, unavailable, message: "a backup belongs to its connections' thread")
extension Backup: Sendable {}

/// Why a backup, or a restore, wasn't made.
public struct BackupError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// What kind of error it is.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        /// The name that the reason has in Swift.
        public var description: String { name }

        /// Source and destination are one file.
        public static let sameDatabase = Reason(name: "sameDatabase")
        /// The destination's page size is another one, and can't be changed.
        public static let pageSize = Reason(name: "pageSize")
        /// The destination's text has another encoding, and can't be changed.
        public static let textEncoding = Reason(name: "textEncoding")
        /// The destination is open elsewhere.
        public static let destinationInUse = Reason(name: "destinationInUse")
        /// The destination isn't a place for a backup: a folder, a device, a file of another kind.
        public static let unsuitableDestination = Reason(name: "unsuitableDestination")
        /// The new backup is in place of the old one, but may not outlast a power failure: its
        /// folder couldn't be synced to the disk.
        public static let notSynced = Reason(name: "notSynced")
        /// The copy didn't pass SQLite's integrity check, so the source wouldn't either; or the
        /// backup to restore.
        public static let damaged = Reason(name: "damaged")
    }

    /// What kind of error it is.
    public let reason: Reason
    /// What happened, to which database, and what to do about it.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        (self.reason, self.message) = (reason, message)
    }

    /// The message.
    public var description: String { message }

    /// The same as `description`.
    public var errorDescription: String? { message }

    /// The error as SQift 5.1 had it, from SQLite.
    var asSQLiteError: SQLiteError {
        SQLiteError(code: reason == .pageSize ? .readOnly : .error, message: message)
    }
}
