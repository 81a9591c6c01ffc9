internal import CSQift

extension Connection {
    /// What the SQLite library in use lacks for SQift's features: each with the version or the
    /// build of SQLite that has it. All else works, but for what a property's own page says.
    ///
    /// ```swift
    /// for feature in Connection.missingFeatures {
    ///     print(feature)  // a key needs SQLCipher or SQLite3 Multiple Ciphers
    /// }
    /// ```
    public static var missingFeatures: [String] {
        let version = sqlite3_libversion_number()
        let features: KeyValuePairs = [
            "opening a database needs 3.35": version >= 3_035_000,
            "a named database in memory needs 3.36": version >= 3_036_000,
            "a count above 2,147,483,647 needs 3.37": sqift_find_changes64() != nil,
            "the offset of an error needs 3.38": sqift_find_error_offset() != nil,
            "serialize needs 3.36 without SQLITE_OMIT_DESERIALIZE": sqift_find_serialize() != nil,
            "loadExtension needs no SQLITE_OMIT_LOAD_EXTENSION": canLoadExtensions,
            "a WindowFunction needs no SQLITE_OMIT_WINDOWFUNC":
                sqift_find_create_window_function() != nil,
            "a queue, a pool and a Database need SQLITE_THREADSAFE 1 or 2":
                sqlite3_threadsafe() > 0,
            "a hardened connection that distrusts JSON and virtual tables in the schema needs 3.46":
                !refusesItsOwn,
            "a key needs SQLCipher or SQLite3 Multiple Ciphers":
                (try? CipherLibrary.inUse()) != nil,
        ]
        return features.filter { !$0.value }.map(\.key)
    }

    /// Throws if SQLite was built for use from one thread.
    ///
    /// SQLite: [Using SQLite In Multi-Threaded Applications](https://sqlite.org/threadsafe.html)
    static func checkThreadSafety() throws {
        guard sqlite3_threadsafe() == 0 else { return }
        throw misuse(
            """
            this SQLite was built with SQLITE_THREADSAFE=0, for one thread: a queue, a pool or a \
            Database needs 1 or 2
            """
        )
    }
}
