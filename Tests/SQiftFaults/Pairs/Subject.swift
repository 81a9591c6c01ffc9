import Foundation
import SQift

/// What the row's owner has open.
final class Subject {
    private enum Opened {
        case connection(Connection)
        case queue(ConnectionQueue)
        case pool(ConnectionPool)
        case database(Database)
    }

    let site: PairSite
    private let opened: Opened
    private var listener: RunningListener?

    init(_ site: PairSite) throws {
        self.site = site
        let combination = site.combination
        let isRelative = combination.location == .relative
        if isRelative {
            _ = FileManager.default.changeCurrentDirectoryPath(site.folder)
        }
        defer {
            if isRelative {
                _ = FileManager.default.changeCurrentDirectoryPath("\(site.folder)/elsewhere")
            }
        }
        switch combination.owner {
        case .connection: opened = .connection(try Self.openConnection(site))
        case .queue: opened = .queue(ConnectionQueue(connection: try Self.openConnection(site)))
        case .pool: opened = .pool(Self.openPool(site))
        case .database, .snapshot: opened = .database(try Self.openDatabase(site))
        }
        if combination.owner == .pool {
            // It opens its first connection at the first access.
            try read { _ in }
        }
    }

    // MARK: Opening

    private static func openConnection(_ site: PairSite) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = PairSite.busyTimeout
        configuration.foreignKeys = site.combination.hasForeignKeys
        configuration.hardened = site.combination.isHardened
        configuration.readOnly = site.combination.location.isReadOnly
        let secret = site.secret.withLock { $0 }
        configuration.key = secret.key
        configuration.cipherSettings = secret.settings
        let connection = try Connection(
            storageLocation: site.location,
            configuration: configuration
        )
        try site.prepare(connection, isWriter: true)
        if site.combination[Registration.self] == .afterFirstStatement {
            let _: Int = try connection.query("SELECT count(*) FROM sqlite_schema")
            try site.addFunctions(to: connection)
        }
        return connection
    }

    private static func openPool(_ site: PairSite) -> ConnectionPool {
        let secret = site.secret.withLock { $0 }
        return ConnectionPool(
            storageLocation: site.location,
            maximumConnectionCount: 2,
            key: secret.key,
            cipherSettings: secret.settings,
            connectionPreparation: { try site.prepare($0, isWriter: false) }
        )
    }

    private static func openDatabase(_ site: PairSite) throws -> Database {
        let combination = site.combination
        var configuration = Database.Configuration()
        configuration.busyTimeout = PairSite.busyTimeout
        configuration.maximumReaderCount = 2
        configuration.foreignKeys = combination.hasForeignKeys
        configuration.synchronous = .init(rawValue: combination[Synchronous.self].number)
        configuration.journalMode = .init(rawValue: combination.journal.rawValue) ?? .unchanged
        configuration.checkpoints = combination.hasExternalCheckpoints ? .external : .automatic
        configuration.connection.hardened = combination.isHardened
        let secret = site.secret.withLock { $0 }
        configuration.connection.key = secret.key
        configuration.connection.cipherSettings = secret.settings
        switch combination.location {
        case .readOnly: configuration.accessMode = .readOnly()
        case .immutable: configuration.accessMode = .readOnly(immutable: true)
        default: break
        }
        configuration.writerConnectionPreparation = { try site.prepare($0, isWriter: true) }
        configuration.readerConnectionPreparation = { connection in
            if !combination.location.isPrivate {
                try site.prepare(connection, isWriter: false)
            } else if combination[Registration.self] == .preparation {
                // The one connection is prepared already. What is restored from isn't.
                try site.addFunctions(to: connection)
            }
        }
        let database = try Database(
            storageLocation: site.location,
            configuration: configuration
        )
        switch combination[Registration.self] {
        case .none, .preparation: break
        case .prepareConnections:
            database.prepareConnections { try site.addFunctions(to: $0) }
        case .afterFirstStatement:
            try database.read { try $0.execute("SELECT count(*) FROM sqlite_schema") }
            try database.writeWithoutTransaction {
                try $0.execute("SELECT count(*) FROM sqlite_schema")
            }
            database.prepareConnections { try site.addFunctions(to: $0) }
        }
        return database
    }

    // MARK: Accesses

    var database: Database {
        get throws {
            guard case .database(let database) = opened else {
                throw Broken(description: "\(site.combination.owner) is no Database")
            }
            return database
        }
    }

    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        switch opened {
        case .connection(let connection): return try body(connection)
        case .queue(let queue): return try queue.read(body)
        case .pool(let pool): return try pool.read(body)
        case .database(let database) where site.combination.owner == .snapshot:
            let snapshot = try database.snapshot()
            defer { try? snapshot.close() }
            return try snapshot.read(body)
        case .database(let database): return try database.read(body)
        }
    }

    /// In a transaction.
    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        switch opened {
        case .connection(let connection):
            try connection.transaction(transactionType: .immediate) { try body(connection) }
        case .queue(let queue): try queue.write(body)
        case .pool(let pool): try pool.execute(closure: body)
        case .database(let database): try database.write(body)
        }
    }

    /// Outside any transaction, and on a connection that writes if there is one.
    func access<T>(_ body: (Connection) throws -> T) throws -> T {
        switch opened {
        case .connection(let connection): try body(connection)
        case .queue(let queue): try queue.writeWithoutTransaction(body)
        case .pool(let pool): try pool.execute(closure: body)
        case .database(let database): try database.writeWithoutTransaction(body)
        }
    }

    /// As `write`, in a task that somebody cancels after a moment.
    func writeCancelled(_ body: @escaping @Sendable (Connection) throws -> Void) throws {
        switch opened {
        case .connection(let connection):
            let handle = connection.interruptHandle
            try disturbing({ handle.interrupt() }) { try write(body) }
        case .queue(let queue):
            try awaiting(disturbing: cancel) { try await queue.write(body) }
        case .pool: throw Broken(description: "a pool writes nothing")
        case .database(let database):
            try awaiting(disturbing: cancel) { try await database.write(body) }
        }
    }

    func close() throws {
        switch opened {
        case .connection(let connection): try connection.close()
        // The last reference closes them.
        case .queue, .pool: break
        case .database(let database): try database.close()
        }
        try listener?.end()
        listener = nil
    }

    // MARK: Listeners

    /// Begins to listen, as the row asks for.
    func listen() throws {
        switch site.combination[Listener.self] {
        case .none, .didCommit: break
        case .changes: listener = RunningListener(changesOf: try database)
        case .values: listener = RunningListener(valuesOf: try database)
        }
    }

    /// Throws if the listener doesn't hear of a write to the table `t`, which has `count` rows now.
    func expectReport(count: Int) throws {
        if let listener {
            return try listener.expectReport(count: count)
        }
        let commits = site.commits.withLock { $0 }
        try expect(commits.contains { $0.contains("t") }, "didCommit has heard \(commits) only")
    }

    func forgetReports() {
        site.commits.withLock { $0 = [] }
        listener?.forgetReports()
    }
}

private func cancel(_ task: Task<Void, Never>) {
    // Whatever the task has done by then, the promise is the same.
    usleep(20_000)
    task.cancel()
}

/// Calls `body` while another thread calls `disturb` again and again.
func disturbing<T>(_ disturb: @escaping @Sendable () -> Void, _ body: () throws -> T) throws -> T {
    let isDone = Locked(false)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        repeat {
            // Between two interrupts some work gets done, or the access would never end.
            usleep(5000)
            disturb()
        } while !isDone.withLock { $0 }
        hasEnded.signal()
    }
    defer {
        isDone.withLock { $0 = true }
        hasEnded.wait()
    }
    return try body()
}

/// A loop over the changes or values of a `Database`.
private final class RunningListener {
    private struct Heard {
        var tables: Set<String> = []
        var includesAll = false
        var count: Int?
        var error: String?
    }

    private let heard: Locked<Heard>
    private let hasEnded = DispatchSemaphore(value: 0)

    init(changesOf database: Database) {
        let heard = Locked(Heard())
        self.heard = heard
        let changes = database.changes()
        Task { [hasEnded] in
            for await change in changes {
                heard.withLock {
                    $0.tables.formUnion(change.tables)
                    $0.includesAll = $0.includesAll || change.includesAllTables
                }
            }
            hasEnded.signal()
        }
    }

    init(valuesOf database: Database) {
        let heard = Locked(Heard())
        self.heard = heard
        let values = database.values { try $0.query("SELECT count(*) FROM t") as Int }
        Task { [hasEnded] in
            var isInterrupted = false
            repeat {
                isInterrupted = false
                do {
                    for try await count in values {
                        heard.withLock { $0.count = count }
                    }
                } catch let error as SQLiteError where error.resultCode == .interrupt {
                    // An operation that interrupts every connection met this loop's read.
                    isInterrupted = true
                } catch {
                    heard.withLock { $0.error = "\(error)" }
                }
            } while isInterrupted
            hasEnded.signal()
        }
        wait { $0.count != nil || $0.error != nil }
    }

    @discardableResult private func wait(_ isEnough: (Heard) -> Bool) -> Bool {
        for _ in 0..<2000 {
            if isEnough(heard.withLock { $0 }) {
                return true
            }
            // A listener hears after the commit, on a thread of its own.
            usleep(1000)
        }
        return false
    }

    func expectReport(count: Int) throws {
        let isHeard = wait {
            $0.tables.contains("t") || $0.includesAll || $0.count == count || $0.error != nil
        }
        let heard = heard.withLock { $0 }
        try expect(heard.error == nil, "the listener has ended: \(heard.error ?? "")")
        let last = heard.count.map { "\($0), not \(count)" } ?? "\(heard.tables)"
        try expect(isHeard, "the listener has heard \(last)")
    }

    func forgetReports() {
        heard.withLock {
            $0.tables = []
            $0.includesAll = false
        }
    }

    func end() throws {
        try expect(hasEnded.wait(timeout: .now() + 5) == .success, "the listener doesn't end")
    }
}
