import Foundation
import Testing

@testable import SQift

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
