import Foundation
import SQiftTestSupport
import Testing

import SQift

private enum Energy: String, Codable {
    case petrol, diesel
}

private enum Gear: Int, Codable {
    case first = 1
}

private enum Paint: String, Codable, Binding {
    case red, blue
}

private struct Motor: Codable, Equatable {
    struct Part: Codable, Equatable {
        var name: String
    }

    var cylinders: Int
    var parts: [String: Part]?
}

private struct Sizes: CodableBinding {
    var width: Int
}

private struct Car: Decodable, ExpressibleByRow {
    let name: String
    let price: Int
}

private struct Offer: Decodable, ExpressibleByRow {
    let price: Int?
    let motor: Motor?
}

private struct Model: Decodable, ExpressibleByRow {
    let modelYear: Int

    static var columnNamesAreSnakeCase: Bool { true }
}

private struct Single<Value: Decodable>: Decodable, ExpressibleByRow {
    let value: Value
}

/// A property that is decoded through a container of a single value.
private struct Tag: Decodable {
    let number: Int

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
    }
}

private struct ByHand: Decodable, ExpressibleByRow {
    enum Key: String, CodingKey { case position, scores, motor }
    enum PositionKey: String, CodingKey { case latitude }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        _ = try container.nestedContainer(keyedBy: PositionKey.self, forKey: .position)
        _ = try container.nestedUnkeyedContainer(forKey: .scores)
        _ = try Motor(from: container.superDecoder(forKey: .motor))
    }
}

private class Vehicle: Decodable, ExpressibleByRow {
    let wheels: Int
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

/// Rows that can't be decoded.
/// Runs another query when it is decoded, whose row doesn't fit.
private struct Inquirer: Decodable {
    init(from decoder: any Decoder) throws {
        let sql = "SELECT 'Beetle' AS name, 'cheap' AS price"
        _ = try Connection().query(sql) as Car
    }
}

struct DecodableRowErrorTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    /// The error of decoding a value that is the whole row.
    private func error<Value: Decodable>(
        decoding value: (any Bindable)?,
        as type: Value.Type,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ExtractionError? {
        extractionError(
            { _ = try connection.query("SELECT ? AS value", [value]) as [Single<Value>] },
            sourceLocation: sourceLocation
        )
    }

    private func error<T: ExpressibleByRow>(
        querying sql: SQL,
        as type: T.Type,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ExtractionError? {
        extractionError(
            { _ = try connection.query(sql) as [T] },
            sourceLocation: sourceLocation
        )
    }

    // MARK: Plain values

    @Test func aMismatchSaysEverything() throws {
        let sql = "SELECT 'Audi' AS name, ? AS price"
        let error = expectExtractionError(
            .mismatch,
            column: "price",
            index: 1,
            row: 1,
            storageClass: .text,
            expectedType: "Int",
            sql: sql,
            codingPath: "Car.price"
        ) { try connection.query(sql, "dear") as [Car] }
        let description = try #require(error?.description)
        for part in ["row 1", "Car.price", "column 1 (price)", "TEXT", "Int", sql] {
            #expect(description.contains(part), "\(description)")
        }
        #expect(!description.contains("dear"))
    }

    @Test func aSingleResultSaysTheSame() {
        let sql = "SELECT 'Audi' AS name, 'dear' AS price"
        let one = extractionError { try connection.query(sql) as Car }
        let optional = extractionError { try connection.query(sql) as Car? }
        let inClosure = extractionError {
            try connection.forEachRow(sql) { _ = try Car(row: $0) }
        }
        let detached = extractionError {
            let rows: [Row] = try connection.query(sql)
            _ = try rows.map { try Car(row: $0) }
        }
        for error in [one, optional, inClosure, detached] {
            expect(error, .mismatch, column: "price", codingPath: "Car.price")
            #expect(error?.description.contains("Car.price") == true)
        }
    }

    @Test func theRowsNumberIsTold() {
        let sql = "VALUES('a', 1), ('b', 2), ('c', NULL), ('d', 'x')"
        let named = "SELECT column1 AS name, column2 AS price FROM (\(sql))"
        let error = error(querying: named, as: Car.self)
        #expect(error?.row == 3)
        expect(error, .null, column: "price", storageClass: .null, codingPath: "Car.price")
        #expect(error?.description.contains("row 3") == true)
    }

    @Test func aNumberThatDoesNotFitIsNotExact() {
        let errors: [ExtractionError?] = [
            error(decoding: 300, as: UInt8.self), error(decoding: -1, as: UInt32.self),
            error(decoding: 128, as: Int8.self), error(decoding: 2.5, as: Int.self),
            error(decoding: 1e300, as: Int64.self), error(decoding: -1.0, as: UInt64.self),
            error(decoding: 300, as: UInt8?.self),
        ]
        for error in errors {
            expect(error, .notExact, column: "value")
            #expect(error?.codingPath?.hasSuffix(".value") == true)
        }
    }

    @Test func anOptionalPropertyIsNoExcuseForAMismatch() {
        let price = error(querying: "SELECT 'x' AS price", as: Offer.self)
        let motor = error(querying: "SELECT '{' AS motor", as: Offer.self)
        expect(price, .mismatch, codingPath: "Offer.price")
        expect(motor, .mismatch, codingPath: "Offer.motor")
    }

    @Test func nullIsAnErrorForEveryTypeThatIsNotOptional() {
        let errors: [ExtractionError?] = [
            error(decoding: nil, as: Bool.self), error(decoding: nil, as: Int.self),
            error(decoding: nil, as: Double.self), error(decoding: nil, as: String.self),
            error(decoding: nil, as: Data.self), error(decoding: nil, as: Date.self),
            error(decoding: nil, as: [UInt8].self), error(decoding: nil, as: Energy.self),
            error(decoding: nil, as: Paint.self), error(decoding: nil, as: Motor.self),
            error(decoding: nil, as: [Int].self), error(decoding: nil, as: [String: Int].self),
            error(decoding: nil, as: Sizes.self), error(decoding: nil, as: Tag.self),
        ]
        for error in errors {
            expect(error, .null, column: "value", row: 1, storageClass: .null)
            #expect(error?.codingPath?.hasSuffix(".value") == true)
        }
        #expect(error(decoding: nil, as: [UInt8].self)?.expectedType == "Array<UInt8>")
        #expect(error(decoding: nil, as: Motor.self)?.expectedType == "Motor")
        #expect(error(decoding: nil, as: [Int].self)?.expectedType == "Array<Int>")
    }

    @Test(arguments: ["steam", "", "Petrol"])
    func anUnknownRawValueIsAMismatch(value: String) {
        let errors: [ExtractionError?] = [
            error(decoding: value, as: Energy.self), error(decoding: value, as: Energy?.self),
            error(decoding: value, as: Paint.self),
        ]
        for error in errors {
            expect(error, .mismatch, column: "value", row: 1, storageClass: .text)
            #expect(error?.codingPath?.hasSuffix(".value") == true)
        }
        #expect(error(decoding: value, as: Energy.self)?.expectedType == "Energy")
        #expect(error(decoding: value, as: Paint.self)?.expectedType == "Paint")
        #expect(error(decoding: 2, as: Gear.self)?.reason == .mismatch)
        #expect(error(decoding: 2, as: Gear.self)?.storageClass == .integer)
    }

    @Test func aWrappedValueThatDoesNotFitSaysWhereItIs() {
        let error = error(decoding: "x", as: Tag.self)
        expect(error, .mismatch, column: "value", codingPath: "Single<Tag>.value")
    }

    // MARK: Columns

    @Test func theErrorOfAQueryInsideSaysWhereThatFailed() {
        expectExtractionError(codingPath: "Car.price") {
            try Connection().query("SELECT 1 AS value") as Single<Inquirer>
        }
    }

    @Test func aMissingColumnIsNamed() {
        let error = error(querying: "SELECT 'a' AS name, 1 AS cost", as: Car.self)
        expect(error, .noColumn, column: "price", expectedType: "Int")
        #expect(error?.availableColumns == ["name", "cost"])
        #expect(error?.storageClass == nil)
        #expect(error?.row == 1)
        #expect(error?.codingPath == "Car.price")
        #expect(error?.description.contains("Car.price") == true)
    }

    @Test func aMissingColumnInSnakeCaseIsAnError() {
        let error = error(querying: "SELECT 1 AS modelYear", as: Model.self)
        expect(error, .noColumn, codingPath: "Model.modelYear")
        #expect(error?.availableColumns == ["modelYear"])
    }

    @Test func aMissingColumnIsAnErrorForEveryTypeThatIsNotOptional() {
        let errors: [ExtractionError?] = [
            error(querying: "SELECT 1 AS other", as: Single<String>.self),
            error(querying: "SELECT 1 AS other", as: Single<Motor>.self),
            error(querying: "SELECT 1 AS other", as: Single<[Int]>.self),
            error(querying: "SELECT 1 AS other", as: Single<Tag>.self),
            error(querying: "SELECT 1 AS other", as: Single<Energy>.self),
        ]
        for error in errors {
            expect(error, .noColumn, column: "value")
            #expect(error?.codingPath?.hasSuffix(".value") == true)
        }
    }

    @Test func aSuperclassesColumnIsNamedToo() {
        let missing = error(querying: "SELECT 1 AS load", as: Truck.self)
        let wrong = error(querying: "SELECT 1 AS load, 'x' AS wheels", as: Truck.self)
        expect(missing, .noColumn, column: "wheels")
        expect(wrong, .mismatch, column: "wheels")
        #expect(wrong?.codingPath?.hasSuffix(".wheels") == true)
    }

    @Test func containersByHandNameTheColumn() {
        let position = error(querying: "SELECT 1 AS other", as: ByHand.self)
        let scores = error(querying: "SELECT '{}' AS position, '[' AS scores", as: ByHand.self)
        let motor = error(querying: "SELECT '{}' AS position, '[]' AS scores", as: ByHand.self)
        expect(position, .noColumn, codingPath: "ByHand.position")
        expect(scores, .mismatch, column: "scores", codingPath: "ByHand.scores")
        expect(motor, .noColumn, codingPath: "ByHand.motor")
    }

    @Test func aNestedContainerSaysWhatItIsReadFrom() {
        let position = error(querying: "SELECT 1 AS position", as: ByHand.self)
        let scores = error(querying: "SELECT '{}' AS position, NULL AS scores", as: ByHand.self)
        let motor = error(
            querying: "SELECT '{}' AS position, '[]' AS scores, 1.5 AS motor",
            as: ByHand.self
        )
        #expect(
            position?.description.contains(
                "INTEGER can't be read as JSONObject<PositionKey>; expected: JSON"
            ) == true
        )
        #expect(
            scores?.description.contains(
                "NULL can't be read as JSONArray; ask for JSONArray? where it may be NULL"
            ) == true
        )
        #expect(
            motor?.description.contains("REAL can't be read as JSONObject<CodingKeys>") == true
        )
    }
}
