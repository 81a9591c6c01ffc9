internal import CSQift
import Foundation

extension Connection {
    /// A database as the bytes of its file, of which this makes a copy in memory.
    ///
    /// - Parameter database: The database's name.
    /// - Throws: `SQLiteError`: for a database that can't be read or isn't there, and where SQLite
    ///   was built without it.
    ///
    /// https://sqlite.org/c3ref/serialize.html
    public func serialize(database: String = "main") throws -> Data {
        guard let serialize = sqift_find_serialize() else { throw SQLiteError.noSerialization }
        let name = try database.withoutNUL()
        // Also notices what sqlite3_serialize doesn't report: a missing, locked or malformed
        // database.
        let isEmpty = try query("PRAGMA \(name.quotedAsIdentifier).page_count") == 0
        if isEmpty {
            return Data()
        }
        return try withUnsafeHandle { handle in
            var size: sqlite3_int64 = 0
            guard let bytes = serialize(handle, name, &size, 0) else {
                let code = sqlite3_extended_errcode(handle)
                throw code == SQLITE_OK
                    ? SQLiteError(code: .noMemory) : error(code, hasOffset: false)
            }
            return Data(
                bytesNoCopy: bytes,
                count: Int(size),
                deallocator: .custom { bytes, _ in sqlite3_free(bytes) }
            )
        }
    }

    /// Replaces what is in a database in memory, or a temporary one, by an image.
    ///
    /// The image of a database in WAL mode opens too: in the copy it is switched to a rollback
    /// journal, which is all that a database in memory has; what is only in its `-wal` file isn't
    /// in the image. If it fails, the database is as it was.
    ///
    /// - Parameters:
    ///   - data: What `serialize` gave, or the bytes of a database's file; empty for an empty
    ///     database.
    ///   - database: The name of the database.
    /// - Throws: `SQLiteError`: `SQLITE_NOTADB` for what isn't a database's image,
    ///   `SQLITE_READONLY` if its pages have another size than those of the database, which isn't
    ///   empty, `SQLITE_MISUSE` for a database in a file, inside a transaction, and where SQLite
    ///   was built without it.
    ///
    /// https://sqlite.org/c3ref/deserialize.html
    public func deserialize(_ data: Data, database: String = "main") throws {
        guard let deserialize = sqift_find_deserialize() else { throw SQLiteError.noSerialization }
        let name = try database.withoutNUL()
        guard !isInsideTransaction else {
            throw SQLiteError.misuse("a database can't be replaced in a transaction")
        }
        try withUnsafeHandle { handle in
            if let file = sqlite3_db_filename(handle, name), file.pointee != 0 {
                throw SQLiteError.misuse(
                    "an image can't replace a file, it would be lost: \(String(cString: file))"
                )
            }
            // Through a connection of its own and a backup: sqlite3_deserialize on this handle
            // leaves a dangling pointer in its table-valued functions (json_each and the like), and
            // the next use of one crashes; seen with 3.40.1.
            let image = try DatabaseImage(data)
            try image.withConnection(deserialize) { source in
                guard let backup = sqlite3_backup_init(handle, name, source, "main") else {
                    throw error(sqlite3_extended_errcode(handle), hasOffset: false)
                }
                let code = sqlite3_backup_step(backup, -1)
                let finishCode = sqlite3_backup_finish(backup)
                if code & 0xff == SQLITE_READONLY {
                    let message =
                        "the image's pages have another size than the database's, which isn't empty"
                    throw SQLiteError(code: ResultCode(rawValue: code), message: message)
                }
                guard code == SQLITE_DONE, finishCode == SQLITE_OK else {
                    throw error(code == SQLITE_DONE ? finishCode : code, hasOffset: false)
                }
            }
        }
    }

    /// Writes a compact copy of a database into a new file: only what is committed, without free
    /// pages, as one file.
    ///
    /// - Parameters:
    ///   - storageLocation: Where to: a file that is missing or empty, or a URI.
    ///   - database: The name of the database to copy.
    /// - Throws: `SQLiteError`: if the file isn't empty, inside a transaction, and what writing it
    ///   meets. What is in the file after an error is worth nothing.
    ///
    /// https://sqlite.org/lang_vacuum.html#vacuuminto
    public func vacuum(into storageLocation: StorageLocation, database: String = "main") throws {
        switch storageLocation {
        case .inMemory, .temporary:
            throw SQLiteError.misuse(
                "a copy into \(storageLocation) would be gone at once: use serialize() or a file"
            )
        case _ where database.lowercased() == "temp":
            throw SQLiteError.misuse(
                "SQLite doesn't copy the temporary database: use serialize(database:)"
            )
        case .uri(let uri) where !isOpenedForURIs && !Connection.hasCompileOption("USE_URI"):
            throw SQLiteError.misuse(
                "this connection doesn't take URIs, open it with .uri to copy into: \(uri)"
            )
        default:
            try run(
                "VACUUM \(database.quotedAsIdentifier) INTO ?",
                storageLocation.validatedName()
            )
        }
    }
}

extension SQLiteError {
    fileprivate static let noSerialization = misuse(
        "this SQLite was built without serialize and deserialize"
    )
}

/// The bytes of a database's file.
private struct DatabaseImage {
    typealias Deserialize =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<UInt8>?, sqlite3_int64,
            sqlite3_int64, UInt32
        ) -> Int32

    private var data: Data

    init(_ data: Data) throws {
        guard
            data.isEmpty || (data.count >= 512 && data.starts(with: Data("SQLite format 3\0".utf8)))
        else {
            throw SQLiteError(
                code: .notADatabase,
                message: "the data isn't the image of a database"
            )
        }
        self.data = data
        // The file format's versions for writing and reading, 2 for WAL:
        // https://sqlite.org/fileformat.html
        for index in 18...19 where !data.isEmpty && data[data.startIndex + index] == 2 {
            self.data[self.data.startIndex + index] = 1
        }
    }

    /// Calls `body` with a connection that reads the bytes where they are.
    ///
    /// - Parameter deserialize: `sqlite3_deserialize`.
    func withConnection(
        _ deserialize: Deserialize,
        _ body: (OpaquePointer) throws -> Void
    ) throws {
        try data.withUnsafeBytes { bytes in
            var connection: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
            var code = sqlite3_open_v2(":memory:", &connection, flags, nil)
            defer { sqlite3_close(connection) }
            if code == SQLITE_OK, !bytes.isEmpty {
                // Read-only and without SQLITE_DESERIALIZE_FREEONCLOSE: SQLite neither writes to
                // these bytes nor frees them.
                let image = UnsafeMutablePointer(
                    mutating: bytes.bindMemory(to: UInt8.self).baseAddress
                )
                let (size, flags) = (
                    sqlite3_int64(bytes.count), UInt32(SQLITE_DESERIALIZE_READONLY)
                )
                code = deserialize(connection, "main", image, size, size, flags)
            }
            guard code == SQLITE_OK, let connection else {
                throw SQLiteError(code: ResultCode(rawValue: code))
            }
            try body(connection)
        }
    }
}
