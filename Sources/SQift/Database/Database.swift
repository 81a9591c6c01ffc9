/// A database for many threads and tasks: one connection that writes, and a pool of connections
/// that read.
///
/// ```swift
/// let database = try Database(path: path)
/// try await database.write { connection in
///     try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
/// }
/// let names: [String] = try await database.read { connection in
///     try connection.query("SELECT name FROM cars")
/// }
/// ```
///
/// Writes run one after the other. Reads run in parallel with each other and with a write. In WAL,
/// which is the default, neither waits for the other. A read that starts after a write has returned
/// sees it.
///
/// A synchronous closure runs on the calling thread. An asynchronous one runs on another thread,
/// never on one of Swift's own. Inside a closure the database can't be used again from the same
/// thread: that throws ``AccessError/Reason/reentrant``. Pass the closure's connection on instead.
/// If a closure waits for another thread or task that uses the database, it can wait forever.
/// Nothing can detect that.
///
/// A database in memory and a temporary one have one connection for everything, prepared as the
/// writer and then as a reader; reads and writes take turns. A process should open a file with one
/// `Database` only: two of them would wait for each other's locks.
///
/// SQLite: [Write-Ahead Logging](https://sqlite.org/wal.html)
public final class Database: DatabaseWriter {
    /// The connection that writes, and does everything in a database in memory.
    public let writerConnectionQueue: ConnectionQueue
    /// The connections that read. A database in memory has none of them: every access to this pool
    /// throws.
    public let readerConnectionPool: ConnectionPool
    /// The queue's connection.
    let writerLane: Lane
    /// Opens the connections that read.
    let readerSource: ConnectionSource
    /// Whether the database belongs to its one connection, which then does everything.
    let hasOneConnection: Bool
    /// Shared by all connections but those of snapshots.
    var gate: AccessGate { readerConnectionPool.gate }
    /// Where reads wait.
    public let readers: AccessLine
    /// Where writes wait.
    public let writer: AccessLine
    let snapshotLanes = OpenLanes()
    /// Who hears of what happens to it.
    let observer = Locked<(any DatabaseObserver)?>(nil)

    /// Opens the file at `path` with settings for production.
    ///
    /// - Throws: As `init(storageLocation:configuration:)`.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(storageLocation: .onDisk(path), configuration: configuration)
    }

    /// Opens a database with settings for production.
    ///
    /// - Throws: `SQLiteError` if it can't be opened, `AccessError` if it doesn't take a setting,
    ///   and what a preparation closure throws.
    public init(storageLocation: StorageLocation, configuration: Configuration) throws {
        let label = configuration.label ?? storageLocation.path
        let writerSource = ConnectionSource(
            storageLocation: try configuration.location(of: storageLocation),
            configuration: configuration.connectionConfiguration(isWriter: true),
            label: label,
            preparations: configuration.preparations(isWriter: true)
        )
        let connection = try writerSource.open()
        let trimmer = try WALTrimmer(connection, configuration)
        readerSource = ConnectionSource(
            storageLocation: writerSource.storageLocation.forReading,
            file: writerSource.file,
            configuration: configuration.connectionConfiguration(isWriter: false),
            label: label,
            isForReading: true,
            preparations: configuration.preparations(isWriter: false),
            rollsBackHotJournals: configuration.accessMode == .readWrite
        )
        hasOneConnection = connection.isDatabasePrivate
        if hasOneConnection {
            writerSource.preparations.append(
                "readerConnectionPreparation",
                configuration.readerConnectionPreparation
            )
            try writerSource.preparations.apply(to: connection)
        }

        readerConnectionPool = ConnectionPool(
            source: readerSource,
            drainDelay: configuration.readerDrainDelay,
            maximumConnectionCount: configuration.maximumReaderCount,
            acquisitionTimeout: configuration.acquisitionTimeout
        )
        writerLane = Lane(
            connection,
            gate: readerConnectionPool.gate,
            preparations: writerSource.preparations,
            observer: Lane.Observer(
                beforeAccess: { [observer] connection in
                    observer.value?.accessWillBegin(on: connection)
                },
                afterAccess: { [observer] connection in
                    trimmer?.trim(connection)
                    observer.value?.accessHasEnded(on: connection)
                }
            ),
            // A database in memory would be gone with the connection.
            isReplaceable: !connection.fileName.isEmpty,
            opening: writerSource.open
        )
        writerConnectionQueue = ConnectionQueue(writerLane)
        writer = writerConnectionQueue.writer
        readers = hasOneConnection ? writer : readerConnectionPool.readers
    }

    /// Opens a database in memory with settings for production. It suits tests: foreign keys are
    /// enforced, as they are in the tested program's file.
    ///
    /// ```swift
    /// let database = try Database.inMemory()
    /// try await database.write { try $0.execute("CREATE TABLE cars(name TEXT NOT NULL)") }
    /// ```
    ///
    /// - Throws: As ``init(storageLocation:configuration:)``.
    public static func inMemory(
        configuration: Configuration = Configuration()
    ) throws -> Database {
        try Database(storageLocation: .inMemory, configuration: configuration)
    }

    deinit {
        observer.value?.hasClosed()
        // Readers first: the last connection to a WAL database moves the WAL into the file, which a
        // read-only connection can't do.
        try? readerConnectionPool.closeIdleConnections()
    }
}
