internal import CSQift

extension Connection {
    /// Writes a backup of the database `main` to a file. Either the file is replaced by a complete
    /// copy that is checked and on the disk, or it stays as it is.
    ///
    /// The copy is made beside the destination and renamed. It is a single file, without a WAL,
    /// whatever the source has.
    ///
    /// - Returns: The error if the new file is in place but couldn't be synced. Throw it after the
    ///   access: inside, it would look like a failure that left the old file in place, and a
    ///   cancellation would hide it.
    func writeBackup(
        to destination: BackupDestination,
        pagesPerStep: Int,
        progress: Backup.ProgressReceiver? = nil
    ) throws -> BackupError? {
        try destination.withLock(for: fileName, name: destination.path) {
            let copy = try openSibling(at: .onDisk(destination.copyPath))
            // The finished copy is synced as a whole.
            try copy.execute("PRAGMA synchronous = OFF")
            try shielded {
                try backup(to: copy, pagesPerStep: pagesPerStep, progress: progress)
            }
            try copy.run("PRAGMA journal_mode = DELETE")
            // This makes the check read the file.
            copy.releaseMemory()
            try check(copy)
            try copy.refusePlainFile()
            try copy.close()
            try checkObstacles()
            return try destination.putCopyInPlace(for: self)
        }
    }

    /// Throws if a copy of `main` is damaged.
    private func check(_ copy: Connection) throws {
        let damage = "\(fileName) is damaged, no backup of it was made"
        do {
            try copy.refuseDamage(message: damage)
        } catch {
            // The schema may need functions and collations, which this connection has.
            let name = "sqift_copy_\(UInt64.random(in: 0...UInt64.max))"
            // In plain C, since a cancellation would stop one of our statements. In the transaction
            // of a snapshot DETACH fails, but the snapshot's connection is closed next.
            defer { _ = runShielded("DETACH \(name)") }
            // The database itself is the last resort, since that may keep writers waiting.
            let database = try attach(copy, as: name) ? name : "main"
            try refuseDamage(in: database, message: damage)
        }
    }

    /// Attaches a copy, even if the user's limit or authorizer is against it. Returns false if
    /// SQLite can't: there is no place left, or SQLCipher's key needs settings.
    private func attach(_ copy: Connection, as name: String) throws -> Bool {
        let limit = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, .max)
        defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, limit) }
        do {
            let file = fileOnDefaultVFS(copy.fileName, mode: "ro")
            try shielded { try attachDatabase(from: file, withName: name) }
            // It is empty if the copy was removed, or if the connection is one to a named database
            // in memory, which attaches others of that kind.
            return try query("PRAGMA \(name).page_count") == copy.query("PRAGMA page_count") as Int
        } catch let error as SQLiteError {
            guard error.resultCode == .interrupt else { return false }
            // SQLite's message says that the file can't be opened.
            throw SQLiteError(code: .interrupt)
        }
    }

    /// Throws with this message if a database doesn't pass SQLite's integrity check.
    func refuseDamage(in database: String = "main", message: String) throws {
        let problems: [String]
        do {
            // CHECK constraints are always left out: SQLite leaves them out on a connection that
            // can only read.
            problems = try withPragma("ignore_check_constraints", isOn: true) {
                try integrityCheck(maximumErrors: 10, database: database)
            }
        } catch let error as SQLiteError where error.resultCode == .corrupt {
            problems = [error.message]
        }
        guard !problems.isEmpty else { return }

        // Since 3.53 SQLite makes another text of a REAL, which an index may have stored.
        // https://sqlite.org/releaselog/3_53_0.html
        let isRepairable = problems.allSatisfy {
            !$0.contains("non-unique") && ($0.contains(" from index ") || $0.contains(" in index "))
        }
        let advice = isRepairable ? "; these are in indexes, and REINDEX repairs them" : ""
        throw BackupError(.damaged, "\(message): \(problems.joined(separator: "; "))\(advice)")
    }
}
