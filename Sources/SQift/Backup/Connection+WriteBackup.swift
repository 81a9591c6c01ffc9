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
        progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws -> BackupError? {
        let source = try file(of: "main") ?? ""
        return try destination.withLock(for: source) {
            try destination.createCopy(readableAs: source)
            let copy = try Connection(path: destination.copyPath, configuration: encryption)
            if let cancellation {
                copy.makeCancellable(by: Cancellation(sharingFlagOf: cancellation))
            }
            // The finished copy is synced as a whole.
            try copy.execute("PRAGMA synchronous = OFF")
            try backup(to: copy, pagesPerStep: pagesPerStep, progress: progress)
            try copy.run("PRAGMA journal_mode = DELETE")
            let pageCount: Int = try copy.query("PRAGMA page_count")
            try copy.close()

            try checkCopy(at: destination.copyPath, pageCount: pageCount)
            try checkObstacles()
            return try destination.putCopyInPlace(readableAs: source, encryption)
        }
    }

    /// Checks the copy through this connection: it has the functions and collations that the schema
    /// needs.
    private func checkCopy(at path: String, pageCount: Int) throws {
        let damage = "\(fileName) is damaged, no backup of it was made"
        // A connection to a named database in memory would attach another one in memory, and
        // SQLCipher would attach without the settings of the key.
        if try withUnsafeHandle({ sqift_is_memdb($0, "main") != 0 })
            || !encryption.cipherSettings.isEmpty
        {
            return try Connection(path: path, configuration: encryption)
                .refuseDamage(in: "main", message: damage)
        }

        let name = "sqift_copy"
        try attachDatabase(from: fileOnDefaultVFS(path, mode: "ro"), withName: name)
        // In plain C, since a cancellation would stop one of our statements. In the transaction of
        // a snapshot DETACH fails, but the snapshot's connection is closed next.
        defer { sqlite3_exec(handle, "DETACH \(name)", nil, nil, nil) }

        // If the copy has been removed, SQLite would create an empty file.
        let currentPageCount: Int = try query("PRAGMA \(name).page_count")
        let journalMode: String = try query("PRAGMA \(name).journal_mode")
        guard currentPageCount == pageCount, journalMode == "delete" else {
            throw SQLiteError(
                code: .ioError,
                message: "the copy has changed: \(currentPageCount) pages, \(journalMode): \(path)"
            )
        }
        try refuseDamage(in: name, message: damage)
    }

    /// Throws with this message if a database doesn't pass SQLite's integrity check.
    func refuseDamage(in database: String, message: String) throws {
        let problems: [String]
        do {
            // CHECK constraints are always left out: SQLite leaves them out on a connection that
            // can only read.
            problems = try setting(.ignoreCheckConstraints, to: true) {
                try integrityCheck(maximumErrors: 10, database: database)
            }
        } catch let error as SQLiteError where error.resultCode == .corrupt {
            problems = [error.message]
        }
        guard !problems.isEmpty else { return }
        throw BackupError(.damaged, "\(message): \(problems.joined(separator: "; "))")
    }
}
