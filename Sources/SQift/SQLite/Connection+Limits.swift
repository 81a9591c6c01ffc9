internal import CSQift

extension Connection {
    /// A limit, with SQLite's name and number.
    ///
    /// SQLite: [Run-Time Limit Categories](https://sqlite.org/c3ref/c_limit_attached.html)
    public enum Limit: Int32, Sendable, CaseIterable {
        /// The bytes of a string, a blob or a row.
        case length = 0
        /// The bytes of a statement's SQL.
        case sqlLength
        /// The columns of a table, an index or a result, and the terms of a clause.
        case column
        /// The depth of an expression.
        case exprDepth
        /// The terms of a compound SELECT.
        case compoundSelect
        /// The instructions of a statement's program.
        case vdbeOp
        /// The arguments of a function.
        case functionArg
        /// The attached databases.
        case attached
        /// The bytes of the pattern of LIKE or GLOB.
        case likePatternLength
        /// The highest number of a parameter.
        case variableNumber
        /// The depth of triggers that start other triggers.
        case triggerDepth

        // SQLITE_LIMIT_WORKER_THREADS, 11, is left out: SQLite would call collations on helper
        // threads, and not every collation can run there.

        /// The depth of the parser's stack, from SQLite 3.53 on, of which 50 are always allowed.
        /// Before, it is -1 and stays so.
        case parserDepth = 12
    }

    /// Returns the value of a limit; 0 after ``close()``, and -1 if SQLite doesn't have it.
    ///
    /// SQLite: [sqlite3_limit](https://sqlite.org/c3ref/limit.html)
    public func limit(_ limit: Limit) -> Int {
        handle == nil ? 0 : Int(sqlite3_limit(handle, limit.rawValue, -1))
    }

    /// Sets a limit. The value can't exceed the maximum that SQLite was built with.
    ///
    /// - Returns: The limit's new value.
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) for a negative limit, and after ``close()``.
    ///
    /// SQLite: [Implementation Limits For SQLite](https://sqlite.org/limits.html)
    @discardableResult public func setLimit(_ limit: Limit, to value: Int) throws -> Int {
        guard value >= 0 else {
            throw misuse("the limit \(limit) can't be negative: \(value)")
        }
        return try withUnsafeHandle { handle in
            // "Attempts to increase a limit above its hard upper bound are silently truncated to
            // the hard upper bound.": https://sqlite.org/c3ref/limit.html
            sqlite3_limit(handle, limit.rawValue, Int32(clamping: value))
            return self.limit(limit)
        }
    }
}
