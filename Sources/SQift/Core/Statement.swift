internal import CSQift
import Foundation

/// A prepared statement: compiled once, bound and run as often as needed.
///
/// ```swift
/// let insert = try connection.prepare("INSERT INTO cars(name, price) VALUES(?, ?)")
/// for car in cars {
///     try insert.bind(car.name, car.price).run()
/// }
/// ```
///
/// `run()` and every `query` leave the statement reset, so that it holds no lock and no snapshot.
/// While it is being stepped, by a `query` further up the stack, it can't be bound or run again:
/// that throws. A statement keeps its connection alive and belongs to the same thread.
///
/// https://sqlite.org/c3ref/stmt.html
public final class Statement {
    /// The SQL it was prepared from, with its placeholders.
    public let sql: SQL

    // A cached statement doesn't own its connection, which finalizes it in time; see
    // StatementCache.
    unowned(unsafe) let connection: Connection
    private let owner: Connection?
    private let transactionState: TransactionState

    // The compiler's exclusivity checks are off for what every step and every cell touches: with
    // them a cell costs twice as much. Nothing here is passed inout or held across a call that
    // could come back to it.
    @exclusivity(unchecked) private(set) var handle: OpaquePointer?
    @usableFromInline @exclusivity(unchecked) var generation = 0
    @usableFromInline @exclusivity(unchecked) private(set) var columnCount = 0
    @exclusivity(unchecked) var lookups = ColumnLookups()
    @exclusivity(unchecked) private var names: ColumnNames?
    @usableFromInline @exclusivity(unchecked) private(set) var activity = Activity.none
    @usableFromInline @exclusivity(unchecked) private(set) var isBeforeFirstRow = false
    @exclusivity(unchecked) private(set) var isBound: Bool
    @usableFromInline @exclusivity(unchecked) var bindingIndex: Int32 = 0
    @usableFromInline @exclusivity(unchecked) var lastBound: Int32 = 0
    @exclusivity(unchecked) private var preparations: Int32 = -1
    @exclusivity(unchecked) var arena = BindingArena()

    /// How many values `bind` takes: the largest parameter number.
    /// https://sqlite.org/c3ref/bind_parameter_count.html
    public let parameterCount: Int
    /// Whether it leaves the database as it is. https://sqlite.org/c3ref/stmt_readonly.html
    public let isReadOnly: Bool
    lazy var parameterIndexes = makeParameterIndexes()

    /// What the statement is being used for further up the stack.
    @usableFromInline enum Activity { case none, binding, stepping, ended }

    // What the statement cache has to know.
    @exclusivity(unchecked) var entry = StatementCache.Entry()
    @exclusivity(unchecked) var holdsLargeValues = false
    @exclusivity(unchecked) private(set) var isUnusable = false

    /// Prepares one statement.
    ///
    /// - Throws: `SQLiteError`: SQLite's own for SQL it doesn't understand, `SQLITE_MISUSE` for SQL
    ///   without a statement or with a second one; white space, comments and semicolons may follow.
    ///
    /// https://sqlite.org/c3ref/prepare.html
    public convenience init(connection: Connection, sql: SQL) throws {
        try self.init(sql, on: connection, ownsConnection: true)
    }

    convenience init(cachedBy connection: Connection, sql: SQL) throws {
        try self.init(sql, on: connection, ownsConnection: false)
    }

    private convenience init(_ sql: SQL, on connection: Connection, ownsConnection: Bool) throws {
        let handle = try SQLText.with(sql) { text in
            let (statement, end) = try text.compile(
                at: 0,
                on: connection,
                flags: UInt32(SQLITE_PREPARE_PERSISTENT)
            )
            guard let statement else {
                throw SQLiteError.misuse("the SQL holds no statement", sql: sql)
            }
            guard let second = text.firstToken(from: end) else { return statement }
            sqlite3_finalize(statement)
            let message =
                "the SQL holds a second statement, which would be ignored: use execute(_:) for a script"
            throw SQLiteError(code: .misuse, message: message, sql: sql, offset: second)
        }
        self.init(
            handle,
            sql: sql,
            connection: connection,
            owner: ownsConnection ? connection : nil
        )
    }

    /// Takes over a compiled statement.
    init(_ handle: OpaquePointer, sql: SQL, connection: Connection, owner: Connection?) {
        (self.handle, self.sql, self.connection, self.owner) = (handle, sql, connection, owner)
        transactionState = connection.transactionState
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        isReadOnly = sqlite3_stmt_readonly(handle) != 0
        isBound = parameterCount == 0
    }

    deinit {
        finalize()
    }

    /// Ends the statement before its last reference is gone; its rows are stale.
    func finalize() {
        generation &+= 1
        activity = .ended
        sqlite3_finalize(handle)
        handle = nil
        arena.deallocate()
        lookups.removeAll()
    }

    // MARK: Running

    /// Runs the statement to its end, and resets it. Rows that it gives are passed over.
    ///
    /// - Throws: `SQLiteError`, also if its parameters were never bound.
    @inlinable @discardableResult public func run() throws -> Statement {
        try begin()
        defer { finish() }
        while try step() {}
        return self
    }

    /// Whether it has been stepped and not yet reset. https://sqlite.org/c3ref/stmt_busy.html
    public var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// The SQL with the bound values filled in, nil if SQLite has no memory for it. Mind what you
    /// log.
    ///
    /// https://sqlite.org/c3ref/expanded_sql.html
    public var expandedSQL: SQL? {
        guard let text = sqlite3_expanded_sql(handle) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }

    /// The names of the result's columns from left to right, as SQLite or `AS` names them; empty
    /// for a statement without a result. https://sqlite.org/c3ref/column_name.html
    public var columnNames: [String] { (activity == .stepping ? columns : loadColumns()).all }

    /// Calls `body` with the `sqlite3_stmt *`, for what SQift doesn't cover. Don't finalize it, and
    /// leave it reset.
    @discardableResult public func withUnsafeHandle<T>(
        _ body: (OpaquePointer) throws -> T
    ) throws -> T {
        guard let handle else { throw SQLiteError.connectionIsClosed }
        return try body(handle)
    }

    // MARK: Stepping, for the library's own loops

    /// Claims the statement for a run from its start. `finish()` must follow.
    @usableFromInline func begin() throws {
        if activity != .none || !isBound {
            throw unreadyError()
        }
        if transactionState.mustBeChecked
            || (transactionState.depth > 0
                && sqlite3_get_autocommit(sqlite3_db_handle(handle)) != 0)
            || transactionState.isCancelled
        {
            try connection.checkTransaction()
        }
        activity = .stepping
        isBeforeFirstRow = true
    }

    @inline(never) private func unreadyError() -> SQLiteError {
        if activity != .none {
            return busyError()
        }
        let count = parameterCount == 1 ? "a parameter" : "\(parameterCount) parameters"
        return SQLiteError.misuse("the statement has \(count), which bind(_:) hasn't set", sql: sql)
    }

    @inline(never) func busyError() -> SQLiteError {
        if activity == .ended {
            return SQLiteError.connectionIsClosed
        }
        let verb = activity == .binding ? "bound" : "stepped"
        return SQLiteError.misuse(
            "the statement is being \(verb) further up the stack: prepare a second one",
            sql: sql
        )
    }

    /// Claims the statement for binding. `endBinding(isComplete:)` must follow.
    func startBinding() throws {
        if activity != .none {
            throw busyError()
        }
        activity = .binding
        isBound = false
        lastBound = 0
        arena.clear()
    }

    /// Ends binding; after a failure no value is left.
    @usableFromInline func endBinding(isComplete: Bool) {
        activity = .none
        bindingIndex = 0
        isBound = isComplete
        if !isComplete {
            clearBindings()
        }
    }

    /// Forgets all values, also those in the arena, which the next `bind` overwrites.
    @inline(never) func clearBindings() {
        sqlite3_clear_bindings(handle)
        arena.clear()
        isBound = parameterCount == 0
    }

    /// Goes to the next row, or answers false at the end.
    @inlinable @inline(__always) func step() throws -> Bool {
        generation &+= 1
        let code = stepOnce()
        // SQLITE_ROW and SQLITE_DONE, which code that is inlined elsewhere can't name.
        if code == 100, !isBeforeFirstRow {
            return true
        }
        return try arrive(code)
    }

    @usableFromInline func stepOnce() -> Int32 {
        sqlite3_step(handle)
    }

    /// Runs a statement that writes, such as INSERT … RETURNING, to its end after its first row has
    /// been read.
    ///
    /// Outside a transaction it commits there. A reset would commit too, but its error would be
    /// nobody's.
    @inlinable func finishWriting() throws {
        if !isReadOnly {
            while try step() {}
        }
    }

    /// The row that `step()` went to.
    @inlinable var currentRow: Row { Row(statement: self, generation: generation) }

    /// Resets the statement, whose rows are stale from now on.
    @usableFromInline func finish() {
        generation &+= 1
        // The result is the error of the last step again, which has been thrown (see finishWriting
        // for a write): https://sqlite.org/c3ref/reset.html
        sqlite3_reset(handle)
        activity = .none
        if transactionState.isUndoPending {
            connection.retryUndo()
        }
    }

    /// Arrives at the first row or at the end, or throws.
    @usableFromInline @inline(never) func arrive(_ stepCode: Int32) throws -> Bool {
        var code = stepCode
        if isBeforeFirstRow, code != SQLITE_ROW, code != SQLITE_DONE {
            code = connection.retryingRefusal(code) {
                sqlite3_reset(handle)
                return sqlite3_step(handle)
            }
        }
        switch code {
        case SQLITE_ROW:
            isBeforeFirstRow = false
            columnCount = Int(sqlite3_column_count(handle))
            // SQLite compiles a statement again when the schema has changed, which shows after the
            // first step only.
            let count = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
            if count != preparations {
                preparations = count
                names = nil
                lookups.removeAll()
                if let handle, transactionState.cancellation != nil {
                    connection.noteBusyTimeout(of: handle)
                }
            }
            return true
        case SQLITE_DONE: return false
        default:
            if code & 0xff == SQLITE_SCHEMA {
                isUnusable = true
            }
            if code & 0xff == SQLITE_LOCKED {
                transactionState.hasTableLockOfFunction = false
            }
            let error = connection.error(code, sql: sql)
            connection.noteFailure(error)
            throw error
        }
    }

    /// The column names of the current result.
    var columns: ColumnNames { names ?? loadColumns() }

    private func loadColumns() -> ColumnNames {
        let count = sqlite3_column_count(handle)
        let loaded = ColumnNames(
            (0..<count).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
        )
        if activity == .stepping {
            names = loaded
        }
        return loaded
    }
}

@available(*, unavailable, message: "a statement belongs to its connection's thread")
extension Statement: Sendable {}
