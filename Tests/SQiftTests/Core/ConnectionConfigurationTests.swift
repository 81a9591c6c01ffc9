import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ConnectionConfigurationTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        try Connection(path: path).execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
    }

    private func open(_ change: (inout Connection.Configuration) -> Void) throws -> Connection {
        var configuration = Connection.Configuration()
        change(&configuration)
        return try Connection(path: path, configuration: configuration)
    }

    // MARK: Reading only

    @Test func aReadOnlyConnectionReadsAndRefusesEveryWrite() throws {
        for connection in [
            try Connection(storageLocation: .onDisk(path), readOnly: true),
            try open { $0.readOnly = true },
            try Connection(storageLocation: .onDisk(path), flags: SQLITE_OPEN_READONLY),
        ] {
            #expect(connection.readOnly)
            #expect(try count("t", on: connection) == 1)
            for sql in [
                "INSERT INTO t VALUES(2)", "UPDATE t SET x = 2", "DELETE FROM t",
                "CREATE TABLE u(x)",
            ] {
                expectSQLiteError(.readOnly, sql: sql) { try connection.run(sql) }
            }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write every file"))
    func aFileWithoutWritePermissionIsReadOnly() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        let connection = try Connection(path: path)

        #expect(connection.readOnly)
        expectSQLiteError(.readOnly) { try connection.run("DELETE FROM t") }
    }

    @Test func readOnlySwitchesBetweenSQLitesFlags() {
        var configuration = Connection.Configuration()
        let flags = configuration.flags
        #expect(!configuration.readOnly)
        #expect(
            flags & (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) == SQLITE_OPEN_READWRITE
                | SQLITE_OPEN_CREATE
        )

        configuration.readOnly = true
        #expect(configuration.readOnly)
        #expect(configuration.flags & (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) == 0)
        #expect(configuration.flags & SQLITE_OPEN_READONLY != 0)

        configuration.readOnly = false
        #expect(configuration.flags == flags)
    }

    // MARK: SQLite's defaults

    @Test func aPlainConnectionKeepsSQLitesDefaults() throws {
        let connection = try Connection(path: path)
        var database: OpaquePointer?
        #expect(sqlite3_open(":memory:", &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        func standard(_ pragma: String) -> String {
            var statement: OpaquePointer?
            sqlite3_prepare_v2(database, "PRAGMA \(pragma)", -1, &statement, nil)
            defer { sqlite3_finalize(statement) }
            sqlite3_step(statement)
            return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
        }
        for pragma in [
            "foreign_keys", "busy_timeout", "synchronous", "trusted_schema", "recursive_triggers",
        ] {
            let value: Int = try connection.query("PRAGMA \(pragma)")
            #expect("\(value)" == standard(pragma), "\(pragma)")
        }
        #expect(try connection.query("PRAGMA journal_mode") == "delete")
    }

    // MARK: Settings

    @Test func theBusyTimeoutIsInSeconds() throws {
        let connection = try open { $0.busyTimeout = 2.5 }
        #expect(try connection.query("PRAGMA busy_timeout") == 2500)
    }

    @Test(arguments: [true, false])
    func foreignKeysAreAsConfigured(isOn: Bool) throws {
        let connection = try open { $0.foreignKeys = isOn }
        #expect(try connection.query("PRAGMA foreign_keys") as Bool == isOn)
    }

    #if !os(Windows)
        @Test func theFileSystemLayerIsTheOneAskedFor() throws {
            let connection = try open { $0.vfs = "unix-dotfile" }
            try connection.execute("BEGIN EXCLUSIVE")
            #expect(FileManager.default.fileExists(atPath: path + ".lock"))
            try connection.execute("COMMIT")
            #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
        }
    #endif

    @Test func theMutexIsAsAskedFor() throws {
        func hasMutex(_ connection: Connection) throws -> Bool {
            try connection.withUnsafeHandle { sqlite3_db_mutex($0) != nil }
        }
        let hasMutexes = sqlite3_threadsafe() > 0
        #expect(try hasMutex(Connection()) == false)
        #expect(try hasMutex(Connection(storageLocation: .inMemory, multiThreaded: true)) == false)
        #expect(
            try hasMutex(Connection(storageLocation: .inMemory, multiThreaded: false)) == hasMutexes
        )
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX
        #expect(
            try hasMutex(Connection(storageLocation: .onDisk(path), flags: flags)) == hasMutexes
        )
    }

    @Test func theCacheIsSharedOnlyIfAskedFor() throws {
        func readWhileWriting(shared: Bool) throws -> Int {
            let writer = try Connection(storageLocation: .onDisk(path), sharedCache: shared)
            let reader = try Connection(storageLocation: .onDisk(path), sharedCache: shared)
            try reader.execute("PRAGMA read_uncommitted = ON")
            try writer.execute("BEGIN; INSERT INTO t VALUES(2)")
            return try count("t", on: reader)
        }
        // Only within a shared cache can a connection see what another one hasn't committed.
        #expect(try readWhileWriting(shared: false) == 1)
        #expect(try readWhileWriting(shared: true) == 2)
    }

    @Test func theTableLockPolicyIsTheOneGiven() throws {
        #expect(try Connection().tableLockPolicy == .fastFail)
        #expect(try Connection(tableLockPolicy: .poll(0.5)).tableLockPolicy == .poll(0.5))
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let connection = try Connection(
            storageLocation: .inMemory,
            tableLockPolicy: .poll(2),
            flags: flags
        )
        #expect(connection.tableLockPolicy == .poll(2))
        #expect(try open { $0.tableLockPolicy = .poll(3) }.tableLockPolicy == .poll(3))
    }

    @Test(arguments: [-1, 0, 1, 3])
    func theStatementCacheHasTheConfiguredCapacity(capacity: Int) throws {
        let connection = try open { $0.statementCacheCapacity = capacity }
        for number in 1...5 {
            #expect(try connection.query("SELECT \(number)") == number)
            #expect(try connection.query("SELECT \(number)") == number)
        }
        #expect(try preparedSQL(on: connection).count == max(capacity, 0))
    }

    @Test func theStatementCacheHoldsSixtyFourByDefault() throws {
        let connection = try Connection()
        for number in 1...70 {
            try connection.run("SELECT \(number)")
        }
        #expect(try preparedSQL(on: connection).count == 64)
    }
}
