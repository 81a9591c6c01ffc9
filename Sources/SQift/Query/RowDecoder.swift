import Foundation

/// Decodes a type from a row: each coding key from the column of that name.
///
/// `container(keyedBy:)` reads the row itself. A nested type is read from its column, as
/// `ColumnDecoder` says.
@usableFromInline final class RowDecoder: StatementCoder, Decoder, FlatCoding {
    let rowType: any ExpressibleByRow.Type
    private let columnNamesAreSnakeCase: Bool

    /// The statement that is at the row: it counts no reference, since what decodes the row has
    /// one. Nil for a row of no statement, and once the decoder was given up.
    @exclusivity(unchecked) private var statement: Uncounted<Statement>?
    @exclusivity(unchecked) private var generation = 0
    /// The row, if it isn't a statement's.
    private let otherRow: Row?
    /// The statement of a decoder that was given up.
    private weak var lastStatement: Statement?
    /// The error of a decoder that was given up, once its row is over.
    private var lastError: (any Error)?

    private init(for rowType: any ExpressibleByRow.Type, otherRow: Row? = nil) {
        self.rowType = rowType
        self.otherRow = otherRow
        columnNamesAreSnakeCase = rowType.columnNamesAreSnakeCase
        super.init(keepsContainer: otherRow == nil)
    }

    /// Takes the decoder of the row's statement, or makes one. `giveBack` must follow.
    @usableFromInline static func borrow(
        for rowType: any ExpressibleByRow.Type,
        from row: Row
    ) -> RowDecoder {
        guard let statement = row.statement else {
            return RowDecoder(for: rowType, otherRow: row)
        }
        let decoder =
            statement.borrowCoder { (decoder: RowDecoder) in decoder.rowType == rowType }
            ?? RowDecoder(for: rowType)
        decoder.statement = Uncounted(statement)
        decoder.generation = row.generation
        return decoder
    }

    /// Ends the decoding of a row.
    @usableFromInline static func giveBack(_ decoder: inout RowDecoder, to row: Row) {
        guard let statement = row.statement, !giveBack(&decoder, to: statement) else { return }
        decoder.lastError = decoder.overError
        decoder.lastStatement = statement
        decoder.statement = nil
    }

    @usableFromInline func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        container(keyedBy: type) { ownsCoder in
            ownsCoder
                ? KeyedDecodingContainer(RowContainer(self, owner: self))
                : KeyedDecodingContainer(RowContainer(self, owner: ()))
        }
    }

    @usableFromInline func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let problem = "a row has keys, which are its columns: it can't be decoded as a list"
        throw DecodingError.typeMismatch(
            rowType,
            DecodingError.Context(codingPath: [], debugDescription: problem)
        )
    }

    /// A type that wraps a single value is read from the first column.
    @usableFromInline func singleValueContainer() -> any SingleValueDecodingContainer {
        ColumnDecoder(decoder: self, index: 0, type: rowType, codingPath: [])
    }

    // MARK: The row

    /// Calls `body` with the row, which it mustn't keep.
    ///
    /// - Throws: An error if the decoder was kept, and its row is over.
    @inline(__always) func withRow<T>(_ body: (Row) throws -> T) throws -> T {
        guard let statement else { return try withOtherRow(body) }
        return try statement.with { statement in
            guard statement.generation == generation else { throw overError }
            return try body(Row(of: statement))
        }
    }

    @inline(never) private func withOtherRow<T>(_ body: (Row) throws -> T) throws -> T {
        if let lastStatement, lastStatement.generation == generation {
            return try body(Row(of: lastStatement))
        }
        guard let otherRow, otherRow.isCurrent else { throw lastError ?? overError }
        return try body(otherRow)
    }

    /// The error for a row that is over.
    private var overError: any Error {
        let sql = statement?.object.sql ?? otherRow?.sql
        return misuse("\(rowType) was decoded further after its init(from:)", sql: sql)
    }

    /// The column of a key; nil if there is none.
    @inline(__always) func index(of key: some CodingKey, in row: Row) -> Int? {
        columnNamesAreSnakeCase
            ? row.optionalIndex(ofSnakeCase: key.stringValue)
            : row.optionalIndex(of: key.stringValue)
    }

    /// The usual spellings of a column's key. A type of keys can't be asked for the keys that it
    /// has, but whether it has one.
    func possibleKeys(of column: String) -> [String] {
        columnNamesAreSnakeCase
            ? column.namesFromSnakeCase + [column]
            : [column, column.prefix(1).lowercased() + column.dropFirst(), column.lowercased()]
    }

    /// Reads a column as a type of the library's, or as one that is nested in the row.
    // Dates are the most common of these. Code of their own spares them the search for their
    // conformance, and finding out at run time what `T?` is, which all of the code inside needs.
    @_specialize(where T == Date)
    func decode<T: Decodable>(
        _ type: T.Type,
        from row: Row,
        at index: Int,
        _ codingPath: @autoclosure () -> [any CodingKey]
    ) throws -> T {
        @inline(never) func decode() throws -> T {
            if type == Date.self, let date = try Date.decode(from: row, at: index) as? T {
                return date
            }
            if let column = type as? any ColumnDecodable.Type,
                let value = try column.decode(from: row, at: index) as? T
            {
                return value
            }
            if type == [UInt8].self {
                return try row.convert(at: index) { $0.dataValue.map(Array.init) as? T }
            }
            do {
                return try T(
                    from: ColumnDecoder(
                        decoder: self,
                        index: index,
                        type: type,
                        codingPath: codingPath()
                    )
                )
            } catch let error as DecodingError {
                let value = try? row.bindingValue(at: index)
                throw row.extractionError(.mismatch, type, at: index, value: value, cause: error)
            }
        }
        return try decode()
    }

    /// Names the type and the key in an `ExtractionError`.
    func adding(_ key: any CodingKey, to error: any Error) -> any Error {
        guard var error = error as? ExtractionError, error.codingPath == nil else { return error }
        error.codingPath = "\(rowType).\(key.stringValue)"
        return error
    }

    /// The error for a key without a column.
    func missingColumnError(_ key: any CodingKey, of row: Row, for type: Any.Type) -> any Error {
        let name = columnNamesAreSnakeCase ? key.stringValue.inSnakeCase : key.stringValue
        return row.missingColumnError(name, for: type)
    }
}

/// Decodes a nested type from a column: a type that wraps a single value from the column's value,
/// any other type from JSON in a TEXT or a BLOB.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer, FlatCoding {
    let decoder: RowDecoder
    let index: Int
    /// The nested type, for errors; nil if only its own code knows it.
    let type: Any.Type?
    let codingPath: [any CodingKey]

    func singleValueContainer() -> any SingleValueDecodingContainer {
        self
    }

    func decodeNil() -> Bool {
        do {
            return try decoder.withRow { (try? $0.isNull(at: index, as: Any.self)) ?? true }
        } catch {
            return false
        }
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try reading { try decoder.decode(type, from: $0, at: index, codingPath) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try decodeJSON(JSONObject<Key>.self).container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decodeJSON(JSONArray.self).container
    }

    private func decodeJSON<T: Decodable>(_ container: T.Type) throws -> T {
        try reading { row in
            try row.convert(at: index, as: type ?? container, form: "JSON") { value in
                try value.bytes.map {
                    try decoder.rowType.jsonDecoder.decode(container, from: $0)
                }
            }
        }
    }

    private func reading<T>(_ body: (Row) throws -> T) throws -> T {
        do {
            return try decoder.withRow(body)
        } catch {
            throw codingPath.first.map { decoder.adding($0, to: error) } ?? error
        }
    }
}

// A decoder mustn't be used after the call that received it, but its containers may be. Errors name
// these types if nothing else is known.

private struct JSONObject<Key: CodingKey>: Decodable {
    let container: KeyedDecodingContainer<Key>

    init(from decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Key.self)
    }
}

private struct JSONArray: Decodable {
    let container: any UnkeyedDecodingContainer

    init(from decoder: any Decoder) throws {
        container = try decoder.unkeyedContainer()
    }
}
