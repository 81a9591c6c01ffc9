import Foundation
internal import CSQift

extension Connection {
    /// Writes a database to a file: as a whole, checked and on the disk, or not at all. What is
    /// there now stays until then.
    ///
    /// The copy is made beside the destination and renamed. It is one file, without a WAL, whatever
    /// the source has.
    ///
    /// - Returns: What went wrong after the new file was in place, to be thrown where nothing takes
    ///   it for a failure that left the old file: not from inside an access, whose cancellation
    ///   would have its own error thrown instead.
    func writeBackup(
        to destination: BackupDestination,
        _ pagesPerStep: Int,
        _ progress: ((Backup.Progress) throws -> Void)?
    ) throws -> BackupError? {
        let source = try file(of: "main") ?? ""
        return try destination.withLock(for: source) {
            try destination.createCopy(readableAs: source)
            let copy = try Connection(path: destination.copyPath)
            if let cancellation {
                copy.makeCancellable(by: Cancellation(sharingFlagOf: cancellation))
            }
            // All is synced at the end.
            try copy.execute("PRAGMA synchronous = OFF")
            try backup(to: copy, pagesPerStep: pagesPerStep, progress: progress)
            try copy.run("PRAGMA journal_mode = DELETE")
            let pageCount: Int = try copy.query("PRAGMA page_count")
            try copy.close()
            try checkCopy(destination.copyPath, pageCount)
            try checkObstacles()
            return try destination.putCopyInPlace(readableAs: source)
        }
    }

    /// Checks the copy through this connection, which has the functions and collations that its
    /// schema needs.
    private func checkCopy(_ path: String, _ pageCount: Int) throws {
        let (name, damage) = ("sqift_copy", "\(fileName) is damaged, no backup of it was made")
        // What a connection to a named database in memory attaches is in memory.
        if try withUnsafeHandle({ sqift_is_memdb($0, "main") != 0 }) {
            return try Connection(path: path).refuseDamage(in: "main", damage)
        }
        try attachDatabase(from: fileOnDefaultVFS(path, mode: "ro"), withName: name)
        // Not by a statement of ours, which a cancellation stops. In a transaction it does nothing:
        // that connection is closed next.
        defer { sqlite3_exec(handle, "DETACH \(name)", nil, nil, nil) }
        // SQLite would make an empty file where the copy has been removed.
        let now = try (
            query("PRAGMA \(name).page_count") as Int,
            query("PRAGMA \(name).journal_mode") as String
        )
        guard now == (pageCount, "delete") else {
            throw SQLiteError(
                code: .ioError,
                message: "the copy has changed: \(now.0) pages, \(now.1): \(path)"
            )
        }
        try refuseDamage(in: name, damage)
    }

    /// A file for this connection to attach, or to VACUUM into: on the default VFS whatever its own
    /// is, where the connection takes a URI that says so. Each one whose VFS was named does.
    func fileOnDefaultVFS(_ path: String, mode: String) -> StorageLocation {
        guard isOpenedForURIs, let vfs = sqlite3_vfs_find(nil)?.pointee.zName else {
            return .onDisk(path)
        }
        let name = String(cString: vfs).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return .uri(forFile: path, "mode=\(mode)&vfs=\(name ?? "")")
    }

    /// Throws with this message if a database doesn't pass SQLite's check.
    func refuseDamage(in database: String, _ message: String) throws {
        let problems: [String]
        do {
            // A connection that can only read leaves CHECK constraints out.
            problems = try setting(.ignoreCheckConstraints, to: true) {
                try integrityCheck(maximumErrors: 10, database: database)
            }
        } catch let error as SQLiteError where error.resultCode == .corrupt {
            problems = [error.message]
        }
        guard !problems.isEmpty else { return }
        throw BackupError(.damaged, "\(message): \(problems.joined(separator: "; "))")
    }

    /// Throws if the connection itself is writing to the database: SQLite would say that it is
    /// busy, for ever.
    func refuseOwnWrite(to database: String) throws {
        let isWriting = try withUnsafeHandle { sqift_txn_state($0, database) == SQLITE_TXN_WRITE }
        guard isWriting else { return }
        throw SQLiteError(
            code: .locked,
            message: "the source is in a write transaction of its own: end that before"
        )
    }

    /// The path of a database's file; nil if it has none.
    func file(of database: String) throws -> String? {
        let name = try database.withoutNUL()
        return try withUnsafeHandle { handle in
            if let path = sqlite3_db_filename(handle, name) {
                return path.pointee == 0 || sqift_is_memdb(handle, name) != 0
                    ? nil : String(cString: path)
            }
            // SQLite makes it when it is first used.
            if name.lowercased() == "temp" {
                return nil
            }
            throw SQLiteError(code: .error, message: "unknown database \(name)")
        }
    }

    func pageSize(of database: String) throws -> Int {
        // Read anew what is known of the file.
        _ = try schemaVersion(of: database)
        return try query("PRAGMA \(database.quotedAsIdentifier).page_size")
    }
}

/// Calls `body` again and again while other connections have a lock that it needs, for 5 seconds at
/// most.
func retryingWhileLocked<T>(_ body: () throws -> T) throws -> T {
    let start = DispatchTime.now()
    while true {
        do {
            return try body()
        } catch let error as SQLiteError
            where error.isLock && start.secondsAgo < 5
        {
            Thread.sleep(forTimeInterval: 0.002)
        }
    }
}

extension SQLiteError {
    /// Whether another connection's lock is the cause.
    var isLock: Bool { resultCode == .busy || resultCode == .locked }
}

/// Throws if both paths lead to one file, by whatever names.
func refuseSameFile(_ path: String, _ other: String) throws {
    func identity(_ path: String) -> [Int?]? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes.map { [$0[.systemNumber] as? Int, $0[.systemFileNumber] as? Int] }
    }
    guard let one = identity(path), one == identity(other) else { return }
    throw BackupError(.sameDatabase, "\(path) and \(other) are the same file")
}

/// A file that a backup is to replace, and the copy beside it.
struct BackupDestination {
    let path: String
    let copyPath: String
    /// Makes a file or a folder outlast a power failure: 0, or -1 with `errno`.
    var sync: (String) -> Int32 = { sqift_sync($0) }
    private let folder: String
    private let lockPath: String
    private static let sidecars = ["-wal", "-shm", "-journal"]

    init(_ location: StorageLocation) throws {
        guard case .onDisk(let path) = location else {
            throw BackupError(
                .unsuitableDestination,
                "a backup is a file, and needs a path: .onDisk, not \(location)"
            )
        }
        guard let real = sqift_real_path(try location.validatedName()) else {
            throw Self.failure(.cantOpen, "can't write to \(path)")
        }
        defer { free(real) }
        let url = URL(fileURLWithPath: String(cString: real))
        (self.path, folder) = (url.path, url.deletingLastPathComponent().path)
        copyPath = "\(folder)/.\(Self.shortened(url.lastPathComponent)).backup"
        lockPath = copyPath + "-lock"
        if let kind = path.hasSuffix("/") ? "a folder" : specialFileKind(self.path) {
            throw BackupError(
                .unsuitableDestination,
                "a backup is a file, and this is \(kind): \(self.path)"
            )
        }
    }

    /// A name to which more can be added where file systems end names after 143 or 255 bytes.
    ///
    /// Another process has to come to the same one: its leftovers are found by it. So this is
    /// FNV-1a and not Swift's hash. Where two names come to one, their backups exclude each other.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > 100 else { return name }
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// Calls `body` while no other process or thread makes a copy for this file. The copy is
    /// removed before and after it: one that is there before is of a process that was killed.
    func withLock<T>(for source: String, _ body: () throws -> T) throws -> T {
        for other in [path, copyPath, lockPath] {
            try refuseSameFile(source, other)
        }
        let lock = sqift_lock(lockPath)
        guard lock >= 0 else {
            if errno == EWOULDBLOCK {
                throw BackupError(.destinationInUse, "\(path) is being written by another backup")
            }
            throw Self.failure(.cantOpen, "can't lock \(lockPath)")
        }
        defer {
            remove(copyPath, andItself: true)
            unlink(lockPath)
            close(lock)
        }
        remove(copyPath, andItself: true)
        return try body()
    }

    /// Creates an empty file that nobody can read who couldn't read the other ones.
    func createCopy(readableAs source: String) throws {
        // Not by FileManager, which writes a file of another name first: a kill would leave that
        // behind.
        let copy = open(copyPath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard copy >= 0 else {
            throw Self.failure(.cantOpen, "can't write into the folder \(folder)")
        }
        close(copy)
        try setOwnerAndPermissions(readableAs: source, adding: 0o600)
    }

    /// Gives the copy the owner, the group and the permissions of what it replaces, else the
    /// permissions of what it copies.
    private func setOwnerAndPermissions(
        readableAs source: String,
        adding own: mode_t = 0
    ) throws {
        // By its descriptor: its name could be a link by now, of who may write into the folder too.
        let copy = open(copyPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard copy >= 0 else { throw Self.failure(.cantOpen, "can't open \(copyPath)") }
        defer { close(copy) }

        var model = stat()
        var permissions: mode_t = 0o644
        if stat(path, &model) == 0 {
            permissions = model.st_mode & 0o777
            // Only root gives files away; others can choose among the groups that they are in.
            let keepsOwner = fchown(copy, model.st_uid, model.st_gid) == 0
            if !keepsOwner, fchown(copy, uid_t.max, model.st_gid) != 0 {
                // What only the old group might do isn't for another one.
                permissions &= ~0o070 | (permissions & 0o007) << 3
            }
        } else if stat(source, &model) == 0 {
            permissions = model.st_mode & 0o777
        }
        guard fchmod(copy, permissions | own) == 0 else {
            throw Self.failure(.ioError, "can't set the permissions of \(copyPath)")
        }
    }

    private func remove(_ path: String, andItself isWhole: Bool) {
        for suffix in Self.sidecars + (isWhole ? [""] : []) {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Makes the copy durable, and renames it over the old file, which nobody may have open.
    ///
    /// - Returns: What went wrong when the new file was in place.
    func putCopyInPlace(readableAs source: String) throws -> BackupError? {
        try setOwnerAndPermissions(readableAs: source)
        try makeDurable(copyPath)
        if FileManager.default.fileExists(atPath: path) {
            try replaceOldFile()
        } else {
            try renameCopy()
        }
        do {
            try makeDurable(folder)
        } catch {
            let message = "the new backup is in place, but may not outlast a power failure"
            return BackupError(.notSynced, "\(message): \(error)")
        }
        return nil
    }

    /// The old file's WAL and journal have to be gone before, on the disk too: SQLite would take
    /// them for the new file's.
    private func renameCopy() throws {
        remove(path, andItself: false)
        try makeDurable(folder)
        guard rename(copyPath, path) == 0 else {
            throw Self.failure(.ioError, "can't rename the copy to \(path)")
        }
    }

    /// Renames the copy over a database, while nobody else uses that.
    private func replaceOldFile() throws {
        var isReplaced = false
        do {
            let old = try Connection(path: path)
            // Takes in what a killed process has left, and is refused where another connection has
            // the WAL open.
            let journalMode: String = try old.query("PRAGMA journal_mode = DELETE")
            guard journalMode == "delete" else {
                throw SQLiteError(code: .busy, message: "it stays in \(journalMode)")
            }
            // Without a journal of its own, which would have the new file's name.
            try old.run("PRAGMA journal_mode = MEMORY")
            // Nobody is in the middle of a read or a write either, until it is replaced.
            try old.transaction(transactionType: .exclusive) {
                try renameCopy()
                isReplaced = true
            }
        } catch _ where isReplaced {
            // Apple's SQLite refuses to go on with a file that another one has replaced. The
            // transaction that couldn't be ended was the old file's.
        } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
            throw BackupError(
                .destinationInUse,
                "\(path) is in use, and was left as it is: \(error.message)"
            )
        } catch let error as SQLiteError where [.notADatabase, .corrupt].contains(error.resultCode)
        {
            throw BackupError(
                .unsuitableDestination,
                "\(path) isn't a database, or damaged: remove it"
            )
        }
    }

    private func makeDurable(_ path: String) throws {
        if sync(path) != 0 {
            throw Self.failure(.ioErrorFsync, "can't sync \(path)")
        }
    }

    /// An error with what the system says.
    private static func failure(_ code: ResultCode, _ message: String) -> SQLiteError {
        SQLiteError(code: code, message: "\(message): \(String(cString: strerror(errno)))")
    }
}
