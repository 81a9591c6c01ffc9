import Foundation

/// Opens connections to one database, all in the same way.
struct ConnectionSource: Sendable {
    var storageLocation: StorageLocation
    /// The file that the first connection has opened. A relative path or a link may lead to another
    /// one by the time when the next connection is opened.
    var file = Locked(OpenedFile())
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
            storageLocation: storageLocation.ofFile(file.value.name),
            configuration: configuration
        )
        try file.withLock { try $0.note(connection.fileName) }
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

/// A file that connections have opened.
struct OpenedFile: Sendable {
    /// SQLite's name for it; empty before the first connection, and for a database without a file.
    private(set) var name = ""
    /// The file system's numbers for it; 0 if it has none.
    private var device: UInt64 = 0
    private var number: UInt64 = 0

    /// Notes the file that a connection has opened.
    ///
    /// - Throws: ``SQLiteError`` if it is another one than those before have opened.
    mutating func note(_ path: String) throws {
        var status = stat()
        guard !path.isEmpty, stat(path, &status) == 0 else { return }
        let found = (
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino)
        )
        if name.isEmpty {
            name = path
            (device, number) = found
        }
        guard number == 0 || found.number == 0 || (device, number) == found else {
            throw SQLiteError(
                code: .readOnlyDatabaseMoved,
                message: "another file was put in the place of \(path) while it was open"
            )
        }
    }
}
