extension Connection {
    /// Copies one of this connection's databases into another connection's, and returns when
    /// everything is copied.
    ///
    /// ```swift
    /// let memory = try Connection()
    /// try connection.backup(to: memory)
    /// ```
    ///
    /// In WAL mode the copy is of one state, and other connections can write meanwhile. With
    /// another journal they wait, for one step at a time. If their writes make the copy start over
    /// again and again, it is made in one step. A step waits for their locks as long as the
    /// destination's busy timeout, or 5 seconds if that is 0. If it fails, the destination is as it
    /// was. To back up to a file, use `Database.backup`, which does more.
    ///
    /// - Parameters:
    ///   - name: The database to copy: `main`, `temp` or the name of an attached one.
    ///   - destination: The connection to copy to. It must not be in a transaction.
    ///   - destinationName: The database to overwrite.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`; a negative
    ///     number copies all at once, 0 throws `SQLITE_MISUSE`.
    ///   - progress: Called after each step. If it throws, the backup ends, except in the last
    ///     call: everything is copied by then. It must not write through this connection.
    /// - Throws: As the initialiser and ``Backup/step(pages:)`` of ``Backup``, and what `progress`
    ///   throws.
    ///
    /// SQLite: [Using the SQLite Online Backup API](https://sqlite.org/backup.html)
    public func backup(
        databaseNamed name: String = "main",
        to destination: Connection,
        as destinationName: String = "main",
        pagesPerStep: Int = 100,
        progress: Backup.ProgressReceiver? = nil
    ) throws {
        try withUnchangingState(of: name) {
            let backup = try Backup(
                from: self,
                databaseNamed: name,
                to: destination,
                as: destinationName
            )
            defer { try? backup.finish() }
            if destination.busyTimeout > 0 {
                backup.timeout = destination.busyTimeout
            }
            // If writes of other connections have made it start over a few times, it copies the
            // rest in one step, and they wait.
            var restarts = 0
            var remaining = Int.max
            var isIncomplete = true
            while isIncomplete {
                isIncomplete = try backup.step(pages: restarts < 3 ? pagesPerStep : -1)
                if backup.remainingPageCount >= remaining {
                    restarts += 1
                }
                remaining = backup.remainingPageCount
                try progress?(backup.progress)
            }
        }
    }

    /// Calls `body` in a read transaction if the database is in WAL mode, where no writer waits for
    /// one.
    private func withUnchangingState(of name: String, _ body: () throws -> Void) throws {
        guard try retryingWhileLocked({ try isInWALMode(name) }) else { return try body() }
        var isCopied = false
        do {
            try transaction {
                // BEGIN alone doesn't start reading.
                try run("SELECT 1 FROM \(name.quotedAsIdentifier).sqlite_schema LIMIT 1")
                try body()
                isCopied = true
            }
        } catch _ where isCopied {
            // A cancellation has stopped the COMMIT, and the read transaction was rolled back.
        }
    }
}
