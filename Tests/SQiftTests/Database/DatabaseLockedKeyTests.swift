import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Opening with a key while another connection has locked the file.
@Suite(.serialized, .encryption) struct DatabaseLockedKeyTests {
    private let folder: TemporaryFolder
    private let locking: Connection

    init() throws {
        folder = try TemporaryFolder()
        locking = try Connection(path: folder.path(), configuration: .init(key: Keys.one))
        try locking.execute("CREATE TABLE t(x); BEGIN EXCLUSIVE")
    }

    private func configuration(_ busyTimeout: TimeInterval) -> Database.Configuration {
        var configuration = Database.Configuration(key: Keys.one)
        configuration.journalMode = .delete
        configuration.busyTimeout = busyTimeout
        return configuration
    }

    @Test func theBusyTimeoutIsWaitedForOnce() throws {
        var configuration = Connection.Configuration(key: Keys.one)
        configuration.busyTimeout = 3
        for open in [
            { try count("t", on: Connection(path: folder.path(), configuration: configuration)) },
            { _ = try Database(path: folder.path(), configuration: self.configuration(3)) },
        ] as [() throws -> Any] {
            let start = Date()
            #expect(sqliteError { _ = try open() }?.resultCode == .busy)
            let seconds = Date().timeIntervalSince(start)
            #expect(seconds > 2.9)
            // Twice would be 6 seconds. A busy machine adds some.
            #expect(seconds < 5.9)
        }
    }

    @Test func aReadIsCancelledWhileItsConnectionIsOpened() async throws {
        try locking.execute("ROLLBACK")
        let database = try Database(path: folder.path(), configuration: configuration(patience))
        try locking.execute("BEGIN EXCLUSIVE")
        let start = Date()
        let task = Task { try await database.read { try count("t", on: $0) } }
        // Usually it waits for the lock by then. If it hasn't begun, it is cancelled all the same.
        try await Task.sleep(nanoseconds: 100_000_000)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(Date().timeIntervalSince(start) < patience / 2)
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher 4 says at first that memory is short"))
    func aWrongKeyIsRefusedOnceTheLockIsGone() throws {
        let connection = try Connection(
            path: folder.path(),
            configuration: .init(key: Keys.other)
        )
        try locking.execute("ROLLBACK")
        for sql in ["SELECT * FROM t", "CREATE TABLE u(x)"] {
            let error = sqliteError { try connection.execute(sql) }
            #expect(error?.resultCode == .notADatabase)
            #expect(error?.message.hasPrefix("the key is wrong") == true)
        }
        #expect(try opens(folder.path(), with: Keys.one))
    }
}
