internal import CSQift

extension Statement {
    /// A number that SQLite counts for a statement, with SQLite's name and number. Look at these
    /// when a query is slow.
    ///
    /// <https://sqlite.org/c3ref/c_stmtstatus_counter.html>
    public enum Status: Int32, Sendable, CaseIterable {
        /// The forward steps in a scan of a whole table: a large number means that an index is
        /// missing.
        case fullScanSteps = 1
        /// The number of sorts.
        case sort
        /// The rows inserted into a temporary index: a large number means that a permanent one is
        /// missing.
        case autoIndex
        /// The number of executed instructions.
        case vmStep
        /// How often the statement was compiled again, for example after a change of the schema.
        case reprepare
        /// The number of runs.
        case run
        /// How often a Bloom filter didn't save a lookup. 0 before SQLite 3.38.
        case filterMiss
        /// How often a Bloom filter saved a lookup. 0 before SQLite 3.38.
        case filterHit
        /// The bytes of memory that the statement uses. This can't be reset.
        case memUsed = 99
    }

    /// Returns a number that SQLite counts for the statement since its preparation.
    ///
    /// ```swift
    /// let statement = try connection.prepare("SELECT * FROM cars WHERE name = ?")
    /// let cars: [Car] = try statement.bind("Audi").query()
    /// print(statement.status(.fullScanSteps))
    /// ```
    ///
    /// - Parameters:
    ///   - status: What to count.
    ///   - reset: Whether to set the number to 0 afterwards.
    ///
    /// <https://sqlite.org/c3ref/stmt_status.html>
    public func status(_ status: Status, reset: Bool = false) -> Int {
        guard let handle else { return 0 }
        if status == .reprepare, reset {
            // SQLite counts from zero again, so the columns are read at the next first row.
            preparationCount = -1
            tables?.preparationCount = -1
        }
        return Int(sqlite3_stmt_status(handle, status.rawValue, reset ? 1 : 0))
    }
}
