internal import CSQift
import Foundation

/// The place that a type's `bind(to:)` puts its value in: a parameter of a statement, or the result
/// of an SQL function. It is lent to that call, which can't keep it.
///
/// SQLite: [sqlite3_bind_blob](https://sqlite.org/c3ref/bind_blob.html),
/// [sqlite3_result_blob](https://sqlite.org/c3ref/result_blob.html)
public struct ParameterSlot: ~Copyable {
    // It doesn't outlive the call that it is lent to, so it needn't retain them.
    @usableFromInline let statement: Unmanaged<Statement>?
    @usableFromInline let function: Unmanaged<FunctionContext>?
    /// The parameter's number; 0 for a function's result.
    @usableFromInline let number: Int32

    @inlinable init(_ number: Int32, of statement: Statement) {
        self.statement = Unmanaged.passUnretained(statement)
        function = nil
        self.number = number
    }

    @inlinable init(resultOf function: FunctionContext) {
        statement = nil
        self.function = Unmanaged.passUnretained(function)
        number = 0
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
        try check(sqift_set_null(target, number))
    }

    /// Binds an INTEGER.
    public func bind(_ value: Int64) throws {
        try check(sqift_set_int64(target, number, value))
    }

    /// Binds a REAL.
    public func bind(_ value: Double) throws {
        guard !value.isNaN else {
            throw failure(.mismatch, "NaN can't be stored: SQLite would make it NULL")
        }
        try check(sqift_set_double(target, number, value))
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
        try bind(bytes, isText: true)
    }

    /// Binds a BLOB; an empty one isn't NULL.
    public func bind(_ value: Data) throws {
        try value.withUnsafeBytes { try bind($0, isText: false) }
    }

    /// Binds a BLOB of this many zero bytes, without memory for them. A negative count is 0.
    ///
    /// SQLite: [sqlite3_blob_open](https://sqlite.org/c3ref/blob_open.html)
    public func bind(zeroBlobOf count: Int) throws {
        try check(sqift_set_zeroblob(target, number, UInt64(max(count, 0))))
    }

    /// The error for a value that can't be bound.
    @usableFromInline func failure(
        _ code: ResultCode,
        _ message: String
    ) -> SQLiteError {
        let subject =
            function.map { "result of \($0.takeUnretainedValue().name)" } ?? "parameter \(number)"
        return SQLiteError(
            code: code,
            message: "\(subject): \(message)",
            sql: statement?.takeUnretainedValue().sql
        )
    }

    // MARK: Parameters and results

    /// The `sqlite3_stmt *`, or the function's `sqlite3_context *`.
    @inline(__always) private var target: OpaquePointer? {
        statement?._withUnsafeGuaranteedRef { $0.handle }
            ?? function?._withUnsafeGuaranteedRef { $0.call.context }
    }

    /// Notes that the value is bound.
    ///
    /// - Parameter code: SQLite's result.
    @inline(__always) private func check(_ code: Int32) throws {
        function?._withUnsafeGuaranteedRef { $0.call.hasResult = true }
        try statement?._withUnsafeGuaranteedRef { statement in
            guard code == SQLITE_OK else {
                throw statement.connection.error(code, sql: statement.sql)
            }
            statement.lastBound = number
        }
    }

    /// Binds bytes as a TEXT or as a BLOB.
    @inline(__always) func bind(_ bytes: UnsafeRawBufferPointer, isText: Bool) throws {
        var copy: UnsafeRawPointer?
        statement?._withUnsafeGuaranteedRef { statement in
            copy = statement.bindings.arena.copy(bytes)
            if copy == nil {
                statement.bindings.holdsLargeValues = true
            }
        }
        let start = copy ?? bytes.baseAddress
        let count = UInt64(bytes.count)
        // Static bytes, not copied by SQLite: "the application remains responsible for disposing of
        // the object": https://sqlite.org/c3ref/bind_blob.html
        try check(sqift_set_bytes(target, number, start, count, isText, copy == nil))
    }
}
