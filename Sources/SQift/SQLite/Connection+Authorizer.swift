internal import CSQift

extension Connection {
    /// Answers whether a statement may do something, when it is compiled.
    ///
    /// What the four strings mean depends on the action: the names of a table, a column and so on,
    /// then the database, then the trigger, view or common table expression that the action is in.
    /// https://sqlite.org/c3ref/c_alter_table.html
    public typealias Authorizer = (AuthorizerAction, String?, String?, String?, String?) ->
        AuthorizerResult

    /// What a statement wants to do, in SQLite's words. https://sqlite.org/c3ref/c_alter_table.html
    public enum AuthorizerAction: Int32, Sendable, Hashable, CaseIterable {
        // Numbers of sqlite3.h, which enumerations can't refer to; a test compares them.

        /// `SQLITE_COPY`, which SQLite no longer uses: whatever this library doesn't know.
        case copy = 0
        /// Index, table.
        case createIndex = 1
        /// Table.
        case createTable = 2
        /// Index, table.
        case createTempIndex = 3
        /// Table.
        case createTempTable = 4
        /// Trigger, table.
        case createTempTrigger = 5
        /// View.
        case createTempView = 6
        /// Trigger, table.
        case createTrigger = 7
        /// View.
        case createView = 8
        /// Table.
        case delete = 9
        /// Index, table.
        case dropIndex = 10
        /// Table.
        case dropTable = 11
        /// Index, table.
        case dropTempIndex = 12
        /// Table.
        case dropTempTable = 13
        /// Trigger, table.
        case dropTempTrigger = 14
        /// View.
        case dropTempView = 15
        /// Trigger, table.
        case dropTrigger = 16
        /// View.
        case dropView = 17
        /// Table.
        case insert = 18
        /// Pragma, its first argument.
        case pragma = 19
        /// Table, column.
        case read = 20
        /// Nothing.
        case select = 21
        /// Operation: `BEGIN`, `COMMIT` or `ROLLBACK`.
        case transaction = 22
        /// Table, column.
        case update = 23
        /// File name.
        case attach = 24
        /// Database.
        case detach = 25
        /// Database, table.
        case alterTable = 26
        /// Index.
        case reindex = 27
        /// Table.
        case analyze = 28
        /// Table, module.
        case createVTable = 29
        /// Table, module.
        case dropVTable = 30
        /// Nothing, function.
        case function = 31
        /// Operation, savepoint.
        case savepoint = 32
        /// Nothing: a recursive SELECT.
        case recursive = 33
    }

    /// The answer to an action.
    public enum AuthorizerResult: Sendable, Hashable {
        /// Allows it.
        case ok
        /// Makes the statement fail with `SQLITE_AUTH`; for a function, with `SQLITE_ERROR`.
        case deny
        /// Leaves it out: a column is read as NULL, a change isn't made. A transaction and a
        /// savepoint are denied: ignored, they would go on while the program thinks that they have
        /// ended.
        case ignore
        /// Any other number, with which SQLite fails: `authorizer malfunction`.
        case custom(Int32)

        fileprivate var code: Int32 {
            switch self {
            case .ok: SQLITE_OK
            case .deny: SQLITE_DENY
            case .ignore: SQLITE_IGNORE
            case .custom(let code): code
            }
        }
    }

    /// Sets the closure that allows or forbids what statements do; nil removes it.
    ///
    /// It is asked when a statement is compiled. Every statement is compiled anew after it was set,
    /// replaced or removed, so no answer outlives its closure. The closure must not use the
    /// connection, which keeps it until it is replaced, removed, or the connection is closed.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_MISUSE`) after `close()`.
    ///
    /// https://sqlite.org/c3ref/set_authorizer.html
    public func authorizer(_ authorizer: Authorizer?) throws {
        if handle == nil {
            throw unusableError
        }
        if authorizer == nil, !hasCallbacks {
            return
        }
        callbacks.authorizer = authorizer
        installAuthorizer()
    }

    /// Runs `body`, whose statements, also those that are prepared already, can't begin or end a
    /// transaction; savepoints they can.
    func denyingTransactions(_ body: () throws -> Void) throws {
        if handle == nil {
            throw unusableError
        }
        let callbacks = callbacks
        callbacks.deniesTransactions = true
        installAuthorizer()
        defer {
            callbacks.deniesTransactions = false
            if handle != nil {
                installAuthorizer()
            }
        }
        try body()
    }

    private func installAuthorizer() {
        // Also to remove one: only setting one makes SQLite compile the existing statements again.
        sqlite3_set_authorizer(
            handle,
            { callbacks, action, first, second, database, trigger in
                guard let callbacks = Callbacks.at(callbacks) else { return SQLITE_OK }
                if action == SQLITE_TRANSACTION, callbacks.deniesTransactions {
                    return SQLITE_DENY
                }
                guard let authorizer = callbacks.authorizer, !callbacks.connection.isShielded else {
                    return SQLITE_OK
                }

                let answer = callbacks.connection.callingClosure {
                    authorizer(
                        AuthorizerAction(rawValue: action) ?? .copy,
                        first.map { String(cString: $0) },
                        second.map { String(cString: $0) },
                        database.map { String(cString: $0) },
                        trigger.map { String(cString: $0) }
                    )
                }
                let endsTransactions = action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT
                return endsTransactions && answer != .ok ? SQLITE_DENY : answer.code
            },
            callbacks.pointer
        )
        if callbacks.authorizer == nil, !callbacks.deniesTransactions {
            sqlite3_set_authorizer(handle, nil, nil)
        }
    }

    /// An authorizer that lets statements read, and do nothing else: no change, no pragma, no
    /// transaction, no attached database.
    ///
    /// ```swift
    /// try connection.authorizer(Connection.readOnlyAuthorizer)
    /// ```
    ///
    /// An R-tree prepares its own writes when it is first used: read it once before. `PRAGMA
    /// writable_schema` must be off, as it is unless somebody has set it.
    public static var readOnlyAuthorizer: Authorizer {
        { action, first, _, _, _ in
            switch action {
            case .select, .read, .function, .recursive: .ok
            // What SQLite asks about when it opens a virtual table, such as json_each or a
            // full-text index. A statement that updates this table is refused all the same.
            case .update where first == "sqlite_master": .ok
            case .pragma where first == "data_version": .ok
            default: .deny
            }
        }
    }
}
