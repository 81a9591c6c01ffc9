import SQift

extension SQLiteError {
    /// The line of the SQL that the error is about, with a caret under the token. Nil if SQLite
    /// doesn't know the token.
    var excerpt: String? {
        guard let sql, let offset else { return nil }
        let bytes = Array(sql.utf8)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(of: newline) ?? bytes.count

        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        let indent = String(decoding: bytes[start..<offset], as: UTF8.self).map {
            $0 == "\t" ? $0 : " "
        }
        return "    \(line)\n    \(String(indent))^"
    }

    /// The same error without its SQL.
    ///
    /// - Parameter prefix: What its message begins with.
    func withoutSQL(prefix: String = "") -> SQLiteError {
        SQLiteError(code: extendedResultCode, message: prefix + message)
    }

    /// Whether the schema needs something that only the database's app registers.
    var needsApplication: Bool {
        if extendedResultCode == .errorMissingCollatingSequence {
            return true
        }
        let beginnings = [
            "no such function",
            "unknown function",
            "unsafe use of",
            "no such module",
            "no such tokenizer",
        ]
        return resultCode == .error && beginnings.contains { message.hasPrefix($0) }
    }

    /// What the user can do, if SQLite's own message doesn't say it.
    var advice: String? {
        if needsApplication {
            return "If the database's app registers that, let the app do it: this tool can't."
        }
        guard extendedResultCode == .readOnlyRollback else { return nil }
        return """
            A program was killed while it wrote, and has left a journal. Open the database once \
            with its app, or with another program that may write: that rolls the write back.
            """
    }
}
