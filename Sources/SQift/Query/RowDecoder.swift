import Foundation

/// Decodes a type from a row: each coding key from the column of that name.
///
/// `container(keyedBy:)` reads the row itself. A nested type is read from its column, as
/// `ColumnDecoder` says.
@usableFromInline final class RowDecoder: Decoder, FlatCoding {
    let row: Row
    let rowType: any ExpressibleByRow.Type
    private let columnNamesAreSnakeCase: Bool

    @usableFromInline init(_ row: Row, for rowType: any ExpressibleByRow.Type) {
        self.row = row
        self.rowType = rowType
        columnNamesAreSnakeCase = rowType.columnNamesAreSnakeCase
    }

    @usableFromInline func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowContainer(decoder: self))
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

    /// The column of a key; nil if there is none.
    @inline(__always) func index(of key: some CodingKey) -> Int? {
        columnNamesAreSnakeCase
            ? row.optionalIndex(ofSnakeCase: key.stringValue)
            : row.optionalIndex(of: key.stringValue)
    }

    /// The usual spellings of a column's key. A type of keys can't be asked for the keys that it
    /// has, but whether it has one.
    func possibleKeys(of column: String) -> [String] {
        columnNamesAreSnakeCase
            ? [column.fromSnakeCase, column]
            : [column, column.prefix(1).lowercased() + column.dropFirst(), column.lowercased()]
    }

    /// Throws if the decoder was kept, and its row is over.
    func checkRow() throws {
        guard row.isCurrent else {
            throw misuse(
                "\(rowType) was decoded further after its init(from:)",
                sql: row.sql
            )
        }
    }

    /// Reads a column as a type of the library's, or as one that is nested in the row.
    // Dates are the most common of these. Code of their own spares them the search for their
    // conformance, and finding out at run time what `T?` is, which all of the code inside needs.
    @_specialize(where T == Date)
    func decode<T: Decodable>(
        _ type: T.Type,
        at index: Int,
        _ codingPath: @autoclosure () -> [any CodingKey]
    ) throws -> T {
        @inline(never) func decode() throws -> T {
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
    func missingColumnError(_ key: any CodingKey, for type: Any.Type) -> ExtractionError {
        let name = columnNamesAreSnakeCase ? key.stringValue.inSnakeCase : key.stringValue
        return row.missingColumnError(name, for: type)
    }
}

/// The columns of a row by their keys.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol, FlatCoding {
    let decoder: RowDecoder

    /// The keys of the columns. If the keys are cases, those of NULL columns are left out, which
    /// lets an enum with associated values have a column for each of its cases.
    var allKeys: [Key] {
        guard decoder.row.isCurrent else { return [] }
        return decoder.row.columnNames.enumerated().compactMap { index, name in
            let key = decoder.possibleKeys(of: name).lazy.compactMap(Key.init(stringValue:))
                .first { decoder.index(of: $0) == index }
            let isNull = try? decoder.row.isNull(at: index, as: Key.self)
            return isNull == true && key?.isCase == true ? nil : key
        }
    }

    /// It is true, too, if the decoder was kept and its row is over: `decode` then says so.
    func contains(_ key: Key) -> Bool {
        !decoder.row.isCurrent || decoder.index(of: key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try reading(key, as: Any?.self) { try decoder.row.isNull(at: $0, as: Any?.self) }
    }

    // This one generic method is what the protocol's `decode` for Bool, String and each number
    // calls.

    @inline(__always)
    func decode<T: Decodable & ColumnDecodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try reading(key) { try T.decode(from: decoder.row, at: $0) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try reading(key) { try decoder.decode(type, at: $0, [key]) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    /// A superclass reads the same row.
    func superDecoder() -> any Decoder {
        decoder
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try reading(key, as: Any.self) {
            ColumnDecoder(decoder: decoder, index: $0, type: nil, codingPath: [key])
        }
    }

    /// Calls `body` with the column of a key.
    @inline(__always) private func reading<T>(
        _ key: Key,
        as type: Any.Type = T.self,
        _ body: (Int) throws -> T
    ) throws -> T {
        try decoder.checkRow()
        do {
            guard let index = decoder.index(of: key) else {
                throw decoder.missingColumnError(key, for: type)
            }
            return try body(index)
        } catch {
            throw decoder.adding(key, to: error)
        }
    }
}

/// Decodes a nested type from a column: a type that wraps a single value from the column's value,
/// any other type from JSON in a TEXT or a BLOB.
private struct ColumnDecoder: Decoder, SingleValueDecodingContainer, FlatCoding {
    let decoder: RowDecoder
    let index: Int
    /// The nested type, for errors; nil if only its own code knows it.
    let type: Any.Type?
    let codingPath: [any CodingKey]

    func singleValueContainer() -> any SingleValueDecodingContainer {
        self
    }

    func decodeNil() -> Bool {
        decoder.row.isCurrent && (try? decoder.row.isNull(at: index, as: Any.self)) ?? true
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try namingKey { try decoder.decode(type, at: index, codingPath) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try decodeJSON(JSONObject<Key>.self).container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decodeJSON(JSONArray.self).container
    }

    private func decodeJSON<T: Decodable>(_ container: T.Type) throws -> T {
        try namingKey {
            try decoder.row.convert(at: index, as: type ?? container, form: "JSON") { value in
                try value.bytes.map {
                    try decoder.rowType.jsonDecoder.decode(container, from: $0)
                }
            }
        }
    }

    private func namingKey<T>(_ body: () throws -> T) throws -> T {
        do {
            try decoder.checkRow()
            return try body()
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
