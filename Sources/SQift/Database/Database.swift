import Foundation

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
/// <https://sqlite.org/wal.html>
public final class Database: Sendable {
    /// The connection that writes, and does everything in a database in memory.
    public let writerConnectionQueue: ConnectionQueue
    /// The connections that read. A database in memory has none of them: every access to this pool
    /// throws.
    public let readerConnectionPool: ConnectionPool
    /// The name for errors.
    let label: String
    /// Opens the connections that read.
    let readerSource: ConnectionSource
    /// Knows the writer as 0, and the readers from 1 on.
    let reentryGuard: ReentryGuard
    /// Whether the database belongs to its one connection, which then does everything.
    @usableFromInline let isPrivate: Bool
    let snapshots = Locked<[WeakSnapshot]>([])
    let changeHub: ChangeHub
    /// Locked while a snapshot is made, and while the key is changed: no snapshot begins with the
    /// old one.
    let snapshotMaking = NSLock()

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
        func source(isWriter: Bool, preparation: Preparation?) -> ConnectionSource {
            let settings = configuration.settings(isWriter: isWriter, label: label)
            return ConnectionSource(
                storageLocation: location,
                configuration: configuration.connectionConfiguration(isWriter: isWriter),
                label: label,
                preparations: [settings] + (preparation.map { [$0] } ?? [])
            )
        }
        try self.init(
            writer: source(isWriter: true, preparation: prepareWriter),
            reader: source(isWriter: false, preparation: prepareReader),
            readerPreparation: prepareReader,
            drainDelay: configuration.readerDrainDelay,
            maximumReaderCount: configuration.maximumReaderCount,
            acquisitionTimeout: configuration.acquisitionTimeout,
            journalSizeLimit: configuration.accessMode == .readWrite
                && configuration.checkpoints == .automatic ? configuration.journalSizeLimit : nil
        )
    }

    /// Opens a database in memory with settings for production. It suits tests: foreign keys are
    /// enforced, as they are in the tested program's file.
    ///
    /// - Throws: As ``init(storageLocation:configuration:)``.
    public static func inMemory(
        configuration: Configuration = Configuration()
    ) throws -> Database {
        try Database(storageLocation: .inMemory, configuration: configuration)
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
        label = writer.label
        isPrivate = connection.isDatabasePrivate
        if isPrivate, let readerPreparation {
            try connection.prepare(by: readerPreparation)
        }
        var trimmer: WALTrimmer?
        if let journalSizeLimit {
            trimmer = try WALTrimmer(connection, limit: journalSizeLimit)
        }

        var readerSource = reader.forReading
        readerSource.registrations = writer.registrations
        readerSource.newKey = writer.newKey
        readerSource.fileName = writer.fileName
        if !writer.configuration.readOnly {
            readerSource.journalTaker = { cancellation in
                try Connection.takeInJournal(
                    of: writer.currentLocation,
                    configuration: writer.currentConfiguration,
                    cancellation: cancellation
                )
            }
        }
        self.readerSource = readerSource

        let readerCount = max(maximumReaderCount, 1)
        reentryGuard = ReentryGuard(connectionCount: 1 + readerCount)
        readerConnectionPool = ConnectionPool(
            source: readerSource,
            drainDelay: drainDelay,
            maximumConnectionCount: readerCount,
            acquisitionTimeout: acquisitionTimeout,
            reentryGuard: reentryGuard
        )
        var openReplacement: ConnectionQueue.Opening?
        let isTrimming = trimmer != nil
        // A database in memory would be gone with the connection.
        if try connection.file(of: "main") != nil {
            openReplacement = { cancellation in
                let replacement = try writer.open(cancellation)
                if isTrimming {
                    try replacement.observeWAL()
                }
                return replacement
            }
        }
        let changeHub = ChangeHub()
        self.changeHub = changeHub
        writerConnectionQueue = ConnectionQueue(
            connection: connection,
            label: writer.label,
            registrations: writer.registrations,
            reentryGuard: reentryGuard,
            openReplacement: openReplacement,
            beforeAccess: changeHub.beforeAccess,
            afterAccess: { [trimmer] connection in
                trimmer?.trim(connection)
                changeHub.afterAccess(connection)
            }
        )
    }

    deinit {
        changeHub.close()
        // Readers first: the last connection to a WAL database moves the WAL into the file, which a
        // read-only connection can't do.
        readerConnectionPool.closeIdleConnections()
    }

    // MARK: Synchronous

    /// Calls `body` with a connection that can only read, in a deferred transaction: everything it
    /// reads belongs to one state of the database.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, SQLite's errors, and `AccessError`.
    ///
    /// https://sqlite.org/isolation.html
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try accessToRead(.read, returning: body)
    }

    /// Calls `body` with the connection that writes, in an immediate transaction: committed when it
    /// returns, rolled back when it throws.
    ///
    /// If a write depends on a read, do both in the same `write`; otherwise another write can
    /// happen in between.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, SQLite's errors, and `AccessError`.
    ///
    /// https://sqlite.org/lang_transaction.html
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func write<T>(_ body: (Connection) throws -> T) throws -> T {
        try writerConnectionQueue.access(.write, returning: body)
    }

    /// Calls `body` with the connection that writes, outside any transaction, where each statement
    /// commits by itself, and VACUUM and some pragmas work.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and `AccessError`, also for a transaction that the closure
    ///   left open, which is rolled back.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    @inlinable
    @discardableResult
    public func writeWithoutTransaction<T>(_ body: (Connection) throws -> T) throws -> T {
        try writerConnectionQueue.access(.plain, returning: body)
    }

    // MARK: Asynchronous

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned.
    @discardableResult public func read<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await readers.asyncAccess(.read, body)
    }

    /// The asynchronous form for a closure without a result.
    public func read(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await readers.asyncAccess(.read, body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   commit begins, in which case nothing was written.
    @discardableResult public func write<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await writerConnectionQueue.asyncAccess(.write, body)
    }

    /// The asynchronous form for a closure without a result.
    public func write(_ body: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await writerConnectionQueue.asyncAccess(.write, body)
    }

    /// Calls `body` as the synchronous form does, on another thread.
    ///
    /// - Returns: The closure's result.
    /// - Throws: As the synchronous form; `CancellationError` if the task is cancelled before the
    ///   closure has returned: what its statements have committed by then stays.
    @discardableResult public func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await writerConnectionQueue.asyncAccess(.plain, body)
    }

    /// The asynchronous form for a closure without a result.
    public func writeWithoutTransaction(
        _ body: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await writerConnectionQueue.asyncAccess(.plain, body)
    }

    // MARK: Which connection reads

    /// The queue or the pool that lends the connections that read.
    var readers: any ConnectionLender {
        isPrivate ? writerConnectionQueue : readerConnectionPool
    }

    @inlinable @inline(__always) func accessToRead<T>(
        _ mode: AccessMode,
        returning body: (Connection) throws -> T
    ) throws -> T {
        // Not through `readers`: a call through a protocol costs more than the check.
        try isPrivate
            ? writerConnectionQueue.access(mode, returning: body)
            : readerConnectionPool.access(mode, returning: body)
    }
}
