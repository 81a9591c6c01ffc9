internal import CSQift

/// The bytes of SQL while SQLite compiles them. It is valid inside `with` only.
struct SQLText {
    let sql: SQL
    private let bytes: UnsafePointer<CChar>
    private let count: Int

    /// Calls `body` with the SQL's bytes.
    ///
    /// - Throws: `SQLiteError` if SQLite would cut the SQL at a NUL byte, or if it is too long for
    ///   SQLite.
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
    /// - Returns: The statement, or nil if there is only white space and comments, and the offset
    ///   of the byte after it.
    func compile(
        at offset: Int,
        on connection: Connection,
        flags: UInt32
    ) throws -> (OpaquePointer?, end: Int) {
        guard let database = connection.handle else { throw connection.unusableError }
        connection.state.observer?.willCompile()
        defer { connection.state.observer?.hasCompiled() }

        var offset = offset
        while offset < count {
            var statement: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            // "there is a small performance advantage to passing an nByte parameter that is the
            // number of bytes in the input string including the nul-terminator":
            // https://sqlite.org/c3ref/prepare.html
            let length = Int32(count - offset + 1)
            // SQLite may call closures of the user's, and no statement exists yet.
            let code = connection.callingClosure {
                connection.retryingRefusals {
                    sqlite3_prepare_v3(database, bytes + offset, length, flags, &statement, &tail)
                }
            }
            guard code == SQLITE_OK else {
                throw connection.error(code, sql: sql, compiledFrom: offset)
            }
            offset = tail.map { $0 - bytes } ?? count
            if let statement {
                return (statement, offset)
            }
        }
        return (nil, count)
    }

    /// Returns the offset of the first byte at or after `offset` that isn't white space, a
    /// semicolon or part of a comment.
    ///
    /// White space is what SQLite's tokenizer skips, a byte order mark included.
    ///
    /// SQLite: [SQL Comment Syntax](https://sqlite.org/lang_comment.html)
    func firstToken(from offset: Int) -> Int? {
        // The text has no NUL byte but the one that ends it.
        var index = offset
        while index < count {
            let rest = bytes + index
            if strspn(rest, " \t\n\u{C}\r") > 0 {
                // A vertical tab can't begin white space, but belongs to it.
                index += strspn(rest, " \t\n\u{B}\u{C}\r")
            } else if strncmp(rest, ";", 1) == 0 {
                index += 1
            } else if strncmp(rest, "\u{FEFF}", 3) == 0 {
                index += 3
            } else if strncmp(rest, "--", 2) == 0 {
                index += strcspn(rest, "\n")
            } else if strncmp(rest, "/*", 2) == 0, rest[2] != 0 {
                // At the very end of the text, "/*" isn't a comment for SQLite, but two operators.
                index = strstr(rest + 2, "*/").map { UnsafePointer($0) - bytes + 2 } ?? count
            } else {
                break
            }
        }
        return index < count ? index : nil
    }
}
