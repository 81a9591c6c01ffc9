internal import CSQift

/// What SQift asks of the SQLite library that the process has found, which needn't be the one with
/// whose header it was built.
enum SQLiteLibrary {
    /// Throws for a library that is too old to open a database with.
    ///
    /// - Parameter version: As a number, 3,035,000 for 3.35.
    ///
    /// https://sqlite.org/c3ref/libversion.html
    static func checkVersion(_ version: Int32 = sqlite3_libversion_number()) throws {
        guard version < 3_035_000 else { return }
        let name = "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
        throw SQLiteError.misuse("SQLite \(name) is too old: SQift needs 3.35 or newer")
    }

    /// Throws for a library that mustn't be used by more than one thread.
    ///
    /// - Parameter mode: What it was built with as `SQLITE_THREADSAFE`, 0 for this.
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
