import Foundation

/// A database for many threads and tasks: one connection that writes, and a pool of connections
/// that read.
///
/// ```swift
/// let database = try Database(path: path)
/// try await database.write { connection in
///     try connection.run("INSERT INTO cars(name, price) VALUES(?, ?)", "Audi", 52_642)
/// }
/// let names: [String] = try await database.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// Writes take place one after the other, reads at the same time as each other and as a write. In
/// WAL, which is the default, neither waits for the other. A read that starts after a write has
/// returned sees it.
///
/// A synchronous closure runs on the calling thread, an asynchronous one on another, never on one
/// of Swift's own. Inside a closure the database can't be used again from the same thread: that
/// throws `AccessError.Reason.reentrant`; the closure's connection is there to be passed on. A
/// closure that waits for another thread, or task, that uses the database can wait for ever, which
/// nothing can detect.
///
/// A database in memory or a temporary one has one connection for everything, prepared as the
/// writer and then as a reader; reads and writes take turns. One file should be opened by one
/// `Database` of a process: two of them would wait for each other's locks.
///
/// https://sqlite.org/wal.html
public final class Database: Sendable {
    /// The connection that writes, and does everything in a database in memory.
    public let writerConnectionQueue: ConnectionQueue
    /// The connections that read. Of a database in memory it has none, and throws.
    public let readerConnectionPool: ConnectionPool
    /// Whether the database is its connection's own, so that one connection does everything.
    let isPrivate: Bool
    let snapshots = Locked<[WeakSnapshot]>([])
    let snapshotsInTheMaking = DispatchGroup()

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
    public convenience init(storageLocation: StorageLocation, configuration: Configuration) throws {
        let label = configuration.label ?? storageLocation.path
        let location = try configuration.location(of: storageLocation)
        let prepareWriter = reportingErrors(
            in: "writerConnectionPreparation",
            configuration.writerConnectionPreparation
        )
        let prepareReader = reportingErrors(
            in: "readerConnectionPreparation",
            configuration.readerConnectionPreparation
        )
        func source(isWriter: Bool, _ preparation: Preparation?) -> ConnectionSource {
            let settings = configuration.settings(isWriter: isWriter, label: label)
            return ConnectionSource(
                storageLocation: location,
                configuration: configuration.connectionConfiguration(isWriter: isWriter),
                label: label,
                preparations: [settings] + (preparation.map { [$0] } ?? [])
            )
        }
        try self.init(
            writer: source(isWriter: true, prepareWriter),
            reader: source(isWriter: false, prepareReader),
            readerPreparation: prepareReader,
            drainDelay: configuration.readerDrainDelay,
            maximumReaderCount: configuration.maximumReaderCount,
            acquisitionTimeout: configuration.acquisitionTimeout,
            journalSizeLimit: configuration.accessMode == .readWrite
                ? configuration.journalSizeLimit : nil
        )
    }

    /// Opens a database in memory with settings for production, which is what tests want: foreign
    /// keys are enforced, as they are in the file of the program that is tested.
    ///
    /// - Throws: As `init(storageLocation:configuration:)`.
    public static func inMemory(
        configuration: Configuration = Configuration()
    ) throws -> Database {
        try Database(storageLocation: .inMemory, configuration: configuration)
    }

    /// Opens a database as SQift 5.1 did, with the settings of `Configuration.sqift5`.
    ///
    /// - Parameters:
    ///   - storageLocation: Where the database is.
    ///   - tableLockPolicy: What to do when a connection with the same shared cache has locked a
    ///     table.
    ///   - multiThreaded: True leaves SQLite's mutexes out, false takes them; the database is safe
    ///     either way.
    ///   - sharedCache: Whether the connections share one cache, which SQLite discourages.
    ///   - drainDelay: After how many seconds a reading connection that wasn't needed is closed;
    ///     one stays.
    ///   - writerConnectionPreparation: Called with the writing connection when it has been opened.
    ///   - readerConnectionPreparation: Called with each reading connection when it has been
    ///     opened.
    /// - Throws: `SQLiteError` if it can't be opened, and what the writer's preparation throws.
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
        writerConnectionPreparation: (@Sendable (Connection) throws -> Void)? = nil,
        readerConnectionPreparation: (@Sendable (Connection) throws -> Void)? = nil
    ) throws {
        var configuration = Configuration.sqift5
        configuration.readerDrainDelay = drainDelay
        configuration.writerConnectionPreparation = writerConnectionPreparation
        configuration.readerConnectionPreparation = readerConnectionPreparation
        configuration.connection = Connection.Configuration(
            tableLockPolicy: tableLockPolicy,
            readOnly: false,
            multiThreaded: multiThreaded,
            sharedCache: sharedCache
        )
        try self.init(storageLocation: storageLocation, configuration: configuration)
    }

    /// Opens a database as SQift 5.1 did, with SQLite's own flags; the reading connections are
    /// opened read-only all the same.
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
        writerConnectionPreparation: (@Sendable (Connection) throws -> Void)? = nil,
        readerConnectionPreparation: (@Sendable (Connection) throws -> Void)? = nil
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

    private init(
        writer: ConnectionSource,
        reader: ConnectionSource,
        readerPreparation: Preparation?,
        drainDelay: TimeInterval,
        maximumReaderCount: Int,
        acquisitionTimeout: TimeInterval?,
        journalSizeLimit: Int?
    ) throws {
        let connection = try writer.open()
        isPrivate = connection.isDatabasePrivate
        if isPrivate {
            try readerPreparation?(connection)
        }
        var trimmer: WALTrimmer?
        if let journalSizeLimit {
            trimmer = try WALTrimmer(connection, limit: journalSizeLimit)
        }
        let isTrimming = trimmer != nil

        var openAnother: (@Sendable (Cancellation) throws -> Connection)?
        // What is in memory would be gone with the connection.
        if try connection.file(of: "main") != nil {
            openAnother = { cancellation in
                let replacement = try writer.open(cancellation)
                if isTrimming {
                    try replacement.observeWAL()
                }
                return replacement
            }
        }

        let owner = AtomicWord()
        var reader = reader
        reader.laterPreparations = writer.laterPreparations
        if !writer.configuration.readOnly {
            reader.journalTaker = { cancellation in
                try Connection.takeInJournal(
                    of: writer.storageLocation,
                    configuration: writer.configuration,
                    cancellation: cancellation
                )
            }
        }
        readerConnectionPool = ConnectionPool(
            reader,
            drainDelay,
            maximumReaderCount,
            acquisitionTimeout,
            isShareable: !isPrivate,
            beside: owner
        )
        writerConnectionQueue = ConnectionQueue(
            connection,
            label: writer.label,
            owner: owner,
            readers: readerConnectionPool,
            laterPreparations: writer.laterPreparations,
            openAnother: openAnother,
            afterAccess: trimmer?.trim
        )
    }

    deinit {
        // Readers first: the last connection to a WAL database takes the WAL in, which one that
        // only reads can't.
        readerConnectionPool.withIdleConnections { _ in false }
    }

    // MARK: SQift 5.1's names

    /// Calls `closure` with a connection that can only read, outside any transaction.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, and `AccessError`, also for a transaction that the
    ///   closure left open, which is rolled back.
    @inlinable @discardableResult public func executeRead<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try accessToRead(inTransaction: false) { result = try closure($0) }
        return try returned(result)
    }

    /// Calls `closure` with the connection that writes, outside any transaction.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: As `executeRead(closure:)`.
    @inlinable @discardableResult public func executeWrite<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        var result: T?
        try writerConnectionQueue.access(.plain) { result = try closure($0) }
        return try returned(result)
    }

    // MARK: Synchronous

    /// Calls `body` with a connection that can only read, in a deferred transaction: all it reads
    /// is of one state of the database.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, SQLite's errors, and `AccessError`.
    ///
    /// https://sqlite.org/isolation.html
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        var result: T?
        try accessToRead(inTransaction: true) { result = try body($0) }
        return try returned(result)
    }

    @usableFromInline func accessToRead(
        inTransaction: Bool,
        _ body: (Connection) throws -> Void
    ) throws {
        if isPrivate {
            try writerConnectionQueue.access(inTransaction ? .queryOnly : .plainQueryOnly, body)
        } else {
            try readerConnectionPool.access(inTransaction ? .read : .plain, body)
        }
    }

    /// Calls `body` with the connection that writes, in an immediate transaction: committed when it
    /// returns, rolled back when it throws.
    ///
    /// What depends on what was read belongs into the same `write` as the reading.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, SQLite's errors, and `AccessError`.
    ///
    /// https://sqlite.org/lang_transaction.html
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func write<T>(_ body: (Connection) throws -> T) throws -> T {
        var result: T?
        try writerConnectionQueue.access(.write) { result = try body($0) }
        return try returned(result)
    }

    /// Calls `body` with the connection that writes, outside any transaction, where each statement
    /// commits by itself, and VACUUM and some pragmas work.
    ///
    /// - Returns: What the closure returns. Statements and live rows must not leave it.
    /// - Throws: What the closure throws, and `AccessError`, also for a transaction that the
    ///   closure left open, which is rolled back.
    @available(
        *,
        noasync,
        message:
            "use await in a function or @main type, not main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func writeWithoutTransaction<T>(_ body: (Connection) throws -> T) throws -> T {
        var result: T?
        try writerConnectionQueue.access(.plain) { result = try body($0) }
        return try returned(result)
    }

    // MARK: Asynchronous

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        isPrivate
            ? try await writerConnectionQueue.asyncAccess(.queryOnly, body)
            : try await readerConnectionPool.asyncAccess(.read, body)
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        isPrivate
            ? try await writerConnectionQueue.asyncAccess(.queryOnly, body)
            : try await readerConnectionPool.asyncAccess(.read, body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   commit begins, in which case nothing was written.
    @discardableResult public func write<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await writerConnectionQueue.asyncAccess(.write, body)
    }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await writerConnectionQueue.asyncAccess(.write, body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned: what its statements have committed by then stays.
    @discardableResult public func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T { try await writerConnectionQueue.asyncAccess(.plain, body) }

    /// Calls `body` as the other asynchronous form does, for a closure without a result.
    public func writeWithoutTransaction(
        _ body: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await writerConnectionQueue.asyncAccess(.plain, body)
    }
}
