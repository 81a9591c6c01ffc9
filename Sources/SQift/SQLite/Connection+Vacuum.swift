extension Connection {
    /// Writes a compact copy of a database into a new file. The copy is a single file. It contains
    /// only committed changes, and no free pages.
    ///
    /// - Parameters:
    ///   - storageLocation: The destination: a file that is missing or empty, or a URI.
    ///   - database: The name of the database to copy.
    /// - Throws: `SQLiteError` if the file isn't empty, inside a transaction, and if writing fails;
    ///   `SQLITE_MISUSE` for `.inMemory`, `.temporary` and the database `temp`, and for a `.uri` if
    ///   this connection doesn't take URIs. After an error, don't use the file.
    ///
    /// <https://sqlite.org/lang_vacuum.html#vacuuminto>
    public func vacuum(into storageLocation: StorageLocation, database: String = "main") throws {
        switch storageLocation {
        case .inMemory, .temporary:
            throw SQLiteError.misuse(
                "a copy into \(storageLocation) would be gone at once: use serialize() or a file"
            )
        case _ where database.lowercased() == "temp":
            throw SQLiteError.misuse(
                "SQLite doesn't copy the temporary database: use serialize(database:)"
            )
        case .onDisk, .uri:
            try refuseURI(storageLocation, purpose: "copy into")
            try run(
                "VACUUM \(database.quotedAsIdentifier) INTO ?",
                storageLocation.validatedName()
            )
        }
    }
}
