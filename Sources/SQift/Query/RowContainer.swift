/// The columns of a row by their keys.
///
/// `Owner` is the decoder, or nothing if the decoder keeps the container. The standard library
/// copies the container for each key, which then counts no reference.
struct RowContainer<Key: CodingKey, Owner>: KeyedDecodingContainerProtocol, FlatCoding {
    private let uncountedDecoder: Uncounted<RowDecoder>
    private let owner: Owner

    init(_ decoder: RowDecoder, owner: Owner) {
        uncountedDecoder = Uncounted(decoder)
        self.owner = owner
    }

    private var decoder: RowDecoder { uncountedDecoder.object }

    /// The keys of the columns. If the keys are cases, those of NULL columns are left out, which
    /// lets an enum with associated values have a column for each of its cases.
    var allKeys: [Key] {
        let keys = try? decoder.withRow { row in
            row.columnNames.enumerated().compactMap { index, name in
                let key = decoder.possibleKeys(of: name).lazy.compactMap(Key.init(stringValue:))
                    .first { decoder.index(of: $0, in: row) == index }
                let isNull = try? row.isNull(at: index, as: Key.self)
                return isNull == true && key?.isCase == true ? nil : key
            }
        }
        return keys ?? []
    }

    /// It is true, too, if the decoder was kept and its row is over: `decode` then says so.
    func contains(_ key: Key) -> Bool {
        let contains = try? decoder.withRow { decoder.index(of: key, in: $0) != nil }
        return contains ?? true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try reading(key, as: Any?.self) { try $1.isNull(at: $2, as: Any?.self) }
    }

    // This one generic method is what the protocol's `decode` for Bool, String and each number
    // calls.

    @inline(__always)
    func decode<T: Decodable & ColumnDecodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try reading(key) { try T.decode(from: $1, at: $2) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try reading(key) { try $0.decode(type, from: $1, at: $2, [key]) }
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
        try reading(key, as: Any.self) { decoder, _, index in
            ColumnDecoder(decoder: decoder, index: index, type: nil, codingPath: [key])
        }
    }

    /// Calls `body` with the row and the column of a key.
    @inline(__always) private func reading<T>(
        _ key: Key,
        as type: Any.Type = T.self,
        _ body: (RowDecoder, Row, Int) throws -> T
    ) throws -> T {
        try readingIfThere(key) { decoder, row, index in
            guard let index else {
                throw decoder.missingColumnError(key, of: row, for: type)
            }
            return try body(decoder, row, index)
        }
    }

    /// Calls `body` with the row and the column of a key; nil if there is none.
    @inline(__always) private func readingIfThere<T>(
        _ key: Key,
        _ body: (RowDecoder, Row, Int?) throws -> T
    ) throws -> T {
        try uncountedDecoder.with { decoder in
            do {
                return try decoder.withRow { row in
                    try body(decoder, row, decoder.index(of: key, in: row))
                }
            } catch {
                throw decoder.adding(key, to: error)
            }
        }
    }

    // MARK: Optional properties

    // The protocol's own methods look for the column three times. They do for the other types.

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readingIfPresent(key) { try Bool.decode(from: $1, at: $2) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readingIfPresent(key) { try String.decode(from: $1, at: $2) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readingIfPresent(key) { try Double.decode(from: $1, at: $2) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readingIfPresent(key) { try Int.decode(from: $1, at: $2) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readingIfPresent(key) { try Int64.decode(from: $1, at: $2) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try readingIfPresent(key) { try $0.decode(type, from: $1, at: $2, [key]) }
    }

    /// Calls `body` as `reading` does. Returns nil for NULL and for a missing column.
    @inline(__always) private func readingIfPresent<T>(
        _ key: Key,
        _ body: (RowDecoder, Row, Int) throws -> T
    ) throws -> T? {
        try readingIfThere(key) { decoder, row, index in
            guard let index, try !row.isNull(at: index, as: T.self) else { return nil }
            return try body(decoder, row, index)
        }
    }
}
