internal import CSQift

extension Connection {
    /// What SQLite counts for a connection, in its words and with its numbers.
    /// https://sqlite.org/c3ref/c_dbstatus_options.html
    public enum Status: Int32, Sendable, Hashable, CaseIterable {
        /// The small pieces of memory in use that the connection set aside.
        case lookasideUsed = 0
        /// The bytes of page cache.
        case cacheUsed = 1
        /// The bytes that the schema takes.
        case schemaUsed = 2
        /// The bytes that prepared statements take.
        case stmtUsed = 3
        /// How often the memory set aside was enough; in `highest`, as the two that follow.
        case lookasideHit = 4
        /// How often a piece was too large for it.
        case lookasideMissSize = 5
        /// How often it was full.
        case lookasideMissFull = 6
        /// How many pages were found in the cache.
        case cacheHit = 7
        /// How many had to be read.
        case cacheMiss = 8
        /// How many were written.
        case cacheWrite = 9
        /// 1 while a foreign key is violated whose check is deferred, else 0.
        case deferredFKs = 10
        /// As `cacheUsed`, with a shared cache's bytes divided among its connections.
        case cacheUsedShared = 11
        /// How many pages were written in the middle of a transaction because the cache was full.
        case cacheSpill = 12
    }

    /// A number that SQLite counts for a connection, with the highest it has been; 0 and 0 after
    /// `close()`.
    ///
    /// Only `lookasideUsed` has a highest value, and the three counts of its hits and misses are
    /// there too.
    ///
    /// - Parameter reset: Whether to begin anew from the present value, or a count from 0, after
    ///   this.
    ///
    /// https://sqlite.org/c3ref/db_status.html
    public func status(_ status: Status, reset: Bool = false) -> (current: Int, highest: Int) {
        var current: Int32 = 0
        var highest: Int32 = 0
        if let handle {
            sqlite3_db_status(handle, status.rawValue, &current, &highest, reset ? 1 : 0)
        }
        return (Int(current), Int(highest))
    }
}

extension Statement {
    /// What SQLite counts for a statement, in its words and with its numbers: what to look at when
    /// a query is slow.
    ///
    /// https://sqlite.org/c3ref/c_stmtstatus_counter.html
    public enum Status: Int32, Sendable, Hashable, CaseIterable {
        /// The steps forward in a scan of a whole table: many mean that an index is missing.
        case fullScanSteps = 1
        /// The sorts.
        case sort = 2
        /// The rows put in an index made for this run: many mean that a lasting one is missing.
        case autoIndex = 3
        /// The instructions run.
        case vmStep = 4
        /// How often the statement was compiled again, after a change of the schema for one.
        case reprepare = 5
        /// The runs.
        case run = 6
        /// How often a Bloom filter didn't spare a look-up. 0 before SQLite 3.38.
        case filterMiss = 7
        /// How often one did. 0 before SQLite 3.38.
        case filterHit = 8
        /// The bytes of memory that the statement takes; it can't be reset.
        case memUsed = 99
    }

    /// A number that SQLite counts for the statement, from its preparation on.
    ///
    /// ```swift
    /// let statement = try connection.prepare("SELECT * FROM cars WHERE name = ?")
    /// let cars: [Car] = try statement.bind("Audi").query()
    /// print(statement.status(.fullScanSteps))
    /// ```
    ///
    /// - Parameter reset: Whether to begin at 0 again.
    ///
    /// https://sqlite.org/c3ref/stmt_status.html
    public func status(_ status: Status, reset: Bool = false) -> Int {
        handle.map { Int(sqlite3_stmt_status($0, status.rawValue, reset ? 1 : 0)) } ?? 0
    }
}
