internal import CSQift

extension Connection {
    /// Writes a compact copy of a database into a new file. The copy is a single file. It contains
    /// only committed changes, and no free pages.
    ///
    /// ```swift
    /// try connection.vacuum(into: .onDisk(copyPath))
    /// ```
    ///
    /// SQLite gives the copy the key of `main`, so an attached file is copied only if it has the
    /// same key, or if both have none.
    ///
    /// - Parameters:
    ///   - storageLocation: The destination: a file that is missing or empty, or a URI.
    ///   - database: The name of the database to copy.
    /// - Throws: `SQLiteError` if the file isn't empty, inside a transaction, and if writing fails;
    ///   `SQLITE_MISUSE` for `.inMemory`, `.temporary` and the database `temp`, for a `.uri` if
    ///   this connection doesn't take URIs, and for an attached file with another key than `main`.
    ///   After an error, don't use the file.
    ///
    /// SQLite: [VACUUM with an INTO clause](https://sqlite.org/lang_vacuum.html#vacuuminto)
    public func vacuum(into storageLocation: StorageLocation, database: String = "main") throws {
        switch storageLocation {
        case .inMemory, .temporary:
            throw misuse(
                "a copy into \(storageLocation) would be gone at once: use serialize() or a file"
            )
        case _ where database.lowercased() == "temp":
            throw misuse(
                "SQLite doesn't copy the temporary database: use serialize(database:)"
            )
        default:
            try refuseURI(storageLocation, purpose: "copy into")
            try refuseOtherKey(of: database)
            var name = try storageLocation.validatedName()
            // The VFS of a named database in memory makes no files.
            if case .onDisk = storageLocation, fileName.isEmpty {
                name = fileOnDefaultVFS(name, mode: "rwc").path
            }
            try run("VACUUM \(database.quotedAsIdentifier) INTO ?", name)
            if sharedConfiguration.key != nil {
                try refusePlainFile(name, isURI: opening.usesURIs)
            }
        }
    }

    /// Throws if an attached file can't be opened with the key of `main`.
    private func refuseOtherKey(of database: String) throws {
        guard try CipherLibrary.inUse() != nil, database.lowercased() != "main",
            let file = try file(of: database)
        else { return }
        do {
            try openSibling(at: .onDisk(file), onVFSOf: database).run("PRAGMA schema_version")
        } catch let error as SQLiteError where error.resultCode == .notADatabase {
            throw misuse(
                """
                the copy of \(database) would have main's key, or none as main: copy it by a \
                connection of its own, with its key (\(error.message))
                """
            )
        }
    }
}
