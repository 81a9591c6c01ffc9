import CSQift
import Foundation
import Testing

@testable import SQift

/// What the library switches for a while, when SQLite fails in the middle of it.
@Suite(.timeLimit(.minutes(20))) struct ConnectionSettingTests {
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

    @Test func whatCouldNotBeRestoredIsRestoredBeforeTheNextStatement() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(x)")
        try connection.setting(.queryOnly, to: true) {
            try forbidPragmas(.everything, on: connection)
        }
        let error = sqliteError { try connection.run("INSERT INTO t VALUES(1)") }
        #expect(error?.resultCode == .abort)
        #expect(error?.message.contains("can't be restored yet") == true)

        try forbidPragmas(.nothing, on: connection)
        try connection.run("INSERT INTO t VALUES(2)")
        #expect(try connection.query("SELECT x FROM t") == [2])
    }

    @Test func aQueueWritesAgainAfterAReadThatCouldNotRestoreIt() throws {
        let queue = ConnectionQueue(connection: try Connection())
        try queue.write { try $0.execute("CREATE TABLE t(x)") }
        try queue.read { try forbidPragmas(.everything, on: $0) }
        try queue.execute { try forbidPragmas(.nothing, on: $0) }
        try queue.write { try $0.run("INSERT INTO t VALUES(1)") }
        #expect(try queue.read { try $0.query("SELECT x FROM t") } == 1)
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
        #expect(throws: (any Error).self) { try migrator.run() }

        try forbidPragmas(.nothing, on: connection)
        #expect(try connection.query("PRAGMA foreign_keys") == 1)
    }
}
