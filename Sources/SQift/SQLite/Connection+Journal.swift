internal import CSQift

extension Connection {
    /// Rolls back a hot journal by opening the database for writing and reading it once. The file
    /// is never created.
    ///
    /// https://sqlite.org/atomiccommit.html#_rollback
    static func rollBackHotJournal(
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
