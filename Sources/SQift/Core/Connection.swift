internal import CSQift

/// One connection to an SQLite database: SQL in, typed values out.
///
/// ```swift
/// let connection = try Connection(path: path)
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
    /// The owner of the `sqlite3 *`.
    private var owned: Handle {
        didSet { state.set(.noHandle, handle == nil) }
    }
    /// The `sqlite3 *`, or nil while the connection can't be used.
    var handle: OpaquePointer? { owned.usablePointer }

    /// What to do when another connection with the same shared cache has locked a table.
    public var tableLockPolicy: TableLockPolicy

    /// Interrupts this connection from any thread, for as long as it is open.
    public let interruptHandle: InterruptHandle

    let statements: StatementCache
    /// The statements about which no authorizer was asked.
    let shieldedStatements = StatementCache(capacity: 16)
    /// How it was opened.
    let opening: Opening

    /// The state that a statement checks before it runs.
    let state = ConnectionState()

    // MARK: What keeps it from being closed

    /// How many calls are running in which closures may use the connection although no statement
    /// prevents closing it: compilations, the busy handler, the progress handler and others.
    var openCallCount = 0

    /// The cursors that have a statement.
    @exclusivity(unchecked) var cursors: [ObjectIdentifier: Unmanaged<Cursor>] = [:]

    // MARK: What others keep with it

    @exclusivity(unchecked) var attachments: [ConnectionAttachment] = []
    /// Rolls a hot journal back, which the connection can't do itself; nil if none is to.
    var rollBackHotJournal: ((Connection) -> Void)?
    /// Sets back the callbacks that the closure of the current access has changed, by what changed
    /// them.
    @exclusivity(unchecked) var restorers: [String: (Connection) -> Void] = [:]
    /// Whose statements run now.
    @exclusivity(unchecked) private(set) var caller = Caller.program
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
            // "Whether or not an error occurs when it is opened, resources associated with the
            // database connection handle should be released by passing it to sqlite3_close()":
            // https://sqlite.org/c3ref/open.html
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
        owned = Handle(pointer: database)
        interruptHandle = InterruptHandle(database)
        statements = StatementCache(capacity: configuration.statementCacheCapacity)
        tableLockPolicy = configuration.tableLockPolicy
        opening = Opening(of: storageLocation, configuration, flags: flags)
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

    /// Opens a database in memory, which is deleted when the connection is closed.
    ///
    /// - Throws: As `init(storageLocation:configuration:)`.
    ///
    /// SQLite: [In-Memory Databases](https://sqlite.org/inmemorydb.html)
    public convenience init() throws {
        try self.init(configuration: Configuration())
    }

    /// Opens a database in memory with a configuration.
    ///
    /// - Throws: As `init(storageLocation:configuration:)`.
    public convenience init(configuration: Configuration) throws {
        try self.init(storageLocation: .inMemory, configuration: configuration)
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
        guard let pointer = owned.pointer else { return }
        for attachment in attachments {
            attachment.detach(from: pointer)
        }
        // Unlike `sqlite3_close` it doesn't refuse: "it marks the database connection as an
        // unusable 'zombie' and makes arrangements to automatically deallocate the database
        // connection after all prepared statements are finalized, all BLOB handles are closed, and
        // all backups have finished": https://sqlite.org/c3ref/close.html
        _ = interruptHandle.detach { sqlite3_close_v2(pointer) }
    }

    /// Closes the connection. Its cursors end, even if closing fails. Closing it again does
    /// nothing.
    ///
    /// - Throws: ``SQLiteError``: `SQLITE_BUSY` if prepared statements, blobs or backups are still
    ///   alive (the message names them), and inside a closure of its own (a busy handler, an
    ///   authorizer, a function, a migration); `SQLITE_MISUSE` while a backup writes to it, and for
    ///   the connection of a queue, a pool or a database, which only lends it, inside the closure
    ///   and after it. After an error it is still open.
    ///
    /// SQLite: [sqlite3_close](https://sqlite.org/c3ref/close.html)
    public func close() throws {
        guard owned.pointer != nil else { return }
        guard let database = handle else { throw unusableError }
        try checkBeforeClosing()

        closeCursors()
        removeCachedStatements()
        // Clear the handle first: `sqlite3_close` can call back into Swift (a trace closure,
        // deinitialisers), and that code must see a closed connection.
        let handleBefore = owned
        owned = Handle(pointer: nil)
        let code = interruptHandle.detach { sqlite3_close(database) }
        guard code == SQLITE_OK else {
            owned = handleBefore
            throw unfinishedError(
                ResultCode(code),
                "connection can't be closed",
                statementHandles
            )
        }
        state.observer = nil
        attachments = []
    }

    /// Throws if code further up the stack uses the connection.
    private func checkBeforeClosing() throws {
        if owned.holder == .closure {
            throw misuse(
                """
                connection can't be closed here: it is lent to a closure, and closed by its \
                queue, pool or database
                """
            )
        }
        // SQLite itself refuses only while a statement, a blob or a backup is alive.
        if openCallCount > 0 || state.isInsideHook {
            throw SQLiteError(
                code: .busy,
                message: "connection can't be closed yet: one of its own closures is running"
            )
        }
    }

    func removeCachedStatements() {
        statements.removeAll()
        shieldedStatements.removeAll()
    }

    // MARK: Who has it

    /// Whether a queue, a pool or a database has lent it to a closure.
    var isLentToClosure: Bool { owned.holder == .closure }

    /// Whether it isn't kept until the next access.
    var isLent: Bool { owned.holder != .lender }

    /// Whether it isn't closed.
    var isOpen: Bool { owned.pointer != nil }

    /// Changes who has it.
    ///
    /// - Returns: Who had it.
    @discardableResult func give(to holder: Handle.Holder) -> Handle.Holder {
        defer { owned.holder = holder }
        return owned.holder
    }

    /// Hands the database to a backup that writes to it. Until `endOverwriting()` the connection
    /// can't be used or closed.
    func beginOverwriting() throws -> OpaquePointer {
        guard let database = handle else { throw unusableError }
        if state.isReading {
            throw error(SQLITE_READONLY)
        }
        removeCachedStatements()
        owned.isOverwritten = true
        return database
    }

    func endOverwriting() {
        assert(owned.isOverwritten, "beginOverwriting() comes first")
        owned.isOverwritten = false
    }

    /// The error for a use of the connection while it has no handle.
    var unusableError: SQLiteError {
        guard isOpen else { return .connectionIsClosed }
        let reason =
            isLent
            ? "it is the destination of a backup that isn't finished"
            : "the closure that it was lent to has ended"
        return misuse("connection can't be used: \(reason)")
    }

    // MARK: Whose statements run

    /// Runs `body`, whose statements are this caller's.
    func running<Result>(as caller: Caller, _ body: () throws -> Result) rethrows -> Result {
        let outerCaller = self.caller
        self.caller = caller
        defer {
            assert(self.caller == caller, "each caller sets back what it has set")
            self.caller = outerCaller
        }
        return try body()
    }

    // MARK: Errors

    /// The error that SQLite has for the last call on this connection.
    ///
    /// - Parameter start: Where in `sql` the text begins that SQLite has compiled. Nil for a call
    ///   that doesn't compile: it leaves the offset of an earlier error.
    func error(_ code: Int32, sql: SQL? = nil, compiledFrom start: Int? = nil) -> SQLiteError {
        let result = ResultCode(code)
        // `sqlite3_rekey` returns codes that SQLite has no message for.
        let hasMessage = sqlite3_extended_errcode(handle) & 0xff == code & 0xff
        let message = hasMessage ? String(cString: sqlite3_errmsg(handle)) : result.standardMessage
        let offset = Int(sqift_error_offset(handle))
        var position: Int?
        // SQLite may have compiled the text of a damaged schema, and mean a byte of that.
        if let start, let sql, offset >= 0, start + offset <= sql.utf8.count {
            position = start + offset
        }
        return SQLiteError(
            code: result,
            message: advising(message, on: result, in: sql),
            sql: sql,
            offset: position
        )
    }

    /// Throws the error of the last call, which returned this code, unless it is `SQLITE_OK`.
    func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw error(code) }
    }
}

@available(*, unavailable, message: "a connection belongs to one thread at a time")
extension Connection: Sendable {}
