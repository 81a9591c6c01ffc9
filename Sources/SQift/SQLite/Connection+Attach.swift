extension Connection {
    /// Attaches another database. Its tables are then `name.table`.
    ///
    /// If one of several files uses WAL, a transaction over them is atomic in each file, but not
    /// over all of them.
    ///
    /// - Throws: `SQLiteError`; also for a `.uri` if this connection doesn't accept URIs (open it
    ///   with a `.uri`).
    ///
    /// https://sqlite.org/lang_attach.html
    public func attachDatabase(
        from storageLocation: StorageLocation,
        withName name: String
    ) throws {
        try refuseURI(storageLocation, purpose: "attach")
        try run("ATTACH DATABASE ? AS ?", storageLocation.validatedName(), name.withoutNUL())
    }

    /// Detaches the database that was attached with this name.
    ///
    /// https://sqlite.org/lang_detach.html
    public func detachDatabase(named name: String) throws {
        try run("DETACH DATABASE ?", name.withoutNUL())
    }

    /// Throws if the location is a URI and SQLite would read it as a path.
    func refuseURI(_ location: StorageLocation, purpose: String) throws {
        guard case .uri(let uri) = location, !isOpenedForURIs,
            !Connection.hasCompileOption("USE_URI")
        else { return }
        throw SQLiteError.misuse(
            "this connection doesn't take URIs, open it with .uri to \(purpose): \(uri)"
        )
    }
}
