internal import CSQift

extension Connection {
    /// An action of a statement, in SQLite's terms. Each case says what the first two strings are.
    ///
    /// SQLite: [Authorizer Action Codes](https://sqlite.org/c3ref/c_alter_table.html)
    public enum AuthorizerAction: Int32, Sendable, CaseIterable {
        // An enumeration can't refer to the constants of sqlite3.h. They count from 0, and a test
        // compares the numbers.

        /// An action that this library doesn't know. (SQLite no longer uses `SQLITE_COPY`.)
        case copy = 0
        /// Index, table.
        case createIndex
        /// Table.
        case createTable
        /// Index, table.
        case createTempIndex
        /// Table.
        case createTempTable
        /// Trigger, table.
        case createTempTrigger
        /// View.
        case createTempView
        /// Trigger, table.
        case createTrigger
        /// View.
        case createView
        /// Table.
        case delete
        /// Index, table.
        case dropIndex
        /// Table.
        case dropTable
        /// Index, table.
        case dropTempIndex
        /// Table.
        case dropTempTable
        /// Trigger, table.
        case dropTempTrigger
        /// View.
        case dropTempView
        /// Trigger, table.
        case dropTrigger
        /// View.
        case dropView
        /// Table.
        case insert
        /// Pragma, its first argument.
        case pragma
        /// Table, column.
        case read
        /// Nothing.
        case select
        /// Operation: `BEGIN`, `COMMIT` or `ROLLBACK`.
        case transaction
        /// Table, column.
        case update
        /// File name.
        case attach
        /// Database.
        case detach
        /// Database, table.
        case alterTable
        /// Index.
        case reindex
        /// Table.
        case analyze
        /// Table, module.
        case createVTable
        /// Table, module.
        case dropVTable
        /// Nothing, function.
        case function
        /// Operation, savepoint.
        case savepoint
        /// Nothing: a recursive SELECT.
        case recursive
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
