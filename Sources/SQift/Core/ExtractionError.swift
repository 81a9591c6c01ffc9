import Foundation

/// A column that can't be read as the type that was asked for.
///
/// It says which column, what SQLite holds there and what was expected:
/// `column 1 (price): TEXT can't be read as Int, in: SELECT name, price FROM cars`.
public struct ExtractionError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// Why a value can't be read.
    public enum Reason: Sendable, Hashable {
        /// The query gave no row, and the result isn't optional.
        case noRow
        /// The row has no such column.
        case noColumn
        /// The value is NULL, and the type isn't optional.
        case null
        /// The storage class doesn't fit the type, or the type refused the value.
        case mismatch
        /// The number is out of the type's range, or has a fraction.
        case notExact
    }

    /// Why the value can't be read.
    public let reason: Reason
    /// The column's name, or the name asked for.
    public let column: String?
    /// The column's index, or that of an SQL function's argument, from 0.
    public let index: Int?
    /// The number of the row in the result, from 1, where a whole result was being read.
    public internal(set) var row: Int?
    /// How SQLite stores the value: https://sqlite.org/datatype3.html
    public let storageClass: Row.Column.DataType?
    /// The name of the Swift type that was expected.
    public let expectedType: String
    /// The SQL with its placeholders; nil for an argument of an SQL function.
    public let sql: String?

    init(
        _ reason: Reason,
        expected: Any.Type,
        column: String? = nil,
        index: Int? = nil,
        storageClass: Row.Column.DataType? = nil,
        sql: String?
    ) {
        (self.reason, self.column, self.index, self.storageClass) = (
            reason, column, index, storageClass
        )
        (expectedType, self.sql) = ("\(expected)", sql)
    }

    /// Whether it is about an argument of an SQL function: a column comes from SQL.
    var isAboutArgument: Bool { sql == nil }

    /// The whole error in one line.
    public var description: String {
        var place = row.map { "row \($0), " } ?? ""
        if let index, isAboutArgument {
            place += "argument \(index + 1): "
        } else if let index {
            place += "column \(index)" + (column.map { " (\($0.excerpt(around: 0)))" } ?? "") + ": "
        }
        let sql = sql.map { ", in: \($0.excerpt(around: 0))" } ?? ""
        return place + problem + sql
    }

    private var problem: String {
        let stored = storageClass?.sqlName ?? "the value"
        switch reason {
        case .noRow:
            return
                "no row to read \(expectedType) from; ask for \(expectedType)? where there may be none"
        case .noColumn:
            if isAboutArgument { return "the function has no such argument" }
            return index == nil
                ? "no column is named \"\((column ?? "").excerpt(around: 0))\""
                : "the row has no such column"
        case .null:
            return
                "NULL can't be read as \(expectedType); ask for \(expectedType)? where it may be NULL"
        case .mismatch: return "\(stored) can't be read as \(expectedType)"
        case .notExact: return "\(stored) doesn't fit \(expectedType) exactly"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
