internal import CSQift
import Foundation

extension Connection {
    /// Attaches another database. Its tables are then `name.table`.
    ///
    /// ```swift
    /// try connection.attachDatabase(from: .onDisk(archivePath), withName: "archive")
    /// try connection.run("INSERT INTO archive.cars SELECT * FROM cars WHERE price < ?", 1_000)
    /// try connection.detachDatabase(named: "archive")
    /// ```
    ///
    /// If one of several files uses WAL, a transaction over them is atomic in each file, but not
    /// over all of them.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the other database is.
    ///   - name: The name that it gets in SQL.
    ///   - key: The key of an encrypted database, or empty for one that isn't encrypted. By default
    ///     a file has the key of `main`, if that has one.
    /// - Throws: ``SQLiteError``; also for a `.uri` if this connection doesn't accept URIs (open it
    ///   with a `.uri`).
    ///
    /// SQLite: [ATTACH DATABASE](https://sqlite.org/lang_attach.html)
    public func attachDatabase(
        from storageLocation: StorageLocation,
        withName name: String,
        key: Data? = nil
    ) throws {
        try refuseURI(storageLocation, purpose: "attach")
        let path = try storageLocation.validatedName()
        let name = try name.withoutNUL()
        let hasFile = storageLocation != .inMemory && storageLocation != .temporary
        let key = key ?? (hasFile ? sharedConfiguration.key : nil)
        if let key, !key.isEmpty {
            try Connection.check(key)
            try refusePlainFile(path, isURI: opening.usesURIs)
        } else {
            try check(sqift_check_start_of(handle, path, opening.usesURIs, false))
        }
        guard let key else {
            try run("ATTACH DATABASE ? AS ?", path, name)
            return
        }
        // The trace knows this statement by its end, " KEY ?", and doesn't show the key.
        try run("ATTACH DATABASE ? AS ? KEY ?", path, name, key)
    }

    /// Detaches the database that was attached with this name. After a cancellation it works too,
    /// unless a statement is in the middle of its rows.
    ///
    /// - Throws: ``SQLiteError``, for example if there is no such database, or it is in use or in a
    ///   transaction.
    ///
    /// SQLite: [DETACH DATABASE](https://sqlite.org/lang_detach.html)
    public func detachDatabase(named name: String) throws {
        let sql = try "DETACH DATABASE \(name.withoutNUL().quotedAsIdentifier)"
        guard isCancelled else { return try execute(sql) }
        // What an access has attached, it can detach even after it was cancelled.
        try check(runShielded(sql))
    }

    /// Throws if the location is a URI and SQLite would read it as a path.
    func refuseURI(_ location: StorageLocation, purpose: String) throws {
        guard case .uri(let uri) = location, !opening.usesURIs,
            !Connection.hasCompileOption("USE_URI")
        else { return }
        throw misuse(
            "this connection doesn't take URIs, open it with .uri to \(purpose): \(uri)"
        )
    }
}
