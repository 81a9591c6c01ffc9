import Foundation

extension Database {
    /// Opens a database as SQift 5.1 did, with the settings of `Configuration.sqift5`.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do when a connection with the same shared cache has locked a
    ///     table.
    ///   - multiThreaded: True leaves SQLite's mutexes out, false takes them; the database is safe
    ///     either way.
    ///   - sharedCache: Whether the connections share one cache, which SQLite discourages.
    ///   - drainDelay: After how many seconds a reading connection that isn't needed is closed;
    ///     one stays open.
    ///   - writerConnectionPreparation: Called with the new writing connection.
    ///   - readerConnectionPreparation: Called with each new reading connection.
    /// - Throws: `SQLiteError` if it can't be opened, `AccessError` if a preparation closure leaves
    ///   a transaction open, and what the writer's preparation throws; for a database in memory
    ///   also what the reader's throws.
    @available(
        *,
        deprecated,
        message:
            "foreign keys stay off: pass a configuration (.sqift5 is this one) or use inMemory()"
    )
    @preconcurrency public convenience init(
        storageLocation: StorageLocation = .inMemory,
        tableLockPolicy: TableLockPolicy = .fastFail,
        multiThreaded: Bool = true,
        sharedCache: Bool = false,
        drainDelay: TimeInterval = 1.0,
        writerConnectionPreparation: Connection.Preparation? = nil,
        readerConnectionPreparation: Connection.Preparation? = nil
    ) throws {
        let connection = Connection.Configuration(
            multiThreaded: multiThreaded,
            sharedCache: sharedCache
        )
        try self.init(
            storageLocation: storageLocation,
            tableLockPolicy: tableLockPolicy,
            flags: connection.flags,
            drainDelay: drainDelay,
            writerConnectionPreparation: writerConnectionPreparation,
            readerConnectionPreparation: readerConnectionPreparation
        )
    }

    /// Opens a database as SQift 5.1 did, with SQLite's own flags. The reading connections are
    /// opened read-only whatever the flags say.
    ///
    /// - Throws: As the other form.
    @available(
        *,
        deprecated,
        message:
            "foreign keys stay off: pass a configuration (.sqift5 is this one) with these flags"
    )
    @preconcurrency public convenience init(
        storageLocation: StorageLocation = .inMemory,
        tableLockPolicy: TableLockPolicy = .fastFail,
        flags: Int32,
        drainDelay: TimeInterval = 1.0,
        writerConnectionPreparation: Connection.Preparation? = nil,
        readerConnectionPreparation: Connection.Preparation? = nil
    ) throws {
        var configuration = Configuration.sqift5
        configuration.readerDrainDelay = drainDelay
        configuration.writerConnectionPreparation = writerConnectionPreparation
        configuration.readerConnectionPreparation = readerConnectionPreparation
        configuration.connection.tableLockPolicy = tableLockPolicy
        configuration.connection.flags = flags
        if configuration.connection.readOnly {
            configuration.accessMode = .readOnly()
        }
        try self.init(storageLocation: storageLocation, configuration: configuration)
    }

    /// Calls `closure` with a connection that can only read, outside any transaction.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and ``AccessError``, also for a transaction that the closure
    ///   left open, which is rolled back.
    @inlinable @discardableResult public func executeRead<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        try readers.access(.autocommitRead, returning: closure)
    }

    /// Calls `closure` with the connection that writes, outside any transaction.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: As ``executeRead(closure:)``.
    @inlinable @discardableResult public func executeWrite<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        try writer.access(.autocommit, returning: closure)
    }
}
