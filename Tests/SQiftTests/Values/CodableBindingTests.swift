import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct Address: CodableBinding, Equatable {
    typealias BindingType = Data
    var street: String
    var city: String?
    var number = 1
}

private struct Person: CodableBinding, Equatable {
    typealias BindingType = Data

    enum Role: String, Codable { case admin, guest }

    var name: String
    var roles: [Role]
    var addresses: [String: Address]
    var born: Date
    var photo: Data
    var score: Double
}

private struct Measurement: CodableBinding, Equatable {
    typealias BindingType = Data
    var value: Double
}

private enum Mood: String, Codable, Hashable { case good, bad }

private struct Point: Codable, Hashable {
    var x: Double
    var y: Double
}

/// A property list as SQift 5.1 stored it.
private func legacy(_ value: some Encodable) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return try encoder.encode(value)
}

/// The collections of SQift 5.1 had synthesised conformances.
private struct LegacyCollection<Elements: Encodable>: Encodable {
    var elements: Elements

    /// Reads the property list that SQift 5.1 stored for this collection.
    func read<T: QueryResult>(as type: T.Type = T.self) throws -> T {
        try Connection().query("SELECT ?", legacy(self))
    }
}

struct CodableBindingTests {
    private let address = Address(street: "Å-Straße \"1\"", city: nil)
    private let person = Person(
        name: "Bill",
        roles: [.admin, .guest],
        addresses: [
            "home": Address(street: "a", city: "b"),
            "work": Address(street: "c/d", city: nil, number: 2),
        ],
        born: Date(timeIntervalSince1970: -1000.5),
        photo: Data([0, 255]),
        score: 0.1
    )

    @Test func isStoredAsJSONTextWithSortedKeys() throws {
        #expect(try storageClass(of: address) == "text")
        #expect(
            try stored(Address(street: "s", city: "c", number: 2))
                == .text(#"{"city":"c","number":2,"street":"s"}"#)
        )
        #expect(
            Address(street: "s", city: "c").bindingValue
                == .text(#"{"city":"c","number":1,"street":"s"}"#)
        )
    }

    @Test func comesBackEqual() throws {
        try expectRoundTrip(of: address)
        try expectRoundTrip(of: person)
        #expect(
            try Connection().query("SELECT ?1 UNION ALL SELECT ?1", person) as [Person] == [
                person, person,
            ]
        )
    }

    @Test func jsonExtractFindsItsFields() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(v)")
        try connection.run("INSERT INTO t VALUES(?)", person)
        #expect(
            try connection.query(
                "SELECT json_extract(v, '$.name'), json_extract(v, '$.addresses.work.number') FROM t"
            ) as [String: Int] == ["Bill": 2]
        )
        #expect(try connection.query("SELECT json_extract(v, '$.roles[0]') FROM t") == "admin")
        #expect(
            try connection.query(
                "SELECT v FROM t WHERE json_extract(v, '$.score') = ?",
                0.1
            ) as Person? == person
        )
        #expect(
            try connection.query(
                "SELECT json_extract(CAST(v AS TEXT), '$.name') FROM t"
            ) == "Bill"
        )
    }

    @Test func jsonInABlobIsRead() throws {
        try expectReading(
            #"CAST('{"street":"s","number":3}' AS BLOB)"#,
            as: Address.self,
            is: Address(street: "s", city: nil, number: 3)
        )
        #expect(
            Address.fromBindingValue(Data(#"{"street":"s","number":3}"#.utf8))
                == Address(street: "s", city: nil, number: 3)
        )
    }

    @Test func jsonWrittenBySQLiteIsRead() throws {
        try expectReading(
            "json_object('number', 3, 'street', 'å', 'city', NULL, 'extra', 1)",
            as: Address.self,
            is: Address(street: "å", city: nil, number: 3)
        )
        try expectReading(
            "' { \"street\" : \"s\" , \"number\" : 3 } '",
            as: Address.self,
            is: Address(street: "s", city: nil, number: 3)
        )
    }

    @Test func aBinaryPropertyListOfSQift5IsRead() throws {
        let connection = try Connection()
        #expect(try connection.query("SELECT ?", legacy(address)) as Address == address)
        #expect(try connection.query("SELECT ?", legacy(person)) as Person == person)
        #expect(try Person.fromBindingValue(legacy(person)) == person)
        let row: Row? = try connection.query("SELECT ? AS v", [legacy(person)])
        #expect(row?["v"] == person)
    }

    @Test func aPropertyListOfSQift5ThatHoldsInfinityIsRead() throws {
        #expect(
            try Connection().query(
                "SELECT ?",
                legacy(Measurement(value: .infinity))
            ) == Measurement(value: .infinity)
        )
    }

    @Test(arguments: [
        "''", "'{}'", "'{'", "'null'", "'[]'", "'street'", "'{\"street\":1,\"number\":1}'", "x''",
        "x'00'",
        "CAST('bplist00' AS BLOB)", "CAST('bplist00garbage' AS BLOB)", "CAST('{}' AS BLOB)",
        "zeroblob(100)", "1",
        "1.5",
    ])
    func undecodableDataIsAMismatch(expression: String) throws {
        try expectMismatch(expression, as: Address.self)
    }

    @Test func nullIsNilOrAnError() throws {
        let connection = try Connection()
        let nothing: Address? = try connection.query("SELECT NULL")
        #expect(nothing == nil)
        expectExtractionError(.null) { try connection.query("SELECT NULL") as Address }
        let missing: Address? = try connection.query("SELECT NULL WHERE 0")
        #expect(missing == nil)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func aValueThatFailsToEncodeThrowsAtBindAndStoresNothing(value: Double) throws {
        try expectRefused(Measurement(value: value))
        try expectRefused(Measurement?.some(Measurement(value: value)))
        try expectRefused(ArrayBinding(elements: [1, value]))
        try expectRefused(DictionaryBinding(elements: ["a": value]))
        #expect(Measurement(value: value).bindingValue == .null)
        expectThrows(EncodingError.self) {
            try Connection().run("SELECT ?", Measurement(value: value))
        }
    }

    @Test func aTypeThatWrapsASingleValueIsAJSONFragment() throws {
        struct Name: CodableBinding, Equatable {
            typealias BindingType = Data
            let name: String
            init(name: String) {
                self.name = name
            }
            init(from decoder: any Decoder) throws {
                name = try decoder.singleValueContainer().decode(String.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(name)
            }
        }
        #expect(try stored(Name(name: "å/b")) == .text(#""å/b""#))
        try expectRoundTrip(of: Name(name: ""))
    }

    @Test func aTypesOwnConversionsWin() throws {
        struct Own: CodableBinding, Equatable {
            typealias BindingType = Data
            let text: String
            var bindingValue: BindingValue { .blob(Data(text.utf8.reversed())) }
            static func fromBindingValue(_ value: Any) -> Own? {
                guard let data = value as? Data,
                    let text = String(data: Data(data.reversed()), encoding: .utf8)
                else {
                    return nil
                }
                return Own(text: text)
            }
        }
        #expect(try stored(Own(text: "abc")) == .blob(Data("cba".utf8)))
        try expectRoundTrip(of: Own(text: "abc"))
    }

    @Test func aTypesOwnNullIsStored() throws {
        struct Own: CodableBinding {
            typealias BindingType = Data
            var bindingValue: BindingValue { .null }
        }
        #expect(try stored(Own()) == .null)
    }
}

struct ArrayBindingTests {
    @Test func isAJSONArrayInItsOrder() throws {
        let array: ArrayBinding = [3, 1, 2, 1]
        #expect(try stored(array) == .text("[3,1,2,1]"))
        #expect(try roundTrip(array).elements == [3, 1, 2, 1])
        #expect(try Connection().query("SELECT sum(value) FROM json_each(?)", array) == 7)
    }

    private func expectRoundTrip<T: Codable & Equatable>(
        of elements: [T],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let read = try roundTrip(ArrayBinding(elements: elements)).elements
        #expect(read == elements, sourceLocation: sourceLocation)
    }

    @Test func everyElementTypeComesBack() throws {
        try expectRoundTrip(of: [Point(x: 1, y: 2), Point(x: -0.5, y: 1e300)])
        try expectRoundTrip(of: [Point(x: 0.1, y: 2)])
        try expectRoundTrip(of: [Int]())
        try expectRoundTrip(of: ["", "å", "😀\"\\/", "a\u{0}b"])
        try expectRoundTrip(of: [Mood.good, .bad])
        try expectRoundTrip(of: [nil, 1, nil])
        try expectRoundTrip(of: [[1, 2], [], [3]])
        try expectRoundTrip(of: [UInt64.max, 0])
        try expectRoundTrip(of: [Data([0, 255]), Data()])
        try expectRoundTrip(of: [Date(timeIntervalSince1970: 0.25), .distantPast])
    }

    @Test func collectionsNest() throws {
        let nested: ArrayBinding<DictionaryBinding<String, SetBinding<Int>>> = [["a": [1]], [:]]
        let read = try roundTrip(nested)
        #expect(read.elements.map { $0.elements.mapValues(\.elements) } == [["a": [1]], [:]])
        #expect(try stored(nested) == .text(#"[{"a":[1]},{}]"#))
    }

    @Test func thePropertyListOfSQift5IsRead() throws {
        let points = [Point(x: 1, y: 2), Point(x: 3, y: 4)]
        #expect(
            try LegacyCollection(elements: points).read(as: ArrayBinding<Point>.self).elements
                == points
        )
        #expect(
            try LegacyCollection(elements: [String]()).read(as: ArrayBinding<String>.self).elements
                == []
        )
        #expect(
            try LegacyCollection(elements: [Mood.bad]).read(as: ArrayBinding<Mood>.self).elements
                == [.bad]
        )
    }

    @Test func aNestedPropertyListOfSQift5IsRead() throws {
        let inner = [LegacyCollection(elements: [1, 2]), LegacyCollection(elements: [])]
        let read: ArrayBinding<ArrayBinding<Int>> = try LegacyCollection(elements: inner).read()
        #expect(read.elements.map(\.elements) == [[1, 2], []])
    }

    @Test func aPropertyListOfAStructThatHoldsACollectionIsRead() throws {
        struct Old: Encodable { var tags: LegacyCollection<[String]> }
        struct New: CodableBinding { typealias BindingType = Data; var tags: ArrayBinding<String> }
        let read: New = try Connection().query(
            "SELECT ?",
            legacy(Old(tags: LegacyCollection(elements: ["a"])))
        )
        #expect(read.tags.elements == ["a"])
    }

    @Test(arguments: [
        "'{}'", "'{\"elements\":[1]}'", "'[\"a\"]'", "'[1.5]'", "'[1'", "x'00'", "1", "''",
    ])
    func whatIsNoArrayOfTheElementsIsAMismatch(expression: String) throws {
        expectExtractionError(.mismatch) {
            try Connection().query("SELECT \(expression)") as ArrayBinding<Int>
        }
        let row: Row? = try Connection().query("SELECT \(expression)")
        let value: ArrayBinding<Int>? = row?[0]
        #expect(value == nil)
    }
}

struct SetAndDictionaryBindingTests {
    @Test func aSetIsAJSONArrayAndComesBackEqual() throws {
        let set: SetBinding = ["b", "a", "b"]
        #expect(set.elements == ["a", "b"])
        #expect(try storageClass(of: set) == "text")
        #expect(try roundTrip(set).elements == ["a", "b"])
        #expect(try roundTrip(SetBinding<Int>(elements: [])).elements == [])
        #expect(
            try roundTrip(SetBinding(elements: [Point(x: 1, y: 2)])).elements == [Point(x: 1, y: 2)]
        )
        #expect(try Connection().query("SELECT json_array_length(?)", set) == 2)
    }

    @Test func aDictionaryWithStringKeysIsAJSONObjectWithSortedKeys() throws {
        let dictionary: DictionaryBinding = ["b": 2, "a": 1, "c": 3]
        #expect(try stored(dictionary) == .text(#"{"a":1,"b":2,"c":3}"#))
        #expect(try roundTrip(dictionary).elements == ["a": 1, "b": 2, "c": 3])
        #expect(try Connection().query("SELECT json_extract(?, '$.b')", dictionary) == 2)
    }

    private func expectRoundTrip<Key: Codable & Hashable, Value: Codable & Equatable>(
        of elements: [Key: Value],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let read = try roundTrip(DictionaryBinding(elements: elements)).elements
        #expect(read == elements, sourceLocation: sourceLocation)
    }

    @Test func everyKeyTypeComesBack() throws {
        try expectRoundTrip(of: [1: "a", -2: "b"])
        try expectRoundTrip(of: [Mood.good: 1])
        try expectRoundTrip(of: [Point(x: 1, y: 2): "p"])
        try expectRoundTrip(of: [String: Int]())
        try expectRoundTrip(of: ["elements": [1]])
    }

    @Test func theLastOfEqualKeysInALiteralCounts() {
        let dictionary: DictionaryBinding = ["a": 1, "a": 2]
        #expect(dictionary.elements == ["a": 2])
    }

    @Test func thePropertyListsOfSQift5AreRead() throws {
        #expect(
            try LegacyCollection(elements: Set(["a", "b"])).read(as: SetBinding<String>.self)
                .elements == ["a", "b"]
        )
        #expect(
            try LegacyCollection(elements: ["p": Point(x: 1, y: 2)]).read(
                as: DictionaryBinding<String, Point>.self
            ).elements == ["p": Point(x: 1, y: 2)]
        )
        #expect(
            try LegacyCollection(elements: [1: "a"]).read(as: DictionaryBinding<Int, String>.self)
                .elements == [1: "a"]
        )
        #expect(
            try LegacyCollection(elements: ["elements": [1]]).read(
                as: DictionaryBinding<String, [Int]>.self
            ).elements == ["elements": [1]]
        )
    }
}
