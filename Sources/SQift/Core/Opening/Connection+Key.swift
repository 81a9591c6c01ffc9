internal import CSQift
import Foundation

extension Connection {
    /// Throws for a key that this SQLite would ignore.
    static func check(_ key: Data) throws {
        guard sqift_find_key() != nil, !key.isEmpty else {
            throw misuse(
                "a key can't be empty, and needs SQLCipher or SQLite3 Multiple Ciphers as SQLite"
            )
        }
    }

    /// Throws if the file can't be read with the key, or without one.
    func checkFile() throws {
        let code = try sharedConfiguration.key.map(unlock) ?? sqift_check_journal(handle)
        // Any other error has nothing to do with the key, and may have passed at the next use. With
        // a wrong key and a journal to roll back, SQLite3 Multiple Ciphers returns SQLITE_CORRUPT.
        guard ![SQLITE_NOTADB, SQLITE_CORRUPT].contains(code) else {
            var failure = error(SQLITE_NOTADB)
            failure.message += ": \(fileName)"
            throw failure
        }
    }

    /// Gives SQLite the key and its settings before anything reads the file, and reads the file to
    /// find out whether the key is right. Returns SQLite's result.
    private func unlock(with key: Data) throws -> Int32 {
        // SQLCipher's settings are for the key that it has. SQLite3 Multiple Ciphers derives a key
        // immediately, with the settings that it has by then.
        let isSQLCipher = Connection.hasCompileOption("HAS_CODEC")
        if !isSQLCipher {
            try execute(sharedConfiguration.cipherSettings)
        }
        let size = Int32(clamping: key.count)
        try check(sqift_find_key()?(handle, Array(key), size) ?? SQLITE_MISUSE)
        if isSQLCipher {
            try execute(sharedConfiguration.cipherSettings)
        }
        return readFirstPage() & 0xff
    }

    /// Reads the first page. Returns SQLite's result.
    @discardableResult func readFirstPage() -> Int32 {
        runShielded("SELECT 1 FROM sqlite_schema")
    }
}
