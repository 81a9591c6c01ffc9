extension Connection {
    /// Opens a connection as SQift 5.1 did.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do when a connection with the same shared cache has locked a
    ///     table.
    ///   - readOnly: Whether the connection can only read.
    ///   - multiThreaded: True leaves SQLite's mutexes out (`SQLITE_OPEN_NOMUTEX`), false takes
    ///     them (`SQLITE_OPEN_FULLMUTEX`). In neither case may two threads use the connection at
    ///     the same time.
    ///   - sharedCache: Whether to share one cache with the process's other connections that ask
    ///     for it, which SQLite discourages.
    /// - Throws: As `init(storageLocation:configuration:)`.
    public convenience init(
        storageLocation: StorageLocation = .inMemory,
        tableLockPolicy: TableLockPolicy = .fastFail,
        readOnly: Bool = false,
        multiThreaded: Bool = true,
        sharedCache: Bool = false
    ) throws {
        let configuration = Configuration(
            readOnly: readOnly,
            multiThreaded: multiThreaded,
            sharedCache: sharedCache
        )
        try self.init(
            storageLocation: storageLocation,
            tableLockPolicy: tableLockPolicy,
            flags: configuration.flags
        )
    }

    /// Opens a connection with SQLite's own flags.
    ///
    /// - Throws: As `init(storageLocation:configuration:)`.
    ///
    /// SQLite: [sqlite3_open](https://sqlite.org/c3ref/open.html)
    public convenience init(
        storageLocation: StorageLocation,
        tableLockPolicy: TableLockPolicy = .fastFail,
        flags: Int32
    ) throws {
        var configuration = Configuration()
        configuration.tableLockPolicy = tableLockPolicy
        configuration.flags = flags
        try self.init(storageLocation: storageLocation, configuration: configuration)
    }
}
