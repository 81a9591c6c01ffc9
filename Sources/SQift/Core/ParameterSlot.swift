internal import CSQift
import Foundation

/// The place that a type's `bind(to:)` puts its value in: a parameter of a statement, or the result
/// of an SQL function. It is valid inside that call only.
///
/// https://sqlite.org/c3ref/bind_blob.html and https://sqlite.org/c3ref/result_blob.html
public struct ParameterSlot {
    @usableFromInline enum Target {
        case parameter(Statement)
        case result(FunctionContext)
    }

    @usableFromInline let target: Target
    /// The parameter's number, or the number of the function's call. The slot is valid while the
    /// target is at this number.
    @usableFromInline let number: Int32

    @inlinable init(_ target: Target, number: Int32) {
        self.target = target
        self.number = number
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
        try set(
            parameter: { sqlite3_bind_null($0.handle, number) },
            result: { sqlite3_result_null($0) }
        )
    }

    /// Binds an INTEGER.
    public func bind(_ value: Int64) throws {
        try set(
            parameter: { sqlite3_bind_int64($0.handle, number, value) },
            result: { sqlite3_result_int64($0, value) }
        )
    }

    /// Binds a REAL.
    public func bind(_ value: Double) throws {
        guard !value.isNaN else {
            throw failure(.mismatch, "NaN can't be stored: SQLite would make it NULL")
        }
        try set(
            parameter: { sqlite3_bind_double($0.handle, number, value) },
            result: { sqlite3_result_double($0, value) }
        )
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

    /// Binds bytes as a TEXT, whether or not they are UTF-8. The bytes that
    /// `Row.withUnsafeBytes(at:_:)` gives are stored unchanged.
    public func bind(utf8 bytes: UnsafeRawBufferPointer) throws {
        try set(
            parameter: { bindText(bytes, to: $0) },
            result: { setResult($0, toText: bytes) }
        )
    }

    /// Binds a BLOB; an empty one isn't NULL.
    public func bind(_ value: Data) throws {
        try value.withUnsafeBytes { try bind(blob: $0) }
    }

    /// Binds bytes as a BLOB.
    @inline(__always) func bind(blob bytes: UnsafeRawBufferPointer) throws {
        try set(
            parameter: { bindBlob(bytes, to: $0) },
            result: { setResult($0, toBlob: bytes) }
        )
    }

    /// Binds a BLOB of this many zero bytes, without memory for them.
    /// https://sqlite.org/c3ref/blob_open.html
    public func bind(zeroBlobOf count: Int) throws {
        let size = UInt64(max(count, 0))
        try set(
            parameter: { sqlite3_bind_zeroblob64($0.handle, number, size) },
            result: {
                if sqlite3_result_zeroblob64($0, size) != SQLITE_OK {
                    sqlite3_result_error_toobig($0)
                }
            }
        )
    }

    /// The error for a value that can't be bound.
    @inline(never) func failure(_ code: ResultCode, _ message: String) -> SQLiteError {
        switch target {
        case .parameter(let statement):
            let message = "parameter \(number): \(message)"
            return SQLiteError(code: code, message: message, sql: statement.sql)
        case .result(let context):
            return SQLiteError(code: code, message: "result of \(context.name): \(message)")
        }
    }

    // MARK: Parameters and results

    /// Sets the parameter or the result, if the slot is still valid.
    ///
    /// A slot may have been kept. Its statement may then be at another parameter, or running, or
    /// gone, and its call may be over.
    @inline(__always) private func set(
        parameter bind: (Statement) -> Int32,
        result setResult: (OpaquePointer) -> Void
    ) throws {
        switch target {
        case .parameter(let statement):
            guard statement.bindingIndex == number else { throw staleError(of: statement) }
            let code = bind(statement)
            guard code == SQLITE_OK else { throw error(code, of: statement) }
            statement.lastBound = number
        case .result(let context):
            setResult(try context.contextForResult(callNumber: number))
        }
    }

    @inline(never) private func staleError(of statement: Statement) -> SQLiteError {
        SQLiteError.misuse(
            "a parameter slot was used after the bind(to:) that received it",
            sql: statement.sql
        )
    }

    @inline(never) private func error(_ code: Int32, of statement: Statement) -> SQLiteError {
        statement.connection.error(code, sql: statement.sql)
    }

    private static var utf8: UInt8 { UInt8(truncatingIfNeeded: SQLITE_UTF8) }

    @inline(__always) private func bindText(
        _ bytes: UnsafeRawBufferPointer,
        to statement: Statement
    ) -> Int32 {
        let copy = statement.arena.copy(bytes)
        // A nil pointer would be NULL, so an empty text needs another one.
        guard let start = (copy ?? bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) else {
            return sqlite3_bind_text64(statement.handle, number, "", 0, sqift_static(), Self.utf8)
        }
        if copy == nil {
            statement.holdsLargeValues = true
        }
        return sqlite3_bind_text64(
            statement.handle,
            number,
            start,
            UInt64(bytes.count),
            copy == nil ? sqift_transient() : sqift_static(),
            Self.utf8
        )
    }

    @inline(__always) private func bindBlob(
        _ bytes: UnsafeRawBufferPointer,
        to statement: Statement
    ) -> Int32 {
        guard bytes.count > 0 else { return sqlite3_bind_zeroblob(statement.handle, number, 0) }
        let copy = statement.arena.copy(bytes)
        if copy == nil {
            statement.holdsLargeValues = true
        }
        return sqlite3_bind_blob64(
            statement.handle,
            number,
            copy ?? bytes.baseAddress,
            UInt64(bytes.count),
            copy == nil ? sqift_transient() : sqift_static()
        )
    }

    // A result that is too big becomes the error SQLITE_TOOBIG.

    private func setResult(_ context: OpaquePointer, toText bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else {
            return sqlite3_result_text64(context, "", 0, sqift_static(), Self.utf8)
        }
        sqlite3_result_text64(context, start, UInt64(bytes.count), sqift_transient(), Self.utf8)
    }

    private func setResult(_ context: OpaquePointer, toBlob bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            return sqlite3_result_zeroblob(context, 0)
        }
        sqlite3_result_blob64(context, start, UInt64(bytes.count), sqift_transient())
    }
}
