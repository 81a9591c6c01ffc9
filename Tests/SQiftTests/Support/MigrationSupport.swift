import Foundation
import Testing

@testable import SQift

/// What a database holds, to be compared with another's: its schema, its rows, and the migrations
/// that it has.
struct Contents: Equatable, CustomStringConvertible {
    /// The objects in `main`, each in one line without quotation marks and white space.
    let schema: [String]
    /// The rows of each table, quoted.
    let rows: [String: [String]]
    /// The names of the migrations in the order in which they ran; nil where there is no
    /// bookkeeping.
    var names: [String]?

    init(_ connection: Connection) throws {
        let own = "tbl_name IN ('sqift_migrations', 'schema_migrations')"
        let sql =
            "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') FROM main.sqlite_schema"
        let lines: [String] = try connection.query("\(sql) WHERE NOT \(own) ORDER BY type, name")
        schema = lines.map { line in line.filter { !$0.isWhitespace && $0 != "\"" } }

        let isTable = "type = 'table' AND (sql LIKE 'CREATE TABLE%' OR name = 'sqlite_sequence')"
        let tables: [String] = try connection.query(
            "SELECT name FROM main.sqlite_schema WHERE \(isTable) AND name <> 'sqift_migrations'"
        )
        var rows: [String: [String]] = [:]
        for table in tables {
            // Not the time at which a version was recorded.
            let columns = try connection.columns(in: table, database: "main").map(\.name).filter {
                $0 != "migration_timestamp"
            }
            let values = columns.map { "quote(\(quoted($0)))" }.joined(separator: " || ', ' || ")
            rows[table] = try connection.query(
                "SELECT CAST(\(values) AS TEXT) FROM main.\(quoted(table)) ORDER BY 1"
            )
        }
        self.rows = rows
        names = try recordedNames(on: connection)
    }

    /// The same with other names.
    func with(names: [String]?) -> Contents {
        var copy = self
        copy.names = names
        return copy
    }

    var description: String {
        "\(schema.joined(separator: "\n"))\n\(rows.sorted { $0.key < $1.key })\n\(names ?? ["no bookkeeping"])"
    }
}

func quoted(_ identifier: String) -> String {
    "\"" + identifier.replacingOccurrences(of: "\"", with: "\"\"") + "\""
}

/// The names that a database's bookkeeping has, in the order in which they ran; nil where there is
/// none.
func recordedNames(on connection: Connection) throws -> [String]? {
    guard try connection.tableExists("sqift_migrations", database: "main") else { return nil }
    return try connection.query("SELECT name FROM main.sqift_migrations ORDER BY rowid")
}

/// The `MigratorError` that `body` throws, which is of this reason.
@discardableResult
func migratorError(
    _ reason: MigratorError.Reason,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> MigratorError? {
    let error = expectThrows(MigratorError.self, body, sourceLocation: sourceLocation)
    if let error {
        #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
    }
    return error
}

/// Expects that `body` throws such an error, and leaves the database as it is.
@discardableResult
func expectUntouched(
    _ connection: Connection,
    _ reason: MigratorError.Reason,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws -> MigratorError? {
    let before = try Contents(connection)
    let error = migratorError(reason, sourceLocation: sourceLocation, body)
    let after = try Contents(connection)
    #expect(after == before, sourceLocation: sourceLocation)
    #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
    return error
}

/// Runs migrations on a connection.
@discardableResult
func migrate(
    _ connection: Connection,
    _ migrations: [Migration],
    upTo name: String? = nil
) throws -> Migrator.Report {
    try Migrator(connection: connection, migrations: migrations).run(upTo: name)
}

/// Whether the connection enforces foreign keys.
func enforcesForeignKeys(_ connection: Connection) throws -> Bool {
    try connection.query("PRAGMA foreign_keys")
}

/// A migration that makes an empty table.
func creating(_ table: String, named name: String? = nil) -> Migration {
    Migration(name ?? table, sql: "CREATE TABLE \(quoted(table))(x)")
}

/// The names of the tables in `main` but SQLite's and the library's own.
func tables(of connection: Connection) throws -> [String] {
    let own = "name LIKE 'sqlite%' OR name IN ('sqift_migrations', 'schema_migrations')"
    return try connection.query(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND NOT (\(own)) ORDER BY name"
    )
}

/// A folder of `.sql` files.
struct MigrationFolder {
    let folder: TemporaryFolder

    init(_ files: KeyValuePairs<String, String> = [:]) throws {
        folder = try TemporaryFolder()
        for (name, text) in files {
            try write(Data(text.utf8), to: name)
        }
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: folder.url.appendingPathComponent(name))
    }

    func load() throws -> [Migration] {
        try Migration.load(from: folder.url)
    }
}
