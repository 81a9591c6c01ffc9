/// A type that a whole result can be read as.
///
/// You don't conform to this protocol yourself: conform to ``Extractable`` for a value or to
/// ``ExpressibleByRow`` for a row. SQift then reads the type, its optional and its array, and a
/// dictionary from two columns. The type that you assign a query to picks the shape:
///
/// ```swift
/// let count: Int = try connection.query("SELECT count(*) FROM cars")
/// let first: String? = try connection.query("SELECT name FROM cars ORDER BY price")
/// let names: [String] = try connection.query("SELECT name FROM cars")
/// let prices: [String: Int] = try connection.query("SELECT name, price FROM cars")
/// ```
public protocol QueryResult: NonisolatedConformance {
    /// Reads the rows of a statement that is before its first row.
    static func collect(from statement: Statement) throws -> Self
}

/// A type that one row can be read as.
public protocol RowDecodable: QueryResult {
    /// Reads a row.
    static func decode(from row: Row) throws -> Self

    /// Reads a row. Returns nil if a single value is read and it is NULL.
    static func decodeIfPresent(from row: Row) throws -> Self?
}

extension RowDecodable {
    /// Reads the first row.
    ///
    /// - Throws: ``ExtractionError`` if there is none.
    @inlinable public static func collect(from statement: Statement) throws -> Self {
        guard let result = try statement.first(decode) else {
            throw statement.noRowError(for: Self.self)
        }
        return result
    }

    /// Reads a row; there is always a value.
    @inlinable public static func decodeIfPresent(from row: Row) throws -> Self? {
        try decode(from: row)
    }
}

extension Statement {
    @usableFromInline func noRowError(for type: Any.Type) -> ExtractionError {
        ExtractionError(reason: .noRow, expectedType: "\(type)", sql: sql)
    }
}
