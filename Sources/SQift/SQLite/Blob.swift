internal import CSQift
import Foundation

/// A blob, or a text, in one row of a table, read and written in pieces: for values that shouldn't
/// be in memory as a whole.
///
/// ```swift
/// try connection.run("INSERT INTO files(content) VALUES(?)", ZeroBlob(count: size))
/// let blob = try connection.openBlob(table: "files", column: "content", rowID: connection.lastInsertRowID)
/// while let piece = try source.read(upToCount: 65_536) {
///     try blob.write(piece, at: position)
///     position += piece.count
/// }
/// try blob.close()
/// ```
///
/// The size can't change: insert a `ZeroBlob` first. While a blob is open, it holds a read
/// transaction, and one for writing the write lock: a transaction around it can't commit, and other
/// connections wait. A blob keeps its connection alive, belongs to the same thread, and expires
/// when its row is changed otherwise or its transaction is rolled back.
///
/// https://sqlite.org/c3ref/blob_open.html
public final class Blob {
    private let connection: Connection
    private var handle: OpaquePointer?
    private let place: String
    private var hasExpired = false
    private let resets: Int

    fileprivate init(
        _ connection: Connection,
        database: String,
        table: String,
        column: String,
        rowID: Int64,
        readOnly: Bool
    ) throws {
        self.connection = connection
        resets = connection.blobResetCount
        place = "\(table).\(column)"
        try connection.checkObstacles()
        let (database, table, column) = (
            try database.withoutNUL(), try table.withoutNUL(), try column.withoutNUL()
        )
        try connection.withUnsafeHandle { connectionHandle in
            var blob: OpaquePointer?
            let code = connection.retryingRefusals {
                sqlite3_blob_open(
                    connectionHandle,
                    database,
                    table,
                    column,
                    rowID,
                    readOnly ? 0 : 1,
                    &blob
                )
            }
            guard code == SQLITE_OK else { throw connection.error(code, hasOffset: false) }
            handle = blob
        }
    }

    deinit {
        sqlite3_blob_close(handle)
        if handle != nil {
            connection.undoFailedTransaction()
        }
    }

    /// The number of bytes; 0 once the blob is closed or has expired.
    ///
    /// https://sqlite.org/c3ref/blob_bytes.html
    public var count: Int {
        // Reading nothing is how SQLite notices that the blob has expired.
        guard let handle, !hasExpired, !wasReset, sqlite3_blob_read(handle, nil, 0, 0) == SQLITE_OK
        else { return 0 }
        return Int(sqlite3_blob_bytes(handle))
    }

    /// Reads as many bytes as the buffer has, from `offset` on.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_RANGE` where the blob hasn't these bytes, `SQLITE_ABORT`
    ///   where it has expired, `SQLITE_MISUSE` after `close()`.
    ///
    /// https://sqlite.org/c3ref/blob_read.html
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        let handle = try checked(buffer.count, at: offset)
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
        try check(sqlite3_blob_read(handle, start, Int32(buffer.count), Int32(offset)))
    }

    /// Reads `count` bytes from `offset` on.
    ///
    /// - Throws: As `read(into:at:)`.
    public func read(at offset: Int, count: Int) throws -> Data {
        _ = try checked(count, at: offset)
        var data = Data(count: count)
        try data.withUnsafeMutableBytes { try read(into: $0, at: offset) }
        return data
    }

    /// Writes bytes over those from `offset` on.
    ///
    /// - Throws: As `read(into:at:)`; `SQLITE_READONLY` for a blob that was opened to be read.
    ///
    /// https://sqlite.org/c3ref/blob_write.html
    public func write(_ bytes: some ContiguousBytes, at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            let handle = try checked(bytes.count, at: offset)
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
            try check(sqlite3_blob_write(handle, start, Int32(bytes.count), Int32(offset)))
        }
    }

    /// Goes to the same column of another row, which is faster than opening a blob anew. One that
    /// has expired stays so.
    ///
    /// - Throws: `SQLiteError` if there is no such row, or its value is no blob or text; the blob
    ///   has then expired.
    ///
    /// https://sqlite.org/c3ref/blob_reopen.html
    public func reopen(rowID: Int64) throws {
        guard let handle else { throw closedError }
        try connection.checkObstacles()
        if wasReset {
            throw expiredError(.abort)
        }
        try check(sqlite3_blob_reopen(handle, rowID))
    }

    /// Closes the blob; outside a transaction that commits what was written. It may be called
    /// again.
    ///
    /// A blob that is let go without this is closed too, but a failed commit is then nobody's.
    ///
    /// - Throws: `SQLiteError` if the commit fails; the blob is closed all the same, and what was
    ///   written is undone.
    ///
    /// https://sqlite.org/c3ref/blob_close.html
    public func close() throws {
        guard let closing = handle else { return }
        handle = nil
        let code = sqlite3_blob_close(closing)
        // Of an expired one it is the error that a read or a write has thrown already.
        let error = code == SQLITE_OK || hasExpired ? nil : connection.error(code, hasOffset: false)
        connection.undoFailedTransaction()
        if let error {
            throw error
        }
    }

    private var closedError: SQLiteError { SQLiteError.misuse("the blob in \(place) is closed") }

    private func checked(_ count: Int, at offset: Int) throws -> OpaquePointer {
        guard let handle else { throw closedError }
        try connection.checkObstacles()
        // SQLite doesn't notice, and would read where its row was.
        if wasReset {
            throw expiredError(.abort)
        }
        let size = Int(sqlite3_blob_bytes(handle))
        // Where nothing is to be read or written, or nothing can be, SQLite is asked for the
        // reason.
        if size == 0 || count == 0 || hasExpired {
            try check(sqlite3_blob_read(handle, nil, 0, 0))
        }
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            let message =
                "bytes from \(offset), \(count) of them, aren't in the blob in \(place) of \(size) bytes"
            throw SQLiteError(code: .range, message: message)
        }
        return handle
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        let error = connection.error(code, hasOffset: false)
        connection.noteFailure(error)
        guard code & 0xff == SQLITE_ABORT else { throw error }
        throw expiredError(ResultCode(rawValue: code))
    }

    /// Whether an access of a queue or a pool has ended since the blob was opened.
    private var wasReset: Bool { resets != connection.blobResetCount }

    private func expiredError(_ code: ResultCode) -> SQLiteError {
        hasExpired = true
        let message =
            "the blob in \(place) has expired: its row was changed or its transaction rolled back; open it anew"
        return SQLiteError(code: code, message: message)
    }
}

@available(*, unavailable, message: "a blob belongs to its connection's thread")
extension Blob: Sendable {}

extension Connection {
    /// Opens a blob or a text for reading and writing in pieces.
    ///
    /// - Parameters:
    ///   - database: The database's name.
    ///   - table: The table, which has rowids.
    ///   - column: The column; for writing, not one of an index, a key or a foreign key.
    ///   - rowID: The row.
    ///   - readOnly: Whether to open it for reading only.
    /// - Throws: `SQLiteError` if there is no such row or column, or its value is neither blob nor
    ///   text.
    ///
    /// https://sqlite.org/c3ref/blob_open.html
    public func openBlob(
        database: String = "main",
        table: String,
        column: String,
        rowID: Int64,
        readOnly: Bool = false
    ) throws -> Blob {
        try Blob(
            self,
            database: database,
            table: table,
            column: column,
            rowID: rowID,
            readOnly: readOnly
        )
    }
}

/// A blob of so many zero bytes, to be bound or returned by a function without taking memory, and
/// then filled through `Blob`.
public struct ZeroBlob: Bindable, Sendable, Hashable {
    /// The number of bytes, at least 0.
    public let count: Int

    /// Creates the value. A negative count is 0.
    public init(count: Int) {
        self.count = max(count, 0)
    }

    /// The zero bytes themselves, at most as many as SQLite can be built to store: 2 GiB.
    public var bindingValue: BindingValue { .blob(Data(count: min(count, Int(Int32.max)))) }

    /// Binds the number of bytes.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_TOOBIG`) beyond SQLite's limit of the length.
    public func bind(to slot: ParameterSlot) throws {
        try slot.bind(zeroBlobOf: count)
    }
}
