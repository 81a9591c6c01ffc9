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
/// A `Decodable` type needs no initialiser: each coding key is read from the column of that name,
/// case-insensitively for ASCII letters.
///
/// ```swift
/// struct Car: Decodable, ExpressibleByRow {
///     let name: String
///     let price: Int?
/// }
/// ```
///
/// If the initialiser throws, the query throws the same error; only an ``ExtractionError`` gets the
/// number of its row. If a type is also ``Extractable``, its `init(row:)` makes whole results, and
/// `row.get(_:)` reads it as a value.
public protocol ExpressibleByRow: RowDecodable {
    /// Makes a value from a row, which is valid inside the initialiser only.
    init(row: Row) throws

    /// For a `Decodable` type: whether the column of a key such as `modelYear` is `model_year`. For
    /// an `Encodable` type: whether its parameter may be `:model_year`, too. False by default.
    static var columnNamesAreSnakeCase: Bool { get }

    /// For a `Decodable` type: decodes a nested type from a column's JSON. By default it is a plain
    /// `JSONDecoder`.
    static var jsonDecoder: JSONDecoder { get }

    /// For an `Encodable` type: encodes a nested type as JSON, for `Statement.bind(encoding:)`. By
    /// default it sorts the keys.
    static var jsonEncoder: JSONEncoder { get }
}

extension ExpressibleByRow {
    /// By default, columns are named like the keys: false.
    public static var columnNamesAreSnakeCase: Bool { false }

    /// By default, a `JSONDecoder` without settings.
    public static var jsonDecoder: JSONDecoder { JSONDecoder() }

    /// By default, an encoder that sorts the keys.
    public static var jsonEncoder: JSONEncoder { .forText }

    @inlinable public static func decode(from row: Row) throws -> Self {
        try Self(row: row)
    }
}

extension ExpressibleByRow where Self: Decodable {
    /// Decodes the type from the columns that are named like its coding keys.
    ///
    /// An optional property is nil for NULL and for a missing column. The types that a column can
    /// be read as are read as ``Row/get(_:)`` does, any other type from JSON in a TEXT or a BLOB.
    ///
    /// - Throws: ``ExtractionError``, whose `codingPath` names the type and the key, and what the
    ///   type's own `init(from:)` throws, such as the `DecodingError` of a container of JSON that
    ///   it opens itself.
    @inlinable public init(row: Row) throws {
        var decoder = RowDecoder.borrow(for: Self.self, from: row)
        defer { RowDecoder.giveBack(&decoder, to: row) }
        try self.init(from: decoder)
    }
}

extension ExpressibleByRow where Self: Extractable {
    // The same once more: `Extractable` has one too, and the compiler couldn't choose.
    @inlinable public static func decode(from row: Row) throws -> Self {
        try Self(row: row)
    }

    /// Reads the row with `init(row:)`: there is always a value.
    @inlinable public static func decodeIfPresent(from row: Row) throws -> Self? {
        try Self(row: row)
    }
}
