internal import CSQift
import Foundation

/// A parameter of a statement, or the result of an SQL function, for a type's `bind(to:)` to put
/// its value in. It is valid inside that call only.
///
/// https://sqlite.org/c3ref/bind_blob.html and https://sqlite.org/c3ref/result_blob.html
public struct ParameterSlot {
    @usableFromInline let statement: Statement?
    @usableFromInline let call: FunctionCall?
    /// The parameter's number, or that of the call.
    @usableFromInline let index: Int32

    @inlinable init(statement: Statement, index: Int32) {
        (self.statement, call, self.index) = (statement, nil, index)
    }

    init(call: FunctionCall, number: Int32) {
        (statement, self.call, index) = (nil, call, number)
    }

    /// Binds a value of any storage class.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_MISMATCH` for NaN, which SQLite would store as NULL;
    ///   `SQLITE_TOOBIG` for text or a blob beyond SQLite's limit. The other forms throw the same.
    @inlinable public func bind(_ value: BindingValue) throws {
        switch value {
        case .null: try bindNull()
        case .integer(let value): try bind(value)
        case .real(let value): try bind(value)
        case .text(let value): try bind(value)
        case .blob(let value): try bind(value)
        }
    }

    /// Binds NULL.
    public func bindNull() throws {
        guard isCurrent else { return try setResult { sqlite3_result_null($0) } }
        try check(sqlite3_bind_null(statement?.handle, index))
    }

    /// Binds an INTEGER.
    public func bind(_ value: Int64) throws {
        guard isCurrent else { return try setResult { sqlite3_result_int64($0, value) } }
        try check(sqlite3_bind_int64(statement?.handle, index, value))
    }

    /// Binds a REAL.
    public func bind(_ value: Double) throws {
        guard !value.isNaN else {
            throw failure(.mismatch, "NaN can't be stored: SQLite would make it NULL")
        }
        guard isCurrent else { return try setResult { sqlite3_result_double($0, value) } }
        try check(sqlite3_bind_double(statement?.handle, index, value))
    }

    /// Binds a TEXT, with the NUL bytes it may contain.
    public func bind(_ value: String) throws {
        if try value.utf8.withContiguousStorageIfAvailable({
            try bind(utf8: UnsafeRawBufferPointer($0))
        }) != nil {
            return
        }
        var native = value
        try native.withUTF8 { try bind(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Binds a BLOB; an empty one isn't NULL.
    public func bind(_ value: Data) throws {
        try value.withUnsafeBytes { try bind(blob: $0) }
    }

    /// Binds bytes as a BLOB.
    @inline(__always) func bind(blob bytes: UnsafeRawBufferPointer) throws {
        guard isCurrent else { return try setBlobResult(bytes) }
        try check(bindBlob(bytes))
    }

    /// Binds a BLOB of so many zero bytes, without memory for them.
    /// https://sqlite.org/c3ref/blob_open.html
    public func bind(zeroBlobOf count: Int) throws {
        let size = UInt64(max(count, 0))
        guard isCurrent else {
            return try setResult {
                if sqlite3_result_zeroblob64($0, size) != SQLITE_OK {
                    sqlite3_result_error_toobig($0)
                }
            }
        }
        try check(sqlite3_bind_zeroblob64(statement?.handle, index, size))
    }

    /// Binds bytes as a TEXT, whether or not they are UTF-8: what `Row.withUnsafeBytes(at:_:)`
    /// gives, unchanged.
    public func bind(utf8 bytes: UnsafeRawBufferPointer) throws {
        guard isCurrent else { return try setTextResult(bytes) }
        try check(bindText(bytes))
    }

    @inline(__always) private func bindText(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let copy = statement?.arena.copy(bytes)
        let start = (copy ?? bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        // A nil pointer would be NULL, so an empty text points somewhere.
        guard let start else {
            return sqlite3_bind_text64(statement?.handle, index, "", 0, sqift_static(), Self.utf8)
        }
        let lifetime = copy == nil ? sqift_transient() : sqift_static()
        if copy == nil {
            statement?.holdsLargeValues = true
        }
        return sqlite3_bind_text64(
            statement?.handle,
            index,
            start,
            UInt64(bytes.count),
            lifetime,
            Self.utf8
        )
    }

    @inline(__always) private func bindBlob(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard bytes.count > 0 else { return sqlite3_bind_zeroblob(statement?.handle, index, 0) }
        if let copy = statement?.arena.copy(bytes) {
            return sqlite3_bind_blob64(
                statement?.handle,
                index,
                copy,
                UInt64(bytes.count),
                sqift_static()
            )
        }
        statement?.holdsLargeValues = true
        return sqlite3_bind_blob64(
            statement?.handle,
            index,
            bytes.baseAddress,
            UInt64(bytes.count),
            sqift_transient()
        )
    }

    private static var utf8: UInt8 { UInt8(truncatingIfNeeded: SQLITE_UTF8) }

    @inline(__always) private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw error(code) }
        statement?.lastBound = index
    }

    @inline(never) private func error(_ code: Int32) -> any Error {
        statement?.connection.error(code, sql: statement?.sql, hasOffset: false) ?? staleError()
    }

    /// Whether this parameter is being bound: a slot may have been kept, and its statement be at
    /// another value, or running, or gone. A function's result is never one.
    @inline(__always) private var isCurrent: Bool { statement?.bindingIndex == index }

    private func staleError() -> SQLiteError {
        SQLiteError.misuse(
            "a parameter slot was used after the bind(to:) that received it",
            sql: statement?.sql
        )
    }

    @inline(never) func failure(_ code: ResultCode, _ message: String) -> SQLiteError {
        let place = statement == nil ? "result of \(call?.name ?? "")" : "parameter \(index)"
        return SQLiteError(code: code, message: "\(place): \(message)", sql: statement?.sql)
    }

    // MARK: A function's result. What is too big becomes the error SQLITE_TOOBIG there.

    @inline(never) private func setResult(_ body: (OpaquePointer) -> Void) throws {
        guard let call else { throw staleError() }
        try call.withContext(of: index, body)
    }

    private func setTextResult(_ bytes: UnsafeRawBufferPointer) throws {
        try setResult { context in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard let start else {
                return sqlite3_result_text64(context, "", 0, sqift_static(), Self.utf8)
            }
            sqlite3_result_text64(context, start, UInt64(bytes.count), sqift_transient(), Self.utf8)
        }
    }

    private func setBlobResult(_ bytes: UnsafeRawBufferPointer) throws {
        try setResult { context in
            guard let start = bytes.baseAddress, bytes.count > 0 else {
                return sqlite3_result_zeroblob(context, 0)
            }
            sqlite3_result_blob64(context, start, UInt64(bytes.count), sqift_transient())
        }
    }
}
