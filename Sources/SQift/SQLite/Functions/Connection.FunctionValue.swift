internal import CSQift
import Foundation

extension Connection {
    /// An argument of a function, converted as SQLite converts. After the call it is NULL.
    ///
    /// SQLite: [sqlite3_value_blob](https://sqlite.org/c3ref/value_blob.html)
    public struct FunctionValue {
        /// A storage class of SQLite, with its number.
        ///
        /// SQLite: [Datatypes In SQLite](https://sqlite.org/datatype3.html)
        public enum DataType: Int32, Sendable {
            /// An `INTEGER` of 64 bits with a sign.
            case integer = 1
            /// A `REAL`, a floating-point number of 64 bits.
            case double
            /// A `TEXT`, a string.
            case text
            /// A `BLOB`, bytes as they are.
            case data
            /// No value: `NULL`.
            case null
        }

        let arguments: Row
        let index: Int

        private var value: OpaquePointer? { arguments.cell(at: index) }

        /// The low 32 bits of `long`.
        public var integer: Int32 { Int32(truncatingIfNeeded: long) }
        /// The number, or the one that a string begins with, without its fraction; otherwise 0.
        public var long: Int64 { value.map { sqlite3_value_int64($0) } ?? 0 }
        /// The number, or the one that a string begins with; otherwise 0.
        public var double: Double { value.map { sqlite3_value_double($0) } ?? 0 }
        /// The text with its NUL bytes, a number's digits, or a blob's bytes as UTF-8; empty for
        /// NULL.
        public var text: String { String(decoding: buffer, as: UTF8.self) }
        /// The bytes of a blob, or of `text`, as a copy.
        public var data: Data { Data(buffer) }
        /// The bytes of a blob, or of `text`. They are valid during the call, until another
        /// property is read.
        public var buffer: UnsafeRawBufferPointer {
            // There are none after the call, and if memory runs out.
            let bytes = try? value.map { value in
                try isText
                    ? UnsafeRawBufferPointer(arguments.utf8(of: value))
                    : arguments.bytes(ofBlob: value)
            }
            return bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        }
        /// The date, if the value is a string that is one.
        public var date: Date? { isText ? Date._converted(from: .text(text)) : nil }

        /// How the value is stored.
        public var type: DataType {
            value.flatMap { DataType(rawValue: sqlite3_value_type($0)) } ?? .null
        }
        /// How the value would be stored if a string that is a number were a number.
        public var numericType: DataType {
            guard isText else { return type }
            // Not `sqlite3_value_numeric_type`: it changes the value itself, and with a copy of the
            // value it crashes in SQLite 3.53.
            let spaces = CharacterSet(charactersIn: " \t\n\u{B}\u{C}\r")
            let number = text.trimmingCharacters(in: spaces)
            if Int64(number) != nil {
                return .integer
            }
            // Double would also take hexadecimal digits, infinity and nan.
            let isDecimal = number.utf8.allSatisfy("0123456789.eE+-".utf8.contains)
            return isDecimal && Double(number) != nil ? .double : .text
        }
        /// Whether it is NULL.
        public var isNull: Bool { type == .null }
        /// Whether it is an INTEGER.
        public var isInteger: Bool { type == .integer }
        /// Whether it is a REAL.
        public var isDouble: Bool { type == .double }
        /// Whether it is a TEXT.
        public var isText: Bool { type == .text }
        /// Whether it is a BLOB.
        public var isData: Bool { type == .data }
    }
}
