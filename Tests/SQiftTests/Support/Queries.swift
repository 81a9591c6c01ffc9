import CSQift
import SQift

/// A query for the numbers from 1 to `count`.
package func numbers(to count: Int, selecting expression: String = "n") -> String {
    """
    WITH RECURSIVE numbers(n) AS \
    (VALUES(1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count)) \
    SELECT \(expression) FROM numbers
    """
}

/// A query that only an interrupt ends. It opens the gate when it runs.
///
/// It needs an SQL function, which is added here: SQLite refuses that while statements run.
package func endlessQuery(on connection: Connection, opening gate: Gate) throws -> SQL {
    try addCallback("report", to: connection) { _ in gate.open() }
    return numbers(to: Int.max, selecting: "max(CASE WHEN n = 1000 THEN report(n) ELSE n END)")
}

/// Runs a query that only an interrupt ends. It opens the gate when it runs.
package func runEndlessQuery(on connection: Connection, opening gate: Gate) throws {
    try connection.execute(endlessQuery(on: connection, opening: gate))
}

/// A gate that opens when the connection begins a transaction. The thread that begins it opens the
/// gate, so a test can wait until that thread waits for a lock.
package func transactionGate(on connection: Connection) -> Gate {
    let gate = Gate()
    connection.trace { sql in
        if sql.hasPrefix("BEGIN") {
            gate.open()
        }
    }
    return gate
}

/// The SQL of the connection's prepared statements, sorted: those in the cache and those in use.
package func preparedSQL(on connection: Connection) throws -> [String] {
    try connection.withUnsafeHandle { database in
        var found: [String] = []
        var statement = sqlite3_next_stmt(database, nil)
        while let next = statement {
            found.append(sqlite3_sql(next).map { String(cString: $0) } ?? "")
            statement = sqlite3_next_stmt(database, next)
        }
        return found.sorted()
    }
}
