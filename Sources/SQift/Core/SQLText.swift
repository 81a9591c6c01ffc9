internal import CSQift
import Foundation

/// The bytes of SQL while SQLite compiles them, valid inside `with` only.
struct SQLText {
    let sql: SQL
    private let bytes: UnsafePointer<CChar>
    private let count: Int

    /// Calls `body` with the SQL's bytes.
    ///
    /// - Throws: `SQLiteError` for SQL that SQLite would cut at a NUL byte, or that is longer than
    ///   it can take.
    static func with<T>(_ sql: SQL, _ body: (SQLText) throws -> T) throws -> T {
        let count = sql.utf8.count
        guard count < Int(Int32.max) else {
            throw SQLiteError(code: .tooBig, message: "the SQL is longer than 2 GiB")
        }
        return try sql.withCString { bytes in
            let lengthAsSeenBySQLite = strlen(bytes)
            guard lengthAsSeenBySQLite == count else {
                throw SQLiteError(
                    code: .misuse,
                    message: "the SQL contains a NUL byte, after which SQLite would ignore it",
                    sql: sql,
                    offset: lengthAsSeenBySQLite
                )
            }
            return try body(SQLText(sql: sql, bytes: bytes, count: count))
        }
    }

    /// Compiles the first statement at or after `offset`.
    ///
    /// - Returns: The statement, nil if there is only white space and comments, and the byte after
    ///   it.
    func compile(
        at offset: Int,
        on connection: Connection,
        flags: UInt32
    ) throws -> (
        OpaquePointer?, end: Int
    ) {
        guard let database = connection.handle else { throw connection.unusableError }
        let wasCompiling = connection.isCompiling
        connection.isCompiling = true
        defer { connection.isCompiling = wasCompiling }

        var offset = offset
        while offset < count {
            var statement: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            // The length counts the terminating NUL, which spares SQLite a copy:
            // https://sqlite.org/c3ref/prepare.html
            let length = Int32(count - offset + 1)
            let code = connection.retryingRefusals {
                sqlite3_prepare_v3(database, bytes + offset, length, flags, &statement, &tail)
            }
            guard code == SQLITE_OK else {
                let error = connection.error(code)
                let place = error.offset.map { $0 + offset }
                throw SQLiteError(
                    code: error.extendedResultCode,
                    message: error.message,
                    sql: sql,
                    offset: place
                )
            }
            offset = tail.map { $0 - bytes } ?? count
            if let statement {
                connection.adoptBusyTimeout(ifSetBy: statement)
                return (statement, offset)
            }
        }
        return (nil, count)
    }

    /// The text between two bytes.
    subscript(range: Range<Int>) -> String {
        String(
            decoding: UnsafeRawBufferPointer(start: bytes + range.lowerBound, count: range.count),
            as: UTF8.self
        )
    }

    /// The offset of the first byte at or after `offset` that isn't in white space, a comment or a
    /// semicolon.
    ///
    /// What is white space is what SQLite's tokenizer takes for it: a byte order mark is, a
    /// vertical tab isn't. https://sqlite.org/lang_comment.html
    func firstToken(from offset: Int) -> Int? {
        var index = offset
        func byte(_ index: Int) -> UInt8 {
            index < count ? UInt8(bitPattern: bytes[index]) : 0
        }
        while index < count {
            switch byte(index) {
            case UInt8(ascii: " "), UInt8(ascii: ";"), 9, 10, 12, 13: index += 1
            case 0xEF where byte(index + 1) == 0xBB && byte(index + 2) == 0xBF: index += 3
            case UInt8(ascii: "-") where byte(index + 1) == UInt8(ascii: "-"):
                while index < count, byte(index) != 10 {
                    index += 1
                }
            case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "*") && index + 2 < count:
                index += 2
                while index < count,
                    !(byte(index) == UInt8(ascii: "*") && byte(index + 1) == UInt8(ascii: "/"))
                {
                    index += 1
                }
                index += 2
            default: return index
            }
        }
        return nil
    }
}
