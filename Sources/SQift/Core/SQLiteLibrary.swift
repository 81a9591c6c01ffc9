internal import CSQift

/// SQift's requirements on the SQLite library in the process. Its version may differ from that of
/// the header that SQift was built with.
enum SQLiteLibrary {
    /// Throws if the library is too old to open a database with.
    ///
    /// - Parameter version: The version as a number, such as 3,035,000 for 3.35.
    ///
    /// https://sqlite.org/c3ref/libversion.html
    static func checkVersion(_ version: Int32 = sqlite3_libversion_number()) throws {
        guard version < 3_035_000 else { return }
        let name = "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
        throw SQLiteError.misuse("SQLite \(name) is too old: SQift needs 3.35 or newer")
    }

    /// Throws if only one thread may use the library.
    ///
    /// - Parameter mode: The `SQLITE_THREADSAFE` that the library was built with; 0 is for one
    ///   thread.
    ///
    /// https://sqlite.org/threadsafe.html
    static func checkThreadSafety(_ mode: Int32 = sqlite3_threadsafe()) throws {
        guard mode == 0 else { return }
        throw SQLiteError.misuse(
            "this SQLite was built with SQLITE_THREADSAFE=0, for one thread: "
                + "a queue, a pool or a Database needs 1 or 2"
        )
    }
}
