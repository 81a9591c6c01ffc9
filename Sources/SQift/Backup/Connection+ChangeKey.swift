internal import CSQift
import Foundation

extension Connection {
    /// Changes the key of a database file that isn't in use: to another key, to a first one, or to
    /// none.
    ///
    /// ```swift
    /// var configuration = Connection.Configuration()
    /// configuration.key = oldKey  // nil for a file that isn't encrypted
    /// try Connection.changeKey(of: path, configuration: configuration, to: newKey)
    /// ```
    ///
    /// The file is copied, the copy gets the key, is checked, and replaces the file. Whatever
    /// fails, the file is the old one or the new one, whole, and the error says which key it has.
    /// It needs the space of a second file, and blocks the calling thread.
    ///
    /// Journal mode, page size, text encoding, `user_version`, `application_id`, `auto_vacuum`, all
    /// rowids, and the file's owner and permissions stay as they are. One thing changes: SQLCipher
    /// makes pages of 4,096 bytes when a file gets its first key.
    ///
    /// Close all connections to the file before, and open them with the new key afterwards. A
    /// connection that reads or writes, or that is open in WAL mode, makes it throw. One that is
    /// open and idle in another journal mode can't be noticed: it goes on reading the old file, and
    /// its writes throw `SQLITE_READONLY_DBMOVED`. A hard link to the file keeps the old one, too.
    ///
    /// For a first key, and for none, SQLite compiles the schema. If an index or a generated column
    /// needs a function or a collation of yours, that fails, and nothing is changed.
    ///
    /// - Parameters:
    ///   - path: The file. A symbolic link is followed, and stays.
    ///   - configuration: How to open the file. `key` is the old key, or nil if there is none;
    ///     `busyTimeout` is how long to wait for others. `cipherSettings` are those of the old file
    ///     and of the new one.
    ///   - newKey: The new key; nil removes the key.
    /// - Throws: `SQLiteError`: `SQLITE_NOTADB` for a wrong key, `SQLITE_CANTOPEN` if there is no
    ///   such file, `SQLITE_BUSY` if it is in use, `SQLITE_READONLY` if it can't be written,
    ///   `SQLITE_MISUSE` for an empty key, without both keys, for an empty file, if this SQLite
    ///   can't encrypt, and with SQLCipher for `cipherSettings` without one of the keys.
    ///   ``BackupError``: ``BackupError/Reason/damaged``;
    ///   ``BackupError/Reason/destinationInUse`` if the key is being changed elsewhere;
    ///   ``BackupError/Reason/notSynced`` if the new file is in place, but may not outlast a power
    ///   failure.
    ///
    /// SQLite: [VACUUM with an INTO clause](https://sqlite.org/lang_vacuum.html#vacuuminto).
    /// SQLCipher: [sqlite3_rekey](https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_rekey)
    public static func changeKey(
        of path: String,
        configuration: Configuration = Configuration(),
        to newKey: Data?
    ) throws {
        let change = try KeyChange(path: path, configuration: configuration, newKey: newKey)
        do {
            try change.run()
        } catch var error as SQLiteError {
            error.message += change.stateOfFile(after: error.resultCode)
            throw error
        } catch let error as BackupError {
            throw BackupError(error.reason, error.message + change.stateOfFile())
        }
    }

    /// Changes the key of `main`, page by page.
    fileprivate func rekey(to key: Data) throws {
        let size = Int32(clamping: key.count)
        try check(sqift_find_rekey()?(handle, Array(key), size) ?? SQLITE_MISUSE)
    }

    /// Throws if a table is damaged, or an index of it. If the schema needs functions or collations
    /// that only the app has, the tables that need them are left out.
    fileprivate func refuseDamagedTables(message: String) throws {
        do {
            try refuseDamage(message: message)
        } catch let error as SQLiteError where error.resultCode == .error {
            let tables: [String] = try query("SELECT name FROM sqlite_schema WHERE type = 'table'")
            for table in tables {
                do {
                    let problems: [String] = try query(
                        "PRAGMA integrity_check(\(table.quotedAsIdentifier))"
                    )
                    guard problems == ["ok"] else {
                        throw BackupError(
                            .damaged,
                            "\(message): \(problems.joined(separator: "; "))"
                        )
                    }
                } catch let error as SQLiteError where error.resultCode == .error {
                    continue
                }
            }
        }
    }
}

/// A file that gets another key.
private struct KeyChange {
    let path: String
    let oldConfiguration: Connection.Configuration
    let newConfiguration: Connection.Configuration

    init(path: String, configuration: Connection.Configuration, newKey: Data?) throws {
        for key in [configuration.key, newKey].compactMap({ $0 }) {
            try Connection.check(key)
        }
        guard configuration.key != nil || newKey != nil else {
            throw misuse("there is no key to change: neither an old one nor a new one is given")
        }
        if configuration.key == nil || newKey == nil, !configuration.cipherSettings.isEmpty,
            try CipherLibrary.inUse() == .sqlCipher
        {
            throw misuse(
                """
                SQLCipher doesn't use cipherSettings for a first key or to remove one, since it \
                copies into an attached file: leave them out
                """
            )
        }
        guard !configuration.readOnly else {
            throw SQLiteError(code: .readOnly, message: "a read-only connection changes no key")
        }

        self.path = path
        var configuration = configuration
        configuration.flags &= ~(SQLITE_OPEN_CREATE | SQLITE_OPEN_SHAREDCACHE)
        oldConfiguration = configuration
        configuration.key = newKey
        newConfiguration = configuration
    }

    func run() throws {
        let old = try Connection(path: path, configuration: oldConfiguration)
        guard try old.query("PRAGMA page_count") > 0 else {
            throw misuse("\(path) is empty: it gets a key when it is opened with one")
        }
        guard !old.readOnly else { throw SQLiteError(code: .readOnly) }
        let destination = try BackupDestination(.onDisk(old.fileName))

        let syncError = try destination.withLock(for: nil, name: path) {
            oldConfiguration.key == nil || newConfiguration.key == nil
                ? try copyRows(of: old, to: destination)
                : try copyPages(of: old, to: destination)
        }
        if let syncError {
            throw syncError
        }
    }

    /// Replaces the file by a copy that has the old key at first.
    private func copyPages(
        of old: Connection,
        to destination: BackupDestination
    ) throws -> BackupError? {
        try replaceFile(of: old, schema: "main", by: destination) {
            let copy = try Connection(
                path: destination.copyPath,
                configuration: oldConfiguration
            )
            // The finished copy is synced as a whole.
            try copy.run("PRAGMA synchronous = OFF")
            try old.backup(to: copy, pagesPerStep: -1)
            try copy.close()
            return oldConfiguration.key
        }
    }

    /// Replaces the file by a copy that `VACUUM` makes, since `sqlite3_rekey` would change rowids
    /// if it added a first key, or removed one, and SQLCipher's refuses to.
    ///
    /// A connection in memory attaches the file: SQLite gives the copy the key that the URI has,
    /// and otherwise that of `main`, which has none here.
    private func copyRows(
        of old: Connection,
        to destination: BackupDestination
    ) throws -> BackupError? {
        let encoding: String = try old.query("PRAGMA encoding")
        let file = old.fileName
        // Its lock would be in the way of the other connection.
        try old.close()

        var configuration = oldConfiguration
        configuration.key = nil
        configuration.flags |= SQLITE_OPEN_URI
        let helper = try Connection(storageLocation: .inMemory, configuration: configuration)
        // SQLite attaches only what has the encoding of `main`, which the first write decides.
        try helper.execute("PRAGMA encoding = '\(encoding)'; PRAGMA user_version = 1")
        try helper.execute(configuration.cipherSettings)
        try helper.attachDatabase(
            from: .onDisk(file),
            withName: "file",
            key: oldConfiguration.key ?? Data()
        )

        return try replaceFile(of: helper, schema: "file", by: destination) {
            // SQLite's errors repeat a URI, and some libraries cut its key at a zero byte: so this
            // isn't the new key yet.
            let key = newConfiguration.key.map { _ in UUID().uuidString }
            let copy = StorageLocation.uri(
                forFile: destination.copyPath,
                parameters: key.map { "key=\($0)" } ?? ""
            )
            do {
                try helper.run("VACUUM file INTO ?", copy.path)
            } catch var error as SQLiteError {
                error.message = error.message.replacingOccurrences(of: copy.path, with: path)
                throw error
            }
            return key.map { Data($0.utf8) }
        }
    }

    /// Replaces the file while no other connection uses it.
    ///
    /// - Parameters:
    ///   - connection: It has the file open, as the database `schema`.
    ///   - makeCopy: Writes the copy, and returns the key that it has.
    private func replaceFile(
        of connection: Connection,
        schema: String,
        by destination: BackupDestination,
        _ makeCopy: () throws -> Data?
    ) throws -> BackupError? {
        let isInWALMode = try connection.isInWALMode(schema)
        var isReplaced = false
        defer {
            // In this order, or a journal stays beside the file. If it fails, the file is whole in
            // another journal mode.
            if isInWALMode, !isReplaced {
                for setting in [
                    "locking_mode = NORMAL", "journal_mode = DELETE", "journal_mode = WAL",
                ] {
                    _ = connection.runShielded("PRAGMA \(schema).\(setting)")
                }
            }
        }

        // An exclusive transaction would be in the way of the copy. With this locking mode the lock
        // of one stays. https://sqlite.org/pragma.html#pragma_locking_mode
        try connection.retryingWhileLocked(for: oldConfiguration.busyTimeout) {
            try connection.run("PRAGMA \(schema).locking_mode = EXCLUSIVE")
            try connection.leaveSidecars(of: schema)
            try connection.execute("BEGIN EXCLUSIVE; COMMIT")
        }

        let key = try makeCopy()
        try finishCopy(destination.copyPath, key: key, isInWALMode: isInWALMode)
        return try destination.putCopyInPlace("the file", readableAs: destination.path) {
            try destination.renameCopy()
            isReplaced = true
        }
    }

    /// Gives the copy the new key, and checks that it is whole and opens with that.
    private func finishCopy(_ copyPath: String, key: Data?, isInWALMode: Bool) throws {
        if let newKey = newConfiguration.key {
            var configuration = newConfiguration
            configuration.key = key
            let copy = try Connection(path: copyPath, configuration: configuration)
            // If this fails, the copy is thrown away.
            try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try copy.rekey(to: newKey)
            try copy.close()
        }

        let copy = try Connection(path: copyPath, configuration: newConfiguration)
        try copy.run("PRAGMA synchronous = OFF")
        try copy.refuseDamagedTables(message: "\(path) is damaged, and its key wasn't changed")
        if isInWALMode {
            try copy.run("PRAGMA journal_mode = WAL")
            try copy.setPersistentWAL(false)
        }
        try copy.close()
    }

    /// Says, at the end of an error's message, which key the file has now.
    func stateOfFile(after code: ResultCode? = nil) -> String {
        let states = [
            (oldConfiguration, "the file still has", "the old key"),
            (newConfiguration, "the file has", "the new key"),
        ]
        for (configuration, verb, name) in states {
            guard let connection = try? Connection(path: path, configuration: configuration),
                (try? connection.run("SELECT 1 FROM sqlite_schema")) != nil
            else { continue }
            return "; \(verb) \(configuration.key == nil ? "no key" : name)"
        }
        // Then the given key is wrong, or there is no file.
        guard let code, ![.notADatabase, .cantOpen].contains(code) else { return "" }
        return "; the file has the old key or the new one: neither could be tried"
    }
}
