internal import CSQift
import Foundation

/// A file that a backup replaces, and the copy beside it.
struct BackupDestination {
    let path: String
    let copyPath: String
    private let folder: String
    private let lockPath: String
    private static let sidecarSuffixes = ["-wal", "-shm", "-journal"]

    init(_ location: StorageLocation) throws {
        guard case .onDisk(let givenPath) = location else {
            throw BackupError(
                .unsuitableDestination,
                "a backup is a file, and needs a path: .onDisk, not \(location)"
            )
        }
        guard let realPath = sqift_real_path(try location.validatedName()) else {
            throw systemError(.cantOpen, "can't write to \(givenPath)")
        }
        defer { free(realPath) }

        let url = URL(fileURLWithPath: String(cString: realPath))
        path = url.path
        folder = url.deletingLastPathComponent().path
        let name = url.lastPathComponent
        copyPath = "\(folder)/\(Self.copyName(for: name, in: folder))"
        lockPath = copyPath + "-lock"

        var status = stat()
        let isMissing = stat(path, &status) != 0
        guard isMissing || status.st_mode & S_IFMT == S_IFREG, !givenPath.hasSuffix("/") else {
            throw BackupError(
                .unsuitableDestination,
                "\(path) isn't a file, and a backup is one"
            )
        }
        for suffix in Self.sidecarSuffixes
        where name.hasSuffix(suffix) && name != suffix
            && access(String(path.dropLast(suffix.count)), F_OK) == 0
        {
            throw BackupError(
                .unsuitableDestination,
                "SQLite would take the backup for the \(suffix) of the database beside it: \(path)"
            )
        }
    }

    /// The name of the copy. Every process makes the same one, so that it finds the leftovers of
    /// another. If two files have copies of one name, their backups exclude each other.
    private static func copyName(for name: String, in folder: String) -> String {
        let copyName = ".\(name).backup"
        // File systems allow names of 143 or 255 bytes, and suffixes follow.
        let isShort = name.utf8.count <= 100
        // SQLite opens paths of at most 504 bytes.
        let isPathShort = folder.utf8.count + 1 + copyName.utf8.count <= 504
        if isShort, isPathShort {
            return copyName
        }
        let hash = name.utf8.stableHash
        return isPathShort ? ".\(hash).backup" : "." + hash.prefix(max(name.utf8.count - 1, 4))
    }

    /// Calls `body` with an empty copy, which no other user can read, while no other process or
    /// thread makes one for this file. The copy is removed afterwards. One that a process has left
    /// that was killed is removed before.
    ///
    /// - Parameters:
    ///   - source: The file that is copied, if that is another one than the copy replaces.
    ///   - name: What errors call the copy, of which the user knows nothing.
    func withLock<T>(for source: String?, name: String, _ body: () throws -> T) throws -> T {
        for other in [path, copyPath, lockPath] {
            try Backup.refuseSameFile(source, other)
        }
        let lock = sqift_lock(lockPath)
        guard lock >= 0 else {
            if errno == EWOULDBLOCK {
                throw BackupError(.destinationInUse, "\(path) is being written by another backup")
            }
            throw systemError(.cantOpen, "can't lock \(lockPath)")
        }
        defer {
            removeCopy()
            unlink(lockPath)
            close(lock)
        }
        removeCopy()
        // FileManager would write a file with another name first, and leave it if it is killed.
        let copy = open(copyPath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard copy >= 0 else {
            throw systemError(.cantOpen, "can't write into the folder \(folder)")
        }
        close(copy)
        do {
            return try body()
        } catch var error as SQLiteError {
            error.message = error.message.replacingOccurrences(of: copyPath, with: name)
            throw error
        }
    }

    /// Gives the copy the owner, the group and the permissions of the file that it replaces. If
    /// there is none, it gives it the permissions of the source.
    private func setOwnerAndPermissions(readableAs source: String) throws {
        // A user that can write into the folder could have replaced the copy by a link.
        let copy = open(copyPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard copy >= 0 else { throw systemError(.cantOpen, "can't open \(copyPath)") }
        defer { close(copy) }

        var model = stat()
        let replacesFile = stat(path, &model) == 0
        let hasModel = replacesFile || stat(source, &model) == 0
        var permissions = hasModel ? model.st_mode & 0o777 : 0o644
        // Only root can give a file to another owner. Others can set one of their own groups.
        if replacesFile, fchown(copy, model.st_uid, model.st_gid) != 0,
            fchown(copy, uid_t.max, model.st_gid) != 0
        {
            // The copy has another group, which gets only the permissions of others.
            permissions &= ~0o070 | (permissions & 0o007) << 3
        }
        guard fchmod(copy, permissions) == 0 else {
            throw systemError(.ioError, "can't set the permissions of \(copyPath)")
        }
    }

    private func removeCopy() {
        for suffix in Self.sidecarSuffixes + [""] {
            unlink(copyPath + suffix)
        }
    }

    /// Syncs the copy to the disk, and renames it to the old file's name. No connection may have
    /// the old file open.
    ///
    /// - Parameter connection: The source's, whose busy timeout it waits for those who use the old
    ///   file.
    /// - Returns: The error if the new file is in place but couldn't be synced.
    func putCopyInPlace(for connection: Connection) throws -> BackupError? {
        try putCopyInPlace("the new backup", readableAs: connection.fileName) {
            if FileManager.default.fileExists(atPath: path) {
                try replaceOldFile(for: connection)
            } else {
                try renameCopy()
            }
        }
    }

    /// Does the same by a closure that calls `renameCopy()` while the old file isn't in use.
    ///
    /// - Parameters:
    ///   - name: What an error calls the new file.
    ///   - source: A file whose permissions the copy gets if there is no old file.
    func putCopyInPlace(
        _ name: String,
        readableAs source: String,
        rename: () throws -> Void
    ) throws -> BackupError? {
        try setOwnerAndPermissions(readableAs: source)
        try syncToDisk(copyPath)
        try rename()
        do {
            try syncFolder()
        } catch {
            return BackupError(
                .notSynced,
                "\(name) is in place, but may not outlast a power failure: \(error)"
            )
        }
        return nil
    }

    /// Renames the copy to the old file's name, and removes what is beside the old file.
    func renameCopy() throws {
        // SQLite would take the old file's WAL and journal for the new file's. They have to be gone
        // from the disk before.
        for suffix in Self.sidecarSuffixes where unlink(path + suffix) != 0 {
            // A name may leave no room for a suffix: then there is no such file either.
            guard [ENOENT, ENAMETOOLONG].contains(errno) else {
                throw systemError(.ioError, "can't remove \(path)\(suffix)")
            }
        }
        try syncFolder()
        guard rename(copyPath, path) == 0 else {
            throw systemError(.ioError, "can't rename the copy to \(path)")
        }
    }

    /// Renames the copy to a database's name, while no other connection uses the database.
    private func replaceOldFile(for source: Connection) throws {
        var isReplaced = false
        do {
            let old = try source.openSibling(at: .onDisk(path))
            try source.retryingWhileLocked(for: source.sharedConfiguration.busyTimeout) {
                try old.leaveSidecars()
                // No other connection can be in the middle of a read or a write.
                try old.transaction(transactionType: .exclusive) {
                    if try !source.hasSchema(), try old.hasSchema() {
                        throw BackupError(
                            .emptySource,
                            """
                            the database has no tables, and the backup at \(path) has some: \
                            delete the old backup first if this is meant
                            """
                        )
                    }
                    try renameCopy()
                    isReplaced = true
                }
            }
        } catch _ where isReplaced {
            // The old file's transaction couldn't be ended: Apple's SQLite stops using a file that
            // was replaced.
        } catch let error as SQLiteError where error.resultCode == .busy {
            throw BackupError(
                .destinationInUse,
                "\(path) is in use, and was left as it is: \(error.message)"
            )
        } catch let error as SQLiteError
            where [.notADatabase, .corrupt].contains(error.resultCode)
        {
            throw BackupError(
                .unsuitableDestination,
                "\(path) isn't a database, or damaged, or has another key: remove it"
            )
        }
    }

    /// Syncs the folder, unless it can't be: on VirtualBox's shared folders, for example, or if it
    /// can't be read. SQLite goes on then too.
    private func syncFolder() throws {
        let unsupported = [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, EBADF, EACCES, EPERM]
        if sqift_sync(folder) != 0, !unsupported.contains(errno) {
            throw systemError(.ioErrorFsync, "can't sync \(folder)")
        }
    }

    private func syncToDisk(_ path: String) throws {
        if sqift_sync(path) != 0 {
            throw systemError(.ioErrorFsync, "can't sync \(path)")
        }
    }
}

extension Connection {
    /// Writes nothing beside the file from now on, which would belong to a new file of its name.
    ///
    /// - Throws: `SQLITE_BUSY` while another connection has the WAL open.
    func leaveSidecars(of schema: String = "main") throws {
        // Checkpoints and removes the WAL, also one that a killed process has left.
        let mode: String = try query("PRAGMA \(schema).journal_mode = DELETE")
        guard mode == "delete" else {
            throw SQLiteError(code: .busy, message: "it stays in \(mode) mode")
        }
        try run("PRAGMA \(schema).journal_mode = MEMORY")
    }
}

/// Returns an error with the system's description of `errno`.
private func systemError(_ code: ResultCode, _ message: String) -> SQLiteError {
    SQLiteError(code: code, message: "\(message): \(String(cString: strerror(errno)))")
}
