/// One connection, used by one closure at a time, in the order in which they arrive.
///
/// ```swift
/// let queue = ConnectionQueue(connection: try Connection(path: path))
/// try await queue.write { try $0.run("INSERT INTO cars(name) VALUES(?)", "Audi") }
/// let names: [String] = try await queue.read { try $0.query("SELECT name FROM cars") }
/// ```
///
/// A synchronous closure runs on the calling thread. An asynchronous one runs on another thread,
/// never on one of Swift's own. Inside a closure the queue can't be used again from the same
/// thread, at any depth and through any other queue: that throws ``AccessError/Reason/reentrant``.
/// If a closure waits for another thread or task that uses the queue, it waits forever. Nothing can
/// detect that.
public final class ConnectionQueue: DatabaseWriter {
    let lane: Lane

    /// Where reads wait for the connection.
    public var readers: AccessLine { AccessLine(runner: lane) }
    /// Where writes wait for the connection: in the same line.
    public var writer: AccessLine { readers }

    /// Takes over a connection. From now on, use it only through the queue.
    ///
    /// If SQLite was built for one thread only, each access throws an ``SQLiteError`` that says so.
    public convenience init(connection: sending Connection) {
        connection.makeCancellable(by: Cancellation())
        let name = connection.fileName
        self.init(
            Lane(
                connection,
                gate: AccessGate(label: name.isEmpty ? "connection queue" : name),
                preparations: Preparations { _ in try Connection.checkThreadSafety() }
            )
        )
    }

    init(_ lane: Lane) {
        self.lane = lane
    }

    /// Calls `closure` with the connection as it is: a transaction may stay open from one closure
    /// to the next.
    ///
    /// - Returns: The closure's result. It must not contain statements or live rows.
    /// - Throws: The closure's error, and ``AccessError``.
    @inlinable @discardableResult public func execute<T>(
        closure: (Connection) throws -> T
    ) throws -> T {
        try writer.access(.unmanaged, returning: closure)
    }
}

extension ConnectionQueue: Hashable {
    /// Whether they are the same queue.
    public static func == (one: ConnectionQueue, other: ConnectionQueue) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
