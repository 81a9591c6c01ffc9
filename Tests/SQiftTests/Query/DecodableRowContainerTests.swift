import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}

private struct Motor: Codable, Equatable {
    var cylinders: Int
}

/// Reads columns of JSON by hand.
private struct Place: Decodable, ExpressibleByRow {
    let name: String
    let latitude: Double
    let tags: [String]
    let sum: Int
    let motor: Motor

    enum Key: String, CodingKey { case name, position, scores, motor }
    enum PositionKey: String, CodingKey { case latitude, tags }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let position = try container.nestedContainer(keyedBy: PositionKey.self, forKey: .position)
        var scores = try container.nestedUnkeyedContainer(forKey: .scores)
        var sum = 0
        while !scores.isAtEnd {
            sum += try scores.decode(Int.self)
        }
        self.sum = sum
        motor = try Motor(from: container.superDecoder(forKey: .motor))
        latitude = try position.decode(Double.self, forKey: .latitude)
        tags = try position.decode([String].self, forKey: .tags)
        name = try container.decode(String.self, forKey: .name)
    }
}

/// What a container tells about its row.
private struct Inspection: Decodable, ExpressibleByRow {
    let allKeys: [String]
    let contained: [Bool]
    let isNil: [Bool]
    let values: [Int?]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        let keys = ["given", "empty", "missing"].map(AnyKey.init(stringValue:))
        allKeys = container.allKeys.map(\.stringValue)
        contained = keys.map { container.contains($0) }
        isNil = try keys.dropLast().map { try container.decodeNil(forKey: $0) }
        values = try keys.map { try container.decodeIfPresent(Int.self, forKey: $0) }
    }
}

private struct Settings: Decodable, ExpressibleByRow, Equatable {
    var volume = 5
    var title = "none"
    var motor = Motor(cylinders: 4)
    var isLoud = true

    enum CodingKeys: String, CodingKey { case volume, title, motor, isLoud }

    init(volume: Int, title: String, motor: Motor, isLoud: Bool) {
        self.volume = volume
        self.title = title
        self.motor = motor
        self.isLoud = isLoud
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        volume = try container.decodeIfPresent(Int.self, forKey: .volume) ?? volume
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? title
        motor = try container.decodeIfPresent(Motor.self, forKey: .motor) ?? motor
        isLoud = try container.decodeIfPresent(Bool.self, forKey: .isLoud) ?? isLoud
    }
}

/// Reads other keys for each kind of row.
private enum Shape: Decodable, ExpressibleByRow, Equatable {
    case circle(radius: Int)
    case rectangle(width: Int, height: Int)

    enum Key: String, CodingKey { case kind, radius, width, height }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if try container.decode(String.self, forKey: .kind) == "circle" {
            self = .circle(radius: try container.decode(Int.self, forKey: .radius))
        } else {
            let height = try container.decode(Int.self, forKey: .height)
            self = .rectangle(
                width: try container.decode(Int.self, forKey: .width),
                height: height
            )
        }
    }
}

private class Vehicle: Decodable, ExpressibleByRow {
    let name: String
    let wheels: Int?
}

private final class Truck: Vehicle {
    let load: Int

    enum Key: String, CodingKey { case load }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        load = try container.decode(Int.self, forKey: .load)
        try super.init(from: container.superDecoder())
    }
}

private struct Identifier: Decodable, ExpressibleByRow, Equatable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
    }
}

private struct Label: Decodable, ExpressibleByRow, Equatable {
    let text: String?

    init(text: String?) {
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = container.decodeNil() ? nil : try container.decode(String.self)
    }
}

private struct Ticket: Decodable, ExpressibleByRow, Equatable {
    let id: Identifier
    let label: Label
    let other: Identifier?
}

private enum Energy: String, Decodable, ExpressibleByRow {
    case petrol, diesel
}

private struct List: Decodable, ExpressibleByRow {
    let first: Int

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        first = try container.decode(Int.self)
    }
}

private struct Throwing: Decodable, ExpressibleByRow {
    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: AnyKey.self)
        throw TestError(reason: "mine")
    }
}

/// Decoded types with an `init(from:)` of their own.
struct DecodableRowContainerTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func nestedContainersReadJSON() throws {
        let sql = """
            SELECT '[1, 2, 39]' AS scores, 'Zürich' AS name, '{"cylinders": 6}' AS motor,
                '{"tags": ["a", "b"], "latitude": 47.25}' AS position
            """
        let places: [Place] = try connection.query(sql + " UNION ALL " + sql)
        #expect(places.count == 2)
        for place in places {
            #expect(place.name == "Zürich")
            #expect(place.latitude == 47.25)
            #expect(place.tags == ["a", "b"])
            #expect(place.sum == 42)
            #expect(place.motor == Motor(cylinders: 6))
        }
    }

    @Test func aContainerTellsItsKeysAndWhichValuesAreMissing() throws {
        let sql = "SELECT NULL AS empty, 7 AS given, 'x' AS other"
        let rows: [Inspection] = try connection.query(sql + " UNION ALL " + sql)
        #expect(rows.count == 2)
        for row in rows {
            #expect(row.allKeys == ["empty", "given", "other"])
            #expect(row.contained == [true, true, false])
            #expect(row.isNil == [false, true])
            #expect(row.values == [7, nil, nil])
        }
    }

    @Test func aMissingValueMayHaveADefault() throws {
        let motor = Motor(cylinders: 8)
        let given: Settings = try connection.query(
            "SELECT 1 AS volume, 'a' AS title, '{\"cylinders\":8}' AS motor, 0 AS isLoud"
        )
        let nulls: Settings = try connection.query(
            "SELECT NULL AS volume, NULL AS title, NULL AS motor, NULL AS isLoud"
        )
        let missing: Settings = try connection.query("SELECT 2 AS volume, 'b' AS other")
        let standard = Motor(cylinders: 4)
        #expect(given == Settings(volume: 1, title: "a", motor: motor, isLoud: false))
        #expect(nulls == Settings(volume: 5, title: "none", motor: standard, isLoud: true))
        #expect(missing == Settings(volume: 2, title: "none", motor: standard, isLoud: true))
    }

    @Test func eachRowMayBeReadByOtherKeys() throws {
        try connection.execute(
            """
            CREATE TABLE shapes(kind, width, height, radius);
            INSERT INTO shapes VALUES
                ('circle', NULL, NULL, 1), ('rectangle', 2, 3, NULL), ('circle', NULL, NULL, 4),
                ('rectangle', 5, 6, NULL), ('rectangle', 7, 8, NULL);
            """
        )
        let shapes: [Shape] = try connection.query("SELECT * FROM shapes ORDER BY rowid")
        let expected: [Shape] = [
            .circle(radius: 1), .rectangle(width: 2, height: 3), .circle(radius: 4),
            .rectangle(width: 5, height: 6), .rectangle(width: 7, height: 8),
        ]
        #expect(shapes == expected)
    }

    @Test func aSuperclassReadsTheSameRow() throws {
        let sql = "SELECT 'MAN' AS name, 20 AS load, 6 AS wheels"
        let trucks: [Truck] = try connection.query(sql + " UNION ALL SELECT 'DAF', 30, NULL")
        let vehicle: Vehicle = try connection.query(sql)
        #expect(trucks.map(\.name) == ["MAN", "DAF"])
        #expect(trucks.map(\.load) == [20, 30])
        #expect(trucks.map(\.wheels) == [6, nil])
        #expect(vehicle.name == "MAN")
        #expect(vehicle.wheels == 6)
    }

    @Test func aTypeOfASingleValueReadsTheFirstColumn() throws {
        let one: Identifier = try connection.query("SELECT 3 AS anything")
        let labels: [Label] = try connection.query("VALUES('a', 1), (NULL, 2)")
        let energies: [Energy] = try connection.query("VALUES('diesel'), ('petrol')")
        #expect(
            try connection.query("VALUES(1, 'x'), (2, 'y')") as [Identifier] == [
                Identifier(number: 1), Identifier(number: 2),
            ]
        )
        #expect(one == Identifier(number: 3))
        #expect(labels == [Label(text: "a"), Label(text: nil)])
        #expect(energies == [.diesel, .petrol])
    }

    @Test func aPropertyOfASingleValueReadsItsColumn() throws {
        let sql = "SELECT 8 AS x, NULL AS label, NULL AS other, 7 AS id"
        let tickets: [Ticket] = try connection.query(sql + " UNION ALL SELECT 0, 'a', 9, 10")
        let expected = [
            Ticket(id: Identifier(number: 7), label: Label(text: nil), other: nil),
            Ticket(
                id: Identifier(number: 10),
                label: Label(text: "a"),
                other: Identifier(number: 9)
            ),
        ]
        #expect(tickets == expected)
    }

    @Test func aRowIsNotAList() throws {
        expectThrows((any Error).self) { try connection.query("SELECT 1") as List }
        expectThrows((any Error).self) { try connection.query("SELECT 1") as [List] }
        #expect(try connection.query("SELECT 1") == 1)
    }

    @Test func anErrorOfAnInitialiserComesOutUnchanged() throws {
        let mine = TestError(reason: "mine")
        let statement = try connection.prepare("VALUES(1), (2)")
        #expect(throws: mine) { _ = try connection.query("SELECT 1") as Throwing }
        #expect(throws: mine) { _ = try connection.query("SELECT 1") as Throwing? }
        #expect(throws: mine) { _ = try connection.query("VALUES(1), (2)") as [Throwing] }
        #expect(throws: mine) { _ = try statement.query() as [Throwing] }
        #expect(!statement.isBusy)
    }
}
