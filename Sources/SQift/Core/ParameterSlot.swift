internal import CSQift
import Foundation

/// The place that a type's `bind(to:)` puts its value in: a parameter of a statement, or the result
/// of an SQL function. It is lent to that call, which can't keep it.
///
/// <https://sqlite.org/c3ref/bind_blob.html> and <https://sqlite.org/c3ref/result_blob.html>
public struct ParameterSlot: ~Copyable {
    @usableFromInline enum Target {
        case parameter(Statement)
        case result(FunctionContext)
    }

    @usableFromInline let target: Target
    /// The parameter's number.
    @usableFromInline let number: Int32

    // Inlined into a function with a parameter pack, it makes the optimizer of Swift 6.3 crash.
    @usableFromInline @inline(never) init(_ target: Target, number: Int32 = 0) {
        self.target = target
        self.number = number
    }

    /// Binds a value of any storage class.
    ///
    /// - Throws: ``SQLiteError``: `SQLITE_MISMATCH` for NaN, which SQLite would store as NULL;
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
    /// ``Row/withUnsafeBytes(at:_:)`` gives are stored unchanged.
    public func bind(utf8 bytes: UnsafeRawBufferPointer) throws {
        let count = UInt64(bytes.count)
        try set(
            bytes,
            parameter: { sqift_bind_text($0, number, $1, count, $2) },
            result: { sqift_result_text($0, $1, count) }
        )
    }

    /// Binds a BLOB; an empty one isn't NULL.
    public func bind(_ value: Data) throws {
        try value.withUnsafeBytes { try bind(blob: $0) }
    }

    /// Binds bytes as a BLOB.
    @inline(__always) func bind(blob bytes: UnsafeRawBufferPointer) throws {
        let count = UInt64(bytes.count)
        try set(
            bytes,
            parameter: { sqift_bind_blob($0, number, $1, count, $2) },
            result: { sqift_result_blob($0, $1, count) }
        )
    }

    /// Binds a BLOB of this many zero bytes, without memory for them. A negative count is 0.
    /// <https://sqlite.org/c3ref/blob_open.html>
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
    @usableFromInline @inline(never) func failure(
        _ code: ResultCode,
        _ message: String
    ) -> SQLiteError {
        switch target {
        case .parameter(let statement):
            let message = "parameter \(number): \(message)"
            return SQLiteError(code: code, message: message, sql: statement.sql)
        case .result(let context):
            return SQLiteError(code: code, message: "result of \(context.name): \(message)")
        }
    }

    // MARK: Parameters and results

    /// Sets the parameter or the result.
    @inline(__always) private func set(
        parameter bind: (Statement) -> Int32,
        result setResult: (OpaquePointer?) -> Void
    ) throws {
        switch target {
        case .parameter(let statement):
            let code = bind(statement)
            guard code == SQLITE_OK else { throw error(code, of: statement) }
            statement.lastBound = number
        case .result(let context):
            setResult(context.call.context)
            context.call.hasResult = true
        }
    }

    @inline(never) private func error(_ code: Int32, of statement: Statement) -> SQLiteError {
        statement.connection.error(code, sql: statement.sql)
    }

    /// An address for no bytes: SQLite takes a null pointer for NULL.
    private static var noBytes: UnsafeRawPointer { UnsafeRawPointer(StaticString("").utf8Start) }

    /// Sets the parameter or the result to bytes. A result that is too big becomes the error
    /// `SQLITE_TOOBIG`.
    @inline(__always) private func set(
        _ bytes: UnsafeRawBufferPointer,
        parameter bind: (OpaquePointer?, UnsafeRawPointer?, _ copies: Bool) -> Int32,
        result setResult: (OpaquePointer?, UnsafeRawPointer) -> Void
    ) throws {
        try set(
            parameter: { statement in
                if let copy = statement.arena.copy(bytes) {
                    return bind(statement.handle, copy, false)
                }
                statement.holdsLargeValues = true
                return bind(statement.handle, bytes.baseAddress, true)
            },
            result: { setResult($0, bytes.baseAddress ?? Self.noBytes) }
        )
    }
}
