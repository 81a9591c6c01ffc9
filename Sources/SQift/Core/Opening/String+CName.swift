extension String {
    /// The string itself, as a name that SQLite takes as a C string and would cut at a NUL byte.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_MISUSE`) for a string with a NUL byte.
    func withoutNUL() throws -> String {
        guard !containsNUL else {
            throw misuse(
                "the name contains a NUL byte, at which SQLite would cut it: \(self)"
            )
        }
        return self
    }
}
