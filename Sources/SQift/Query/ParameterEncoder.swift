import Foundation

extension Statement {
    /// Binds a value's properties to the parameters of the same names as its coding keys.
    ///
    /// A property of a type that isn't ``Bindable`` is stored as JSON text, unless the type wraps a
    /// single value. A property without a parameter is ignored.
    ///
    /// ```swift
    /// let insert = try connection.prepare("INSERT INTO cars VALUES(:name, :price)")
    /// try insert.bind(encoding: car).run()
    /// ```
    ///
    /// - Throws: As `bind(_:)` with names, so also for a parameter without a property, and
    ///   `EncodingError`.
    @discardableResult public func bind(encoding value: some Encodable) throws -> Statement {
        try bindNamed { try value.encode(to: ParameterEncoder(self, for: type(of: value))) }
    }
}

extension Connection {
    /// Runs one statement with a value's properties as its parameters; see
    /// ``Statement/bind(encoding:)``.
    ///
    /// - Returns: As `run(_:_:)`.
    @discardableResult public func run(_ sql: SQL, encoding value: some Encodable) throws -> Int {
        try withCachedStatement(sql, binding: { try $0.bind(encoding: value) }) {
            try $0.runCountingChanges()
        }
    }

    /// Runs one query with a value's properties as its parameters, such as an INSERT … RETURNING;
    /// see ``Statement/bind(encoding:)``.
    public func query<Result: QueryResult>(
        _ sql: SQL,
        encoding value: some Encodable
    ) throws -> Result {
        try withCachedStatement(sql, binding: { try $0.bind(encoding: value) }) { try $0.query() }
    }
}

/// Binds each property to the parameter of its coding key.
private final class ParameterEncoder: Encoder, FlatCoding {
    let statement: Statement
    let type: any Encodable.Type

    init(_ statement: Statement, for type: any Encodable.Type) {
        self.statement = statement
        self.type = type
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ParameterContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        refusal("has no properties to name parameters by")
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        refusal("has no properties to name parameters by")
    }

    func refusal(_ problem: String) -> RefusingContainer<NoKey> {
        RefusingContainer(error: statement.bindingError("\(type) \(problem)"))
    }

    @inline(__always)
    func bind(_ key: some CodingKey, _ body: (ParameterSlot) throws -> Void) throws {
        _ = try statement.bindParameter(named: key.stringValue, body)
    }
}

/// The key of a container that refuses every key.
private enum NoKey: CodingKey {}

private struct ParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, FlatCoding {
    let encoder: ParameterEncoder

    func encodeNil(forKey key: Key) throws {
        try encoder.bind(key) { try $0.bindNull() }
    }

    // This one generic method is what the protocol's `encode` for Bool, String and each number
    // calls.

    @inline(__always)
    func encode<T: Encodable & Bindable>(_ value: T, forKey key: Key) throws {
        try encoder.bind(key) { try value.bind(to: $0) }
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.bind(key) { try ColumnEncoder($0, encoder: encoder).encode(value) }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    // The standard library's own forms of these leave nil out, but a parameter needs NULL.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        refusal(of: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        refusal(of: key)
    }

    /// A superclass binds to the same statement.
    func superEncoder() -> any Encoder {
        encoder
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        refusal(of: key)
    }

    private func refusal(of key: Key) -> RefusingContainer<NoKey> {
        encoder.refusal("must encode \(key.stringValue) as a value of a type of its own")
    }
}

/// Encodes a nested value: one that wraps a single value as that value, any other as JSON text.
private final class ColumnEncoder: Encoder, SingleValueEncodingContainer, FlatCoding {
    private let slot: ParameterSlot
    private let encoder: ParameterEncoder
    private var needsJSON = false

    init(_ slot: ParameterSlot, encoder: ParameterEncoder) {
        self.slot = slot
        self.encoder = encoder
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        needsJSON = true
        return encoder.refusal("").container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        needsJSON = true
        return encoder.refusal("")
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    func encodeNil() throws {
        try slot.bindNull()
    }

    func encode<T: Encodable>(_ value: T) throws {
        if let value = value as? any Bindable {
            return try value.bind(to: slot)
        }
        do {
            try value.encode(to: self)
        } catch  where needsJSON {
            // The container refused its first value. That only shows that the value needs JSON.
        }
        if needsJSON {
            let jsonEncoder = (encoder.type as? any ExpressibleByRow.Type)?.jsonEncoder ?? .forText
            try slot.bind(jsonEncoder.text(of: value))
        }
    }
}

/// A container in which nothing can be encoded.
private struct RefusingContainer<Key: CodingKey>: Encoder, KeyedEncodingContainerProtocol,
    UnkeyedEncodingContainer, SingleValueEncodingContainer, FlatCoding
{
    let error: SQLiteError

    var count: Int { 0 }

    func encodeNil() throws {
        throw error
    }

    func encodeNil(forKey key: Key) throws {
        throw error
    }

    func encode<T: Encodable>(_ value: T) throws {
        throw error
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        throw error
    }

    func container<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> {
        KeyedEncodingContainer(RefusingContainer<Other>(error: error))
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type
    ) -> KeyedEncodingContainer<Other> {
        container(keyedBy: type)
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Other> {
        container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        self
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self
    }

    func superEncoder() -> any Encoder {
        self
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        self
    }
}
