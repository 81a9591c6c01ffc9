import CSQift
import Foundation
import SQift

extension FuzzTarget {
    /// A script does what `sqlite3_exec` does with it, with the same result code.
    static let script = FuzzTarget(name: "script") { input in
        let text = input.text
        guard isComparable(text) else { return }
        let one = try connectionForScript()
        let other = try connectionForScript()
        var code = SQLITE_OK
        do {
            try one.connection.execute(text)
        } catch let error as SQLiteError {
            code = error.extendedResultCode.rawValue
        }
        let otherCode = try other.connection.withUnsafeHandle { handle in
            let code = sqlite3_exec(handle, text, nil, nil, nil)
            return code == SQLITE_OK ? code : sqlite3_extended_errcode(handle)
        }
        // What ran for too long ends somewhere.
        if one.limit.wasReached || other.limit.wasReached { return }
        try expect(code == otherCode, "execute returned \(code), sqlite3_exec \(otherCode)")
        let isOpen = one.connection.isInsideTransaction
        try expect(isOpen == other.connection.isInsideTransaction, "in a transaction: \(isOpen)")
        let found = try content(of: one.connection)
        let expected = try content(of: other.connection)
        try expect(found == expected, "execute made \(found), sqlite3_exec \(expected)")
    }

    /// Where `execute` differs on purpose: it refuses a NUL byte, at which C ends, and a parameter
    /// without a value, which `sqlite3_exec` takes for NULL, and a vertical tab after a semicolon,
    /// as SQLite does elsewhere. It skips a byte order mark, as SQLite does since 3.36. And what
    /// differs by itself.
    private static func isComparable(_ text: String) -> Bool {
        let changing = ["random", "now", "current_", "julianday", "date", "time", "unixepoch"]
        let lowercased = text.lowercased()
        return !text.contains(";\u{B}") && !text.unicodeScalars.contains("\u{FEFF}")
            && !text.utf8.contains { "\0?:@$#".utf8.contains($0) }
            && !changing.contains { lowercased.contains($0) }
    }

    private static func connectionForScript() throws -> (connection: Connection, limit: StepLimit) {
        let connection = try Connection()
        try connection.execute(
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, 2)"
        )
        try connection.confine()
        return (connection, StepLimit(on: connection))
    }

    /// The schema, and the rows of the tables that can be read.
    private static func content(of connection: Connection) throws -> [String] {
        // What the script said about foreign keys, encodings and so on doesn't keep it from being
        // read.
        try connection.authorizer(nil)
        connection.progressHandler(nil)
        var content: [String] = []
        try allowingErrors {
            let schema: [Row] = try connection.query("SELECT type, name, sql FROM sqlite_schema")
            content = schema.map(\.description)
            let tables: [String] = try connection.query(
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
            )
            for table in tables.prefix(20) {
                let name = table.sqift.quotedIdentifier
                try allowingErrors {
                    let rows: [Row] = try connection.query("SELECT * FROM \(name) LIMIT 100")
                    content += rows.map(\.description)
                }
            }
        }
        return content
    }
}
