internal import CSQift

/// A prepared statement: compiled once, bound and run as often as needed.
///
/// ```swift
/// let insert = try connection.prepare("INSERT INTO cars(name, price) VALUES(?, ?)")
/// for car in cars {
///     try insert.bind(car.name, car.price).run()
/// }
/// ```
///
/// ``run()`` and every `query` leave the statement reset, so that it holds no lock and no snapshot.
/// While it is being stepped, by a `query` further up the stack, it can't be bound or run again:
/// that throws. A statement keeps its connection alive and belongs to the same thread.
///
/// SQLite: [sqlite3_stmt](https://sqlite.org/c3ref/stmt.html)
public final class Statement {
    /// The SQL it was prepared from, with its placeholders.
    public let sql: SQL

    // The connection finalizes its cached statements in time (see StatementCache); a prepared
    // statement keeps its connection alive.
    unowned(unsafe) let connection: Connection
    /// Nil for a cached statement.
    let owner: Connection?
    private let state: ConnectionState

    // The compiler's exclusivity checks are off for what each cell touches, and for what is changed
    // in place: with them a cell costs twice as much. That is safe because no code of a user's runs
    // while one of them is being changed. The optimizer leaves the other checks out.
    @exclusivity(unchecked) private(set) var handle: OpaquePointer?

    // MARK: State

    /// How the statement is being used, perhaps further up the stack.
    @usableFromInline enum Activity {
        case idle
        case binding
        /// Claimed for a run, before its first row.
        case starting
        case stepping
        case finalized
    }

    @usableFromInline @exclusivity(unchecked) private(set) var activity = Activity.idle
    /// Changes with each step, so that a row of an earlier step is noticed.
    @usableFromInline @exclusivity(unchecked) var generation = 0
    @exclusivity(unchecked) var columns = StatementColumns(count: 0, preparationCount: -1)

    // MARK: Parameters

    /// How many values `bind` takes: the largest parameter number.
    ///
    /// SQLite: [sqlite3_bind_parameter_count](https://sqlite.org/c3ref/bind_parameter_count.html)
    public let parameterCount: Int
    @usableFromInline @exclusivity(unchecked) var lastBound: Int32 = 0
    @exclusivity(unchecked) var bindings: StatementBindings

    // MARK: What it does

    /// What the connection's observer keeps with it.
    var observation: AnyObject?
    /// What has decoded its last row, or encoded its parameters, for the next time.
    @exclusivity(unchecked) var coder: StatementCoder?

    /// Whether it leaves the database as it is.
    ///
    /// SQLite: [sqlite3_stmt_readonly](https://sqlite.org/c3ref/stmt_readonly.html)
    public let isReadOnly: Bool
    /// False for a query that leaves the database as it is.
    private let mayWrite: Bool

    // MARK: Preparing

    /// Prepares one statement.
    ///
    /// - Throws: `SQLiteError`: SQLite's own for SQL it doesn't understand, `SQLITE_MISUSE` for SQL
    ///   without a statement or with a second one; white space, comments and semicolons may follow.
    ///
    /// SQLite: [sqlite3_prepare](https://sqlite.org/c3ref/prepare.html)
    public convenience init(connection: Connection, sql: SQL) throws {
        try self.init(sql, on: connection, owner: connection)
    }

    convenience init(_ sql: SQL, on connection: Connection, owner: Connection?) throws {
        let handle = try SQLText.with(sql) { text in
            let (statement, end) = try text.compile(
                at: 0,
                on: connection,
                flags: UInt32(SQLITE_PREPARE_PERSISTENT)
            )
            guard let statement else {
                throw SQLiteError(code: .misuse, message: "the SQL holds no statement", sql: sql)
            }
            guard let second = text.firstToken(from: end) else { return statement }

            sqlite3_finalize(statement)
            throw SQLiteError(
                code: .misuse,
                message: """
                    the SQL holds a second statement, which would be ignored: use execute(_:) \
                    for a script
                    """,
                sql: sql,
                offset: second
            )
        }
        self.init(handle, sql: sql, connection: connection, owner: owner)
    }

    /// Takes over a compiled statement.
    init(_ handle: OpaquePointer, sql: SQL, connection: Connection, owner: Connection?) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
        self.owner = owner
        state = connection.state
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        isReadOnly = sqlite3_stmt_readonly(handle) != 0
        // "Transaction control statements such as BEGIN, COMMIT, ROLLBACK, SAVEPOINT, and RELEASE
        // cause sqlite3_stmt_readonly() to return true":
        // https://sqlite.org/c3ref/stmt_readonly.html
        mayWrite = !isReadOnly || sqlite3_column_count(handle) == 0
        bindings = StatementBindings(isComplete: parameterCount == 0)
        state.observer?.hasPrepared(self)
    }

    deinit {
        finalize()
    }

    /// Releases SQLite's statement before the last reference is gone. Its rows become stale.
    func finalize() {
        generation &+= 1
        activity = .finalized
        sqlite3_finalize(handle)
        handle = nil
        bindings.arena.deallocate()
    }

    // MARK: Running

    /// Runs the statement to its end, and resets it. The rows of its result are skipped.
    ///
    /// - Throws: ``SQLiteError``, for example if its parameters were never bound.
    @inlinable @discardableResult public func run() throws -> Statement {
        try reading {
            while try step() {}
        }
        return self
    }

    /// Whether it has been stepped and not yet reset.
    ///
    /// SQLite: [sqlite3_stmt_busy](https://sqlite.org/c3ref/stmt_busy.html)
    public var isBusy: Bool { sqlite3_stmt_busy(usableHandle) != 0 }

    /// The SQL with the bound values filled in, or nil if SQLite has no memory for it. Be careful
    /// with logs: the values may be private.
    ///
    /// SQLite: [sqlite3_expanded_sql](https://sqlite.org/c3ref/expanded_sql.html)
    public var expandedSQL: SQL? {
        guard let text = sqlite3_expanded_sql(usableHandle) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }

    /// The names of the result's columns from left to right, as SQLite or `AS` names them; empty
    /// for a statement without a result.
    ///
    /// SQLite: [sqlite3_column_name](https://sqlite.org/c3ref/column_name.html)
    public var columnNames: [String] {
        if activity == .stepping, let names = columns.names {
            return names
        }
        let handle = usableHandle
        let count = sqlite3_column_count(handle)
        let names = (0..<count).map { sqlite3_column_name(handle, $0).map(String.init) ?? "" }
        if activity == .stepping {
            columns.names = names
        }
        return names
    }

    /// Nil while the connection can't be used, and after it was closed.
    private var usableHandle: OpaquePointer? {
        state.obstacles.contains(.noHandle) ? nil : handle
    }

    /// Calls `body` with the `sqlite3_stmt *`, for what SQift doesn't cover. Don't finalize it, and
    /// leave it reset.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) after the connection was closed, and what `body`
    ///   throws.
    @discardableResult public func withUnsafeHandle<T>(
        _ body: (OpaquePointer) throws -> T
    ) throws -> T {
        guard let handle = usableHandle else { throw unusableError }
        return try body(handle)
    }

    /// Whether it is an EXPLAIN or an EXPLAIN QUERY PLAN.
    ///
    /// SQLite: [sqlite3_stmt_isexplain](https://sqlite.org/c3ref/stmt_isexplain.html)
    public var isExplain: Bool { sqlite3_stmt_isexplain(handle) != 0 }

    // MARK: Stepping, for the functions that read rows

    /// Claims the statement for a run from its beginning. `finish()` must follow.
    @usableFromInline func begin() throws {
        if activity != .idle || !bindings.isComplete {
            throw unreadyError()
        }
        try checkObstacles()
        if state.isReading, mayWrite {
            try refuseWrite()
        }
        state.uncountedObserver?._withUnsafeGuaranteedRef { $0.willRun(self) }
        assert(activity == .idle && sqlite3_stmt_busy(handle) == 0, "a run begins at the beginning")
        activity = .starting
    }

    @usableFromInline func checkObstacles() throws {
        if state.isObstructed(sqlite3_db_handle(handle)) {
            try connection.throwObstacle()
        }
    }

    /// Throws unless the statement only looks like one that writes: one that is explained, and the
    /// question for the journal mode. If the connection was opened for reading, SQLite itself
    /// refuses, except for temporary tables.
    private func refuseWrite() throws {
        let beginsOrEndsTransaction = connection.isInTransactionStatement
        let isRefusedBySQLite = connection.readOnly
        if beginsOrEndsTransaction || isRefusedBySQLite {
            return
        }
        // A `DROP TRIGGER IF EXISTS` that does nothing leaves the database as it is, until SQLite
        // compiles it again since there is a trigger now.
        if isReadOnly, try Statement(sql, on: connection, owner: nil).isReadOnly {
            return
        }
        let isQuestion =
            columnNames == ["journal_mode"] && sql.lowercased().hasPrefix("pragma")
            && !sql.contains { "=(".contains($0) }
        guard isQuestion || isExplain else {
            throw connection.error(SQLITE_READONLY, sql: sql)
        }
    }

    /// The error while the connection can't be used, and after it was closed.
    private var unusableError: SQLiteError {
        // The connection of a finalized statement may be gone.
        activity == .finalized ? .connectionIsClosed : connection.unusableError
    }

    /// Why the statement can't be run now, or be bound while it isn't idle.
    private func unreadyError() -> SQLiteError {
        switch activity {
        case .idle where usableHandle == nil: return unusableError
        case .idle:
            let count = parameterCount.counted("parameter")
            return misuse("the statement has \(count), which bind(_:) hasn't set")
        case .finalized: return unusableError
        default:
            let verb = activity == .binding ? "bound" : "stepped"
            return misuse(
                "the statement is being \(verb) further up the stack: prepare a second one"
            )
        }
    }

    /// Claims the statement for binding this many values. `endBinding(isComplete:)` must follow.
    @usableFromInline func beginBinding(count: Int) throws {
        if activity != .idle {
            throw unreadyError()
        }
        if state.obstacles.contains(.noHandle) {
            throw unusableError
        }
        activity = .binding
        lastBound = 0
        bindings.arena.clear()
        guard count == parameterCount else {
            endBinding(isComplete: false)
            let parameters = parameterCount.counted("parameter")
            throw misuse("the statement has \(parameters), but got \(count.counted("value"))")
        }
    }

    /// Ends binding. After a failure every value is cleared.
    @usableFromInline func endBinding(isComplete: Bool) {
        assert(activity == .binding, "beginBinding() comes first")
        activity = .idle
        bindings.isComplete = isComplete
        if !isComplete {
            clearBindings()
        }
    }

    /// Clears all values, also those in the arena, which the next `bind` overwrites.
    @inline(never) func clearBindings() {
        sqlite3_clear_bindings(handle)
        bindings.arena.clear()
        bindings.isComplete = parameterCount == 0
        bindings.holdsLargeValues = false
    }

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one.
    @inlinable @inline(__always) func step() throws -> Bool {
        generation &+= 1
        let code = stepOnce()
        // 100 is `SQLITE_ROW`, which code that is inlined into other modules can't name.
        if code == 100, case .stepping = activity {
            return true
        }
        return try checkStep(code)
    }

    @usableFromInline func stepOnce() -> Int32 {
        assert(activity == .starting || activity == .stepping, "begin() comes first")
        return sqlite3_step(handle)
    }

    /// The row that `step()` went to.
    @inlinable var currentRow: Row { Row(of: self) }

    /// Resets the statement. Its rows become stale.
    @usableFromInline func finish() {
        assert(activity == .starting || activity == .stepping, "begin() comes first")
        generation &+= 1
        // "If the most recent call to sqlite3_step(S) for the prepared statement S indicated an
        // error, then sqlite3_reset(S) returns an appropriate error code":
        // https://sqlite.org/c3ref/reset.html. That was thrown already (for a write see `first`).
        let code = sqlite3_reset(handle)
        activity = .idle
        // On a full disk, SQLite leaves the journal and what it has written to the next read.
        if code & 0xff == SQLITE_FULL || code & 0xff == SQLITE_IOERR {
            connection.readFirstPage()
        }
        if state.obstacles.contains(.broken) {
            connection.mend()
        }
        state.uncountedObserver?._withUnsafeGuaranteedRef {
            $0.hasEnded(self, hasSucceeded: code == SQLITE_OK)
        }
    }

    /// Handles every result but a further row: the first row, the end, and errors, which it throws.
    @usableFromInline @inline(never) func checkStep(_ stepCode: Int32) throws -> Bool {
        var code = stepCode
        if activity == .starting, code != SQLITE_ROW, code != SQLITE_DONE {
            code = connection.retryingRefusals(after: code) {
                sqlite3_reset(handle)
                return sqlite3_step(handle)
            }
        }
        switch code {
        case SQLITE_ROW:
            activity = .stepping
            readColumns()
            return true
        case SQLITE_DONE: return false
        default: throw connection.error(code, sql: sql, compiledFrom: 0)
        }
    }

    /// How often SQLite has compiled the statement again, because the schema had changed.
    var currentPreparationCount: Int32 {
        sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    }

    /// Takes over the columns at the first row, if SQLite has compiled the statement again since
    /// the last time.
    private func readColumns() {
        let count = currentPreparationCount
        guard count != columns.preparationCount else { return }
        columns = StatementColumns(
            count: Int(sqlite3_column_count(handle)),
            preparationCount: count
        )
    }
}

@available(*, unavailable, message: "a statement belongs to its connection's thread")
extension Statement: Sendable {}
