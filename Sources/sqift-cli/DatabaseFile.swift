import Foundation
import SQift

/// Opens a database that must be there, to read it only, until the task is cancelled.
///
/// A connection that may only read makes a `-wal` and a `-shm` beside a WAL database, and can't
/// remove them. One that may write removes them when it is the last to be closed. So this is one,
/// kept from writing by `query_only`; without the permission SQLite makes it one that only reads.
///
/// A WAL or a journal with content is of a program that uses the database, or was killed. The last
/// one to be closed would write it into the database: there the connection may only read.
///
/// https://sqlite.org/wal.html#read_only_databases
func openToRead(_ path: String, isHardened: Bool = false) throws -> Connection {
    try refuseSpecialFile(path)
    return try namingFile(path) {
        let connection = try openForWriting(path, isHardened) ?? openForReading(path, isHardened)
        // Opening reads nothing, and notices nothing.
        try connection.run("PRAGMA schema_version")
        connection.stopWhenCancelled()
        return connection
    }
}

/// Lets an error of a statement that isn't the user's say which file it is about instead.
func namingFile<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as SQLiteError where error.sql != nil {
        throw SQLiteError(code: error.extendedResultCode, message: "\(path): \(error.message)")
    }
}

/// A connection that could write, and doesn't; nil where it might have to, or can't be opened.
private func openForWriting(_ path: String, _ isHardened: Bool) throws -> Connection? {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let journals = ["-wal", "-journal"].compactMap { size(of: file.path + $0) }
    guard journals.allSatisfy({ $0 == 0 }) else { return nil }
    // Unlike a path, a URI can ask not to create a missing file.
    let location = StorageLocation.uri(file.absoluteString + "?mode=rw")
    let settings = configuration(isHardened)
    let connection = try? Connection(storageLocation: location, configuration: settings)
    try connection?.run("PRAGMA query_only = ON")
    return connection
}

private func openForReading(_ path: String, _ isHardened: Bool) throws -> Connection {
    var settings = configuration(isHardened)
    settings.readOnly = true
    return try Connection(path: path, configuration: settings)
}

private func configuration(_ isHardened: Bool) -> Connection.Configuration {
    var configuration = Connection.Configuration()
    configuration.busyTimeout = 5
    configuration.hardened = isHardened
    return configuration
}

/// A file that a command can't do with.
struct UnusableFile: Error, CustomStringConvertible { let description: String }

/// Throws for what is there and isn't a file: SQLite would wait for a pipe, and write to a device.
func refuseSpecialFile(_ path: String) throws {
    if path.isEmpty {
        throw UsageError("a file's name is empty")
    }
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let type = (try? FileManager.default.attributesOfItem(atPath: file))?[.type]
    if let type = type as? FileAttributeType, type != .typeRegular {
        throw UnusableFile(description: "\(path) isn't a file, and so no database")
    }
}

/// How many bytes a file has; nil if there is none.
func size(of path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
}

extension Connection {
    /// Interrupts what runs, in the task that asks for this, when that is cancelled.
    func stopWhenCancelled() {
        progressHandler { Task.isCancelled }
    }
}

extension SQLiteError {
    /// Whether the schema needs something that only its application registers.
    var needsApplication: Bool {
        if extendedResultCode == .errorMissingCollatingSequence {
            return true
        }
        let beginnings = [
            "no such function", "unknown function", "unsafe use of", "no such module",
            "no such tokenizer",
        ]
        return resultCode == .error && beginnings.contains { message.hasPrefix($0) }
    }

    /// What to do, where SQLite's own words don't lead there.
    var advice: String? {
        if needsApplication {
            return "This tool has nothing that an app registers: if that is it, let the app do it."
        }
        guard extendedResultCode == .readOnlyRollback else { return nil }
        return """
            A program was killed while it wrote, and has left a journal. It is taken in when the \
            database is opened by its app, or by another program that may write.
            """
    }
}
