import Foundation

/// A connection's prepared statements for `run` and `query`, by their SQL: the least recently used
/// one goes first.
///
/// A borrowed statement isn't lent again before it is given back. Cached statements don't keep
/// their connection alive. No operation looks through all statements: there is a hash
/// table and a list in the order of the last use, both linked through the statements, and a text is
/// hashed once.
final class StatementCache {
    /// What a statement notes for the cache that it came from.
    struct Entry {
        var isBorrowed = false
        var isKept = false
        var hash = 0
        /// The next one of the table's chain.
        var next: Statement?
        unowned(unsafe) var newer: Statement?
        unowned(unsafe) var older: Statement?
    }

    private let capacity: Int
    @exclusivity(unchecked) private var count = 0
    /// The hash table: chains of the kept statements, which own them, as many as a power of two, or
    /// none before the first statement.
    @exclusivity(unchecked) private var chains: ContiguousArray<Statement?> = []
    /// The ends of the list of the kept statements in the order of their last use.
    @exclusivity(unchecked) private unowned(unsafe) var newest: Statement?
    @exclusivity(unchecked) private unowned(unsafe) var oldest: Statement?
    /// For each length of SQL, up to a multiple of 16, the statement found last: without a hash.
    /// Empty before the first statement.
    @exclusivity(unchecked) private var latest: ContiguousArray<Statement?> = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// A statement for the SQL that nobody else has, taken from the cache or prepared.
    func borrow(_ sql: SQL, on connection: Connection) throws -> Statement {
        let place = sql.utf8.count & 15
        if !latest.isEmpty, let latest = latest[place], !latest.entry.isBorrowed,
            latest.sql.hasSameBytes(as: sql)
        {
            latest.entry.isBorrowed = true
            return latest
        }
        let hash = Self.hash(of: sql)
        let statement: Statement
        if let kept = find(sql, hash), !kept.entry.isBorrowed {
            statement = kept
            latest[place] = kept
        } else {
            statement = try Statement(cachedBy: connection, sql: sql)
            statement.entry.hash = hash
        }
        statement.entry.isBorrowed = true
        return statement
    }

    /// Takes a statement back, and keeps it unless another one for the same SQL is kept or it can't
    /// be used again.
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

    /// Finalizes what isn't in use. Rows of these statements that escaped are stale from now on.
    func removeAll() {
        while let statement = oldestIdle {
            discard(statement)
        }
    }

    private func keep(_ statement: Statement) {
        guard capacity > 0, find(statement.sql, statement.entry.hash) == nil else {
            return statement.finalize()
        }
        insert(statement)
        linkAsNewest(statement)
        latest[statement.sql.utf8.count & 15] = statement
        // There may be more than one too many after queries inside queries: what is borrowed stays.
        while count > capacity, let oldest = oldestIdle {
            discard(oldest)
        }
    }

    private func discard(_ statement: Statement) {
        if statement.entry.isKept {
            remove(statement)
            unlink(statement)
            let place = statement.sql.utf8.count & 15
            if latest[place] === statement {
                latest[place] = nil
            }
        }
        statement.finalize()
    }

    // MARK: The hash table

    /// SQL is compared byte by byte: `String` would take canonically equivalent texts, and so the
    /// literals in them, for equal.
    private func find(_ sql: SQL, _ hash: Int) -> Statement? {
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
            latest = ContiguousArray(repeating: nil, count: 16)
        } else if count == chains.count {
            doubleChains()
        }
        push(statement)
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
                push(statement)
            }
        }
    }

    private func push(_ statement: Statement) {
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

    /// The least recently used one that isn't borrowed.
    private var oldestIdle: Statement? {
        var statement = oldest
        while let candidate = statement, candidate.entry.isBorrowed {
            statement = candidate.entry.newer
        }
        return statement
    }

    private func linkAsNewest(_ statement: Statement) {
        statement.entry.older = newest
        newest?.entry.newer = statement
        newest = statement
        if oldest == nil {
            oldest = statement
        }
    }

    private func unlink(_ statement: Statement) {
        let newer = statement.entry.newer
        let older = statement.entry.older
        if let newer { newer.entry.older = older } else { newest = older }
        if let older { older.entry.newer = newer } else { oldest = newer }
        statement.entry.newer = nil
        statement.entry.older = nil
    }
}
