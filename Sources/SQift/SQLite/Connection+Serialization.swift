internal import CSQift
import Foundation

extension Connection {
    /// Returns a copy of a database in memory, as the bytes of its file. Those of an encrypted
    /// database aren't encrypted.
    ///
    /// - Parameter database: The database's name.
    /// - Throws: `SQLiteError` if the database doesn't exist or can't be read, or SQLite was built
    ///   without this function.
    ///
    /// <https://sqlite.org/c3ref/serialize.html>
    public func serialize(database: String = "main") throws -> Data {
        guard let serialize = sqift_find_serialize() else { throw SQLiteError.noSerialization }
        let name = try database.withoutNUL()
        // Throws for a missing, locked or malformed database, which sqlite3_serialize doesn't
        // report.
        let isEmpty = try query("PRAGMA \(name.quotedAsIdentifier).page_count") == 0
        if isEmpty {
            return Data()
        }
        return try withUnsafeHandle { handle in
            var size: sqlite3_int64 = 0
            guard let bytes = serialize(handle, name, &size, 0) else {
                try check(sqlite3_extended_errcode(handle))
                throw SQLiteError(code: .noMemory)
            }
            return Data(
                bytesNoCopy: bytes,
                count: Int(size),
                deallocator: .custom { bytes, _ in sqlite3_free(bytes) }
            )
        }
    }

    /// Replaces the content of a database in memory, or of a temporary one, with an image.
    ///
    /// The image can be that of a database in WAL mode. The copy then has a rollback journal, since
    /// a database in memory has no WAL. Changes that are only in the `-wal` file aren't in the
    /// image. If it fails, the database is as it was.
    ///
    /// - Parameters:
    ///   - data: The result of `serialize`, or the bytes of a database's file; empty for an empty
    ///     database.
    ///   - database: The name of the database.
    /// - Throws: ``SQLiteError``: `SQLITE_NOTADB` if the data isn't a database's image;
    ///   `SQLITE_READONLY` if the database isn't empty and has another page size; `SQLITE_MISUSE`
    ///   for a database in a file, inside a transaction, if the image's text has another encoding
    ///   than that of a database that isn't empty, and if SQLite was built without this function.
    ///
    /// <https://sqlite.org/c3ref/deserialize.html>
    public func deserialize(_ data: Data, database: String = "main") throws {
        guard let deserialize = sqift_find_deserialize() else { throw SQLiteError.noSerialization }
        let name = try database.withoutNUL()
        guard !isInsideTransaction else {
            throw SQLiteError.misuse("a database can't be replaced in a transaction")
        }
        try refuseRunningStatements("a database can't be replaced")
        try withUnsafeHandle { handle in
            if let file = sqlite3_db_filename(handle, name), file.pointee != 0,
                sqift_is_memdb(handle, name) == 0
            {
                throw SQLiteError.misuse(
                    "an image can't replace a file, it would be lost: \(String(cString: file))"
                )
            }
            // A backup from another connection replaces the content. sqlite3_deserialize on this
            // handle would leave a dangling pointer in its table-valued functions (json_each and
            // the like), and the next use of one would crash; seen with 3.40.1.
            let image = try readableImage(data)
            try image.withUnsafeBytes { bytes in
                let source = try Connection(
                    storageLocation: .inMemory,
                    configuration: Configuration()
                )
                // Read-only and without SQLITE_DESERIALIZE_FREEONCLOSE: SQLite neither writes to
                // these bytes nor frees them.
                let start = UnsafeMutablePointer(
                    mutating: bytes.bindMemory(to: UInt8.self).baseAddress
                )
                let size = sqlite3_int64(bytes.count)
                let flags = UInt32(SQLITE_DESERIALIZE_READONLY)
                let code =
                    bytes.isEmpty
                    ? SQLITE_OK : deserialize(source.handle, "main", start, size, size, flags)
                guard code == SQLITE_OK else { throw SQLiteError(code: ResultCode(code)) }
                if !bytes.isEmpty {
                    try refuseOtherEncoding(of: source, as: name)
                }
                try copyDatabase(from: source, to: handle, as: name)
                try source.close()
            }
        }
        state.withObserver { $0.noteWrite(to: nil) }
    }

    /// Returns the bytes of a database's file so that a database in memory can have them.
    private func readableImage(_ data: Data) throws -> Data {
        guard
            data.isEmpty || (data.count >= 512 && data.starts(with: "SQLite format 3\0".utf8))
        else {
            throw SQLiteError(
                code: .notADatabase,
                message: "the data isn't the image of a database"
            )
        }
        var image = data
        // The file format's write and read versions; 2 means WAL.
        // https://sqlite.org/fileformat.html
        for index in image.indices.dropFirst(18).prefix(2) where image[index] == 2 {
            image[index] = 1
        }
        return image
    }

    /// SQLite would make the copy, and this connection then couldn't read it. Only a main database
    /// that is still empty takes over the encoding.
    private func refuseOtherEncoding(of source: Connection, as name: String) throws {
        let isNew = try name.lowercased() == "main" && query("PRAGMA main.page_count") == 0
        let encoding: String = try source.query("PRAGMA encoding")
        guard try isNew || query("PRAGMA encoding") == encoding else {
            throw SQLiteError.misuse(
                "the image's text is \(encoding), this connection's isn't: use a new connection"
            )
        }
    }

    private func copyDatabase(
        from source: Connection,
        to handle: OpaquePointer,
        as name: String
    ) throws {
        guard let backup = sqlite3_backup_init(handle, name, source.handle, "main") else {
            throw error(sqlite3_extended_errcode(handle))
        }
        let code = sqlite3_backup_step(backup, -1)
        let finishCode = sqlite3_backup_finish(backup)
        if code & 0xff == SQLITE_READONLY {
            throw SQLiteError(
                code: ResultCode(code),
                message: "the image's pages have another size than the database's, "
                    + "which isn't empty"
            )
        }
        try check(code == SQLITE_DONE ? finishCode : code)
    }
}

extension SQLiteError {
    fileprivate static let noSerialization = misuse(
        "this SQLite was built without serialize and deserialize"
    )
}
