import SQift

extension Connection {
    /// Opens a database, in memory unless it has a path, and creates the table `t(x)` with these
    /// rows.
    package static func withTable(rows: Int..., path: String? = nil) throws -> Connection {
        let connection = try path.map { try Connection(path: $0) } ?? Connection()
        try connection.execute("CREATE TABLE t(x)")
        for row in rows {
            try connection.execute("INSERT INTO t VALUES(\(row))")
        }
        return connection
    }
}

extension TemporaryFolder {
    /// Opens the test's database, and creates the empty table `t(x)`.
    package func openWithTable(
        _ change: (inout Database.Configuration) -> Void = { _ in }
    ) throws -> Database {
        let database = try open(change)
        try database.write { try $0.execute("CREATE TABLE t(x)") }
        return database
    }
}

/// How many rows the table has.
package func count(_ table: String, on connection: Connection) throws -> Int {
    try connection.query("SELECT count(*) FROM \(table)")
}

/// How many rows `t` has, in a read of its own.
package func rows(_ database: Database) throws -> Int {
    try database.read { try count("t", on: $0) }
}

/// The rows of `t`, in the order in which they were added.
package func values(on connection: Connection) throws -> [Int] {
    try connection.query("SELECT x FROM t ORDER BY rowid")
}

/// Adds a row to `t`.
package func add(_ value: Int, on connection: Connection) throws {
    try connection.run("INSERT INTO t VALUES(?)", value)
}

/// Whether another connection can write to the file at once.
package func canWrite(toFileAt path: String) throws -> Bool {
    let other = try Connection(path: path)
    do {
        try other.execute(
            "BEGIN IMMEDIATE; CREATE TABLE can_write(x); DROP TABLE can_write; COMMIT"
        )
        return true
    } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
        return false
    }
}
