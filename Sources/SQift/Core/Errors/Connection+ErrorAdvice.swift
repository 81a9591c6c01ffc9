extension Connection {
    /// SQLite's message for an error, with what it leaves out: why it may have occurred, and what
    /// to do.
    func advising(_ message: String, on code: ResultCode, in sql: SQL?) -> String {
        let isStandard = message == code.standardMessage
        if isStandard, code == .notADatabase {
            return sharedConfiguration.key == nil
                ? "file is encrypted, or isn't a database"
                : "the key is wrong, or the file isn't a sound encrypted one"
        }
        let advice: KeyValuePairs = [
            // Perhaps SQLite couldn't create a `-wal` or a journal beside the file.
            // https://sqlite.org/wal.html#read_only_databases
            """
            ; where the folder can't be written, a database can be opened for reading only, one in \
            WAL mode as a copy elsewhere or, if it is never written, as immutable: \
            Database.Configuration.accessMode, or file:…?immutable=1
            """: isStandard && [.readOnlyDirectory, .cantOpen].contains(code),

            "; run it in writeWithoutTransaction, or in a migration with withoutTransaction":
                state.transactionDepth > 0 && message.hasSuffix("from within a transaction"),

            "; this connection is hardened: double quotes enclose names, single quotes strings":
                code == .error && isStringInDoubleQuotes(message, sql),

            // The primary code alone: an extended one has another cause.
            "; this connection is lent for reading: use write, of a Database or a ConnectionQueue":
                code == .readOnly && state.isReading,
        ]
        return message + advice.filter(\.value).map(\.key).joined()
    }

    /// Whether a column that there isn't may be a string that is written in double quotes: in the
    /// SQL, or in a view or a trigger that the SQL uses.
    private func isStringInDoubleQuotes(_ message: String, _ sql: SQL?) -> Bool {
        let beginning = "no such column: "
        // A newer SQLite says so itself.
        guard isHardened, message.hasPrefix(beginning), !message.contains("single-quotes") else {
            return false
        }
        let name = message.dropFirst(beginning.count)
        guard let sql else { return true }
        return sql.contains("\"\(name)\"") || !sql.contains(name)
    }
}
