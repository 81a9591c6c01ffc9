internal import CSQift
import Foundation

/// A blob or a string in one row of a table. You read and write it in pieces, so that a large value
/// needn't be in memory all at once.
///
/// ```swift
/// try connection.run("INSERT INTO files(content) VALUES(?)", ZeroBlob(count: size))
/// let rowID = connection.lastInsertRowID
/// let blob = try connection.openBlob(table: "files", column: "content", rowID: rowID)
/// while let piece = try source.read(upToCount: 65_536) {
///     try blob.write(piece, at: position)
///     position += piece.count
/// }
/// try blob.close()
/// ```
///
/// The size can't change: insert a ``ZeroBlob`` first. The bytes of a string are in the database's
/// encoding.
///
/// While a blob is open, it holds a read transaction. A blob for writing also holds the write lock:
/// a transaction or a savepoint around it can't end, other connections wait, and no index of its
/// column may be created, since SQLite wouldn't keep it up to date. A blob keeps its connection
/// alive; use it from the same thread. It expires if its row is changed in another way, and if a
/// transaction or a savepoint is rolled back; close it before a `ROLLBACK TO` of your own, which
/// isn't noticed.
///
/// SQLite: [sqlite3_blob_open](https://sqlite.org/c3ref/blob_open.html)
public final class Blob {
    private let connection: Connection
    private var handle: OpaquePointer?
    /// The table and the column, for errors.
    private let subject: String
    private let table: StatementObserver.Table
    /// The connection's `resetCount` when the blob was opened.
    private let resetCount: Int

    fileprivate init(
        _ handle: OpaquePointer?,
        of connection: Connection,
        in table: StatementObserver.Table,
        column: String
    ) {
        self.handle = handle
        self.connection = connection
        self.table = table
        subject = "\(table.name).\(column)"
        resetCount = connection.resetCount
    }

    deinit {
        try? close()
    }

    /// The number of bytes; 0 once the blob is closed or has expired.
    ///
    /// SQLite: [sqlite3_blob_bytes](https://sqlite.org/c3ref/blob_bytes.html)
    public var count: Int {
        // SQLite notices in a read of 0 bytes that the blob has expired.
        // "If the row that a BLOB handle points to is modified by an UPDATE, DELETE, or by ON
        // CONFLICT side-effects then the BLOB handle is marked as 'expired'.":
        // https://sqlite.org/c3ref/blob_open.html
        guard let handle, !wasReset, sqlite3_blob_read(handle, nil, 0, 0) == SQLITE_OK
        else { return 0 }
        return Int(sqlite3_blob_bytes(handle))
    }

    /// Fills the buffer with bytes from `offset` on.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_RANGE` if the bytes aren't all in the blob, `SQLITE_ABORT`
    ///   if the blob has expired, `SQLITE_MISUSE` after ``close()``.
    ///
    /// SQLite: [sqlite3_blob_read](https://sqlite.org/c3ref/blob_read.html)
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        let handle = try checked(buffer.count, at: offset)
        try check(
            sqlite3_blob_read(handle, buffer.baseAddress, Int32(buffer.count), Int32(offset))
        )
    }

    /// Reads `count` bytes from `offset` on.
    ///
    /// - Throws: As `read(into:at:)`.
    public func read(at offset: Int, count: Int) throws -> Data {
        // Before the allocation, which would stop the process for a negative count.
        _ = try checked(count, at: offset)
        var data = Data(count: count)
        try data.withUnsafeMutableBytes { try read(into: $0, at: offset) }
        return data
    }

    /// Overwrites the bytes from `offset` on.
    ///
    /// - Throws: As ``read(into:at:)``; `SQLITE_READONLY` if the blob was opened for reading only.
    ///
    /// SQLite: [sqlite3_blob_write](https://sqlite.org/c3ref/blob_write.html)
    public func write(_ bytes: some ContiguousBytes, at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            let handle = try checked(bytes.count, at: offset)
            guard !bytes.isEmpty else { return }
            try check(
                sqlite3_blob_write(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
            )
            connection.state.observer?.noteWrite(to: table)
        }
    }

    /// Moves to the same column of another row. This is faster than opening another blob. An
    /// expired blob stays expired.
    ///
    /// - Throws: `SQLiteError` if there is no such row, or its value is neither a blob nor a
    ///   string; the blob has then expired.
    ///
    /// SQLite: [sqlite3_blob_reopen](https://sqlite.org/c3ref/blob_reopen.html)
    public func reopen(rowID: Int64) throws {
        try check(sqlite3_blob_reopen(usableHandle(), rowID))
    }

    /// Closes the blob. Outside a transaction this commits what was written. It may be called
    /// again.
    ///
    /// A blob that is released without this call is closed too, but an error of the commit is lost.
    ///
    /// - Throws: ``SQLiteError`` if the commit fails. The blob is closed nevertheless, and what was
    ///   written is undone.
    ///
    /// SQLite: [sqlite3_blob_close](https://sqlite.org/c3ref/blob_close.html)
    public func close() throws {
        guard let closing = handle else { return }
        handle = nil
        let code = sqlite3_blob_close(closing)
        defer {
            connection.mend()
            connection.state.observer?.reportEndOfTransaction()
        }
        // For an expired blob this is the error that a read or a write has already thrown.
        if code & 0xff != SQLITE_ABORT {
            try connection.check(code)
        }
    }

    private func usableHandle() throws -> OpaquePointer {
        guard let handle else { throw misuse("the blob in \(subject) is closed") }
        try connection.checkObstacles()
        // SQLite doesn't notice this, and would read memory where the row was.
        if wasReset {
            throw expiredError(.abort)
        }
        return handle
    }

    /// Returns the handle if the bytes are in the blob.
    private func checked(_ count: Int, at offset: Int) throws -> OpaquePointer {
        let handle = try usableHandle()
        let size = Int(sqlite3_blob_bytes(handle))
        // SQLite says of an expired blob that it has 0 bytes, and a range of 0 bytes may never
        // reach SQLite. If the blob has expired, a read of 0 bytes throws that, not SQLITE_RANGE.
        // "Calls to sqlite3_blob_read() and sqlite3_blob_write() for an expired BLOB handle fail
        // with a return code of SQLITE_ABORT.": https://sqlite.org/c3ref/blob_open.html
        try check(sqlite3_blob_read(handle, nil, 0, 0))
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw SQLiteError(
                code: .range,
                message: """
                    bytes from \(offset), \(count) of them, aren't in the blob in \(subject) of \
                    \(size) bytes
                    """
            )
        }
        return handle
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        guard code & 0xff == SQLITE_ABORT else { throw connection.error(code) }
        throw expiredError(ResultCode(code))
    }

    /// Whether the library has reset the statement of an open blob, this one or another, since this
    /// blob was opened: after an access, for example.
    private var wasReset: Bool { resetCount != connection.resetCount }

    private func expiredError(_ code: ResultCode) -> SQLiteError {
        SQLiteError(
            code: code,
            message: """
                the blob in \(subject) has expired: its row was changed or its transaction \
                rolled back; open it anew
                """
        )
    }
}

extension Connection {
    /// Opens a blob or a string for reading and writing in pieces.
    ///
    /// ```swift
    /// let blob = try connection.openBlob(
    ///     table: "files",
    ///     column: "content",
    ///     rowID: rowID,
    ///     readOnly: true
    /// )
    /// let start = try blob.read(at: 0, count: 16)
    /// try blob.close()
    /// ```
    ///
    /// - Parameters:
    ///   - database: The database's name.
    ///   - table: The table. It must have rowids, and no generated columns.
    ///   - column: The column. For writing, it must not be in an index, a key or a foreign key.
    ///   - rowID: The row.
    ///   - readOnly: Whether to open it for reading only.
    /// - Throws: ``SQLiteError`` if there is no such row or column, or its value is neither a blob
    ///   nor a string.
    ///
    /// SQLite: [sqlite3_blob_open](https://sqlite.org/c3ref/blob_open.html)
    public func openBlob(
        database: String = "main",
        table: String,
        column: String,
        rowID: Int64,
        readOnly: Bool = false
    ) throws -> Blob {
        try checkObstacles()
        if state.isReading, !readOnly, !self.readOnly {
            throw error(SQLITE_READONLY)
        }
        for name in [database, table, column] {
            _ = try name.withoutNUL()
        }
        // Older versions of SQLite take another column if a virtual one comes before.
        let hasGenerated: Bool = try shielded {
            try query(
                "SELECT EXISTS(SELECT 1 FROM pragma_table_xinfo(?, ?) WHERE hidden > 1)",
                table,
                database
            )
        }
        if hasGenerated {
            throw SQLiteError(
                code: .error,
                message: "cannot open table with generated columns: \(table)"
            )
        }
        installHooks()
        var blob: OpaquePointer?
        try check(
            retryingRefusals {
                sqlite3_blob_open(handle, database, table, column, rowID, readOnly ? 0 : 1, &blob)
            }
        )
        var observed = StatementObserver.Table(database: database, name: table)
        if let observer = state.observer {
            // Listeners to changes get the names as the schema spells them.
            observed = shielded { try? find("'table'", named: table, in: database) } ?? observed
            observer.noteRead(of: observed)
        }
        return Blob(blob, of: self, in: observed, column: column)
    }
}
