internal import CSQift
import Foundation

extension Connection {
    /// Opens a database in memory that begins as a copy of an image: the result of
    /// ``serialize(database:)``, or the bytes of a database's file.
    ///
    /// ```swift
    /// let copy = try Connection(image: connection.serialize())
    /// ```
    ///
    /// The image can be that of a database in WAL mode. The copy then has a rollback journal, since
    /// a database in memory has no WAL. Changes that are only in the `-wal` file aren't in the
    /// image. To replace the content of an open database, use `backup` or `Database.restore`.
    ///
    /// - Parameters:
    ///   - image: The bytes, which are copied; empty for an empty database.
    ///   - configuration: How the connection is opened. With `readOnly`, a write throws
    ///     `SQLITE_READONLY`, although the property `readOnly` is false.
    /// - Throws: ``SQLiteError``: `SQLITE_NOTADB` if the data isn't a database's image;
    ///   `SQLITE_MISUSE` if SQLite was built without this function, and for a key: what is in
    ///   memory isn't encrypted.
    ///
    /// SQLite: [sqlite3_deserialize](https://sqlite.org/c3ref/deserialize.html)
    public convenience init(
        image: Data,
        configuration: Configuration = Configuration()
    ) throws {
        guard let deserialize = sqift_find_deserialize() else { throw SQLiteError.noSerialization }
        guard configuration.key == nil else {
            throw misuse("an image has no key: what is in memory isn't encrypted")
        }
        try self.init(storageLocation: .inMemory, configuration: configuration)
        guard !image.isEmpty else { return }
        // SQLite releases the bytes, even if it refuses them.
        guard let bytes = sqlite3_malloc64(UInt64(image.count)) else {
            throw SQLiteError(code: .noMemory)
        }
        let copy = UnsafeMutableRawBufferPointer(start: bytes, count: image.count)
        image.copyBytes(to: copy)
        // The file format's write and read versions; 2 means WAL.
        // https://sqlite.org/fileformat.html
        for index in copy.indices.dropFirst(18).prefix(2) where copy[index] == 2 {
            copy[index] = 1
        }
        let size = Int64(copy.count)
        // "If sqlite3_deserialize(D,S,P,N,M,F) fails for any reason and if the
        // SQLITE_DESERIALIZE_FREEONCLOSE bit is set in argument F, then sqlite3_free() is invoked
        // on argument P prior to returning.": https://sqlite.org/c3ref/deserialize.html
        let flags =
            SQLITE_DESERIALIZE_FREEONCLOSE
            | (configuration.readOnly
                ? SQLITE_DESERIALIZE_READONLY : SQLITE_DESERIALIZE_RESIZEABLE)
        try check(
            deserialize(
                handle,
                "main",
                bytes.assumingMemoryBound(to: UInt8.self),
                size,
                size,
                UInt32(flags)
            )
        )
        // Otherwise it could grow to 1 GiB only.
        var sizeLimit = Int64.max
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_LIMIT, &sizeLimit)
        try check(readFirstPage())
    }

    /// Returns a copy of a database in memory, as the bytes of its file. Those of an encrypted
    /// database aren't encrypted.
    ///
    /// - Parameter database: The database's name.
    /// - Throws: `SQLiteError` if the database doesn't exist or can't be read, or SQLite was built
    ///   without this function.
    ///
    /// SQLite: [sqlite3_serialize](https://sqlite.org/c3ref/serialize.html)
    public func serialize(database: String = "main") throws -> Data {
        guard let serialize = sqift_find_serialize() else { throw SQLiteError.noSerialization }
        let name = try database.withoutNUL()
        // Throws for a missing, locked or malformed database, which sqlite3_serialize doesn't
        // report.
        if try query("PRAGMA \(name.quotedAsIdentifier).page_count") == 0 {
            return Data()
        }
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

extension SQLiteError {
    fileprivate static let noSerialization = misuse(
        "this SQLite was built without serialize and deserialize"
    )
}
