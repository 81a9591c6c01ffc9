import Foundation
import SQift
import Testing

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

extension Connection {
    /// Opens a database with settings that differ from the defaults.
    package static func open(
        _ path: String,
        _ change: (inout Configuration) -> Void
    ) throws -> Connection {
        var configuration = Configuration()
        change(&configuration)
        return try Connection(path: path, configuration: configuration)
    }
}

extension Database {
    /// Opens a database with settings that may differ from the defaults.
    package static func open(
        _ location: StorageLocation,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Database {
        var configuration = Configuration()
        change(&configuration)
        return try Database(storageLocation: location, configuration: configuration)
    }

    package static func open(
        _ path: String,
        _ change: (inout Configuration) -> Void
    ) throws -> Database {
        try open(.onDisk(path), change)
    }
}

extension Connection {
    /// Expects that a transaction is undone when its closure throws.
    package func undoing(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        expectThrows(
            TestError.self,
            {
                try transaction {
                    try body()
                    throw TestError()
                }
            },
            sourceLocation: sourceLocation
        )
    }

    /// Expects that a savepoint is undone when its closure throws.
    package func undoingSavepoint(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        expectThrows(
            TestError.self,
            {
                try savepoint {
                    try body()
                    throw TestError()
                }
            },
            sourceLocation: sourceLocation
        )
    }
}

extension Blob {
    /// Writes a text over what it holds from there on.
    package func write(_ text: String, at offset: Int) throws {
        try write(Data(text.utf8), at: offset)
    }

    /// Expects that it holds this text from there on.
    package func expect(
        _ text: String,
        at offset: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try read(at: offset, count: text.utf8.count)
        #expect(found == Data(text.utf8), sourceLocation: sourceLocation)
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

extension Database {
    /// Adds a row to `t`, in a write of its own.
    package func add(_ value: Int) throws {
        try write { try SQiftTestSupport.add(value, on: $0) }
    }

    package func add(_ value: Int) async throws {
        try await write { try SQiftTestSupport.add(value, on: $0) }
    }

    /// Runs a statement in a write of its own.
    package func run(_ sql: SQL) throws {
        try write { try $0.run(sql) }
    }

    package func run(_ sql: SQL) async throws {
        try await write { try $0.run(sql) }
    }

    /// Executes a script in a write of its own.
    package func execute(_ sql: SQL) throws {
        try write { try $0.execute(sql) }
    }

    package func execute(_ sql: SQL) async throws {
        try await write { try $0.execute(sql) }
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

/// Expects that many rows in the table.
package func expectRows(
    _ expected: Int,
    of table: String = "t",
    on connection: Connection,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try count(table, on: connection) == expected, sourceLocation: sourceLocation)
}

/// Expects that many rows in `t`, in a read of its own.
package func expectRows(
    _ expected: Int,
    in reader: any DatabaseReader,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try reader.read { try expectRows(expected, on: $0, sourceLocation: sourceLocation) }
}

/// Expects the result of a query in a read of its own.
package func expectAnswer<Answer: QueryResult & Equatable & Sendable>(
    _ expected: Answer,
    to sql: SQL,
    from reader: any DatabaseReader,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found: Answer = try reader.read { try $0.query(sql) }
    #expect(found == expected, sourceLocation: sourceLocation)
}

/// The rows of `t`, in the order in which they were added.
package func values(on connection: Connection) throws -> [Int] {
    try connection.query("SELECT x FROM t ORDER BY rowid")
}

/// Adds a row to `t`.
package func add(_ value: Int, on connection: Connection) throws {
    try connection.run("INSERT INTO t VALUES(?)", value)
}

/// Expects that another connection can write to the test's database at once.
package func expectUnlocked(
    _ folder: TemporaryFolder,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try canWrite(toFileAt: folder.path()), sourceLocation: sourceLocation)
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
