internal import CSQift

/// An argument of an SQL function, read by SQLite's own conversions. After the call it is NULL.
///
/// `Row.get` is stricter: it converts a value only if nothing is lost.
///
/// https://sqlite.org/c3ref/value_blob.html
struct FunctionArgument {
    let context: FunctionContext
    let callNumber: Int
    let index: Int

    private var value: OpaquePointer? { context.argument(at: index, callNumber: callNumber) }

    /// SQLite's number of the storage class.
    var type: Int32 { value.map { sqlite3_value_type($0) } ?? SQLITE_NULL }

    var int64: Int64 { value.map { sqlite3_value_int64($0) } ?? 0 }

    var double: Double { value.map { sqlite3_value_double($0) } ?? 0 }

    /// The text, a number's digits, or a blob's bytes as UTF-8; empty for NULL.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes of a blob, or of `text`. They are valid during the call, until another property is
    /// read.
    var bytes: UnsafeRawBufferPointer {
        guard let value else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        // A text may still be UTF-16; `sqlite3_value_text` converts it.
        let start =
            type == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}
