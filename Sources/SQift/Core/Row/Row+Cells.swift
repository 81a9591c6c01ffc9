internal import CSQift
import Foundation

// Reading one cell: first straight from SQLite, which is the fast way, then by converting a copy of
// the value. The second way also finds the error.
extension Row {
    /// Whether the cell is NULL.
    @usableFromInline func isNull(at index: Int, as type: Any.Type) throws -> Bool {
        if let value = cell(at: index) {
            return sqlite3_value_type(value) == SQLITE_NULL
        }
        try check(index, for: type)
        return stored?.values[index] == .null
    }

    /// An INTEGER of a statement's row. Returns nil for anything else.
    @inlinable @inline(__always) func int64(at index: Int) -> Int64? {
        statement?.int64(at: index, generation: generation)
    }

    /// An INTEGER that is an argument of a function.
    @usableFromInline @inline(never) func argumentInt64(at index: Int) -> Int64? {
        cell(at: index, ifStoredAs: SQLITE_INTEGER).map { sqlite3_value_int64($0) }
    }

    /// A REAL or an INTEGER.
    @inlinable @inline(__always) func double(at index: Int, as type: Any.Type) throws -> Double {
        if let value = statement?.double(at: index, generation: generation) {
            return value
        }
        return try convertedDouble(at: index, as: type)
    }

    @usableFromInline @inline(never) func convertedDouble(
        at index: Int,
        as type: Any.Type
    ) throws -> Double {
        try cell(at: index, ifStoredAs: SQLITE_FLOAT).map { sqlite3_value_double($0) }
            ?? convert(at: index, as: type, \.doubleValue)
    }

    /// A TEXT. Bytes that aren't UTF-8 are replaced by U+FFFD; `withUnsafeBytes(at:_:)` gives them
    /// as they are.
    @usableFromInline func string(at index: Int) throws -> String {
        try cell(at: index, ifStoredAs: SQLITE_TEXT).map(text)
            ?? convert(at: index, \.stringValue)
    }

    /// A BLOB.
    @usableFromInline func data(at index: Int) throws -> Data {
        try cell(at: index, ifStoredAs: SQLITE_BLOB).map(blob)
            ?? convert(at: index, \.dataValue)
    }

    /// Converts the bytes of a TEXT without a copy of them. Returns nil if the row is stored, the
    /// value isn't a TEXT, or `conversion` returns nil: `convert` is next then.
    func convertLiveText<T>(
        at index: Int,
        _ conversion: (UnsafeBufferPointer<UInt8>) -> T?
    ) -> T? {
        guard let value = cell(at: index, ifStoredAs: SQLITE_TEXT), let text = try? utf8(of: value)
        else { return nil }
        return conversion(text)
    }

    /// Converts a copy of the cell's value. If `conversion` returns nil or throws, the error is a
    /// mismatch. If it throws, its error is the mismatch's cause.
    ///
    /// - Parameter form: The form of a value that can be converted, for the error.
    @usableFromInline @inline(never) func convert<T>(
        at index: Int,
        as type: Any.Type = T.self,
        form: @autoclosure () -> String? = nil,
        _ conversion: (BindingValue) throws -> T?
    ) throws -> T {
        let value = try bindingValue(at: index)
        if value == .null {
            throw extractionError(.null, type, at: index, value: value)
        }

        var cause: (any Error)?
        do {
            if let result = try conversion(value) {
                return result
            }
        } catch {
            cause = error
        }

        // A number that an integer can't be read from is none, or too large.
        throw extractionError(
            type is any BinaryInteger.Type && value.doubleValue != nil ? .notExact : .mismatch,
            type,
            at: index,
            value: value,
            form: form(),
            cause: cause
        )
    }

    // MARK: Copies of values

    /// Copies of all values from left to right.
    @usableFromInline var bindingValues: [BindingValue] {
        get throws { try (0..<columnCount).map(copiedValue) }
    }

    /// A copy of the cell's value. The column must exist.
    func copiedValue(at index: Int) throws -> BindingValue {
        if let stored {
            return stored.values[index]
        }
        guard let value = cell(at: index) else { trapStale() }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT: return .text(try text(of: value))
        case SQLITE_BLOB: return .blob(try blob(of: value))
        default: return .null
        }
    }

    private func text(of value: OpaquePointer) throws -> String {
        String(decoding: try utf8(of: value), as: UTF8.self)
    }

    @inline(__always) private func blob(of value: OpaquePointer) throws -> Data {
        let bytes = try bytes(ofBlob: value)
        return bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }

    // MARK: TEXT that isn't UTF-8

    /// A copy of the bytes of a TEXT that isn't UTF-8; nil for any other cell.
    func malformedText(at index: Int) throws -> Data? {
        if let stored {
            return stored.malformedTexts[index]
        }
        guard let value = cell(at: index, ifStoredAs: SQLITE_TEXT) else { return nil }
        let bytes = try utf8(of: value)
        let isASCII = bytes.reduce(0, |) < 0x80
        return isASCII || String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
            ? nil : Data(bytes)
    }

    /// Throws if a TEXT isn't UTF-8: as a string, it could equal another one.
    @usableFromInline func checkKey(at index: Int, as type: Any.Type) throws {
        guard try malformedText(at: index) != nil else { return }
        throw extractionError(
            .mismatch,
            type,
            at: index,
            value: try copiedValue(at: index),
            form: "UTF-8, as a key; or read CAST(… AS BLOB) as Data"
        )
    }

    // MARK: SQLite's own bytes, valid until the cell is read in another way

    func utf8(of value: OpaquePointer) throws -> UnsafeBufferPointer<UInt8> {
        // The text comes before the number of bytes, which changes if SQLite has to convert the
        // text from UTF-16.
        guard let start = sqlite3_value_text(value) else { throw SQLiteError(code: .noMemory) }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    @inline(__always) func bytes(ofBlob value: OpaquePointer) throws -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(value)
        let count = Int(sqlite3_value_bytes(value))
        // SQLite returns no pointer for an empty blob, and if memory ran out.
        guard start != nil || count == 0 else { throw SQLiteError(code: .noMemory) }
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}

// Reading a cell.
//
// `sqlite3_column_value` finds the cell once, and `sqlite3_value_*` then read it. That is faster
// than several `sqlite3_column_*` calls. SQLite calls such a value unprotected: two threads mustn't
// use it at the same time. A `Connection` belongs to one thread.
// https://sqlite.org/c3ref/column_blob.html
extension Row {
    /// SQLite's value of a cell. Returns nil if the row is stored or stale, or has no such column.
    @inline(__always) func cell(at index: Int) -> OpaquePointer? {
        if let statement {
            return statement.value(at: index, generation: generation)
        }
        return function?.argument(at: index, callNumber: generation)
    }

    /// SQLite's value of a cell if it has that storage class.
    @inline(__always) func cell(at index: Int, ifStoredAs storageClass: Int32) -> OpaquePointer? {
        guard let value = cell(at: index), sqlite3_value_type(value) == storageClass else {
            return nil
        }
        return value
    }
}

// Inlined code reads the numbers of a live row here, so that the row is neither retained nor copied
// for a cell. `@_effects(releasenone)` tells the compiler that these functions release no object,
// which holds for what they call in SQLite too: it needn't retain a row around a call.
extension Statement {
    @inline(__always) func value(at index: Int, generation: Int) -> OpaquePointer? {
        guard self.generation == generation,
            UInt(bitPattern: index) < UInt(bitPattern: columns.count)
        else {
            return nil
        }
        return sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
    }

    /// An INTEGER. Returns nil for anything else.
    @_effects(releasenone)
    @usableFromInline func int64(at index: Int, generation: Int) -> Int64? {
        guard let value = value(at: index, generation: generation),
            sqlite3_value_type(value) == SQLITE_INTEGER
        else {
            return nil
        }
        return sqlite3_value_int64(value)
    }

    /// A REAL or an INTEGER. Returns nil for anything else.
    @_effects(releasenone)
    @usableFromInline func double(at index: Int, generation: Int) -> Double? {
        guard let value = value(at: index, generation: generation) else { return nil }
        let storageClass = sqlite3_value_type(value)
        guard storageClass == SQLITE_FLOAT || storageClass == SQLITE_INTEGER else { return nil }
        return sqlite3_value_double(value)
    }
}
