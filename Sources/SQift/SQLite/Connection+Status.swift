internal import CSQift

extension Connection {
    /// A number that SQLite counts for a connection, with SQLite's name and number.
    /// <https://sqlite.org/c3ref/c_dbstatus_options.html>
    public enum Status: Int32, Sendable, CaseIterable {
        /// How many of the small pieces of memory that the connection has set aside are in use.
        case lookasideUsed = 0
        /// The bytes of page cache.
        case cacheUsed
        /// The bytes that the schema takes.
        case schemaUsed
        /// The bytes that prepared statements take.
        case stmtUsed
        /// How often the memory set aside was sufficient; the value is in `highest`.
        case lookasideHit
        /// How often a piece was too large for that memory; the value is in `highest`.
        case lookasideMissSize
        /// How often that memory was full; the value is in `highest`.
        case lookasideMissFull
        /// How many pages were found in the cache.
        case cacheHit
        /// How many pages had to be read.
        case cacheMiss
        /// How many pages were written.
        case cacheWrite
        /// 1 while a foreign key with a deferred check is violated, otherwise 0.
        case deferredFKs
        /// The same as `cacheUsed`, but the bytes of a shared cache are divided among its
        /// connections.
        case cacheUsedShared
        /// How many pages were written in the middle of a transaction because the cache was full.
        case cacheSpill
    }

    /// Returns a number that SQLite counts for a connection, and its highest value so far; 0 and 0
    /// after ``close()``.
    ///
    /// Only `lookasideUsed` has a highest value. The three counts of lookaside hits and misses are
    /// in `highest` too.
    ///
    /// - Parameters:
    ///   - status: What to count.
    ///   - reset: Whether to set the highest value to the current one afterwards, and a count to 0.
    ///
    /// <https://sqlite.org/c3ref/db_status.html>
    public func status(_ status: Status, reset: Bool = false) -> (current: Int, highest: Int) {
        var current: Int32 = 0
        var highest: Int32 = 0
        if let handle {
            sqlite3_db_status(handle, status.rawValue, &current, &highest, reset ? 1 : 0)
        }
        return (Int(current), Int(highest))
    }
}
