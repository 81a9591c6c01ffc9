internal import CSQift
import Foundation

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
/// The destination is overwritten. It keeps its old content until the last step, and then has the
/// source's. Until the backup is finished, every use of the destination's connection throws.
///
/// If the source's own connection writes between two steps, its changes are copied too. If another
/// connection writes, the next step starts over, unless the source is in a read transaction.
/// `Connection.backup` takes care of that. `Database.backup` writes a file as a whole or not at
/// all.
///
/// A backup keeps its connections alive. Use it from their thread.
///
/// SQLite: [Using the SQLite Online Backup API](https://sqlite.org/backup.html)
public final class Backup {
    /// How much of a backup is done.
    public struct Progress: Sendable, Hashable {
        /// How many pages the source had at the last step; 0 before the first one.
        public let pageCount: Int

        /// How many pages still have to be copied. The number rises when a backup starts over.
        public let remainingPageCount: Int

        /// How many pages are copied.
        public var completedPageCount: Int { pageCount - remainingPageCount }

        /// From 0 to 1. An empty database is complete.
        public var fractionCompleted: Double {
            pageCount == 0 ? 1 : Double(completedPageCount) / Double(pageCount)
        }
    }

    /// Is told how much is done. If it throws, the copying ends.
    public typealias ProgressReceiver = (Progress) throws -> Void

    /// One of the two databases.
    private struct Endpoint {
        let connection: Connection
        let name: String
        let file: String?

        init(_ connection: Connection, databaseNamed name: String) throws {
            self.connection = connection
            self.name = name
            // A name that contains a NUL byte throws here, too.
            file = try connection.file(of: name)
            try connection.checkObstacles()
        }

        var path: String { file ?? "a database without a file" }

        var pageSize: Int {
            get throws { try connection.pageSize(of: name) }
        }
    }

    /// How much is done.
    public private(set) var progress = Progress(pageCount: 0, remainingPageCount: 0)

    /// How many seconds a step waits for locks of other connections.
    public var timeout: TimeInterval = 5

    private let source: Endpoint
    private let destination: Endpoint
    private var handle: OpaquePointer?
    private var isDone = false

    /// Begins a backup. Nothing is copied before the first step.
    ///
    /// - Parameters:
    ///   - source: The connection to copy from.
    ///   - sourceName: The database to copy: `main`, `temp` or the name of an attached one.
    ///   - destination: The connection to copy to. It must not be in a transaction.
    ///   - destinationName: The database to overwrite.
    /// - Throws: ``BackupError`` if both are the same file, have text in different encodings, or if
    ///   only one of them is encrypted, or both with pages of different sizes; ``SQLiteError`` if
    ///   one of them doesn't exist or the destination is in use.
    ///
    /// SQLite: [sqlite3_backup_finish](https://sqlite.org/c3ref/backup_finish.html)
    public init(
        from source: Connection,
        databaseNamed sourceName: String = "main",
        to destination: Connection,
        as destinationName: String = "main"
    ) throws {
        self.source = try Endpoint(source, databaseNamed: sourceName)
        self.destination = try Endpoint(destination, databaseNamed: destinationName)
        try Backup.refuseSameFile(self.source.file, self.destination.file)
        guard source !== destination,
            !sqift_share_memory(source.handle, sourceName, destination.handle, destinationName)
        else {
            throw BackupError(
                .sameDatabase,
                "\(self.source.path) and \(self.destination.path) must be two, of two connections"
            )
        }
        try destination.refuseRunningStatements("\(self.destination.path) can't be overwritten")
        try source.retryingWhileLocked(matchFormats)

        try source.withUnsafeHandle { sourceHandle in
            let destinationHandle = try destination.beginOverwriting()
            // "the application must guarantee that the destination database connection is not
            // passed to any other API (by any thread) after sqlite3_backup_init() is called and
            // before the corresponding call to sqlite3_backup_finish()":
            // https://sqlite.org/c3ref/backup_finish.html
            handle = sqlite3_backup_init(
                destinationHandle,
                destinationName,
                sourceHandle,
                sourceName
            )
            guard handle == nil else { return }
            destination.endOverwriting()
            let error = destination.error(sqlite3_extended_errcode(destinationHandle))
            // What an SQLite that encrypts says if only one of the databases has a key, or their
            // pages differ.
            guard error.message.hasPrefix("backup is not supported with") else { throw error }
            throw pageSizeError()
                ?? BackupError(
                    .encryption,
                    """
                    \(self.source.path) or \(self.destination.path) is encrypted, the other \
                    isn't: \(BackupError.keyAdvice)
                    """
                )
        }
    }

    deinit {
        try? finish()
    }

    /// Gives an empty destination the source's page size, which it must have before if it has a
    /// key, and text encoding. Throws if the encodings differ: SQLite would make the copy anyway,
    /// and the open connections then couldn't read it.
    private func matchFormats() throws {
        let database = destination.name.quotedAsIdentifier
        let encoding: String = try source.connection.query("PRAGMA encoding")
        if try destination.connection.query("PRAGMA \(database).page_count") == 0 {
            try destination.connection.run("PRAGMA \(database).page_size = \(source.pageSize)")
            if destination.name.lowercased() == "main" {
                try destination.connection.run("PRAGMA encoding = '\(encoding)'")
            }
        }

        let other: String = try destination.connection.query("PRAGMA encoding")
        guard encoding != other else { return }
        throw BackupError(
            .textEncoding,
            "the source's text is \(encoding), the destination's \(other): copy to a new database"
        )
    }

    /// How many pages the source had at the last step; 0 before the first one.
    ///
    /// SQLite: [sqlite3_backup_pagecount](
    /// https://sqlite.org/c3ref/backup_finish.html#sqlite3backuppagecount)
    public var pageCount: Int { progress.pageCount }

    /// How many pages still had to be copied after the last step; 0 before the first one.
    public var remainingPageCount: Int { progress.remainingPageCount }

    /// Copies some pages. It waits for locks of other connections, at most as long as ``timeout``.
    ///
    /// - Parameter pages: How many pages; a negative number copies all that are left.
    /// - Returns: Whether pages are left. If not, the destination is now the same as the source.
    /// - Throws: `SQLiteError`: after `SQLITE_BUSY` and `SQLITE_LOCKED` it may be called again;
    ///   `SQLITE_MISUSE` for 0 pages and after ``finish()``. Any other error of the copying ends
    ///   the backup and leaves the destination as it was. After an error that comes before the
    ///   copying, such as a cancellation's `SQLITE_INTERRUPT`, call ``finish()``. ``BackupError``
    ///   for page sizes that can't be changed.
    ///
    /// SQLite: [sqlite3_backup_step](https://sqlite.org/c3ref/backup_finish.html#sqlite3backupstep)
    public func step(pages: Int = 100) throws -> Bool {
        guard let handle else { throw misuse("the backup is finished") }
        guard pages != 0 else {
            throw misuse("a step of 0 pages copies nothing: -1 copies all")
        }
        guard !isDone else { return false }
        guard destination.connection.isLent else { throw destination.connection.unusableError }
        try source.connection.refuseOwnWrite(to: source.name)
        return try source.connection.retryingWhileLocked(for: timeout) {
            if destination.connection.isCancelled {
                throw SQLiteError(
                    code: .interrupt,
                    message: "the access that this backup belongs to was cancelled"
                )
            }

            // "If the source database is modified by an external process or via a database
            // connection other than the one being used by the backup operation, then the backup
            // will be automatically restarted by the next call to sqlite3_backup_step().":
            // https://sqlite.org/c3ref/backup_finish.html
            let result = ResultCode(sqlite3_backup_step(handle, Int32(clamping: pages)))
            progress = Progress(
                pageCount: Int(sqlite3_backup_pagecount(handle)),
                remainingPageCount: Int(sqlite3_backup_remaining(handle))
            )
            isDone = result == .done
            guard isDone || result == .ok else { throw failure(result) }
            return !isDone
        }
    }

    /// Ends the backup, and makes the destination's connection usable again. If pages are left, the
    /// destination is as it was before. It may be called again.
    ///
    /// - Throws: Nothing at present: SQLite only reports the error of a step again, which has
    ///   thrown it.
    public func finish() throws {
        guard let finishing = handle else { return }
        handle = nil
        sqlite3_backup_finish(finishing)
        destination.connection.endOverwriting()
        if isDone {
            destination.connection.state.observer?.noteWrite(to: nil)
        }
    }

    /// Returns the error of a step, and ends the backup unless the step can be tried again.
    private func failure(_ code: ResultCode) -> any Error {
        let error = SQLiteError(code: code)
        if error.isLock {
            return error
        }
        try? finish()
        // On a full disk, SQLite leaves the journal and what it has written to the next read.
        destination.connection.readFirstPage()
        if code.primary == .readOnly, let error = pageSizeError() {
            return error
        }
        var message =
            "\(code.standardMessage), while \(source.path) was copied to \(destination.path)"
        if code.primary == .cantOpen {
            message += ": no journal can be created beside it; its name may be too long for that"
        }
        return SQLiteError(code: code, message: message)
    }

    private func pageSizeError() -> BackupError? {
        guard let size = try? source.pageSize,
            let otherSize = try? destination.pageSize,
            size != otherSize
        else { return nil }
        return BackupError(
            .pageSize,
            """
            pages of \(size) bytes in \(source.path) and of \(otherSize) in \(destination.path): \
            SQLite doesn't change that with a key, in a WAL or in memory: copy to a new file, or \
            without a key use Database.restore
            """
        )
    }
}

extension Backup {
    /// Throws if both paths are names of one file. A symbolic link counts as a file of its own:
    /// SQLite and `sqift_real_path` have followed links already, and one at the path of a copy is
    /// removed without touching what it leads to.
    static func refuseSameFile(_ path: String?, _ other: String?) throws {
        var file = stat()
        var otherFile = stat()
        guard let path, let other, lstat(path, &file) == 0, lstat(other, &otherFile) == 0,
            (file.st_dev, file.st_ino) == (otherFile.st_dev, otherFile.st_ino)
        else { return }
        throw BackupError(.sameDatabase, "\(path) and \(other) are the same file")
    }
}
