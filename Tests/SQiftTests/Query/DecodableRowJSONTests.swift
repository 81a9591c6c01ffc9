import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct Motor: Codable, Equatable {
    var cylinders: Int
    var label: String?
    var parts: [String: [Int]] = [:]
}

private enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case point
}

private struct Trip: Decodable, ExpressibleByRow, Equatable {
    struct Stop: Decodable, Equatable {
        let at: Date
    }

    let start: Date
    let stops: [Stop]
    let last: Stop?

    static var jsonDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

/// A value of any type, whose type isn't known where it is decoded.
private struct Single<Value: Decodable>: Decodable, ExpressibleByRow {
    let value: Value
}

/// Properties of a decoded type that are stored as JSON.
struct DecodableRowJSONTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func decode<Value: Decodable>(_ expression: SQL) throws -> Value {
        let row: Single<Value> = try connection.query("SELECT \(expression) AS value")
        return row.value
    }

    private func decode<Value: Decodable>(bound value: some Bindable) throws -> Value {
        let row: Single<Value> = try connection.query("SELECT ? AS value", value)
        return row.value
    }

    @Test func aNestedTypeIsDecodedFromJSONInTextOrABlob() throws {
        let json = #"{"label": "V", "cylinders": 6, "parts": {"a": [1, 2]}}"#
        let motor = Motor(cylinders: 6, label: "V", parts: ["a": [1, 2]])
        #expect(try decode(bound: json) as Motor == motor)
        #expect(try decode(bound: Data(json.utf8)) as Motor == motor)
        #expect(try decode(bound: json) as Motor? == motor)
    }

    @Test func listsAndDictionariesAreDecodedFromJSON() throws {
        #expect(try decode("'[]'") as [Int] == [])
        #expect(try decode("'[1, null]'") as [Int?] == [1, nil])
        #expect(try decode("'[[\"a\"], []]'") as [[String]] == [["a"], []])
        #expect(try decode("'[2, 1, 2]'") as Set<Int> == [1, 2])
        #expect(try decode(#"'{"a": 1}'"#) as [String: Int] == ["a": 1])
        #expect(try decode(#"'{"1": true}'"#) as [Int: Bool] == [1: true])
        #expect(try decode(#"'[{"cylinders":1,"parts":{}}]'"#) as [Motor] == [Motor(cylinders: 1)])
        #expect(try decode("CAST('[1]' AS BLOB)") as [Int] == [1])
    }

    @Test func anEnumerationWithoutARawValueIsDecodedFromJSON() throws {
        #expect(try decode(#"'{"circle": {"radius": 1.5}}'"#) as Shape == .circle(radius: 1.5))
        #expect(try decode(#"'{"point": {}}'"#) as Shape == .point)
    }

    @Test func aTypeMayChooseItsJSONDecoder() throws {
        let sql = """
            SELECT '1970-01-02' AS start, '[{"at":"1970-01-01T00:00:00Z"}]' AS stops,
                '{"at":"1970-01-03T00:00:00Z"}' AS last
            """
        let trips: [Trip] = try connection.query(sql + " UNION ALL " + sql)
        let expected = Trip(
            start: Date(timeIntervalSince1970: 86_400),
            stops: [Trip.Stop(at: Date(timeIntervalSince1970: 0))],
            last: Trip.Stop(at: Date(timeIntervalSince1970: 172_800))
        )
        #expect(trips == [expected, expected])
    }
}
