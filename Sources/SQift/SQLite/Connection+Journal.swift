internal import CSQift

extension Connection {
    /// Opens a database for writing and reads it once. SQLite then first undoes the unfinished
    /// transaction that left a rollback journal. The file is never created.
    ///
    /// https://sqlite.org/atomiccommit.html#_rollback
    static func takeInJournal(
        of storageLocation: StorageLocation,
        configuration: Configuration,
        cancellation: Cancellation
    ) throws {
        var configuration = configuration
        configuration.flags &= ~SQLITE_OPEN_CREATE
        let connection = try Connection(
            storageLocation: storageLocation.forExistingFile,
            configuration: configuration
        )
        connection.makeCancellable(by: Cancellation(sharingFlagOf: cancellation))

        try connection.check(connection.runShielded(Self.schemaQuery))
        try connection.close()
    }
}
