import Foundation

/// A column that can't be read as the type that was asked for.
///
/// It says which column it is, how SQLite stores the value, and which type was expected:
/// `column 1 (price): TEXT can't be read as Int, in: SELECT name, price FROM cars`. It doesn't
/// contain the value, but ``underlyingError`` may.
public struct ExtractionError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// Why a value can't be read.
    public enum Reason: Sendable {
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
    public internal(set) var column: String?
    /// The column's index, or that of an SQL function's argument, from 0.
    public internal(set) var index: Int?
    /// The number of the row in the result, from 1, if a whole result was being read.
    public internal(set) var row: Int?
    /// The `Decodable` type and its key, such as `Car.price`, if one was being decoded.
    public internal(set) var codingPath: String?
    /// The row's columns, if the column that was asked for isn't one of them.
    public internal(set) var availableColumns: [String] = []
    /// How SQLite stores the value.
    ///
    /// SQLite: [Datatypes In SQLite](https://sqlite.org/datatype3.html)
    public internal(set) var storageClass: Row.Column.DataType?
    /// The name of the Swift type that was expected.
    public let expectedType: String
    /// The form of a value of that type, if the storage class alone doesn't say it.
    public internal(set) var expectedForm: String?
    /// The SQL with its placeholders; nil for an argument of an SQL function.
    public let sql: String?
    var cause: Cause?

    /// The error of the type's own decoding: a `DecodingError` for a type that is stored as JSON.
    /// It may quote the value. `==` doesn't compare it.
    public var underlyingError: (any Error)? { cause?.error }

    /// Whether the error is about an argument of an SQL function. A column comes from SQL, an
    /// argument doesn't.
    var isAboutArgument: Bool { sql == nil }

    /// The whole error in one line.
    public var description: String {
        var location = row.map { "row \($0), " } ?? ""
        location += codingPath.map { "\($0), " } ?? ""
        if let index, isAboutArgument {
            location += "argument \(index + 1): "
        } else if let index {
            let name = column.map { " (\($0.excerpt(around: 0)))" } ?? ""
            location += "column \(index)\(name): "
        }
        let sql = sql.map { ", in: \($0.excerpt(around: 0))" } ?? ""
        return location + problem + sql
    }

    private var problem: String {
        let stored = storageClass?.sqlName ?? "the value"
        switch reason {
        case .noRow:
            return """
                no row to read \(expectedType) from; ask for \(expectedType)? where there may be \
                none
                """
        case .noColumn: return missingColumn
        case .null:
            return """
                NULL can't be read as \(expectedType); ask for \(expectedType)? where it may be NULL
                """
        case .mismatch:
            let decoding = (underlyingError as? DecodingError).map { ": \($0.withoutValues)" }
            let form = expectedForm.map { "; expected: \($0)" }
            return "\(stored) can't be read as \(expectedType)" + (decoding ?? form ?? "")
        case .notExact: return "\(stored) doesn't fit \(expectedType) exactly"
        }
    }

    private var missingColumn: String {
        if isAboutArgument {
            return "the function has no such argument"
        }
        let columns = availableColumns.joined(separator: ", ").excerpt(around: 0)
        guard index == nil else {
            let count = availableColumns.count.counted("column")
            return "the row has no such column; it has \(count): \(columns)"
        }
        return "no column is named \"\((column ?? "").excerpt(around: 0))\"; there are: \(columns)"
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Errors in general can't be compared, so any two causes are equal.
    struct Cause: Sendable, Hashable {
        let error: any Error

        static func == (one: Cause, other: Cause) -> Bool {
            true
        }

        func hash(into hasher: inout Hasher) {}
    }
}

extension DecodingError {
    /// The problem and its place, without the values that the error's own description may quote.
    fileprivate var withoutValues: String {
        switch self {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): "\(path(context.codingPath)) is null"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) isn't \(type)"
        // Either it isn't JSON, or the type refuses the value by itself.
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "it isn't JSON of this type"
        case .dataCorrupted(let context): "\(path(context.codingPath)) can't be decoded"
        @unknown default: "it can't be decoded"
        }
    }

    /// The path of keys, such as `addresses.….city`. A dictionary's keys are data, so they are
    /// left out.
    private func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "it" }
        let parts = keys.map { key in
            if key.isCase {
                return key.stringValue
            }
            return key.intValue.map { "\($0)" } ?? "…"
        }
        return parts.joined(separator: ".")
    }
}
