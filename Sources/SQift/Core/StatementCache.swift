import Foundation

/// A connection's prepared statements for `run` and `query`, by their SQL. When there are too many,
/// the least recently used one is finalized.
///
/// A borrowed statement isn't lent again before it is given back. Cached statements don't keep
/// their connection alive. No operation looks through all statements. A hash table finds them by
/// their SQL, a list keeps them in the order of their last use, and both are linked through the
/// statements themselves. Each text is hashed once.
final class StatementCache {
    /// The cache's part of a statement.
    struct Entry {
        var isBorrowed = false
        var isKept = false
        var hash = 0
        /// The next statement in the same chain of the hash table.
        var next: Statement?
        /// The neighbours in the list. The chains own them, so the list needs no reference counts,
        /// which each use of a statement would pay.
        var newer: Unmanaged<Statement>?
        var older: Unmanaged<Statement>?
    }

    private let capacity: Int
    @exclusivity(unchecked) private var count = 0
    /// The hash table: chains, which own the kept statements. Their number is a power of two, or
    /// zero before the first statement.
    @exclusivity(unchecked) private var chains: ContiguousArray<Statement?> = []
    /// The ends of the list of kept statements in the order of their last use.
    @exclusivity(unchecked) private var newest: Unmanaged<Statement>?
    @exclusivity(unchecked) private var oldest: Unmanaged<Statement>?
    /// The statement used last for each SQL length modulo 16: found without hashing. Empty before
    /// the first statement.
    @exclusivity(unchecked) private var recent: ContiguousArray<Statement?> = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes a statement for the SQL from the cache, or prepares one. It has no other borrower.
    func borrow(_ sql: SQL, on connection: Connection) throws -> Statement {
        let slot = slot(for: sql)
        if !recent.isEmpty, let statement = recent[slot], !statement.entry.isBorrowed,
            statement.sql.hasSameBytes(as: sql)
        {
            statement.entry.isBorrowed = true
            return statement
        }

        let hash = Self.hash(of: sql)
        let statement: Statement
        if let kept = find(sql, hash: hash), !kept.entry.isBorrowed {
            statement = kept
            recent[slot] = kept
        } else {
            statement = try Statement(cachedBy: connection, sql: sql)
            statement.entry.hash = hash
        }
        statement.entry.isBorrowed = true
        return statement
    }

    /// Takes a statement back. The cache keeps it, unless it keeps another one for the same SQL or
    /// the statement can't be used again.
    func giveBack(_ statement: Statement) {
        statement.entry.isBorrowed = false
        if statement.holdsLargeValues {
            statement.clearBindings()
            statement.holdsLargeValues = false
        }
        if statement.isUnusable {
            discard(statement)
        } else if !statement.entry.isKept {
            keep(statement)
        } else if statement.entry.newer != nil {
            unlink(statement)
            linkAsNewest(statement)
        }
    }

    /// Finalizes the statements that aren't borrowed. Rows of theirs that have escaped are stale
    /// from now on.
    func removeAll() {
        while let statement = oldestIdle {
            discard(statement)
        }
    }

    private func keep(_ statement: Statement) {
        guard capacity > 0, find(statement.sql, hash: statement.entry.hash) == nil else {
            return statement.finalize()
        }
        insert(statement)
        linkAsNewest(statement)
        recent[slot(for: statement.sql)] = statement

        // A borrowed statement stays, so after queries inside queries several can be too many.
        while count > capacity, let oldest = oldestIdle {
            discard(oldest)
        }
    }

    private func discard(_ statement: Statement) {
        if statement.entry.isKept {
            remove(statement)
            unlink(statement)
            let slot = slot(for: statement.sql)
            if recent[slot] === statement {
                recent[slot] = nil
            }
        }
        statement.finalize()
    }

    private func slot(for sql: SQL) -> Int {
        sql.utf8.count & 15
    }

    // MARK: The hash table

    /// Compares SQL byte by byte: for `String`, canonically equivalent texts are equal, even if the
    /// literals in them have different bytes.
    private func find(_ sql: SQL, hash: Int) -> Statement? {
        if chains.isEmpty {
            return nil
        }
        var next = chains[chain(of: hash)]
        while let statement = next {
            if statement.entry.hash == hash, statement.sql.hasSameBytes(as: sql) {
                break
            }
            next = statement.entry.next
        }
        return next
    }

    private func insert(_ statement: Statement) {
        if chains.isEmpty {
            chains = ContiguousArray(repeating: nil, count: 16)
            recent = ContiguousArray(repeating: nil, count: 16)
        } else if count == chains.count {
            doubleChains()
        }
        prepend(statement)
        statement.entry.isKept = true
        count += 1
    }

    private func remove(_ statement: Statement) {
        let chain = chain(of: statement.entry.hash)
        if chains[chain] === statement {
            chains[chain] = statement.entry.next
        } else {
            var previous = chains[chain]
            while let candidate = previous, candidate.entry.next !== statement {
                previous = candidate.entry.next
            }
            previous?.entry.next = statement.entry.next
        }
        statement.entry.next = nil
        statement.entry.isKept = false
        count -= 1
    }

    private func doubleChains() {
        let old = chains
        chains = ContiguousArray(repeating: nil, count: 2 * old.count)
        for var next in old {
            while let statement = next {
                next = statement.entry.next
                prepend(statement)
            }
        }
    }

    private func prepend(_ statement: Statement) {
        let chain = chain(of: statement.entry.hash)
        statement.entry.next = chains[chain]
        chains[chain] = statement
    }

    private func chain(of hash: Int) -> Int {
        hash & (chains.count - 1)
    }

    private static func hash(of sql: SQL) -> Int {
        var hasher = Hasher()
        var sql = sql
        sql.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }

    // MARK: The list

    /// The least recently used statement that isn't borrowed.
    private var oldestIdle: Statement? {
        var statement = oldest?.takeUnretainedValue()
        while let candidate = statement, candidate.entry.isBorrowed {
            statement = candidate.entry.newer?.takeUnretainedValue()
        }
        return statement
    }

    private func linkAsNewest(_ statement: Statement) {
        let unmanaged = Unmanaged.passUnretained(statement)
        statement.entry.older = newest
        newest?._withUnsafeGuaranteedRef { $0.entry.newer = unmanaged }
        newest = unmanaged
        if oldest == nil {
            oldest = unmanaged
        }
    }

    private func unlink(_ statement: Statement) {
        let newer = statement.entry.newer
        let older = statement.entry.older
        if let newer {
            newer._withUnsafeGuaranteedRef { $0.entry.older = older }
        } else {
            newest = older
        }
        if let older {
            older._withUnsafeGuaranteedRef { $0.entry.newer = newer }
        } else {
            oldest = newer
        }
        statement.entry.newer = nil
        statement.entry.older = nil
    }
}
