import Foundation
import SQift
import Testing

/// What a test waited for didn't happen in time.
struct WaitedInVain: Error {}

/// A folder of its own for a test's databases, removed with the last reference to it.
final class DatabaseFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("SQiftTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String = "test.sqlite") -> String {
        url.appendingPathComponent(name).path
    }

    /// Opens the test's database, in which commits don't wait for the disk.
    func open(_ change: (inout Database.Configuration) -> Void = { _ in }) throws -> Database {
        var configuration = Database.Configuration()
        configuration.synchronous = .off
        change(&configuration)
        return try Database(path: path(), configuration: configuration)
    }

    /// Another connection to the test's database, as another process would have it.
    func connection() throws -> Connection {
        try Connection(path: path())
    }

    /// The names of the files, sorted.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    func size(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return attributes?[.size] as? Int ?? 0
    }

    /// How many descriptors this process has of files in the folder; nil where the system doesn't
    /// say.
    func descriptorCount() -> Int? {
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else {
            return nil
        }
        return all.filter { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor)"
            )
            return file?.hasPrefix(url.path) ?? false
        }.count
    }
}

/// Something that happens once, for which threads and tasks wait.
final class Event: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func happen() {
        semaphore.signal()
    }

    func wait(seconds: TimeInterval = patience) throws {
        guard semaphore.wait(timeout: .now() + seconds) == .success else { throw WaitedInVain() }
        semaphore.signal()
    }

    private var hasHappened: Bool {
        guard semaphore.wait(timeout: .now()) == .success else { return false }
        semaphore.signal()
        return true
    }

    /// Waits without holding a thread.
    func happened() async throws {
        let deadline = ContinuousClock.now + .seconds(patience)
        while !hasHappened {
            guard ContinuousClock.now < deadline else { throw WaitedInVain() }
            // As long as a poll may take to notice.
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// A place where threads meet: none goes on before all are there.
final class Meeting: Sendable {
    private let count: Int
    private let arrived = SharedCount()
    private let all = Event()

    init(of count: Int) {
        self.count = count
    }

    func join() throws {
        if arrived.add(1) == count {
            all.happen()
        }
        try all.wait()
    }
}

/// A thread that runs a closure, and what came of it.
final class SideThread<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private let end = Event()
    private var result: Result<Value, any Error>?

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread {
            let result = Result { try body() }
            self.lock.withLock { self.result = result }
            self.end.happen()
        }
    }

    var isDone: Bool { lock.withLock { result != nil } }

    /// What the closure returned; throws what it threw.
    @discardableResult
    func value(within seconds: TimeInterval = patience) throws -> Value {
        try end.wait(seconds: seconds)
        guard let result = lock.withLock({ result }) else { throw WaitedInVain() }
        return try result.get()
    }

    /// Waits without holding a thread.
    func result() async throws -> Value {
        try await end.happened()
        return try value()
    }
}

/// Asks until the answer is yes, or until it has taken too long.
func becomesTrue(
    within seconds: TimeInterval = patience,
    _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = Date() + seconds
    while try !condition() {
        guard Date() < deadline else { return false }
        // As long as a poll may take to notice.
        usleep(1000)
    }
    return true
}

/// The reason of the `AccessError` that `body` throws; nil if it throws none.
func refusedWith(_ body: () throws -> Void) throws -> AccessError.Reason? {
    do {
        try body()
        return nil
    } catch let error as AccessError {
        return error.reason
    }
}

/// The reason of the `AccessError` that `body` throws; nil if it throws none.
func refusedAsyncWith(_ body: () async throws -> Void) async throws -> AccessError.Reason? {
    do {
        try await body()
        return nil
    } catch let error as AccessError {
        return error.reason
    }
}

/// Expects an `AccessError` of this reason.
func expectRefusal(
    _ reason: AccessError.Reason,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws {
    let found = try refusedWith(body)
    #expect(found == reason, sourceLocation: sourceLocation)
}

/// Whether the task ends with a `CancellationError`.
func isCancelled<Value: Sendable>(_ task: Task<Value, any Error>) async throws -> Bool {
    do {
        _ = try await task.value
        return false
    } catch is CancellationError {
        return true
    }
}

/// Runs a statement that takes long unless it is interrupted, and tells when it runs.
func runLong(on connection: Connection, started: Event) throws {
    try addStartSignal(to: connection, started)
    try runLong(on: connection)
}

/// Makes the next `runLong(on:)` tell that it runs.
func addStartSignal(to connection: Connection, _ started: Event) throws {
    try connection.addFunction(named: "tell_started") { (number: Int) -> Int in
        if number == 100 {
            started.happen()
        }
        return number
    }
}

func runLong(on connection: Connection) throws {
    let _: Int = try connection.query(
        """
        WITH RECURSIVE few(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM few WHERE n < 100),
            many(n) AS (SELECT tell_started(n) FROM few UNION ALL SELECT n + 1 FROM many WHERE n < 5000000)
        SELECT count(*) FROM many
        """
    )
}

func add(_ value: Int, on connection: Connection) throws {
    try connection.run("INSERT INTO t VALUES(?)", value)
}

/// How many rows `t` has, in a read of its own.
func rows(_ database: Database) throws -> Int {
    try database.read { try count("t", on: $0) }
}

/// Every way to use a database, its queue or its pool that blocks.
enum Access: String, CaseIterable, Sendable {
    case read, write, writeWithoutTransaction, executeRead, executeWrite
    case queueRead, queueWrite, queueWithoutTransaction, queueExecute, queueTransaction,
        queueSavepoint
    case poolRead, poolExecute

    func run<T>(on database: Database, _ body: (Connection) throws -> T) throws -> T {
        let queue = database.writerConnectionQueue
        let pool = database.readerConnectionPool
        return switch self {
        case .read: try database.read(body)
        case .write: try database.write(body)
        case .writeWithoutTransaction: try database.writeWithoutTransaction(body)
        case .executeRead: try database.executeRead(closure: body)
        case .executeWrite: try database.executeWrite(closure: body)
        case .queueRead: try queue.read(body)
        case .queueWrite: try queue.write(body)
        case .queueWithoutTransaction: try queue.writeWithoutTransaction(body)
        case .queueExecute: try queue.execute(closure: body)
        case .queueTransaction: try queue.executeInTransaction(closure: body)
        case .queueSavepoint: try queue.executeInSavepoint(named: "s", closure: body)
        case .poolRead: try pool.read(body)
        case .poolExecute: try pool.execute(closure: body)
        }
    }

    /// The database's own.
    static let own: [Access] = [
        .read, .write, .writeWithoutTransaction, .executeRead, .executeWrite,
    ]
}

/// Calls `body` with the writing connection, and with so many reading ones at the same time.
func onEveryConnection<T: Sendable>(
    of database: Database,
    readerCount: Int = 3,
    _ body: @escaping @Sendable (Connection) throws -> T
) throws -> [T] {
    let meeting = Meeting(of: readerCount)
    let readers = (0..<readerCount).map { _ in
        SideThread {
            try database.executeRead { connection in
                try meeting.join()
                return try body(connection)
            }
        }
    }
    return try [database.executeWrite(closure: body)] + readers.map { try $0.value() }
}
