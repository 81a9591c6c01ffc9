import Foundation
internal import CSQift

extension Connection {
    /// Writes a database to a file: as a whole, checked and on the disk, or not at all. What is there now stays until then.
    ///
    /// The copy is made beside the destination and renamed. It is one file, without a WAL, whatever the source has.
    func writeBackup(
        to location: StorageLocation,
        _ pagesPerStep: Int,
        _ progress: ((Backup.Progress) throws -> Void)?
    )
        throws
    {
        let destination = try BackupDestination(location)
        let source = try file(of: "main") ?? ""
        try destination.withLock(for: source) {
            try destination.createCopy(readableAs: source)
            let copy = try Connection(path: destination.copyPath)
            if let cancellation = transactionState.cancellation {
                copy.makeCancellable(by: cancellation)
            }
            // All is synced at the end.
            try copy.execute("PRAGMA synchronous = OFF")
            try backup(to: copy, pagesPerStep: pagesPerStep, progress: progress)
            try copy.run("PRAGMA journal_mode = DELETE")
            let pageCount: Int = try copy.query("PRAGMA page_count")
            try copy.close()
            try checkCopy(destination.copyPath, pageCount)
            try checkBeforeUse()
            try destination.putCopyInPlace(readableAs: source)
        }
    }

    /// Checks the copy through this connection, which has the functions and collations that its schema needs.
    private func checkCopy(_ path: String, _ pageCount: Int) throws {
        let (name, damage) = ("sqift_copy", "\(fileName) is damaged, no backup of it was made")
        // What a connection to a named database in memory attaches is in memory.
        if try file(of: "main") == nil, !fileName.isEmpty {
            return try Connection(path: path).refuseDamage(in: "main", damage)
        }
        try attachDatabase(from: .onDisk(path), withName: name)
        // Not by a statement of ours, which a cancellation stops. In a transaction it does nothing: that connection is closed next.
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

    /// Throws with this message if a database doesn't pass SQLite's check.
    func refuseDamage(in database: String, _ message: String) throws {
        // A connection that can only read leaves CHECK constraints out.
        let problems = try with("ignore_check_constraints", true) {
            try integrityCheck(maximumErrors: 10, database: database)
        }
        guard !problems.isEmpty else { return }
        throw BackupError(.damaged, "\(message): \(problems.joined(separator: "; "))")
    }

    /// Throws if the connection itself is writing to the database: SQLite would say that it is busy, for ever.
    func refuseOwnWrite(to database: String) throws {
        let isWriting = try withUnsafeHandle { sqlite3_txn_state($0, database) == SQLITE_TXN_WRITE }
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
            if name.lowercased() == "temp" { return nil }
            throw SQLiteError(code: .error, message: "unknown database \(name)")
        }
    }

    func pageSize(of database: String) throws -> Int {
        // Read anew what is known of the file.
        _ = try schemaVersion(of: database)
        return try query("PRAGMA \(database.sqift.quotedIdentifier).page_size")
    }
}

/// Calls `body` again and again while other connections have a lock that it needs, for 5 seconds at most.
func retryingWhileLocked<T>(_ body: () throws -> T) throws -> T {
    let start = DispatchTime.now()
    while true {
        do { return try body() } catch let error as SQLiteError
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
        copyPath = "\(folder)/.\(url.lastPathComponent).backup"
        lockPath = copyPath + "-lock"
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: self.path, isDirectory: &isFolder)
        if isFolder.boolValue || path.hasSuffix("/") {
            throw BackupError(
                .unsuitableDestination,
                "a backup is a file, and this is a folder: \(self.path)"
            )
        }
    }

    /// Calls `body` while no other process or thread makes a copy for this file. The copy is removed before and after it: one that is
    /// there before is of a process that was killed.
    func withLock(for source: String, _ body: () throws -> Void) throws {
        for other in [path, copyPath, lockPath] { try refuseSameFile(source, other) }
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
        try body()
    }

    /// The permissions of what it replaces, else of what it copies.
    private func permissions(_ source: String) -> Int {
        let model = [path, source].lazy.compactMap {
            try? FileManager.default.attributesOfItem(atPath: $0)
        }.first
        return model?[.posixPermissions] as? Int ?? 0o644
    }

    /// Creates an empty file that nobody can read who couldn't read the other ones.
    func createCopy(readableAs source: String) throws {
        let permissions = [FileAttributeKey.posixPermissions: permissions(source) | 0o600]
        guard
            FileManager.default.createFile(atPath: copyPath, contents: nil, attributes: permissions)
        else {
            throw Self.failure(.cantOpen, "can't write into the folder \(folder)")
        }
    }

    private func remove(_ path: String, andItself isWhole: Bool) {
        for suffix in Self.sidecars + (isWhole ? [""] : []) {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Makes the copy durable, and renames it over the old file, which nobody may have open.
    ///
    /// The old file's WAL and journal have to be gone before: SQLite would take them for the new file's.
    func putCopyInPlace(readableAs source: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: permissions(source)],
            ofItemAtPath: copyPath
        )
        try sync(copyPath)
        func replace() throws {
            remove(path, andItself: false)
            guard rename(copyPath, path) == 0 else {
                throw Self.failure(.ioError, "can't rename the copy to \(path)")
            }
            try sync(folder)
        }
        guard FileManager.default.fileExists(atPath: path) else { return try replace() }
        do {
            let old = try Connection(path: path)
            // Takes in what a killed process has left, and is refused where another connection has the WAL open.
            let journalMode: String = try old.query("PRAGMA journal_mode = DELETE")
            guard journalMode == "delete" else {
                throw SQLiteError(code: .busy, message: "it stays in \(journalMode)")
            }
            // Without a journal of its own, which would have the new file's name.
            try old.run("PRAGMA journal_mode = MEMORY")
            // Nobody is in the middle of a read or a write either, until it is replaced.
            try old.transaction(transactionType: .exclusive, closure: replace)
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

    private func sync(_ path: String) throws {
        if sqift_sync(path) != 0 { throw Self.failure(.ioErrorFsync, "can't sync \(path)") }
    }

    /// An error with what the system says.
    private static func failure(_ code: ResultCode, _ message: String) -> SQLiteError {
        SQLiteError(code: code, message: "\(message): \(String(cString: strerror(errno)))")
    }
}
