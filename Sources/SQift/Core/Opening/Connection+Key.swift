internal import CSQift
import Foundation

extension Connection {
    /// Throws for a key that this SQLite would ignore.
    static func check(_ key: Data) throws {
        guard !key.isEmpty else { throw misuse("a key can't be empty") }
        guard try CipherLibrary.inUse() != nil else {
            throw misuse(
                """
                a key needs SQLCipher or SQLite3 Multiple Ciphers: this SQLite hasn't shown that \
                it encrypts
                """
            )
        }
    }

    /// Throws if the file can't be read with the key, or without one.
    func checkFile() throws {
        try refusePlainFile()
        let code = try sharedConfiguration.key.map(unlock) ?? sqift_check_start(handle, false)
        // Any other error has nothing to do with the key, and may have passed at the next use. With
        // a wrong key and a journal to roll back, SQLite3 Multiple Ciphers returns SQLITE_CORRUPT.
        guard ![SQLITE_NOTADB, SQLITE_CORRUPT].contains(code) else {
            var failure = error(SQLITE_NOTADB)
            failure.message += ": \(fileName)"
            throw failure
        }
    }

    /// Throws if the file of `main` isn't encrypted, although there is a key.
    func refusePlainFile() throws {
        guard sharedConfiguration.key != nil, !fileName.isEmpty else { return }
        let name = sqlite3_db_filename(handle, "main")
        let isPlainByURI = sqlite3_uri_int64(name, "plaintext_header_size", 0) > 0
        if !isPlainByURI {
            try refusePlainFile(fileName, isURI: false)
        }
    }

    /// Throws if a file that is opened with a key isn't encrypted. One that is empty, or missing,
    /// passes, and so does a plain header that the settings ask for.
    func refusePlainFile(_ name: String, isURI: Bool) throws {
        let hasPlainHeader =
            sharedConfiguration.cipherSettings.range(
                of: #"plaintext_header_size\s*[=(]\s*['"]?0*[1-9]"#,
                options: [.regularExpression, .caseInsensitive]
            ) != nil
        if hasPlainHeader {
            return
        }
        let code = sqift_check_start_of(handle, name, isURI, true)
        guard code != SQLITE_OK else { return }
        guard code == SQLITE_NOTADB else { throw SQLiteError(code: ResultCode(code)) }
        throw SQLiteError(
            code: .notADatabase,
            message: """
                the file isn't encrypted, or has a plain header that cipherSettings don't ask \
                for: \(name)
                """
        )
    }

    /// Gives SQLite the key and its settings before anything reads the file, and reads the file to
    /// find out whether the key is right. Returns SQLite's result.
    private func unlock(with key: Data) throws -> Int32 {
        // SQLCipher's settings are for the key that it has. SQLite3 Multiple Ciphers derives a key
        // immediately, with the settings that it has by then.
        let isSQLCipher = try CipherLibrary.inUse() == .sqlCipher
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

/// An SQLite that encrypts.
enum CipherLibrary {
    case sqlCipher
    case multipleCiphers

    /// The SQLite in use, or nil if it hasn't shown that it encrypts.
    ///
    /// That it has `sqlite3_key`, or was compiled with `HAS_CODEC`, shows nothing: both have been
    /// true of Apple's SQLite, where a key had no effect. Hence it is asked for what only one of
    /// the two libraries returns.
    ///
    /// SQLCipher: [PRAGMA
    /// cipher_version](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_version)
    static func inUse() throws -> CipherLibrary? {
        guard sqift_find_key() != nil, sqift_find_rekey() != nil else { return nil }
        let connection = try Connection(storageLocation: .inMemory, configuration: .init())
        if try connection.hasPragma("cipher_version") {
            return .sqlCipher
        }
        return try connection.hasPragma("cipher") ? .multipleCiphers : nil
    }
}
