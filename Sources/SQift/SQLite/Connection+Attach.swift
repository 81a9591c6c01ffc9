internal import CSQift

extension Connection {
    /// Attaches another database, whose tables are then `name.table`.
    ///
    /// A transaction over several files of which one uses WAL is atomic in each file, not over all
    /// of them.
    ///
    /// - Throws: `SQLiteError`; for a `.uri` also if this connection doesn't take URIs (open it
    ///   with a `.uri`).
    ///
    /// https://sqlite.org/lang_attach.html
    public func attachDatabase(from storageLocation: StorageLocation, withName name: String) throws
    {
        if case .uri(let uri) = storageLocation, !isOpenedForURIs,
            !Connection.hasCompileOption("USE_URI")
        {
            throw SQLiteError.misuse(
                "this connection doesn't take URIs, open it with .uri to attach: \(uri)"
            )
        }
        try run("ATTACH DATABASE ? AS ?", storageLocation.validatedName(), name.withoutNUL())
    }

    /// Detaches a database that was attached with this name.
    ///
    /// https://sqlite.org/lang_detach.html
    public func detachDatabase(named name: String) throws {
        try run("DETACH DATABASE ?", name.withoutNUL())
    }
}
