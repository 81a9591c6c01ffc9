internal import CSQift

/// One of SQLite's result codes, primary or extended.
///
/// In a pattern, a primary code matches each of its extended codes, so a `catch` can be as wide as
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
/// The primary codes have names, and so have the extended ones that programs decide by. For any
/// other one, write its number: `ResultCode(rawValue: 6922)`.
///
/// SQLite: [Result and Error Codes](https://sqlite.org/rescode.html)
public struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that SQLite uses: the primary code in the low eight bits, and the extension above
    /// them.
    public let rawValue: Int32

    /// Creates a code from SQLite's number, known or not.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its extension: `.constraint` for `.constraintUnique`.
    public var primary: ResultCode { ResultCode(rawValue & 0xff) }

    /// SQLite's name of the primary code, and the number if the code is an extended one:
    /// `SQLITE_CONSTRAINT (2067)`.
    public var description: String {
        let name = ResultCode.primaryNames[rawValue & 0xff] ?? "unknown result code"
        return ResultCode.primaryNames[rawValue] == nil ? "\(name) (\(rawValue))" : name
    }

    /// SQLite's own English text for the code.
    var standardMessage: String { String(cString: sqlite3_errstr(rawValue)) }

    /// True if the codes are equal, or if `pattern` is the primary code of `code`.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }

    private static let primaryNames: [Int32: String] = {
        let names =
            """
            OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT \
            NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS \
            AUTH FORMAT RANGE NOTADB NOTICE WARNING ROW DONE
            """
        let codes = Array(Int32(0)...28) + [100, 101]
        return Dictionary(
            uniqueKeysWithValues: zip(codes, names.split(separator: " ").map { "SQLITE_\($0)" })
        )
    }()
}
