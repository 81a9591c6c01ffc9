internal import CSQift
import Foundation

extension Connection {
    /// Changes the key of the database `main`. All pages are written again, in one transaction.
    ///
    /// Other connections can't read the file any more: open them again with the new key. In WAL
    /// mode the file keeps pages with the old key until a checkpoint. One is made at the end, which
    /// waits for no reader: make another one if a reader or a snapshot was in its way. For a
    /// ``Database``, `Database.rekey` does all this.
    ///
    /// SQLite3 Multiple Ciphers also encrypts a database without a key in this way, unless it is in
    /// WAL mode. SQLCipher refuses that. Docs/Encryption.md says how it is done. As after a
    /// `VACUUM`, rows of tables without an `INTEGER PRIMARY KEY` may then have other rowids.
    ///
    /// From then on, `attachDatabase` without a key uses the new one.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` for an empty key, inside a transaction, for a
    ///   database in WAL mode that has no key, and if this SQLite can't do it; `SQLITE_BUSY` while
    ///   prepared statements or blobs are alive. Any other error, for a full disk for example,
    ///   leaves the file with its old key, or without one, and closes the connection.
    ///
    /// SQLCipher: [sqlite3_rekey](https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_rekey)
    public func rekey(to newKey: Data) throws {
        try Connection.check(newKey)
        try checkObstacles()
        // A rollback would undo the pages, and not the key.
        guard !isInsideTransaction else {
            throw misuse("the key can't be changed inside a transaction")
        }
        guard !fileName.isEmpty else {
            throw misuse("a database without a file has no key")
        }
        let hasKey = sharedConfiguration.key != nil
        let journalMode: String = try query("PRAGMA journal_mode")
        if !hasKey, journalMode == "wal" {
            throw misuse(
                "SQLite gives a database in WAL mode no first key: set journal_mode = DELETE before"
            )
        }
        // A journal that stays would keep pages with the old key, or without one, and SQLite3
        // Multiple Ciphers would take them for its own in the next rollback.
        let isPersistent = journalMode == "persist"
        if isPersistent {
            try run("PRAGMA main.journal_mode = DELETE")
        }
        defer {
            if isPersistent, handle != nil {
                _ = runShielded("PRAGMA main.journal_mode = PERSIST")
            }
        }
        // If the key can't be changed, the connection is closed below, which a prepared statement
        // would prevent. Virtual tables keep some, until the schema is forgotten.
        releaseMemory()
        _ = runShielded("PRAGMA writable_schema = RESET")
        let statements = statementHandles
        guard statements.isEmpty else {
            throw unfinishedError(.busy, "the key can't be changed", statements)
        }

        if !hasKey {
            try execute(sharedConfiguration.cipherSettings)
        }
        let size = Int32(clamping: newKey.count)
        var code = sqift_find_rekey()?(handle, Array(newKey), size) ?? SQLITE_MISUSE
        guard code != SQLITE_MISUSE else {
            throw misuse(
                "this SQLite can't give a key to a database without one: copy it"
            )
        }
        if code == SQLITE_OK {
            // SQLCipher doesn't report an error of the commit, so the file is read, not the cache.
            releaseMemory()
            repeat {
                code = readFirstPage()
            } while code & 0xff == SQLITE_INTERRUPT
        }
        guard code == SQLITE_OK else {
            var failure = error(code)
            // SQLCipher would write pages with the new key among those with the old one.
            // close() refuses in an access, but this connection must not stay open.
            isInAccess = false
            try close()
            let state = hasKey ? "the key is still the old one" : "it is still without a key"
            failure.message += ": \(state), and the connection is closed"
            throw failure
        }
        sharedConfiguration.key = newKey
        try refusePlainFile()
        if !hasKey {
            // It was a VACUUM.
            state.observer?.noteWrite(to: nil)
        }

        // Removes the pages with the old key from the WAL, unless a replicator checkpoints. A
        // reader of an older state needs them: then they stay, so that no writer waits for it.
        if dbConfig(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE) == 0 {
            _ = withoutWaiting { try? checkpoint() }
        }
    }
}
