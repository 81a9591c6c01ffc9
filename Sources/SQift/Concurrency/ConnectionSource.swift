import Foundation

/// Opens connections to one database, all alike.
struct ConnectionSource: Sendable {
    var storageLocation: StorageLocation
    var configuration: Connection.Configuration
    /// The database's name for errors.
    var label: String
    /// Whether the connections are lent for reading only.
    var isForReading = false
    /// Settings, and then the user's closures.
    var preparations: [Preparation] = []
    /// Takes in a rollback journal for connections that only read; nil where nobody may write.
    var journalTaker: (@Sendable (_ cancellation: Cancellation) throws -> Void)?
    /// What is registered later, for connections that are open already too.
    var laterPreparations = Preparations()

    /// - Parameter cancellation: What another thread sets to end what the opening waits for.
    func open(_ cancellation: Cancellation = Cancellation()) throws -> Connection {
        try SQLiteLibrary.checkThreadSafety()
        try checkSharedMemory()
        let connection = try Connection(
            storageLocation: storageLocation,
            configuration: configuration
        )
        connection.isForReading = isForReading
        connection.makeCancellable(by: cancellation)
        if let journalTaker {
            connection.takeInJournal = { try journalTaker(cancellation) }
        }
        for prepare in preparations {
            try connection.lending(prepare)
        }
        if connection.isInsideTransaction {
            throw AccessError(
                .transactionLeftOpen,
                label,
                "a preparation closure left a transaction open"
            )
        }
        return connection
    }

    /// Throws for a named database in memory where SQLite gives each connection its own.
    private func checkSharedMemory() throws {
        guard case .uri(let uri) = storageLocation, uri.contains("vfs=memdb") else { return }
        let version = Connection.sqliteVersion
        guard version.compare("3.36", options: .numeric) == .orderedAscending else { return }
        let message =
            "SQLite \(version) doesn't share a database in memory by its name, 3.36 does: use .inMemory"
        throw AccessError(.notShareable, label, message)
    }
}

/// Prepares a connection for use.
typealias Preparation = @Sendable (Connection) throws -> Void

/// A user's preparation that tells SQLite's errors where they come from: whatever access happens to
/// need the connection throws them.
///
/// - Parameter name: What the preparation is called in the public API.
func reportingErrors(in name: String, _ prepare: Preparation?) -> Preparation? {
    guard let prepare else { return nil }
    return { connection in
        do {
            try prepare(connection)
        } catch var error as SQLiteError {
            error.message = "in \(name): \(error.message)"
            throw error
        }
    }
}

/// Closures that each connection runs once, the next time that it is used.
final class Preparations: Sendable {
    private let closures = Locked<[Preparation]>([])
    // Asked for at each access.
    private let count = AtomicWord()

    func append(_ closure: @escaping Preparation) {
        closures.withLock { closures in
            closures.append(closure)
            count.value = UInt(closures.count)
        }
    }

    /// Runs those that the connection hasn't run, in order. One that throws is run again the next
    /// time.
    @inline(__always) func apply(to connection: Connection) throws {
        if connection.registrationCount != count.value {
            try applyMissing(to: connection)
        }
    }

    private func applyMissing(to connection: Connection) throws {
        let closures = closures.withLock { $0 }
        while connection.registrationCount < closures.count {
            try connection.lending(closures[Int(connection.registrationCount)])
            connection.registrationCount += 1
        }
    }
}
