import Foundation
import Testing

import SQift

/// The names of the migrations that a database has recorded, in the order in which they ran; nil if
/// it has no records of migrations.
package func recordedNames(on connection: Connection) throws -> [String]? {
    guard try connection.tableExists("sqift_migrations", database: "main") else { return nil }
    return try connection.query("SELECT name FROM main.sqift_migrations ORDER BY rowid")
}

/// The `MigratorError` that `body` throws. It must have this reason.
@discardableResult
package func migratorError(
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

/// Expects that `body` throws a `MigratorError` with this reason, and doesn't change the database.
@discardableResult
package func expectUntouched(
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
package func migrate(
    _ connection: Connection,
    _ migrations: [Migration],
    upTo name: String? = nil
) throws -> Migrator.Report {
    try Migrator(connection: connection, migrations: migrations).run(upTo: name)
}

/// Whether the connection enforces foreign keys.
package func enforcesForeignKeys(_ connection: Connection) throws -> Bool {
    try connection.query("PRAGMA foreign_keys")
}

/// A migration that makes an empty table.
package func creating(_ table: String, named name: String? = nil) -> Migration {
    Migration(name ?? table, sql: "CREATE TABLE \(quoted(table))(x)")
}

/// The names of the tables in `main`, without those of SQLite and of the library.
package func tables(of connection: Connection) throws -> [String] {
    let own = "name LIKE 'sqlite%' OR name IN ('sqift_migrations', 'schema_migrations')"
    return try connection.query(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND NOT (\(own)) ORDER BY name"
    )
}
