import Foundation

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

    private var source: String { "Row with columns: \(columns)" }
}
