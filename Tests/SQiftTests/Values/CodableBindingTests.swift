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
        #expect(try roundTrip(address) == address)
        #expect(try roundTrip(person) == person)
        let people: [Person] = try Connection().query("SELECT ?1 UNION ALL SELECT ?1", person)
        #expect(people == [person, person])
    }

    @Test func jsonExtractFindsItsFields() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(v)")
        try connection.run("INSERT INTO t VALUES(?)", person)
        let row: [String: Int] = try connection.query(
            "SELECT json_extract(v, '$.name'), json_extract(v, '$.addresses.work.number') FROM t"
        )
        #expect(row == ["Bill": 2])
        #expect(try connection.query("SELECT json_extract(v, '$.roles[0]') FROM t") == "admin")
        let found: Person? = try connection.query(
            "SELECT v FROM t WHERE json_extract(v, '$.score') = ?",
            0.1
        )
        #expect(found == person)
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
        let readAddress: Address = try connection.query("SELECT ?", legacy(address))
        #expect(readAddress == address)
        let readPerson: Person = try connection.query("SELECT ?", legacy(person))
        #expect(readPerson == person)
        #expect(try Person.fromBindingValue(legacy(person)) == person)
        let row: Row? = try connection.query("SELECT ? AS v", [legacy(person)])
        #expect(row?["v"] == person)
    }

    @Test func aPropertyListOfSQift5ThatHoldsInfinityIsRead() throws {
        let read: Measurement = try Connection().query(
            "SELECT ?",
            legacy(Measurement(value: .infinity))
        )
        #expect(read == Measurement(value: .infinity))
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
        #expect(try roundTrip(Name(name: "")) == Name(name: ""))
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
        #expect(try roundTrip(Own(text: "abc")) == Own(text: "abc"))
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

    @Test func everyElementTypeComesBack() throws {
        #expect(
            try roundTrip([Point(x: 1, y: 2), Point(x: -0.5, y: 1e300)] as ArrayBinding).elements
                .count == 2
        )
        #expect(
            try roundTrip(ArrayBinding(elements: [Point(x: 0.1, y: 2)])).elements == [
                Point(x: 0.1, y: 2)
            ]
        )
        #expect(try roundTrip(ArrayBinding<Int>(elements: [])).elements == [])
        #expect(
            try roundTrip(ArrayBinding(elements: ["", "å", "😀\"\\/", "a\u{0}b"])).elements == [
                "", "å", "😀\"\\/", "a\u{0}b",
            ]
        )
        #expect(
            try roundTrip(ArrayBinding(elements: [Mood.good, .bad])).elements == [.good, .bad]
        )
        #expect(try roundTrip(ArrayBinding(elements: [nil, 1, nil])).elements == [nil, 1, nil])
        #expect(
            try roundTrip(ArrayBinding(elements: [[1, 2], [], [3]])).elements == [[1, 2], [], [3]]
        )
        #expect(try roundTrip(ArrayBinding(elements: [UInt64.max, 0])).elements == [.max, 0])
        #expect(
            try roundTrip(ArrayBinding(elements: [Data([0, 255]), Data()])).elements == [
                Data([0, 255]), Data(),
            ]
        )
        let dates = [Date(timeIntervalSince1970: 0.25), .distantPast]
        #expect(try roundTrip(ArrayBinding(elements: dates)).elements == dates)
    }

    @Test func collectionsNest() throws {
        let nested: ArrayBinding<DictionaryBinding<String, SetBinding<Int>>> = [["a": [1]], [:]]
        let read = try roundTrip(nested)
        #expect(read.elements.map { $0.elements.mapValues(\.elements) } == [["a": [1]], [:]])
        #expect(try stored(nested) == .text(#"[{"a":[1]},{}]"#))
    }

    @Test func thePropertyListOfSQift5IsRead() throws {
        let connection = try Connection()
        let points = [Point(x: 1, y: 2), Point(x: 3, y: 4)]
        let read: ArrayBinding<Point> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: points))
        )
        #expect(read.elements == points)
        let empty: ArrayBinding<String> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: [String]()))
        )
        #expect(empty.elements == [])
        let moods: ArrayBinding<Mood> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: [Mood.bad]))
        )
        #expect(moods.elements == [.bad])
    }

    @Test func aNestedPropertyListOfSQift5IsRead() throws {
        let inner = [LegacyCollection(elements: [1, 2]), LegacyCollection(elements: [])]
        let read: ArrayBinding<ArrayBinding<Int>> = try Connection().query(
            "SELECT ?",
            legacy(LegacyCollection(elements: inner))
        )
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

    @Test func everyKeyTypeComesBack() throws {
        #expect(
            try roundTrip([1: "a", -2: "b"] as DictionaryBinding).elements == [1: "a", -2: "b"]
        )
        #expect(try roundTrip(DictionaryBinding(elements: [Mood.good: 1])).elements == [.good: 1])
        #expect(
            try roundTrip(DictionaryBinding(elements: [Point(x: 1, y: 2): "p"])).elements == [
                Point(x: 1, y: 2): "p"
            ]
        )
        #expect(try roundTrip(DictionaryBinding<String, Int>(elements: [:])).elements == [:])
        #expect(
            try roundTrip(DictionaryBinding(elements: ["elements": [1]])).elements == [
                "elements": [1]
            ]
        )
    }

    @Test func theLastOfEqualKeysInALiteralCounts() {
        let dictionary: DictionaryBinding = ["a": 1, "a": 2]
        #expect(dictionary.elements == ["a": 2])
    }

    @Test func thePropertyListsOfSQift5AreRead() throws {
        let connection = try Connection()
        let set: SetBinding<String> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: Set(["a", "b"])))
        )
        #expect(set.elements == ["a", "b"])
        let dictionary: DictionaryBinding<String, Point> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: ["p": Point(x: 1, y: 2)]))
        )
        #expect(dictionary.elements == ["p": Point(x: 1, y: 2)])
        let integerKeys: DictionaryBinding<Int, String> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: [1: "a"]))
        )
        #expect(integerKeys.elements == [1: "a"])
        let tricky: DictionaryBinding<String, [Int]> = try connection.query(
            "SELECT ?",
            legacy(LegacyCollection(elements: ["elements": [1]]))
        )
        #expect(tricky.elements == ["elements": [1]])
    }
}
