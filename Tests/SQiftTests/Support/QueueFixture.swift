import Foundation
import SQift
import Testing

/// A queue with a WAL file, in which there is an empty table `t(x)`.
package struct QueueFixture {
    package let folder: TemporaryFolder
    package let queue: ConnectionQueue

    /// - Parameter prepare: Sets the handlers of the connection, which those of an access don't
    ///   outlive, before the queue takes it.
    package init(
        busyTimeout: TimeInterval = 0,
        journalMode: String = "WAL",
        prepare: (Connection) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        queue = try Self.makeQueue(
            folder.path(),
            busyTimeout: busyTimeout,
            journalMode: journalMode,
            prepare: prepare
        )
    }

    package static func makeQueue(
        _ path: String,
        busyTimeout: TimeInterval = 0,
        journalMode: String = "WAL",
        prepare: (Connection) throws -> Void = { _ in }
    ) throws -> ConnectionQueue {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = busyTimeout
        let connection = try Connection(path: path, configuration: configuration)
        try connection.execute("PRAGMA journal_mode = \(journalMode); PRAGMA synchronous = OFF")
        try connection.execute("CREATE TABLE IF NOT EXISTS t(x)")
        try prepare(connection)
        return ConnectionQueue(connection: connection)
    }

    /// The committed rows, as another connection reads them.
    package func values() throws -> [Int] {
        try Connection(path: folder.path()).query("SELECT x FROM t ORDER BY rowid")
    }

    /// Expects that the queue reads and writes, and that its connection has its first settings.
    ///
    /// - Parameter expected: The committed rows; nil for any.
    package func expectUsable(
        holding expected: [Int]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try values()
        #expect(found == expected ?? found, sourceLocation: sourceLocation)
        try queue.execute { connection in
            #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
            let queryOnly: Int = try connection.query("PRAGMA query_only")
            #expect(queryOnly == 0, sourceLocation: sourceLocation)
        }
        let before = try queue.read { try count("t", on: $0) }
        try queue.write { try $0.run("INSERT INTO t VALUES(-1)") }
        let after = try queue.read { try count("t", on: $0) }
        #expect(after == before + 1, sourceLocation: sourceLocation)
        try queue.writeWithoutTransaction { try $0.run("DELETE FROM t WHERE x = -1") }
    }
}
