internal import CSQift
import Foundation

extension Connection {
    /// Changes the key of the database `main`. All pages are written again, in one transaction.
    ///
    /// Other connections can't read the file any more: open them again with the new key. In WAL
    /// mode the file keeps pages with the old key until a checkpoint, which is made at the end.
    /// Make another one if a reader or a snapshot was in its way. `Database.rekey` does all this
    /// for a ``Database``.
    ///
    /// SQLite3 Multiple Ciphers also encrypts a database without a key in this way. SQLCipher
    /// refuses that. Docs/Encryption.md says how it is done.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` for an empty key, inside a transaction, and if this
    ///   SQLite can't do it; `SQLITE_BUSY` while prepared statements or blobs are alive. Any other
    ///   error, for a full disk for example, leaves the file with its old key and closes the
    ///   connection.
    ///
    /// <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_rekey>
    public func rekey(to newKey: Data) throws {
        let key = CipherKey(newKey)
        try Connection.check(key)
        try checkObstacles()
        // A rollback would undo the pages, and not the key.
        guard !isInsideTransaction else {
            throw SQLiteError.misuse("the key can't be changed inside a transaction")
        }
        guard !fileName.isEmpty else {
            throw SQLiteError.misuse("a database without a file has no key")
        }
        // If the key can't be changed, the connection is closed below, which a prepared statement
        // would prevent.
        releaseMemory()
        let statements = statementHandles
        guard statements.isEmpty else {
            throw unfinishedError(.busy, "the key can't be changed", statements)
        }

        var code = call(sqift_find_rekey(), with: key)
        guard code != SQLITE_MISUSE else {
            throw SQLiteError.misuse(
                "this SQLite can't give a key to a database without one: copy it"
            )
        }
        // SQLCipher doesn't report an error of the commit. So the file is read, not the cache.
        releaseMemory()
        if code == SQLITE_OK {
            repeat {
                code = readSchema()
            } while code & 0xff == SQLITE_INTERRUPT
        }
        guard code == SQLITE_OK else {
            let reason = ResultCode(code)
            // SQLCipher would write pages with the new key among those with the old one.
            // close() refuses in an access, but this connection must not stay open.
            isInAccess = false
            try close()
            throw SQLiteError(
                code: reason,
                message: "\(reason.standardMessage): the key is still the old one, and the "
                    + "connection is closed"
            )
        }
        encryption.cipherKey = key
        _ = try? checkpoint()
    }
}
