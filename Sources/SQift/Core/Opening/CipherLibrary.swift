internal import CSQift

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
