internal import CSQift

extension Connection {
    /// An action of a statement, in SQLite's terms. Each case says what the first two strings are.
    /// https://sqlite.org/c3ref/c_alter_table.html
    public enum AuthorizerAction: Int32, Sendable, Hashable, CaseIterable {
        // An enumeration can't refer to the constants of sqlite3.h. A test compares the numbers.

        /// An action that this library doesn't know. (SQLite no longer uses `SQLITE_COPY`.)
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

    /// What to do about an action.
    public enum AuthorizerResult: Sendable, Hashable {
        /// Allows the action.
        case ok
        /// Makes the statement fail, with `SQLITE_AUTH`, or with `SQLITE_ERROR` for a function.
        case deny
        /// Skips the action: a column is read as NULL, a change isn't made. For a transaction and a
        /// savepoint it means `.deny`: if their end were skipped, they would continue although the
        /// program thinks that they have ended.
        case ignore
        /// Any other number. The statement fails: `authorizer malfunction`.
        case custom(Int32)

        var code: Int32 {
            switch self {
            case .ok: SQLITE_OK
            case .deny: SQLITE_DENY
            case .ignore: SQLITE_IGNORE
            case .custom(let code): code
            }
        }
    }
}
