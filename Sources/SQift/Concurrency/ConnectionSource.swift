import Foundation

/// Opens connections to one database, all in the same way.
struct ConnectionSource: Sendable {
    var storageLocation: StorageLocation
    /// SQLite's name for the file that the first connection has opened. A relative path or a link
    /// may lead to another file by the time when the next one is opened.
    var fileName = Locked("")
    var configuration: Connection.Configuration
    /// The database's name for errors.
    var label: String
    /// Whether the connections are lent for reading only.
    var isForReading = false
    var preparations: Preparations
    /// Whether the file may be written to roll back the unfinished transaction of a hot journal.
    var rollsBackHotJournals = false

    /// Opens another file with the same key and preparations, on SQLite's default VFS.
    func forFile(at location: StorageLocation, readOnly: Bool) -> ConnectionSource {
        var configuration = configuration
        configuration.readOnly = readOnly
        configuration.vfs = nil
        return ConnectionSource(
            storageLocation: location,
            configuration: configuration,
            label: label,
            preparations: preparations
        )
    }

    /// Opens a connection and prepares it.
    ///
    /// - Parameter cancellation: Another thread uses it to end what the opening waits for.
    func open(_ cancellation: Cancellation = Cancellation()) throws -> Connection {
        try Connection.checkThreadSafety()
        try checkSharedMemory()
        let connection = try Connection(
            storageLocation: storageLocation.ofFile(fileName.value),
            configuration: configuration
        )
        fileName.withLock { $0 = $0.isEmpty ? connection.fileName : $0 }
        if isForReading, connection.isDatabasePrivate {
            let remedy = #"use a ConnectionQueue, or .uri("file:/name?vfs=memdb")"#
            throw AccessError(
                .notShareable,
                label: label,
                "each connection would see an empty database of its own: \(remedy)"
            )
        }
        connection.state.isReading = isForReading
        connection.makeCancellable(by: cancellation)
        if rollsBackHotJournals {
            connection.rollBackHotJournals()
        }
        try preparations.apply(to: connection)
        if connection.isInsideTransaction {
            throw AccessError(
                .transactionLeftOpen,
                label: label,
                "a preparation closure left a transaction open"
            )
        }
        return connection
    }

    /// Throws for a named database in memory if this SQLite gives each connection its own.
    private func checkSharedMemory() throws {
        let version = Connection.sqliteVersion
        guard case .uri(let uri) = storageLocation, uri.contains("vfs=memdb"),
            version.compare("3.36", options: .numeric) == .orderedAscending
        else { return }
        let problem = "SQLite \(version) doesn't share a database in memory by its name, 3.36 does"
        throw AccessError(.notShareable, label: label, "\(problem): use .inMemory")
    }
}
