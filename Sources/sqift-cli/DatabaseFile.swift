import Foundation
import SQift

/// A database file that a command is called with.
struct DatabaseFile {
    /// The key of every database that a command opens.
    @TaskLocal static var key: Data?

    let path: String

    /// What every connection to a user's database is opened with.
    static var configuration: Connection.Configuration {
        var configuration = Connection.Configuration()
        configuration.key = key
        configuration.busyTimeout = 5
        return configuration
    }

    init(_ path: String) {
        self.path = path
    }

    var exists: Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// In bytes, nil if there is no such file.
    var size: Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }

    /// The file itself, even if the path is that of a symbolic link.
    private var resolved: URL {
        URL(fileURLWithPath: path).resolvingSymlinksInPath()
    }

    /// Throws if the path is that of a pipe, a device or a folder: SQLite would wait for a pipe,
    /// and write to a device. A missing file is accepted.
    func refuseSpecialFile() throws {
        if path.isEmpty {
            throw UsageError("a file's name is empty")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved.path)
        if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular {
            throw UnusableFile(description: "\(path) isn't a file, so it can't be a database")
        }
    }

    /// Replaces the SQL in an error with the file's path, for SQL that isn't the user's own.
    @discardableResult func namingItself<T>(in body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError where error.sql != nil {
            throw error.withoutSQL(prefix: "\(path): ")
        }
    }

    // MARK: Opening to read

    /// Opens a database that must exist, and only reads it. Statements stop when the task is
    /// cancelled.
    ///
    /// A read-only connection creates a `-wal` and a `-shm` file beside a WAL database, and can't
    /// remove them. A connection that may write removes them if it is the last one to close. This
    /// connection may therefore write, but `query_only` keeps it from writing. If the user has no
    /// permission to write, SQLite makes it a read-only connection.
    ///
    /// A WAL or a journal with content belongs to a program that uses the database, or that was
    /// killed. A connection that may write would write that content into the database when it is
    /// the last one to close. In that case the connection is read-only.
    ///
    /// SQLite: [Read-Only Databases](https://sqlite.org/wal.html#read_only_databases)
    func openToRead(hardened: Bool = false) throws -> Connection {
        try refuseSpecialFile()
        return try namingItself {
            let connection = try openQueryOnly(hardened) ?? openReadOnly(hardened)
            // Opening alone reads nothing. This shows whether the file is a database.
            try connection.run("PRAGMA schema_version")
            connection.stopWhenCancelled()
            return connection
        }
    }

    /// Returns a connection that may write but is kept from writing, or nil if the database can't
    /// be opened in this way.
    private func openQueryOnly(_ isHardened: Bool) throws -> Connection? {
        let journals = ["-wal", "-journal"].compactMap { DatabaseFile(resolved.path + $0).size }
        guard journals.allSatisfy({ $0 == 0 }) else { return nil }

        // Unlike a path, a URI can tell SQLite not to create a missing file.
        let connection = try? Connection(
            storageLocation: .uri(resolved.absoluteString + "?mode=rw"),
            configuration: configuration(isHardened)
        )
        try connection?.run("PRAGMA query_only = ON")
        // Apple's SQLite would keep the two files. If they are there already, another program may
        // need them.
        if journals.isEmpty {
            try connection?.setPersistentWAL(false)
        }
        return connection
    }

    private func openReadOnly(_ isHardened: Bool) throws -> Connection {
        var configuration = configuration(isHardened)
        configuration.readOnly = true
        return try Connection(path: path, configuration: configuration)
    }

    private func configuration(_ isHardened: Bool) -> Connection.Configuration {
        var configuration = Self.configuration
        configuration.hardened = isHardened
        return configuration
    }
}

/// A file that a command can't use.
struct UnusableFile: Error, CustomStringConvertible {
    let description: String
}

extension Connection {
    /// Calls `body`. An error in SQL that isn't the user's names the database's file instead.
    func namingFile<T>(in body: (Connection) throws -> T) throws -> T {
        try DatabaseFile(fileName).namingItself { try body(self) }
    }

    /// In bytes. SQLCipher's pragma returns it as text.
    func pageSize() throws -> Int {
        try query("SELECT CAST(page_size AS INTEGER) FROM pragma_page_size")
    }
}
