internal import CSQift

/// One of SQLite's result codes, primary or extended.
///
/// In a pattern, a primary code matches each of its extended codes. So a `catch` can be as wide as
/// it needs to be:
///
/// ```swift
/// do {
///     try connection.run("INSERT INTO users(email) VALUES(?)", email)
/// } catch let error as SQLiteError where .constraintUnique ~= error.extendedResultCode {
///     print("that address is taken")
/// }
/// ```
///
/// https://sqlite.org/rescode.html
public struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that SQLite uses: the primary code in the low eight bits, and the extension above
    /// them.
    public let rawValue: Int32

    /// Creates a code from SQLite's number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its extension: `.constraint` for `.constraintUnique`.
    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

    /// SQLite's name of the primary code, and the number if the code is an extended one:
    /// `SQLITE_CONSTRAINT (2067)`.
    public var description: String {
        let name =
            ResultCode.primaryNames[rawValue & 0xff].map { "SQLITE_\($0)" } ?? "unknown result code"
        return ResultCode.primaryNames[rawValue] == nil ? "\(name) (\(rawValue))" : name
    }

    /// SQLite's own English text for the code.
    var standardMessage: String { String(cString: sqlite3_errstr(rawValue)) }

    /// True if the codes are equal, or if `pattern` is the primary code of `code`.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }

    private static let primaryNames: [Int32: String] = [
        0: "OK", 1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED",
        7: "NOMEM", 8: "READONLY", 9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND",
        13: "FULL", 14: "CANTOPEN", 15: "PROTOCOL", 16: "EMPTY", 17: "SCHEMA", 18: "TOOBIG",
        19: "CONSTRAINT", 20: "MISMATCH", 21: "MISUSE", 22: "NOLFS", 23: "AUTH", 24: "FORMAT",
        25: "RANGE", 26: "NOTADB", 27: "NOTICE", 28: "WARNING", 100: "ROW", 101: "DONE",
    ]
}
