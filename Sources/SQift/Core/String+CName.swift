extension String {
    /// The string as a name that SQLite takes as a C string.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_MISUSE`) for a string with a NUL byte.
    func withoutNUL() throws -> String {
        guard !containsNUL else {
            throw SQLiteError.misuse(
                "the name contains a NUL byte, at which SQLite would cut it: \(self)"
            )
        }
        return self
    }
}
