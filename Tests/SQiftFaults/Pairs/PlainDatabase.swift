import CSQift
import Foundation

/// What a file is encrypted with.
struct Secret: Hashable, Sendable {
    var key: Data?
    var settings = ""
}

/// A connection in plain C: the program that made the file, and the witness that reads it. It
/// shares no code with the library.
final class PlainDatabase {
    let handle: OpaquePointer

    init(
        _ name: String,
        flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
        secret: Secret = Secret()
    ) throws {
        var database: OpaquePointer?
        let code = sqlite3_open_v2(name, &database, flags | SQLITE_OPEN_URI, nil)
        guard let database, code == SQLITE_OK else {
            sqlite3_close(database)
            throw Broken(description: "plain C can't open \(name): \(code)")
        }
        handle = database
        // It leaves nothing behind, with Apple's SQLite too.
        var isPersistent: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
        try unlock(secret)
        try addFunctions()
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    private func unlock(_ secret: Secret) throws {
        guard let key = secret.key else { return }
        if !Keys.areSQLCiphers {
            try execute(secret.settings)
        }
        let code = key.withUnsafeBytes {
            sqift_find_key()?(handle, $0.baseAddress, Int32($0.count))
        }
        try expect(code == SQLITE_OK, "plain C can't set the key: \(code ?? -1)")
        if Keys.areSQLCiphers {
            try execute(secret.settings)
        }
    }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        let message = String(cString: sqlite3_errmsg(handle))
        try expect(code == SQLITE_OK, "plain C: \(message) in \(sql.prefix(80))")
    }

    func rows(_ sql: String) throws -> [String] { try plainRows(handle, sql) }

    // MARK: What the schema calls

    private func addFunctions() throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(
            handle,
            "twice",
            1,
            flags,
            nil,
            { context, _, arguments in
                // Before the count of bytes, which is that of the text in UTF-8 only then.
                _ = sqlite3_value_text(arguments?[0])
                sqlite3_result_int(context, 2 * sqlite3_value_bytes(arguments?[0]))
            },
            nil,
            nil,
            nil
        )
        let collationCode = sqlite3_create_collation_v2(
            handle,
            "backwards",
            SQLITE_UTF8,
            nil,
            { _, count, text, otherCount, otherText in
                let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
                let otherBytes = UnsafeRawBufferPointer(start: otherText, count: Int(otherCount))
                let isBefore = otherBytes.lexicographicallyPrecedes(bytes)
                return isBefore ? -1 : bytes.elementsEqual(otherBytes) ? 0 : 1
            },
            nil
        )
        try expect(code == SQLITE_OK && collationCode == SQLITE_OK, "plain C can't add functions")
    }
}

/// The rows of a statement, each as its values between bars.
func plainRows(_ handle: OpaquePointer, _ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    var code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    while code == SQLITE_OK || code == SQLITE_ROW {
        code = sqlite3_step(statement)
        if code == SQLITE_ROW {
            let columns = 0..<sqlite3_column_count(statement)
            rows.append(columns.map { plainText(statement, $0) }.joined(separator: "|"))
        }
    }
    let message = String(cString: sqlite3_errmsg(handle))
    try expect(code == SQLITE_DONE, "plain C: \(message) in \(sql.prefix(80))")
    return rows
}

private func plainText(_ statement: OpaquePointer?, _ column: Int32) -> String {
    let type = sqlite3_column_type(statement, column)
    guard type != SQLITE_NULL else { return "NULL" }
    if type == SQLITE_BLOB {
        let count = Int(sqlite3_column_bytes(statement, column))
        let bytes = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement, column),
            count: count
        )
        return bytes.hexadecimal
    }
    return sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "out of memory"
}

extension Sequence<UInt8> {
    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}

/// Everything in a database, one line for each row and each object of the schema.
func plainContent(_ handle: OpaquePointer) throws -> [String] {
    let problems = try plainRows(handle, "PRAGMA integrity_check")
    try expect(problems == ["ok"], "damaged: \(problems.prefix(3))")

    let own = "name NOT LIKE 'sqlite_%' AND name NOT LIKE 'ft_%' AND name NOT LIKE 'rt_%'"
    let objects = try plainRows(
        handle,
        "SELECT type, name FROM sqlite_schema WHERE \(own) ORDER BY type, name"
    )
    let tables = try plainRows(
        handle,
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND \(own)"
    )
    let rows = try tables.flatMap { table in
        let columns =
            switch table {
            case "sqift_migrations": "name"
            case "schema_migrations": "max(version)"
            case "ft": "rowid, *"
            default: "*"
            }
        return try plainRows(handle, "SELECT \(columns) FROM \"\(table)\"").map {
            "\(table): \($0)"
        }
    }
    return objects + rows.sorted()
}
