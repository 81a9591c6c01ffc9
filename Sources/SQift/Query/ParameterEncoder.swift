import Foundation

extension Statement {
    /// Binds a value's properties to the parameters of the same names as its coding keys.
    ///
    /// A property of a type that isn't ``Bindable`` is stored as JSON text, unless the type wraps a
    /// single value. A property without a parameter is ignored, and one that isn't encoded, as nil
    /// isn't, is NULL. If the type's `columnNamesAreSnakeCase` is true, the parameter of
    /// `modelYear` may also be `:model_year`.
    ///
    /// ```swift
    /// let insert = try connection.prepare("INSERT INTO cars VALUES(:name, :price)")
    /// try insert.bind(encoding: car).run()
    /// ```
    ///
    /// - Throws: As `bind(_:)` with names, so also for a parameter without a property, and
    ///   `EncodingError`.
    @discardableResult public func bind(encoding value: some Encodable) throws -> Statement {
        var encoder = ParameterEncoder.borrow(for: type(of: value), from: self)
        defer { ParameterEncoder.giveBack(&encoder, to: self) }
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
private final class ParameterEncoder: StatementCoder, Encoder, UnkeyedEncodingContainer,
    SingleValueEncodingContainer, FlatCoding
{
    private let type: any Encodable.Type
    /// The statement while a value is encoded: it counts no reference, since what binds the value
    /// has one. Nil if nothing can be encoded.
    @exclusivity(unchecked) private var statement: Uncounted<Statement>?
    /// Whether the parameter of a key such as `modelYear` may be `:model_year`.
    private let namesMayBeSnakeCase: Bool
    private var snakeCaseNames: [String: String] = [:]
    /// Why nothing can be encoded.
    private var problem: (any Error)?
    /// The types of keys that properties were encoded by: a type's own, and its superclasses'.
    @exclusivity(unchecked) private var keyTypes: [any CodingKey.Type] = []

    private init(for type: any Encodable.Type, problem: (any Error)? = nil) {
        self.type = type
        namesMayBeSnakeCase = (type as? any ExpressibleByRow.Type)?.columnNamesAreSnakeCase == true
        self.problem = problem
        super.init(keepsContainer: problem == nil)
    }

    /// Takes the encoder of the statement, or makes one. `giveBack` must follow.
    static func borrow(for type: any Encodable.Type, from statement: Statement) -> ParameterEncoder
    {
        let encoder =
            statement.borrowCoder { (encoder: ParameterEncoder) in encoder.type == type }
            ?? ParameterEncoder(for: type)
        encoder.statement = Uncounted(statement)
        encoder.keyTypes.removeAll(keepingCapacity: true)
        return encoder
    }

    /// Ends the encoding of a value.
    static func giveBack(_ encoder: inout ParameterEncoder, to statement: Statement) {
        guard !giveBack(&encoder, to: statement) else { return }
        encoder.problem = statement.misuse(
            "\(encoder.type) was encoded further after its encode(to:)"
        )
        encoder.statement = nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        keyTypes.append(type)
        return container(keyedBy: type) { ownsCoder in
            ownsCoder
                ? KeyedEncodingContainer(ParameterContainer(self, owner: self))
                : KeyedEncodingContainer(ParameterContainer(self, owner: ()))
        }
    }

    /// Whether the type has a property whose name has these bytes, or this snake case. The keys of
    /// a dictionary take any name, and tell nothing.
    func hasProperty(named name: String) -> Bool {
        let names =
            namesMayBeSnakeCase
            ? [name] + name.namesFromSnakeCase
            : [name]
        return keyTypes.contains { keys in
            let hasKey = names.contains { name in
                keys.init(stringValue: name)?.stringValue.hasSameBytes(as: name) == true
            }
            return hasKey && keys.init(stringValue: "") == nil
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
        let statement = statement?.object
        return ParameterEncoder(
            for: type,
            problem: problem ?? statement?.misuse("\(type) \(newProblem)")
        )
    }

    private func checkProblem() throws {
        if let problem {
            throw problem
        }
    }

    @inline(__always)
    func bind(_ key: some CodingKey, _ body: (borrowing ParameterSlot) throws -> Void) throws {
        try checkProblem()
        try statement?.with {
            let isBound = try $0.bindParameter(named: key.stringValue, body)
            if !isBound, namesMayBeSnakeCase {
                _ = try $0.bindParameter(named: snakeCaseName(of: key), body)
            }
        }
    }

    private func snakeCaseName(of key: some CodingKey) -> String {
        let name = key.stringValue
        if let known = snakeCaseNames[name] {
            return known
        }
        let new = name.inSnakeCase
        snakeCaseNames[name] = new
        return new
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

/// The parameters by their keys. `Owner` is as in `RowContainer`.
private struct ParameterContainer<Key: CodingKey, Owner>: KeyedEncodingContainerProtocol,
    FlatCoding
{
    private let uncountedEncoder: Uncounted<ParameterEncoder>
    private let owner: Owner

    init(_ encoder: ParameterEncoder, owner: Owner) {
        uncountedEncoder = Uncounted(encoder)
        self.owner = owner
    }

    private var encoder: ParameterEncoder { uncountedEncoder.object }

    func encodeNil(forKey key: Key) throws {
        try binding(key) { try $1.bindNull() }
    }

    // This one generic method is what the protocol's `encode` for Bool, String and each number
    // calls.

    @inline(__always)
    func encode(_ value: some Encodable & Bindable, forKey key: Key) throws {
        try binding(key) { try value.bind(to: $1) }
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try binding(key) { try $0.stored(value).bind(to: $1) }
    }

    @inline(__always) private func binding(
        _ key: Key,
        _ body: (ParameterEncoder, borrowing ParameterSlot) throws -> Void
    ) throws {
        try uncountedEncoder.with { encoder in
            try encoder.bind(key) { slot in try body(encoder, slot) }
        }
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
