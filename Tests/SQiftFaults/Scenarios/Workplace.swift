import Foundation
import SQift

/// The folder of one run of a scenario, and what the run has open there.
final class Workplace {
    /// Something open, which has to be usable after a fault.
    private struct OpenThing {
        let owner: AnyObject
        let use: () throws -> Void
        let close: () throws -> Void
    }

    let folder: String
    let interruption: Interruption?
    /// Whether the operation has told its caller that the work is done.
    private(set) var isPromised = false
    private let onPromise: () -> Void
    private var openThings: [OpenThing] = []

    init(
        folder: String,
        interruption: Interruption? = nil,
        onPromise: @escaping () -> Void = {}
    ) {
        self.folder = folder
        self.interruption = interruption
        self.onPromise = onPromise
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// From here on, an error doesn't mean that nothing was done.
    func promise() {
        isPromised = true
        onPromise()
    }

    // MARK: Opening

    func open(
        _ name: String = "main.db",
        _ configuration: Connection.Configuration = Connection.Configuration()
    ) throws -> Connection {
        try open(.onDisk(path(name)), configuration)
    }

    func open(
        _ location: StorageLocation,
        _ configuration: Connection.Configuration = Connection.Configuration()
    ) throws -> Connection {
        let connection = try Connection(storageLocation: location, configuration: configuration)
        interruption?.watch(connection)
        keep(
            connection,
            use: {
                try connection.useAfterFault(isReadOnly: configuration.readOnly)
                try expect(!connection.isInsideTransaction, "a transaction is left open")
                if configuration.foreignKeys == true {
                    try connection.expectForeignKeys()
                }
            },
            close: { try connection.close() }
        )
        return connection
    }

    func openDatabase(
        _ name: String = "main.db",
        journal: String,
        key: Data? = nil
    ) throws -> Database {
        var configuration = Database.Configuration()
        configuration.journalMode = journal == "wal" ? .wal : .delete
        configuration.busyTimeout = 0.05
        configuration.connection.key = key
        configuration.maximumReaderCount = 2
        if let interruption {
            configuration.writerConnectionPreparation = { interruption.watch($0) }
            configuration.readerConnectionPreparation = { interruption.watch($0) }
        }
        let database = try Database(path: path(name), configuration: configuration)
        interruption?.watch(database)
        keep(
            database,
            use: { [interruption] in
                do {
                    try database.read { try $0.useAfterFault(isReadOnly: true) }
                    try database.write { try $0.useAfterFault() }
                } catch let error as AccessError
                    where error.reason == .closed && interruption?.action == .close
                {
                    // That is what was asked for.
                }
            },
            close: { try database.close() }
        )
        return database
    }

    /// Keeps something to be used and closed after a fault.
    func keep(
        _ owner: AnyObject,
        use: @escaping () throws -> Void,
        close: @escaping () throws -> Void
    ) {
        openThings.append(OpenThing(owner: owner, use: use, close: close))
    }

    // MARK: Closing

    /// Closes something as a part of the operation.
    func close(_ owner: AnyObject) throws {
        guard let index = openThings.firstIndex(where: { $0.owner === owner }) else { return }
        try openThings[index].close()
        openThings.remove(at: index)
    }

    /// Uses everything that is still open, and returns what doesn't work.
    func useEverything() -> [String] {
        interruption?.wait()
        return openThings.compactMap { thing in
            do {
                try thing.use()
                return nil
            } catch let error as SQLiteError
                where thing.owner is Connection && error.message.hasPrefix("the connection is bro")
            {
                // It says that it can't be used any more, and why. Who owns it closes it.
                return closingProblem(of: thing)
            } catch {
                return "\(type(of: thing.owner)) is unusable: \(error)"
            }
        }
    }

    /// Closes everything, the last one first, and returns what can't be closed.
    func closeEverything() -> [String] {
        interruption?.wait()
        var problems: [String] = []
        while let thing = openThings.popLast() {
            if let problem = closingProblem(of: thing) {
                problems.append(problem)
            }
        }
        return problems
    }

    private func closingProblem(of thing: OpenThing) -> String? {
        do {
            try thing.close()
            return nil
        } catch {
            return "\(type(of: thing.owner)) can't be closed: \(error)"
        }
    }

    // MARK: Waiting

    /// Calls asynchronous code in a task, which the fault may cancel, and waits for it.
    func awaiting<T: Sendable>(
        _ body: @escaping @Sendable () async throws -> T
    ) throws -> T {
        try SQiftFaults.awaiting(disturbing: { interruption?.watch($0) }, body)
    }
}

extension Connection {
    /// Foreign keys are enforced, as whoever opened it wants.
    func expectForeignKeys() throws {
        let isOn: Bool = try query("PRAGMA foreign_keys")
        try expect(isOn, "foreign keys aren't enforced any more")
    }

    /// Reads, and writes what is there already.
    func useAfterFault(isReadOnly: Bool = false) throws {
        let version: Int = try query("PRAGMA user_version")
        let _: Int = try query("SELECT count(*) FROM sqlite_schema")
        // SQLite opens for reading what the system doesn't let it open for writing.
        // https://sqlite.org/c3ref/open.html
        if !isReadOnly, !readOnly {
            try run("PRAGMA user_version = \(version)")
        }
    }
}
