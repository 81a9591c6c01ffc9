import Foundation
import SQift
import Testing

/// The names of the migrations that a database has recorded, in the order in which they ran; nil if
/// it has no records of migrations.
package func recordedNames(on connection: Connection) throws -> [String]? {
    guard try connection.tableExists("sqift_migrations", database: "main") else { return nil }
    return try connection.query("SELECT name FROM main.sqift_migrations ORDER BY rowid")
}

/// The `MigratorError` that `body` throws. It must have this reason, and each of these that is given.
///
/// - Parameters:
///   - migration: The name of the migration that failed.
///   - words: Parts of the message.
///   - code: The primary result code of the underlying `SQLiteError`.
@discardableResult
package func migratorError(
    _ reason: MigratorError.Reason,
    at migration: String? = nil,
    containing words: String...,
    code: ResultCode? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> MigratorError? {
    migratorError(reason, migration, words, code, sourceLocation, body)
}

private func migratorError(
    _ reason: MigratorError.Reason,
    _ migration: String?,
    _ words: [String],
    _ code: ResultCode?,
    _ sourceLocation: SourceLocation,
    _ body: () throws -> Void
) -> MigratorError? {
    let thrown = expectThrows(MigratorError.self, body, sourceLocation: sourceLocation)
    guard let error = thrown else { return nil }
    #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
    if let migration {
        #expect(error.migration == migration, sourceLocation: sourceLocation)
    }
    for word in words {
        #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation)
    }
    if let code {
        let underlying = error.underlyingError as? SQLiteError
        #expect(underlying?.resultCode == code, "\(error)", sourceLocation: sourceLocation)
    }
    return error
}

/// Expects that `body` throws a `MigratorError` as `migratorError` does, and doesn't change the
/// database.
@discardableResult
package func expectUntouched(
    _ connection: Connection,
    _ reason: MigratorError.Reason,
    at migration: String? = nil,
    containing words: String...,
    code: ResultCode? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws -> MigratorError? {
    let before = try Contents(connection)
    let error = migratorError(reason, migration, words, code, sourceLocation, body)
    let after = try Contents(connection)
    #expect(after == before, sourceLocation: sourceLocation)
    #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
    return error
}

extension Connection {
    package func migrator(_ migrations: [Migration]) -> Migrator {
        Migrator(connection: self, migrations: migrations)
    }
}

/// Runs migrations on a connection.
@discardableResult
package func migrate(
    _ connection: Connection,
    _ migrations: [Migration],
    upTo name: String? = nil
) throws -> Migrator.Report {
    try connection.migrator(migrations).run(upTo: name)
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
