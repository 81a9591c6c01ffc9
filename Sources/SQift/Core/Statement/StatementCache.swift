/// A connection's prepared statements for `run` and `query`, by their SQL. When there are too many,
/// the least recently used one is finalized.
///
/// A borrowed statement isn't lent again before it is given back. Cached statements don't keep
/// their connection alive. A dictionary finds them by the hash of their SQL, and a list has them in
/// the order of their use.
@usableFromInline final class StatementCache {
    /// A statement, and what the cache notes about it.
    @usableFromInline final class Entry {
        @usableFromInline let statement: Statement
        /// The statement, for a call in which the entry is held: it counts no reference.
        @usableFromInline let uncountedStatement: Unmanaged<Statement>
        fileprivate let hash: Int
        @exclusivity(unchecked) fileprivate var isBorrowed = true
        @exclusivity(unchecked) fileprivate var isKept = false

        // Its neighbours in the list. They count no reference, since the dictionary owns each entry
        // of the list.
        @exclusivity(unchecked) fileprivate var newer: Uncounted<Entry>?
        @exclusivity(unchecked) fileprivate var older: Uncounted<Entry>?

        fileprivate init(_ statement: Statement, hash: Int) {
            self.statement = statement
            uncountedStatement = Unmanaged.passUnretained(statement)
            self.hash = hash
        }
    }

    /// How many bytes the SQL of a statement has at most that is kept. What is longer was put
    /// together for one use, and SQLite's statement takes several times the memory.
    private static let longestSQL = 16_384

    private let capacity: Int
    /// By the hash of their SQL. With the SQL as the key, removing one statement would hash the SQL
    /// of several others again.
    @exclusivity(unchecked) private var kept: [Int: Entry] = [:]
    /// The ends of the list of these entries, in the order in which they were last given back.
    @exclusivity(unchecked) private var oldest: Uncounted<Entry>?
    @exclusivity(unchecked) private var newest: Uncounted<Entry>?
    /// The statement used last for each SQL length modulo 16: found without hashing. Empty before
    /// the first statement, as many connections have none in one of their caches.
    @exclusivity(unchecked) private var recent: ContiguousArray<Entry?> = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes a statement for the SQL from the cache, or prepares one. It has no other borrower.
    func borrow(_ sql: SQL, on connection: Connection) throws -> Entry {
        let slot = slot(for: sql)
        if !recent.isEmpty, let entry = recent[slot], !entry.isBorrowed,
            entry.statement.sql.hasSameBytes(as: sql)
        {
            entry.isBorrowed = true
            return entry
        }

        let hash = hash(of: sql)
        if let entry = kept[hash], !entry.isBorrowed, entry.statement.sql.hasSameBytes(as: sql) {
            entry.isBorrowed = true
            recent[slot] = entry
            return entry
        }
        return Entry(try Statement(sql, on: connection, owner: nil), hash: hash)
    }

    /// Takes a statement back. The cache keeps it, unless it keeps another one with that hash. One
    /// that SQLite couldn't compile again stays: at its next run SQLite tries once more.
    func giveBack(_ entry: Entry) {
        assert(entry.isBorrowed, "only a borrowed statement is given back")
        entry.isBorrowed = false
        if entry.statement.bindings.holdsLargeValues {
            entry.statement.clearBindings()
        }
        if !entry.isKept {
            keep(entry)
        } else if entry.newer != nil {
            moveToEnd(entry)
        }
    }

    /// Finalizes the statements that aren't borrowed. Rows of theirs that have escaped are stale
    /// from now on.
    func removeAll() {
        discardIdle { true }
    }

    private func keep(_ entry: Entry) {
        let isShort = entry.statement.sql.utf8.count <= Self.longestSQL
        guard capacity > 0, isShort, kept[entry.hash] == nil else {
            return entry.statement.finalize()
        }
        entry.isKept = true
        kept[entry.hash] = entry
        if recent.isEmpty {
            recent = ContiguousArray(repeating: nil, count: 16)
        }
        recent[slot(for: entry.statement.sql)] = entry
        append(entry)

        // A borrowed statement stays, so after queries inside queries several can be too many.
        discardIdle { kept.count > capacity }
    }

    /// Discards statements that aren't borrowed, the least recently used one first, for as long as
    /// `isNeeded`.
    private func discardIdle(while isNeeded: () -> Bool) {
        var next = oldest
        while let entry = next?.object, isNeeded() {
            next = entry.newer
            if !entry.isBorrowed {
                discard(entry)
            }
        }
    }

    private func discard(_ entry: Entry) {
        unlink(entry)
        kept[entry.hash] = nil
        let slot = slot(for: entry.statement.sql)
        if recent[slot] === entry {
            recent[slot] = nil
        }
        entry.statement.finalize()
    }

    // MARK: The order of use

    // Inlined, it would cost the usual case, where the entry is the newest one already.
    @inline(never) private func moveToEnd(_ entry: Entry) {
        unlink(entry)
        append(entry)
    }

    /// Makes an entry the newest of the list.
    private func append(_ entry: Entry) {
        let uncountedEntry = Uncounted(entry)
        entry.older = newest
        entry.newer = nil
        if let newest {
            newest.with { $0.newer = uncountedEntry }
        } else {
            oldest = uncountedEntry
        }
        newest = uncountedEntry
    }

    private func unlink(_ entry: Entry) {
        if let older = entry.older {
            older.with { $0.newer = entry.newer }
        } else {
            oldest = entry.newer
        }
        if let newer = entry.newer {
            newer.with { $0.older = entry.older }
        } else {
            newest = entry.older
        }
    }

    private func slot(for sql: SQL) -> Int {
        sql.utf8.count & 15
    }

    /// Unlike `hashValue` it tells canonically equivalent strings apart.
    private func hash(of sql: SQL) -> Int {
        var hasher = Hasher()
        var sql = sql
        sql.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
