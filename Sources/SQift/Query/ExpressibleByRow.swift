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
/// The query throws an error of the initialiser unchanged; only an `ExtractionError` gets the
/// number of its row. If a type is also `Extractable`, its `init(row:)` makes whole results, and
/// `row.get(_:)` reads it as a value.
public protocol ExpressibleByRow: RowDecodable {
    /// Makes a value from a row, which is valid inside the initialiser only.
    init(row: Row) throws
}

extension ExpressibleByRow {
    @inlinable public static func decode(from row: Row) throws -> Self {
        try Self(row: row)
    }
}

extension ExpressibleByRow where Self: Extractable {
    @inlinable public static func decode(from row: Row) throws -> Self {
        try Self(row: row)
    }

    /// Reads the row with `init(row:)`: there is always a value.
    @inlinable public static func decodeIfPresent(from row: Row) throws -> Self? {
        try Self(row: row)
    }
}

/// An error for an `init(row:)` to throw if it can't use the row.
public struct ExpressibleByRowError: Error, CustomStringConvertible, LocalizedError {
    /// The type that couldn't be initialized.
    public let type: any ExpressibleByRow.Type
    /// The row's columns and their values.
    public let columns: [Row.Column]

    /// Creates an error about a type and the row that it couldn't be initialized from.
    public init(type: any ExpressibleByRow.Type, row: Row) {
        self.type = type
        columns = row.columns
    }

    public var description: String {
        "ExpressibleByRowError: Failed to initialize \(type) from \(source)"
    }

    public var errorDescription: String? { "Failed to initialize \(type) from \(source)" }

    public var failureReason: String? { "\(type) could not be initialized from \(source)" }

    private var source: String {
        "Row with columns: [" + columns.map(\.description).joined(separator: ", ") + "]"
    }
}
