import Foundation

/// What SQLite, or SQift before it reached SQLite, says went wrong.
///
/// ```swift
/// do {
///     try connection.execute("SELEC 1")
/// } catch let error as SQLiteError {
///     print(error)  // SQLITE_ERROR: near "SELEC": syntax error, at byte 0 of: SELEC 1
/// }
/// ```
///
/// https://sqlite.org/rescode.html
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The result code with its extension, such as `.constraintUnique`.
    public let extendedResultCode: ResultCode

    /// What happened, in one sentence.
    public var message: String

    /// The SQL with its placeholders, where there is any. Bound values are never part of an error.
    public let sql: String?

    /// The byte in `sql`, from 0, at which the offending token begins, where SQLite knows it.
    ///
    /// In an error of `execute(_:)` it is where the statement begins that failed, if SQLite knows
    /// no token.
    public let offset: Int?

    /// Creates an error, for a function or a caller to throw.
    ///
    /// - Parameters:
    ///   - code: A primary or extended result code.
    ///   - message: What happened; SQLite's own words for the code by default.
    ///   - sql: The SQL it happened in.
    ///   - offset: The byte in `sql` that it is about.
    public init(code: ResultCode, message: String? = nil, sql: String? = nil, offset: Int? = nil) {
        extendedResultCode = code
        (self.message, self.sql, self.offset) = (message ?? code.standardMessage, sql, offset)
    }

    /// The result code without its extension, such as `.constraint`.
    public var resultCode: ResultCode { extendedResultCode.primary }

    /// The number of the result code without its extension, as SQift 5.1 had it.
    public var code: Int32 { resultCode.rawValue }

    /// SQLite's name for `code`, such as `SQLITE_CONSTRAINT`.
    public var codeDescription: String { resultCode.description }

    /// The whole error in one line.
    public var description: String {
        var text = "\(extendedResultCode): \(message.inOneLine)"
        guard let sql else { return text }
        if let offset {
            text += ", at byte \(offset)"
        }
        text += offset == nil ? ", in: " : " of: "
        return text + sql.excerpt(around: offset ?? 0)
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension SQLiteError {
    static func misuse(_ message: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(code: .misuse, message: message, sql: sql)
    }

    static let connectionIsClosed = misuse("connection is closed")

    /// What SQLite's message leaves out where it can't create a `-wal` or a journal beside a file.
    ///
    /// https://sqlite.org/wal.html#read_only_databases
    static let unwritableFolderAdvice = """
        ; where the folder can't be written, a database in WAL mode can be read as a copy elsewhere, \
        or, if nobody writes it, as immutable: Database.Configuration.accessMode, or \
        file:…?immutable=1
        """
}
