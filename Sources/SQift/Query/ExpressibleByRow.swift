import Foundation

/// A type that is made from a row.
///
/// ```swift
/// struct Car: ExpressibleByRow {
///     let name: String
///     let price: Int?
///
///     init(row: Row) throws {
///         name = try row.get("name")
///         price = try row.get("price")
///     }
/// }
///
/// let cars: [Car] = try connection.query("SELECT name, price FROM cars")
/// ```
///
/// An error thrown by the initialiser comes out of the query unchanged, but that an
/// `ExtractionError` learns the number of its row. A type that is `Extractable` as well is read by
/// its `init(row:)` where it is a whole result, and as a value by `row.get(_:)`.
public protocol ExpressibleByRow: RowDecodable {
    /// Makes a value from a row, which is valid inside the initialiser only.
    init(row: Row) throws
}

extension ExpressibleByRow {
    /// Calls `init(row:)`.
    @inlinable public static func decode(from row: Row) throws -> Self {
        try Self(row: row)
    }
}

extension ExpressibleByRow where Self: Extractable {
    /// Calls `init(row:)`.
    @inlinable public static func decode(from row: Row) throws -> Self {
        try Self(row: row)
    }

    /// Calls `init(row:)`.
    @inlinable public static func decodeIfPresent(from row: Row) throws -> Self? {
        try Self(row: row)
    }
}

/// An error for an `init(row:)` to throw when the row doesn't make sense to it.
public struct ExpressibleByRowError: Error, CustomStringConvertible, LocalizedError {
    /// The type that couldn't be made.
    public let type: any ExpressibleByRow.Type
    /// The row's columns with their values.
    public let columns: [Row.Column]

    /// Creates an error about a type and the row it couldn't be made from.
    public init(type: any ExpressibleByRow.Type, row: Row) {
        self.type = type
        columns = row.columns
    }

    /// The whole error in one line.
    public var description: String {
        "ExpressibleByRowError: Failed to initialize \(type) from \(source)"
    }

    /// What failed.
    public var errorDescription: String? { "Failed to initialize \(type) from \(source)" }

    /// Why it failed.
    public var failureReason: String? { "\(type) could not be initialized from \(source)" }

    private var source: String {
        "Row with columns: [" + columns.map(\.description).joined(separator: ", ") + "]"
    }
}
