import SQift
import SQiftTestSupport
import Testing

/// An enum with associated values has a column for each case.
private enum Vehicle: Decodable, Equatable, ExpressibleByRow {
    case car(Int)
    case sportsBike(gears: Int, name: String?)
}

private enum Snake: Decodable, Equatable, ExpressibleByRow {
    case car(Int)
    case sportsBike(gears: Int)

    static var columnNamesAreSnakeCase: Bool { true }
}

/// The keys that a container has.
private struct KeysOf<Key: CodingKey>: Decodable, ExpressibleByRow {
    static var columnNamesAreSnakeCase: Bool { Key.self == SnakeKey.self || Key.self == Name.self }
    let names: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        names = container.allKeys.map(\.stringValue)
        for key in container.allKeys {
            #expect(container.contains(key))
        }
    }
}

/// A row whose columns are known at run time only.
private struct Record<Value: Decodable>: Decodable, ExpressibleByRow {
    let values: [String: Value]

    init(from decoder: any Decoder) throws {
        values = try [String: Value](from: decoder)
    }
}

/// A key of one of two kinds of columns.
private enum Measure: CodingKey {
    case length(String)
    case weight(String)

    var stringValue: String {
        switch self {
        case .length(let name): "length_" + name
        case .weight(let name): "weight_" + name
        }
    }

    var intValue: Int? { nil }

    init?(stringValue: String) {
        switch stringValue.prefix(7) {
        case "length_": self = .length(String(stringValue.dropFirst(7)))
        case "weight_": self = .weight(String(stringValue.dropFirst(7)))
        default: return nil
        }
    }

    init?(intValue: Int) {
        nil
    }
}

private enum PlainKey: String, CodingKey { case modelYear, name, model_year }
private enum SnakeKey: String, CodingKey { case modelYear, name, baseUrl, _id }

/// A key with any name.
private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

struct DecodableRowKeysTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func keys<Key: CodingKey>(_ type: Key.Type, _ columns: SQL) throws -> [String] {
        let keys: KeysOf<Key> = try connection.query("SELECT \(columns)")
        return keys.names
    }

    @Test func keysHaveTheirColumnsInAnyCaseOfLetters() throws {
        #expect(try keys(PlainKey.self, "1 AS Name, 2 AS ModelYear") == ["name", "modelYear"])
        #expect(try keys(PlainKey.self, "1 AS NAME, 2 AS MODEL_YEAR") == ["name", "model_year"])
        #expect(try keys(PlainKey.self, "1 AS other") == [])
    }

    @Test func keysHaveTheirColumnsInSnakeCase() throws {
        let found = try keys(SnakeKey.self, "1 AS model_year, 2 AS Name, 3 AS BASE_URL, 4 AS _id")
        #expect(found == ["modelYear", "name", "baseUrl", "_id"])
        #expect(try keys(SnakeKey.self, "1 AS modelYear") == [])
        #expect(try keys(Name.self, "1 AS model_year, 2 AS name") == ["modelYear", "name"])
    }

    @Test func aRepeatedColumnHasOneKey() throws {
        #expect(try keys(PlainKey.self, "1 AS name, 2 AS NAME, 3 AS name") == ["name"])
    }

    @Test func nullHasAKeyUnlessTheKeysAreCases() throws {
        let columns = "1 AS name, NULL AS model_year, NULL AS length_a"
        #expect(try keys(Name.self, columns) == ["name", "modelYear", "lengthA"])
        #expect(try keys(Measure.self, columns) == ["length_a"])
        #expect(try keys(PlainKey.self, columns) == ["name"])
    }

    @Test func aDictionaryOfAllColumnsLosesNoNull() throws {
        let sql = "SELECT 1 AS a, NULL AS b"
        let full: Record<Int> = try connection.query("SELECT 1 AS a, 2 AS b")
        let nullable: Record<Int?> = try connection.query(sql)
        let texts: Record<String?> = try connection.query("SELECT NULL AS a, 'x' AS b")

        #expect(full.values == ["a": 1, "b": 2])
        #expect(nullable.values == ["a": 1, "b": nil])
        #expect(texts.values == ["a": nil, "b": "x"])
        expectExtractionError(.null, column: "b", index: 1, row: 1) {
            try connection.query(sql) as [Record<Int>]
        }
    }

    @Test func anEnumWithAssociatedValuesIsReadFromTheColumnOfItsCase() throws {
        let bike = #"'{"gears":3,"name":"Raleigh"}'"#
        let rows: [Vehicle] = try connection.query(
            """
            SELECT '{"_0":1}' AS car, NULL AS sportsBike UNION ALL
            SELECT NULL, \(bike) UNION ALL SELECT '{"_0":2}', NULL
            """
        )
        #expect(rows == [.car(1), .sportsBike(gears: 3, name: "Raleigh"), .car(2)])
        #expect(try connection.query(#"SELECT '{"_0":1}' AS CAR"#) == Vehicle.car(1))
        #expect(try connection.query(#"SELECT '{"_0":1}' AS car, 2 AS car"#) == Vehicle.car(1))
    }

    @Test func anEnumWithAssociatedValuesIsReadInSnakeCase() throws {
        let bike: Snake = try connection.query(#"SELECT '{"gears":3}' AS sports_bike, NULL AS car"#)
        let car: Snake = try connection.query(#"SELECT NULL AS sports_bike, '{"_0":1}' AS car"#)
        #expect([bike, car] == [.sportsBike(gears: 3), .car(1)])
    }

    @Test func aRowWithTwoCasesOrNoneIsAnError() throws {
        for sql in [
            #"SELECT '{"_0":1}' AS car, '{"gears":3}' AS sportsBike"#,
            "SELECT NULL AS car, NULL AS sportsBike",
        ] {
            expectThrows(DecodingError.self) { let _: Vehicle = try connection.query(sql) }
        }
    }
}
