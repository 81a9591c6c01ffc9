internal import CSQift
import Foundation

// Reading one cell: the fast way for a live row, and from an owned value for a detached one.
//
// `sqlite3_column_value` looks the cell up once, and `sqlite3_value_*` then read it, which is
// faster than three `sqlite3_column_*` calls. SQLite calls that value unprotected, which matters
// only when two threads use the connection at the same time; a `Connection` belongs to one.
// https://sqlite.org/c3ref/column_blob.html
extension Row {
    /// Whether the cell is NULL.
    @usableFromInline func isNull(at index: Int, as type: Any.Type) throws -> Bool {
        if let value = liveValue(statement, stored, generation, index) {
            return sqlite3_value_type(value) == SQLITE_NULL
        }
        try check(index, for: type)
        return dataType(at: index) == .null
    }

    /// An INTEGER, or a REAL without a fraction that fits.
    @inlinable @inline(__always) func int64(at index: Int, as type: Any.Type) throws -> Int64 {
        if let value = liveInt64(statement, generation, index) {
            return value
        }
        return try convertedInt64(at: index, as: type)
    }

    @usableFromInline @inline(never) func convertedInt64(
        at index: Int,
        as type: Any.Type
    ) throws -> Int64 {
        // An SQL function's argument.
        if let value = stored?.liveValue(generation, index),
            sqlite3_value_type(value) == SQLITE_INTEGER
        {
            return sqlite3_value_int64(value)
        }
        return try convert(at: index, as: type, Int64.init(value:))
    }

    /// A REAL or an INTEGER.
    @inlinable @inline(__always) func double(at index: Int, as type: Any.Type) throws -> Double {
        if let value = liveDouble(statement, generation, index) {
            return value
        }
        return try convertedDouble(at: index, as: type)
    }

    @usableFromInline @inline(never) func convertedDouble(
        at index: Int,
        as type: Any.Type
    ) throws -> Double {
        try convert(at: index, as: type, Double.init(value:))
    }

    /// A TEXT. Bytes that aren't UTF-8 are replaced by U+FFFD; `withUnsafeBytes(at:)` gives them as
    /// they are.
    @usableFromInline func string(at index: Int) throws -> String {
        if let value = liveValue(statement, stored, generation, index),
            sqlite3_value_type(value) == SQLITE_TEXT
        {
            return try text(of: value)
        }
        return try convert(at: index, String.init(value:))
    }

    /// A BLOB.
    @usableFromInline func data(at index: Int) throws -> Data {
        if let value = liveValue(statement, stored, generation, index),
            sqlite3_value_type(value) == SQLITE_BLOB
        {
            return try blob(of: value)
        }
        return try convert(at: index, Data.init(value:))
    }

    /// A time string, or Unix seconds.
    @usableFromInline func date(at index: Int) throws -> Date {
        if let value = liveValue(statement, stored, generation, index),
            sqlite3_value_type(value) == SQLITE_TEXT,
            !DateFormat.isCustom, let text = sqlite3_value_text(value),
            let date = DateFormat.parse(
                UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
            )
        {
            return date
        }
        return try convert(at: index, form: DateFormat.readableForms, Date.init(value:))
    }

    /// The cell as an owned value, converted by `conversion`, whose nil is a mismatch, and whose
    /// error is the cause of one.
    ///
    /// - Parameter form: What a value that can be converted looks like, for the error.
    @inline(never) func convert<T>(
        at index: Int,
        as type: Any.Type = T.self,
        form: @autoclosure () -> String? = nil,
        _ conversion: (BindingValue) throws -> T?
    ) throws -> T {
        let value = try bindingValue(at: index)
        if value == .null {
            throw extractionError(.null, type, at: index)
        }
        var cause: (any Error)?
        do {
            if let result = try conversion(value) {
                return result
            }
        } catch {
            cause = error
        }
        if type is any BinaryInteger.Type, case .real = value {
            throw extractionError(.notExact, type, at: index)
        }
        throw extractionError(.mismatch, type, at: index, form: form(), cause: cause)
    }

    /// A number, in a TEXT too.
    func decimal(at index: Int) throws -> Decimal {
        if let value = liveValue(statement, stored, generation, index),
            sqlite3_value_type(value) == SQLITE_TEXT,
            let number = Decimal(number: try text(of: value))
        {
            return number
        }
        let form = "a number of at most 38 digits, such as 1234.5"
        return try convert(at: index, form: form, Decimal.init(value:))
    }

    /// The cell as SQLite stores it, in a column that is known to exist.
    func storedValue(at index: Int) throws -> BindingValue {
        if let stored, stored.ownsValues {
            return stored.values[index]
        }
        guard let value = liveValue(statement, stored, generation, index) else { trapStale() }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT: return .text(try text(of: value))
        case SQLITE_BLOB: return .blob(try blob(of: value))
        default: return .null
        }
    }

    @inline(__always) private func text(of value: OpaquePointer?) throws -> String {
        // The text comes first: it may have to be converted from UTF-16, which changes the number
        // of bytes.
        guard let start = sqlite3_value_text(value) else { throw SQLiteError(code: .noMemory) }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))),
            as: UTF8.self
        )
    }

    @inline(__always) private func blob(of value: OpaquePointer?) throws -> Data {
        // An empty blob has no bytes to point at; any other one without is SQLite's way to say that
        // memory ran out.
        guard let start = sqlite3_value_blob(value) else {
            guard sqlite3_value_bytes(value) == 0 else { throw SQLiteError(code: .noMemory) }
            return Data()
        }
        return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
    }
}

// Free functions that take a row's parts instead of the row: so neither is retained nor copied for
// a cell.

/// SQLite's value of a cell, or nil if the row is detached, stale or has no such column: `convert`
/// tells them apart.
@inline(__always) func liveValue(
    _ statement: Statement?,
    _ stored: StoredRow?,
    _ generation: Int,
    _ index: Int
) -> OpaquePointer? {
    guard let statement else { return stored?.liveValue(generation, index) }
    guard statement.generation == generation,
        UInt(bitPattern: index) < UInt(bitPattern: statement.columnCount)
    else {
        return nil
    }
    return sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: index))
}

/// A statement's INTEGER, or nil for anything else.
@usableFromInline func liveInt64(_ statement: Statement?, _ generation: Int, _ index: Int) -> Int64?
{
    guard let value = liveValue(statement, nil, generation, index),
        sqlite3_value_type(value) == SQLITE_INTEGER
    else {
        return nil
    }
    return sqlite3_value_int64(value)
}

/// A statement's REAL or INTEGER, or nil for anything else.
@usableFromInline func liveDouble(
    _ statement: Statement?,
    _ generation: Int,
    _ index: Int
) -> Double? {
    guard let value = liveValue(statement, nil, generation, index) else { return nil }
    let type = sqlite3_value_type(value)
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(value) : nil
}
