import Foundation

extension Statement {
    /// Binds a value's properties to the parameters of the same names as its coding keys.
    ///
    /// A property of a type that isn't ``Bindable`` is stored as JSON text, unless the type wraps a
    /// single value. A property without a parameter is ignored, and one that isn't encoded, as nil
    /// isn't, is NULL.
    ///
    /// ```swift
    /// let insert = try connection.prepare("INSERT INTO cars VALUES(:name, :price)")
    /// try insert.bind(encoding: car).run()
    /// ```
    ///
    /// - Throws: As `bind(_:)` with names, so also for a parameter without a property, and
    ///   `EncodingError`.
    @discardableResult public func bind(encoding value: some Encodable) throws -> Statement {
        let encoder = ParameterEncoder(self, for: type(of: value))
        // The type's own `encode(to:)` may keep it.
        defer { encoder.problem = "was encoded further after its encode(to:)" }
        return try bindNamed(unsetIsNull: encoder.hasProperty) { try value.encode(to: encoder) }
    }
}

extension Connection {
    /// Runs one statement with a value's properties as its parameters; see
    /// ``Statement/bind(encoding:)``.
    ///
    /// - Returns: As `run(_:_:)`.
    @discardableResult public func run(_ sql: SQL, encoding value: some Encodable) throws -> Int {
        try withCachedStatement(sql) { try $0.bind(encoding: value).runCountingChanges() }
    }

    /// Runs one query with a value's properties as its parameters, such as an INSERT … RETURNING;
    /// see ``Statement/bind(encoding:)``.
    public func query<Result: QueryResult>(
        _ sql: SQL,
        encoding value: some Encodable
    ) throws -> Result {
        try withCachedStatement(sql) { try $0.bind(encoding: value).query() }
    }
}

/// Binds each property to the parameter of its coding key.
///
/// It is also the container of what isn't a property, in which nothing can be encoded.
private final class ParameterEncoder: Encoder, UnkeyedEncodingContainer,
    SingleValueEncodingContainer, FlatCoding
{
    private let statement: Statement
    private let type: any Encodable.Type
    /// The types of keys that properties were encoded by: a type's own, and its superclasses'.
    private var keyTypes: [any CodingKey.Type] = []
    /// Why nothing can be encoded.
    var problem: String?

    init(_ statement: Statement, for type: any Encodable.Type, problem: String? = nil) {
        self.statement = statement
        self.type = type
        self.problem = problem
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        keyTypes.append(type)
        return KeyedEncodingContainer(ParameterContainer(encoder: self))
    }

    /// Whether the type has a property whose name has these bytes. The keys of a dictionary take
    /// any name, and tell nothing.
    func hasProperty(named name: String) -> Bool {
        keyTypes.contains { keys in
            let key = keys.init(stringValue: name)
            return key?.stringValue.hasSameBytes(as: name) == true
                && keys.init(stringValue: "") == nil
        }
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        refusing()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        refusing()
    }

    func refusing(
        because newProblem: String = "has no properties to name parameters by"
    ) -> ParameterEncoder {
        ParameterEncoder(statement, for: type, problem: problem ?? newProblem)
    }

    private func checkProblem() throws {
        if let problem {
            throw statement.misuse("\(type) \(problem)")
        }
    }

    @inline(__always)
    func bind(_ key: some CodingKey, _ body: (borrowing ParameterSlot) throws -> Void) throws {
        try checkProblem()
        _ = try statement.bindParameter(named: key.stringValue, body)
    }

    /// What a nested value is stored as: a single value that it wraps as that value, any other as
    /// JSON text.
    // The most common of these types have code of their own, which needn't search for their
    // conformance.
    @_specialize(where T == Data)
    @_specialize(where T == Date)
    func stored<T: Encodable>(_ value: T) throws -> any Bindable {
        if let value = value as? any Bindable {
            return value
        }
        let nested = NestedValue(value)
        let jsonEncoder = (type as? any ExpressibleByRow.Type)?.jsonEncoder ?? .forText
        // Without JSON the encoder fails, after the value has encoded a single one.
        let text = Result { try jsonEncoder.text(of: nested) }
        return try nested.single ?? text.get()
    }

    // MARK: Nothing can be encoded

    var count: Int { 0 }

    func encodeNil() throws {
        try checkProblem()
    }

    func encode(_ value: some Encodable) throws {
        try checkProblem()
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        self
    }

    func superEncoder() -> any Encoder {
        self
    }
}

private struct ParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, FlatCoding {
    let encoder: ParameterEncoder

    func encodeNil(forKey key: Key) throws {
        try encoder.bind(key) { try $0.bindNull() }
    }

    // This one generic method is what the protocol's `encode` for Bool, String and each number
    // calls.

    @inline(__always)
    func encode(_ value: some Encodable & Bindable, forKey key: Key) throws {
        try encoder.bind(key) { try value.bind(to: $0) }
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder.bind(key) { try encoder.stored(value).bind(to: $0) }
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

    private func refusal(of key: Key) -> ParameterEncoder {
        encoder.refusing(because: "must encode \(key.stringValue) as a value of a type of its own")
    }
}

/// A nested value for the JSON encoder. If it encodes itself as a single value, there is no JSON.
private final class NestedValue: Encodable {
    private let value: any Encodable
    var single: (any Bindable)?

    init(_ value: any Encodable) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: NestedEncoder(nested: self, json: encoder))
    }
}

private struct NestedEncoder: Encoder, SingleValueEncodingContainer, FlatCoding {
    let nested: NestedValue
    let json: any Encoder

    var userInfo: [CodingUserInfoKey: Any] { json.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        json.container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        json.unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    func encodeNil() throws {
        nested.single = NSNull()
    }

    func encode(_ value: some Encodable) throws {
        if let value = value as? any Bindable {
            nested.single = value
        } else {
            try value.encode(to: self)
        }
    }
}
