/// An error from SQLite, or one that SQift detected first.
///
/// ```swift
/// do {
///     try connection.execute("SELEC 1")
/// } catch let error as SQLiteError {
///     print(error)  // SQLITE_ERROR: near "SELEC": syntax error, at byte 0 of: SELEC 1
/// }
/// ```
///
/// Decide by a code, never by the message. The extended code says which constraint was violated:
///
/// ```swift
/// do {
///     try connection.run("INSERT INTO users(email) VALUES(?)", email)
/// } catch let error as SQLiteError where error.extendedResultCode == .constraintUnique {
///     print("that address is taken")
/// }
/// ```
///
/// ``resultCode`` is `.constraint` for every kind.
///
/// SQLite: [Result and Error Codes](https://sqlite.org/rescode.html)
public struct SQLiteError: ReasonedError, Hashable {
    /// The result code with its extension, such as `.constraintUnique`.
    public let extendedResultCode: ResultCode

    /// The description of the error, in one sentence.
    public var message: String

    /// The SQL with its placeholders, if there is any.
    ///
    /// SQift adds no bound value to an error. SQLite's ``message`` can quote a part of one: of a
    /// full-text search (`MATCH ?`), of a JSON path, or the path of an `ATTACH`.
    public let sql: String?

    /// The byte in ``sql``, from 0, at which the wrong token begins, if SQLite knows it.
    ///
    /// In an error of `execute(_:)` it may also be the byte at which the failed statement begins.
    public let offset: Int?

    /// Creates an error, for an SQL function or a caller to throw.
    ///
    /// - Parameters:
    ///   - code: A primary or extended result code.
    ///   - message: The description of the error; SQLite's words for the code by default.
    ///   - sql: The SQL it happened in.
    ///   - offset: The byte in `sql` at which the wrong token begins.
    public init(code: ResultCode, message: String? = nil, sql: String? = nil, offset: Int? = nil) {
        extendedResultCode = code
        self.message = message ?? code.standardMessage
        self.sql = sql
        self.offset = offset
    }

    /// The result code without its extension, such as `.constraint`.
    public var resultCode: ResultCode { extendedResultCode.primary }

    /// The number of the result code without its extension, as SQift 5.1 had it.
    public var code: Int32 { resultCode.rawValue }

    /// SQLite's name for ``code``, such as `SQLITE_CONSTRAINT`.
    public var codeDescription: String { resultCode.description }

    public var description: String {
        let text = "\(extendedResultCode): \(message.inOneLine)"
        guard let sql else { return text }
        let position = offset.map { "at byte \($0) of" } ?? "in"
        return "\(text), \(position): \(sql.excerpt(around: offset ?? 0))"
    }
}

/// The error of a call that can't be made, or not now.
func misuse(_ message: String, sql: SQL? = nil) -> SQLiteError {
    SQLiteError(code: .misuse, message: message, sql: sql)
}

extension SQLiteError {
    static let connectionIsClosed = misuse("connection is closed")
}
