import Foundation

/// A `Codable` type that is stored as JSON text. SQLite's JSON functions can search in it.
///
/// ```swift
/// struct Address: CodableBinding {
///     var street: String
///     var city: String
/// }
/// ```
///
/// The keys of objects are sorted, so equal structs are stored as equal strings, unless they hold a
/// `Set` or a dictionary whose keys are neither strings nor integers: those have no order. JSON in
/// a BLOB can be read too, and so can the binary property lists that SQift 5.1 stored.
///
/// SQLite: [JSON Functions And Operators](https://sqlite.org/json1.html)
public protocol CodableBinding: Codable, Binding {
    /// `Data`, the JSON that `fromBindingValue(_:)` decodes, unless the type names another one. An
    /// enumeration with a raw value is stored as its raw value, unless it names a type here.
    associatedtype BindingType = Data
}

// If a type lacks `bindingValue`, this declaration makes the compiler mention `CodableBinding` in
// its list of candidates.
extension Bindable where Self: CodableBinding, Self.BindingType == Data {
    /// Never called: ``CodableBinding`` has its own.
    @available(*, unavailable) public var bindingValue: BindingValue { .null }
}

extension CodableBinding where BindingType == Data {
    /// The JSON text. It is `.null` if the value can't be encoded; ``bind(to:)`` throws then.
    public var bindingValue: BindingValue {
        (try? encodedJSON()).map { .text($0) } ?? .null
    }

    /// Binds what ``bindingValue`` returns.
    ///
    /// - Throws: `EncodingError` for a value that can't be encoded, such as an infinite number.
    public func bind(to slot: borrowing ParameterSlot) throws {
        let value = bindingValue
        // The type's own `bindingValue` may return .null on purpose. The default one returns it
        // only if encoding fails.
        if value == .null {
            _ = try encodedJSON()
        }
        try slot.bind(value)
    }

    /// Decodes the JSON or the property list in a `Data`.
    public static func fromBindingValue(_ value: Any) -> Self? {
        (value as? Data).flatMap { try? decode($0) }
    }

    /// Reads a TEXT or a BLOB.
    ///
    /// - Throws: ``ExtractionError`` for other storage classes, and if the value can't be decoded.
    ///   Its `underlyingError` is the `DecodingError`.
    public static func decode(from row: Row, at index: Int) throws -> Self {
        try row.convert(at: index, form: "JSON") { value in
            guard let data = value.bytes else {
                return nil
            }
            if let decoded = fromBindingValue(data) as? Self {
                return decoded
            }
            // Decode again to get the reason. `fromBindingValue(_:)`, which may be the type's own,
            // doesn't throw.
            _ = try decode(data)
            return nil
        }
    }

    private func encodedJSON() throws -> String {
        try JSONEncoder.forText.text(of: self)
    }

    private static func decode(_ data: Data) throws -> Self {
        guard data.starts(with: "bplist".utf8) else {
            return try JSONDecoder().decode(Self.self, from: data)
        }
        let decoder = PropertyListDecoder()
        if let key = CodingUserInfoKey.isStoredBySQift5 {
            decoder.userInfo[key] = true
        }
        return try decoder.decode(Self.self, from: data)
    }
}

extension JSONEncoder {
    /// Sorts the keys of objects, so that equal values are equal strings, but for sets. Before
    /// macOS 14 and iOS 17 Foundation sorts them by another rule than later.
    static var forText: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    func text(of value: some Encodable) throws -> String {
        String(decoding: try encode(value), as: UTF8.self)
    }
}

/// A collection that is stored as the JSON of its elements.
public protocol _CollectionBinding: CodableBinding where BindingType == Data {
    associatedtype Elements: Codable
    var elements: Elements { get }
    init(elements: Elements)
}

extension _CollectionBinding {
    /// Decodes the plain collection, or the `elements` of a property list of SQift 5.1.
    public init(from decoder: any Decoder) throws {
        guard let key = CodingUserInfoKey.isStoredBySQift5, decoder.userInfo[key] != nil else {
            try self.init(elements: Elements(from: decoder))
            return
        }
        try self.init(elements: StoredBySQift5<Elements>(from: decoder).elements)
    }

    /// Encodes the plain collection.
    public func encode(to encoder: any Encoder) throws {
        try elements.encode(to: encoder)
    }
}

/// An array stored as a JSON array.
///
/// It is one value, also as a parameter: `IN (?)` would compare with the text of the JSON. Let
/// SQLite take it apart:
///
/// ```swift
/// let cars: [Car] = try connection.query(
///     "SELECT * FROM cars WHERE name IN (SELECT value FROM json_each(?))",
///     ArrayBinding(elements: names)
/// )
/// ```
public struct ArrayBinding<T: Codable>: _CollectionBinding, ExpressibleByArrayLiteral {
    /// The array.
    public let elements: [T]

    /// Wraps an array.
    public init(elements: [T]) {
        self.elements = elements
    }
    /// Wraps an array literal.
    public init(arrayLiteral elements: T...) {
        self.init(elements: elements)
    }
}

/// A set stored as a JSON array, in no particular order.
///
/// It is one value, also as a parameter: a list in SQL is `IN (SELECT value FROM json_each(?))`, as
/// for an ``ArrayBinding``.
public struct SetBinding<T: Hashable & Codable>: _CollectionBinding, ExpressibleByArrayLiteral {
    /// The set.
    public let elements: Set<T>

    /// Wraps a set.
    public init(elements: Set<T>) {
        self.elements = elements
    }
    /// Wraps an array literal. Repeated elements count once.
    public init(arrayLiteral elements: T...) {
        self.init(elements: Set(elements))
    }
}

/// A dictionary stored as a JSON object if its keys are strings or integers, otherwise as an
/// array of keys and values.
public struct DictionaryBinding<Key: Hashable & Codable, Value: Codable>: _CollectionBinding,
    ExpressibleByDictionaryLiteral
{
    /// The dictionary.
    public let elements: [Key: Value]

    /// Wraps a dictionary.
    public init(elements: [Key: Value]) {
        self.elements = elements
    }
    /// Wraps a dictionary literal. The last of equal keys counts.
    public init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(elements: Dictionary(elements) { $1 })
    }
}

extension ArrayBinding: Sendable where T: Sendable {}
extension SetBinding: Sendable where T: Sendable {}
extension DictionaryBinding: Sendable where Key: Sendable, Value: Sendable {}

extension CodingUserInfoKey {
    fileprivate static let isStoredBySQift5 = CodingUserInfoKey(rawValue: "SQift.isStoredBySQift5")
}

private struct StoredBySQift5<Elements: Decodable>: Decodable {
    let elements: Elements
}
