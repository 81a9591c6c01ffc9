internal import CSQift

/// One connection to an SQLite database: SQL in, typed values out.
///
/// ```swift
/// let connection = try Connection(path: "/tmp/cars.sqlite")
/// try connection.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
/// try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
/// let sql = "SELECT price FROM cars WHERE name = ?"
/// let price: Int? = try connection.query(sql, "Audi")
/// ```
///
/// Use a connection, its statements and its rows from one thread at a time, whatever the flags it
/// was opened with. Only ``interrupt()`` and the ``interruptHandle`` may be used from another
/// thread.
///
/// The connection is closed when the last reference to it and to its prepared statements is gone,
/// or earlier by ``close()``. After that every call that can throw throws `SQLITE_MISUSE`, and
/// every other call returns zero, nil, false or an empty string.
///
/// SQLite: [sqlite3](https://sqlite.org/c3ref/sqlite3.html)
public final class Connection {
    private(set) var handle: OpaquePointer? {
        didSet { state.set(.noHandle, handle == nil) }
    }

    /// What to do when another connection with the same shared cache has locked a table.
    public var tableLockPolicy: TableLockPolicy

    /// Interrupts this connection from any thread, for as long as it is open.
    public let interruptHandle: InterruptHandle

    let statements: StatementCache
    /// The statements about which no authorizer was asked.
    let shieldedStatements = StatementCache(capacity: 16)
    /// Whether `file:` URIs are understood, by ATTACH too.
    let isOpenedForURIs: Bool
    /// Whether it distrusts the file.
    let isHardened: Bool
    /// Whether it was opened to share one cache with the process's other connections to the file.
    let sharesCache: Bool
    /// Whether the name is one by which the `memdb` VFS shares databases.
    let sharesMemoryByName: Bool

    /// The state that a statement checks before it runs.
    let state = ConnectionState()

    // MARK: What keeps it from being closed

    /// Whether a queue, a pool or a database has lent it to a closure.
    var isInAccess = false
    /// How many calls are running in which closures may use the connection although no statement
    /// prevents closing it: compilations, the busy handler, the progress handler and others.
    var openCallCount = 0

    /// The cursors that have a statement.
    @exclusivity(unchecked) var cursors: [ObjectIdentifier: Unmanaged<Cursor>] = [:]

    // MARK: What others keep with it

    /// What other connections to the same database are opened with: the busy timeout, the key and
    /// its settings.
    var sharedConfiguration = Configuration()
    @exclusivity(unchecked) var attachments: [ConnectionAttachment] = []
    /// Sets back the callbacks that the closure of the current access has changed, by what changed
    /// them.
    @exclusivity(unchecked) var restorers: [String: (Connection) -> Void] = [:]
    /// Whether statements of the library's own run, about which neither the user's progress handler
    /// nor the authorizer is asked.
    @exclusivity(unchecked) var isShielded = false
    /// Whether no progress handler is asked, although the authorizer is.
    var isUninterrupted = false
    /// How often statements were reset that were in the middle of their rows.
    var resetCount = 0

    /// Opens a connection.
    ///
    /// - Throws: ``SQLiteError``: `SQLITE_CANTOPEN` for a file that can't be opened and for a
    ///   folder; `SQLITE_MISUSE` for an empty path or one with a NUL byte, and for a key if this
    ///   SQLite can't encrypt. If the file isn't a database, or is encrypted, the first statement
    ///   throws `SQLITE_NOTADB`; with a wrong key, a key for a file that isn't encrypted, or a
    ///   journal beside the file, opening throws it.
    ///
    /// SQLite: [sqlite3_open](https://sqlite.org/c3ref/open.html)
    public init(storageLocation: StorageLocation, configuration: Configuration) throws {
        guard sqlite3_libversion_number() >= 3_035_000 else {
            throw misuse(
                "SQLite \(Self.sqliteVersion) is too old: SQift needs 3.35 or newer"
            )
        }
        let name = try storageLocation.validatedName()
        if let key = configuration.key {
            try Connection.check(key)
        }
        var flags = configuration.flags
        if case .uri = storageLocation {
            flags |= SQLITE_OPEN_URI
        }
        // SQLite attaches through the VFS of the connection, unless a URI names another one.
        if configuration.vfs != nil {
            flags |= SQLITE_OPEN_URI
        }

        var database: OpaquePointer?
        let code = sqlite3_open_v2(name, &database, flags, try configuration.vfs?.withoutNUL())
        guard code == SQLITE_OK, let database else {
            // A failed open leaves a handle that knows the reason and must be closed. If there was
            // no memory for one, SQLite says so.
            let extendedCode = sqlite3_extended_errcode(database)
            let reason = String(cString: sqlite3_errmsg(database))
            sqlite3_close(database)
            let hint = storageLocation.openingHint(mayCreate: flags & SQLITE_OPEN_CREATE != 0)
            throw SQLiteError(
                code: ResultCode(extendedCode),
                message: "\(reason): \(storageLocation.path)\(hint)"
            )
        }

        sqlite3_extended_result_codes(database, 1)
        handle = database
        interruptHandle = InterruptHandle(database)
        statements = StatementCache(capacity: configuration.statementCacheCapacity)
        tableLockPolicy = configuration.tableLockPolicy
        isOpenedForURIs = flags & SQLITE_OPEN_URI != 0
        isHardened = configuration.hardened
        sharesCache =
            flags & SQLITE_OPEN_SHAREDCACHE != 0
            || isOpenedForURIs && name.contains("cache=shared")
        sharesMemoryByName = storageLocation.sharesMemoryByName(vfs: configuration.vfs)

        sharedConfiguration.busyTimeout = configuration.busyTimeout
        sharedConfiguration.key = configuration.key
        sharedConfiguration.cipherSettings = configuration.cipherSettings
        // A lock is waited for at the first use, when a cancellation can end the waiting.
        try checkFile()
        sqlite3_busy_timeout(database, configuration.busyTimeout.milliseconds)
        if isHardened {
            try harden()
        }
        if let foreignKeys = configuration.foreignKeys {
            try execute("PRAGMA foreign_keys = \(foreignKeys)")
        }
    }

    /// Opens the file at `path`. If it is missing, and the configuration allows writing, it is
    /// created.
    ///
    /// - Throws: As `init(storageLocation:configuration:)`.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(storageLocation: .onDisk(path), configuration: configuration)
    }

    deinit {
        removeCachedStatements()
        // SQLite's handle may outlive the connection, and then calls none of these.
        guard let handle else { return }
        for attachment in attachments {
            attachment.detach(from: handle)
        }
        // Unlike `sqlite3_close` it succeeds while statements, blobs or backups are alive, and
        // releases the rest when they have ended. https://sqlite.org/c3ref/close.html
        _ = interruptHandle.detach { sqlite3_close_v2(handle) }
    }

    /// Closes the connection. Its cursors end, even if closing fails. Closing it again does
    /// nothing.
    ///
    /// - Throws: ``SQLiteError``: `SQLITE_BUSY` if prepared statements, blobs or backups are still
    ///   alive (the message names them), and inside a closure of its own (a busy handler, an
    ///   authorizer, a function, a migration); `SQLITE_MISUSE` while a backup writes to it, and
    ///   inside a closure of a queue, a pool or a database, which only lends it. After an error it
    ///   is still open.
    ///
    /// SQLite: [sqlite3_close](https://sqlite.org/c3ref/close.html)
    public func close() throws {
        guard let database = handle else {
            if isBeingOverwritten {
                throw unusableError
            }
            return
        }
        if isInAccess {
            throw misuse(
                "connection can't be closed here: it is lent to a closure, and closed by its "
                    + "queue, pool or database"
            )
        }
        // SQLite itself refuses only while a statement, a blob or a backup is alive.
        if openCallCount > 0 || state.isInsideHook {
            throw SQLiteError(
                code: .busy,
                message: "connection can't be closed yet: one of its own closures is running"
            )
        }

        closeCursors()
        removeCachedStatements()
        // Clear the handle first: `sqlite3_close` can call back into Swift (a trace closure,
        // deinitialisers), and that code must see a closed connection.
        handle = nil
        let code = interruptHandle.detach { sqlite3_close(database) }
        guard code == SQLITE_OK else {
            handle = database
            throw unfinishedError(
                ResultCode(code),
                "connection can't be closed",
                statementHandles
            )
        }
        state.observer = nil
        attachments = []
    }

    func removeCachedStatements() {
        statements.removeAll()
        shieldedStatements.removeAll()
    }

    /// Hands the database to a backup that writes to it. Until `endOverwriting()` the connection
    /// can't be used or closed.
    func beginOverwriting() throws -> OpaquePointer {
        guard let database = handle else { throw unusableError }
        if state.isReading {
            throw error(SQLITE_READONLY)
        }
        removeCachedStatements()
        handle = nil
        return database
    }

    func endOverwriting() {
        handle = interruptHandle.database.value
    }

    /// Whether a backup has the database, if the connection has no handle: then only the interrupt
    /// handle still knows it.
    var isBeingOverwritten: Bool { interruptHandle.database.value != nil }

    /// The error that SQLite has for the last call on this connection.
    ///
    /// - Parameter start: Where in `sql` the text begins that SQLite has compiled. Nil for a call
    ///   that doesn't compile: it leaves the offset of an earlier error.
    func error(_ code: Int32, sql: SQL? = nil, compiledFrom start: Int? = nil) -> SQLiteError {
        let result = ResultCode(code)
        // `sqlite3_rekey` returns codes that SQLite has no message for.
        let hasMessage = sqlite3_extended_errcode(handle) & 0xff == code & 0xff
        var message = hasMessage ? String(cString: sqlite3_errmsg(handle)) : result.standardMessage
        if result == .readOnlyDirectory || result == .cantOpen, message == result.standardMessage {
            // Perhaps SQLite couldn't create a `-wal` or a journal beside the file.
            // https://sqlite.org/wal.html#read_only_databases
            message +=
                "; where the folder can't be written, a database can be opened for reading only, "
                + "one in WAL mode as a copy elsewhere or, if it is never written, as immutable: "
                + "Database.Configuration.accessMode, or file:…?immutable=1"
        }
        if result == .notADatabase, message == result.standardMessage {
            message =
                sharedConfiguration.key == nil
                ? "file is encrypted, or isn't a database"
                : "the key is wrong, or the file isn't a sound encrypted one"
        }
        if state.transactionDepth > 0, message.hasSuffix("from within a transaction") {
            message +=
                "; run it in writeWithoutTransaction, or in a migration with withoutTransaction"
        }
        // The primary code alone: an extended one has another cause.
        if code == SQLITE_READONLY, state.isReading {
            message +=
                "; this connection is lent for reading: "
                + "use write, of a Database or a ConnectionQueue"
        }

        let offset = Int(sqift_error_offset(handle))
        var position: Int?
        // SQLite may have compiled the text of a damaged schema, and mean a byte of that.
        if let start, let sql, offset >= 0, start + offset <= sql.utf8.count {
            position = start + offset
        }
        return SQLiteError(code: result, message: message, sql: sql, offset: position)
    }

    /// Throws the error of the last call, which returned this code, unless it is `SQLITE_OK`.
    func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw error(code) }
    }
}

@available(*, unavailable, message: "a connection belongs to one thread at a time")
extension Connection: Sendable {}
