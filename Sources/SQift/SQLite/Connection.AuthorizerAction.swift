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
        /// `CREATE INDEX`: the index, its table.
        case createIndex
        /// `CREATE TABLE`: the table.
        case createTable
        /// `CREATE INDEX` on a temporary table: the index, its table.
        case createTempIndex
        /// `CREATE TEMP TABLE`: the table.
        case createTempTable
        /// `CREATE TEMP TRIGGER`: the trigger, its table.
        case createTempTrigger
        /// `CREATE TEMP VIEW`: the view.
        case createTempView
        /// `CREATE TRIGGER`: the trigger, its table.
        case createTrigger
        /// `CREATE VIEW`: the view.
        case createView
        /// Rows are deleted: the table.
        case delete
        /// `DROP INDEX`: the index, its table.
        case dropIndex
        /// `DROP TABLE`: the table.
        case dropTable
        /// `DROP INDEX` on a temporary table: the index, its table.
        case dropTempIndex
        /// `DROP TABLE` of a temporary table: the table.
        case dropTempTable
        /// `DROP TRIGGER` of a temporary trigger: the trigger, its table.
        case dropTempTrigger
        /// `DROP VIEW` of a temporary view: the view.
        case dropTempView
        /// `DROP TRIGGER`: the trigger, its table.
        case dropTrigger
        /// `DROP VIEW`: the view.
        case dropView
        /// Rows are inserted: the table.
        case insert
        /// `PRAGMA`: the pragma, its first argument.
        case pragma
        /// A column is read: the table, the column.
        case read
        /// A `SELECT` begins: no strings.
        case select
        /// A transaction begins or ends: `BEGIN`, `COMMIT` or `ROLLBACK`.
        case transaction
        /// A column is updated: the table, the column.
        case update
        /// `ATTACH`: the name of the file.
        case attach
        /// `DETACH`: the name of the database.
        case detach
        /// `ALTER TABLE`: the database, the table.
        case alterTable
        /// `REINDEX`: the index.
        case reindex
        /// `ANALYZE`: the table.
        case analyze
        /// `CREATE VIRTUAL TABLE`: the table, the module.
        case createVTable
        /// `DROP TABLE` of a virtual table: the table, the module.
        case dropVTable
        /// A function is called: nothing, the function.
        case function
        /// A savepoint begins or ends: the operation, the savepoint.
        case savepoint
        /// A recursive `SELECT` begins: no strings.
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
