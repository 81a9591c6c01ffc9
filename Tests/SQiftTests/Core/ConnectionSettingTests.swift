import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What the library switches for a while, when SQLite fails in the middle of it.
struct ConnectionSettingTests {
    private enum Forbidden {
        case nothing
        case reading
        case everything
    }

    /// Lets SQLite compile no PRAGMA, or none that asks for a value. Having no memory does the same.
    private func forbidPragmas(_ forbidden: Forbidden, on connection: Connection) throws {
        typealias Authorizer =
            @convention(c) (
                UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
                UnsafePointer<CChar>?, UnsafePointer<CChar>?
            ) -> Int32
        let authorizer: Authorizer? =
            switch forbidden {
            case .nothing: nil
            case .reading:
                { _, action, _, value, _, _ in
                    action == SQLITE_PRAGMA && value == nil ? SQLITE_DENY : SQLITE_OK
                }
            case .everything:
                { _, action, _, _, _, _ in
                    action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK
                }
            }
        try connection.withUnsafeHandle { _ = sqlite3_set_authorizer($0, authorizer, nil) }
    }

    /// Runs a migration after which SQLite compiles no PRAGMA, until it has failed.
    private func failToMigrate(_ connection: Connection) throws {
        let migration = Migration("m", options: .withoutTransaction) { connection in
            try connection.execute("CREATE TABLE t(x)")
            try forbidPragmas(.everything, on: connection)
        }
        _ = try? Migrator(connection: connection, migrations: [migration]).run()
        try forbidPragmas(.nothing, on: connection)
    }

    @Test func aConnectionWhoseForeignKeysCannotBeSwitchedOnAgainIsBroken() throws {
        let folder = try TemporaryFolder()
        var configuration = Connection.Configuration()
        configuration.foreignKeys = true
        let connection = try Connection(path: folder.path(), configuration: configuration)
        try failToMigrate(connection)
        for _ in 0..<2 {
            expectSQLiteError(.abort, containing: "foreign_keys can't be restored") {
                try connection.run("INSERT INTO t VALUES(1)")
            }
        }

        try connection.close()
        try #expect(count("t", on: Connection(path: folder.path())) == 0)
    }

    @Test func aDatabaseReplacesAConnectionWhoseForeignKeysCannotBeSwitchedOnAgain() throws {
        let folder = try TemporaryFolder()
        let database = try folder.open()
        try database.writeWithoutTransaction { try failToMigrate($0) }

        let areEnforced: Bool = try database.write { connection in
            try connection.run("INSERT INTO t VALUES(1)")
            return try connection.query("PRAGMA foreign_keys")
        }
        #expect(areEnforced)
    }

    @Test func foreignKeysStayOnIfTheirSettingCanNotBeRead() throws {
        var configuration = Connection.Configuration()
        configuration.foreignKeys = true
        let connection = try Connection(storageLocation: .inMemory, configuration: configuration)
        let migrator = Migrator(
            connection: connection,
            migrations: [Migration("m", sql: "SELECT 1")]
        )
        try forbidPragmas(.reading, on: connection)
        expectThrows((any Error).self) { try migrator.run() }

        try forbidPragmas(.nothing, on: connection)
        #expect(try connection.query("PRAGMA foreign_keys") == 1)
    }
}
