import Foundation

/// A connection's prepared statements for `run` and `query`, by their SQL: the least recently used one goes first.
///
/// A borrowed statement isn't lent again before it is given back. Cached statements don't keep their connection alive.
final class StatementCache {
    /// SQL compared byte by byte: `String` would take canonically equivalent texts, and so the literals in them, for equal.
    private struct Key: Hashable {
        let sql: SQL

        static func == (one: Key, other: Key) -> Bool { one.sql.hasSameBytes(as: other.sql) }

        func hash(into hasher: inout Hasher) {
            var sql = sql
            sql.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    private let capacity: Int
    private var statements: [Key: Statement] = [:]
    /// For each length of SQL, up to a multiple of 16, the statement used last: it is found without a hash.
    @exclusivity(unchecked) private var latest: ContiguousArray<Statement?> = []
    private var clock: UInt64 = 0

    init(capacity: Int) { self.capacity = capacity }

    /// A statement for the SQL that nobody else has, taken from the cache or prepared.
    func borrow(_ sql: SQL, on connection: Connection) throws -> Statement {
        let place = sql.utf8.count & 15
        if !latest.isEmpty, let latest = latest[place], !latest.isBorrowed,
            latest.sql.hasSameBytes(as: sql)
        {
            latest.isBorrowed = true
            return latest
        }
        let statement: Statement
        if let cached = statements[Key(sql: sql)], !cached.isBorrowed {
            statement = cached
            remember(cached, place)
        } else {
            statement = try Statement(cachedBy: connection, sql: sql)
        }
        statement.isBorrowed = true
        return statement
    }

    /// Takes a statement back, and keeps it unless another one for the same SQL is kept or it can't be used again.
    func giveBack(_ statement: Statement) {
        statement.isBorrowed = false
        if statement.holdsLargeValues {
            statement.clearBindings()
            statement.holdsLargeValues = false
        }
        clock &+= 1
        statement.lastUse = clock
        let place = statement.sql.utf8.count & 15
        if !latest.isEmpty, statement === latest[place], !statement.isUnusable { return }
        settle(statement, place)
    }

    private func settle(_ statement: Statement, _ place: Int) {
        let key = Key(sql: statement.sql)
        if statement.isUnusable || capacity <= 0 {
            if statements[key] === statement { statements[key] = nil }
            forget(statement, place)
            return statement.finalize()
        }
        guard statements[key] !== statement else { return remember(statement, place) }
        guard statements[key] == nil else { return statement.finalize() }
        statements[key] = statement
        remember(statement, place)
        // There may be more than one too many, after queries inside queries: what is borrowed stays.
        while statements.count > capacity,
            let oldest = statements.values.filter({ !$0.isBorrowed }).min(by: older)
        {
            statements[Key(sql: oldest.sql)] = nil
            forget(oldest, oldest.sql.utf8.count & 15)
            oldest.finalize()
        }
    }

    private func remember(_ statement: Statement, _ place: Int) {
        if latest.isEmpty { latest = ContiguousArray(repeating: nil, count: 16) }
        latest[place] = statement
    }

    private func forget(_ statement: Statement, _ place: Int) {
        if !latest.isEmpty, latest[place] === statement { latest[place] = nil }
    }

    private func older(_ one: Statement, _ other: Statement) -> Bool { one.lastUse < other.lastUse }

    /// Finalizes what isn't in use. Rows of these statements that escaped are stale from now on.
    func removeAll() {
        latest.removeAll()
        for (key, statement) in statements where !statement.isBorrowed {
            statements[key] = nil
            statement.finalize()
        }
    }
}

extension String {
    /// Equal as SQLite sees it: the same UTF-8 bytes.
    @inline(__always) func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areEqual = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else {
                    return true
                }
                return start == otherStart || memcmp(start, otherStart, one.count) == 0
            }
        }
        return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
