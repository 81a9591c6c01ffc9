import SQift
import SQiftTestSupport
import Testing

/// A value whose own `encode(to:)` goes a way on which no parameter has a name.
private struct Odd: Encodable {
    enum Way: CaseIterable {
        case single, singleNil, unkeyed, unkeyedNil
        case nestedInUnkeyed, listInUnkeyed, superOfUnkeyed
        case nilInNested, nestedInNested, listInNested, superOfNested, keyedSuperOfNested
    }

    enum Key: String, CodingKey { case name }

    let way: Way

    func encode(to encoder: any Encoder) throws {
        switch way {
        case .single, .singleNil: try encodeSingle(encoder.singleValueContainer())
        case .unkeyed, .unkeyedNil, .nestedInUnkeyed, .listInUnkeyed, .superOfUnkeyed:
            try encodeList(encoder.unkeyedContainer())
        default: try encodeNested(encoder.container(keyedBy: Key.self))
        }
    }

    private func encodeSingle(_ container: any SingleValueEncodingContainer) throws {
        var container = container
        if way == .single {
            try container.encode("Beetle")
        } else {
            try container.encodeNil()
        }
    }

    private func encodeList(_ container: any UnkeyedEncodingContainer) throws {
        var container = container
        #expect(container.count == 0)
        #expect(container.codingPath.isEmpty)
        switch way {
        case .unkeyed: try container.encode("Beetle")
        case .unkeyedNil: try container.encodeNil()
        case .nestedInUnkeyed:
            var nested = container.nestedContainer(keyedBy: Key.self)
            try nested.encode("Beetle", forKey: .name)
        case .listInUnkeyed:
            var list = container.nestedUnkeyedContainer()
            try list.encode("Beetle")
        default:
            let above = container.superEncoder()
            #expect(above.userInfo.isEmpty)
            var list = above.unkeyedContainer()
            try list.encode("Beetle")
        }
    }

    private func encodeNested(_ container: KeyedEncodingContainer<Key>) throws {
        var container = container
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: .name)
        switch way {
        case .nilInNested: try nested.encodeNil(forKey: .name)
        case .nestedInNested:
            var deeper = nested.nestedContainer(keyedBy: Key.self, forKey: .name)
            try deeper.encode("Beetle", forKey: .name)
        case .listInNested:
            var list = nested.nestedUnkeyedContainer(forKey: .name)
            try list.encode("Beetle")
        case .superOfNested:
            var above = nested.superEncoder().singleValueContainer()
            try above.encode("Beetle")
        default:
            var above = nested.superEncoder(forKey: .name).container(keyedBy: Key.self)
            try above.encode("Beetle", forKey: .name)
        }
    }
}

struct EncodedParameterRefusalTests {
    @Test(arguments: Odd.Way.allCases) fileprivate func whatHasNoNameIsRefused(way: Odd.Way) throws
    {
        let connection = try Connection()
        try connection.execute("CREATE TABLE cars(name TEXT)")
        let insert: SQL = "INSERT INTO cars VALUES(:name)"
        let error = #expect(throws: SQLiteError.self) {
            try connection.run(insert, encoding: Odd(way: way))
        }
        expect(error, .misuse, sql: "INSERT INTO cars VALUES(:name)")
        #expect(try connection.query("SELECT count(*) FROM cars") == 0)

        try connection.run(insert, encoding: ["name": "Beetle"])
        #expect(try connection.query("SELECT name FROM cars") == "Beetle")
    }

    /// The names are equal as Swift's strings, but SQLite compares their bytes.
    @Test func aPropertyWhoseNameIsOnlyCanonicallyTheParametersIsRefused() throws {
        struct Priced: Encodable {
            var price: Int

            enum CodingKeys: String, CodingKey { case price = "prixe\u{301}" }
        }

        let connection = try Connection()
        expectSQLiteError(.misuse, containing: "is left unset") {
            try connection.run("SELECT :prix\u{E9}", encoding: Priced(price: 7))
        }
        let price: Int = try connection.query("SELECT :prixe\u{301}", encoding: Priced(price: 7))
        #expect(price == 7)
    }

    /// The property's value would be NULL in the second place.
    @Test(arguments: ["SELECT :name, @name", "SELECT @name, $name"])
    func aKeyThatTwoParametersHaveIsRefused(sql: SQL) throws {
        let connection = try Connection()
        expectSQLiteError(.misuse, containing: "is left unset") {
            try connection.run(sql, encoding: ["name": "Beetle"])
        }
    }

    @Test(arguments: ["SELECT :name, @name", "SELECT @name, $name"], ["Beetle", nil])
    func aPropertyThatTwoParametersHaveIsRefused(sql: SQL, name: String?) throws {
        struct Named: Encodable { var name: String? }

        let connection = try Connection()
        expectSQLiteError(.misuse, containing: "is left unset") {
            try connection.run(sql, encoding: Named(name: name))
        }
    }
}
