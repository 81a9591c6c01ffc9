/// A connection's prepared statements for `run` and `query`, by their SQL. When there are too many,
/// the least recently used one is finalized.
///
/// A borrowed statement isn't lent again before it is given back. Cached statements don't keep
/// their connection alive. A dictionary finds them by the hash of their SQL. Only where one has to
/// go, all of them are looked at.
final class StatementCache {
    private let capacity: Int
    /// By the hash of their SQL. With the SQL as the key, removing one statement would hash the SQL
    /// of several others again.
    @exclusivity(unchecked) private var kept: [Int: Statement] = [:]
    private var useCount = 0
    /// The statement used last for each SQL length modulo 16: found without hashing.
    @exclusivity(unchecked) private var recent = ContiguousArray<Statement?>(
        repeating: nil,
        count: 16
    )

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes a statement for the SQL from the cache, or prepares one. It has no other borrower.
    func borrow(_ sql: SQL, on connection: Connection) throws -> Statement {
        let slot = slot(for: sql)
        if let statement = recent[slot], !statement.isBorrowed,
            statement.sql.hasSameBytes(as: sql)
        {
            statement.isBorrowed = true
            return statement
        }

        let hash = hash(of: sql)
        let statement: Statement
        if let found = kept[hash], !found.isBorrowed, found.sql.hasSameBytes(as: sql) {
            statement = found
            recent[slot] = found
        } else {
            statement = try Statement(sql, on: connection, owner: nil)
            statement.hashOfSQL = hash
        }
        statement.isBorrowed = true
        return statement
    }

    /// Takes a statement back. The cache keeps it, unless it keeps another one with that hash. One
    /// that SQLite couldn't compile again stays: at its next run SQLite tries once more.
    func giveBack(_ statement: Statement) {
        statement.isBorrowed = false
        if statement.holdsLargeValues {
            statement.clearBindings()
            statement.holdsLargeValues = false
        }
        let isNew = statement.lastUse == 0
        useCount &+= 1
        statement.lastUse = useCount
        if isNew {
            keep(statement)
        }
    }

    /// Finalizes the statements that aren't borrowed. Rows of theirs that have escaped are stale
    /// from now on.
    func removeAll() {
        for statement in kept.values where !statement.isBorrowed {
            discard(statement)
        }
    }

    private func keep(_ statement: Statement) {
        guard capacity > 0, kept[statement.hashOfSQL] == nil else { return statement.finalize() }
        kept[statement.hashOfSQL] = statement
        recent[slot(for: statement.sql)] = statement

        // A borrowed statement stays, so after queries inside queries several can be too many.
        while kept.count > capacity, let oldest = oldestIdle {
            discard(oldest)
        }
    }

    /// The least recently used statement that isn't borrowed. The search costs less than the
    /// compiling that it follows.
    private var oldestIdle: Statement? {
        kept.values.lazy.filter { !$0.isBorrowed }
            .min { $0.lastUse < $1.lastUse }
    }

    private func discard(_ statement: Statement) {
        kept[statement.hashOfSQL] = nil
        let slot = slot(for: statement.sql)
        if recent[slot] === statement {
            recent[slot] = nil
        }
        statement.finalize()
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
