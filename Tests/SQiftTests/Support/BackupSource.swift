import Foundation
import SQift
import Testing

/// Fills a database with a table `t(id, x)` and an index. Four rows take a page of 4096 bytes.
package func fill(_ connection: Connection, rows: Int = 100, with text: String = "row") throws {
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x)")
    try connection.run(
        "INSERT INTO t " + numbers(to: rows, selecting: "n, '\(text)' || n || hex(zeroblob(450))")
    )
}

/// Creates a file, and fills its database in this way.
@discardableResult
package func makeFile(
    at path: String,
    rows: Int = 100,
    with text: String = "row",
    setup: String = "PRAGMA journal_mode = DELETE"
) throws -> Connection {
    let connection = try Connection(path: path)
    try connection.setPersistentWAL(false)
    try connection.execute("PRAGMA synchronous = OFF; \(setup)")
    try fill(connection, rows: rows, with: text)
    return connection
}

/// Creates a file whose seven rows no other backup has.
package func makeOldFile(at path: String) throws {
    try makeFile(at: path, rows: 7, with: "old").close()
}

extension Backup {
    /// Copies all that is left, and ends.
    package func stepToEnd(pages: Int = 10) throws {
        while try step(pages: pages) {}
        try finish()
    }
}

extension Database {
    package func backup(to path: String) throws {
        try backup(to: .onDisk(path))
    }

    package func backup(to path: String) async throws {
        try await backup(to: .onDisk(path))
    }

    package func restore(from path: String) throws {
        try restore(from: .onDisk(path))
    }

    package func restore(from path: String) async throws {
        try await restore(from: .onDisk(path))
    }
}

/// Expects that a database passes the integrity check.
package func expectSound(
    _ connection: Connection,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try connection.integrityCheck() == [], sourceLocation: sourceLocation)
}

/// All rows of `t`.
package func texts(_ connection: Connection) throws -> [String] {
    try connection.query("SELECT id || ' ' || x FROM t ORDER BY id")
}

/// Expects that a database has the same rows as another one, and passes the integrity check.
package func expectSame(
    _ connection: Connection,
    _ other: Connection,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let (found, expected) = try (texts(connection), texts(other))
    #expect(found == expected, sourceLocation: sourceLocation)
    let problems = try connection.integrityCheck()
    #expect(problems.isEmpty, "\(problems)", sourceLocation: sourceLocation)
}
