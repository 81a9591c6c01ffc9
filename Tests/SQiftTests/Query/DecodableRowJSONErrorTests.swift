import Foundation
import SQiftTestSupport
import Testing

import SQift

private enum Energy: String, Codable {
    case petrol, diesel
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
    let motor: Motor
}

private struct Single<Value: Decodable>: Decodable, ExpressibleByRow {
    let value: Value
}

/// Rows whose JSON can't be decoded, and what an error doesn't tell.
struct DecodableRowJSONErrorTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

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

    @Test(arguments: [
        "", "{", "six", #"{"cylinders":"six"}"#, "{}", #"{"cylinders":null}"#, "[]", "6",
        #"{"cylinders":6,"parts":{"a":{"name":1}}}"#,
    ])
    func brokenJSONIsAMismatchWithItsCause(json: String) {
        let sql = "SELECT 'Audi' AS name, ? AS motor"
        let errors = [
            extractionError { try connection.query(sql, json) as [Car] },
            extractionError { try connection.query(sql, Data(json.utf8)) as [Car] },
        ]
        for error in errors {
            expect(
                error,
                .mismatch,
                column: "motor",
                index: 1,
                row: 1,
                expectedType: "Motor",
                sql: sql
            )
            #expect(error?.codingPath?.hasPrefix("Car.motor") == true)
            #expect(error?.underlyingError is DecodingError)
            #expect(error?.description.contains("Car.motor") == true)
        }
        #expect(errors.map { $0?.storageClass } == [.text, .blob])
    }

    @Test func theRowOfBrokenJSONIsTold() {
        let sql = "VALUES('a', '{\"cylinders\":1}'), ('b', '{\"cylinders\":\"x\"}')"
        let error = expectExtractionError(row: 2) {
            let named = "SELECT column1 AS name, column2 AS motor FROM (\(sql))"
            _ = try connection.query(named) as [Car]
        }
        #expect(error?.description.contains("row 2") == true)
    }

    @Test func theCauseIsTheDecodersOwn() throws {
        let error = error(decoding: #"{"cylinders":"six"}"#, as: Motor.self)
        let cause = try #require(error?.underlyingError as? DecodingError)
        guard case .typeMismatch(_, let context) = cause else {
            Issue.record("\(cause)")
            return
        }
        #expect(context.codingPath.last?.stringValue == "cylinders")
    }

    @Test func brokenListsAndDictionariesAreMismatchesToo() {
        let errors: [ExtractionError?] = [
            error(decoding: "[", as: [Int].self), error(decoding: #"["x"]"#, as: [Int].self),
            error(decoding: "{}", as: [Int].self), error(decoding: "[]", as: [String: Int].self),
            error(decoding: #"{"a":"x"}"#, as: [String: Int].self),
            error(decoding: #"["steam"]"#, as: [Energy].self),
            error(decoding: "[1,[]]", as: Set<Int>.self),
            error(decoding: #"["x"]"#, as: ArrayBinding<Int>.self),
            error(decoding: #"{"width":"x"}"#, as: Sizes.self),
            error(decoding: "[1,", as: [Int]?.self),
        ]
        for error in errors {
            expect(error, .mismatch, column: "value", storageClass: .text)
            #expect(error?.codingPath?.contains(".value") == true)
            #expect(error?.underlyingError is DecodingError)
        }
    }

    @Test func aNumberIsNoJSON() {
        let integer = error(decoding: 5, as: Motor.self)
        let real = error(decoding: 1.5, as: [Int].self)
        expect(integer, .mismatch, storageClass: .integer, expectedType: "Motor")
        expect(real, .mismatch, storageClass: .float, expectedType: "Array<Int>")
    }

    @Test func bytesAreNotDecodedFromJSON() {
        let error = error(decoding: "[1,2]", as: [UInt8].self)
        expect(error, .mismatch, storageClass: .text)
    }

    // MARK: What an error doesn't tell, and leaves behind

    @Test func theTextOfAValueIsNeverInADescription() throws {
        let errors: [ExtractionError?] = [
            error(decoding: "secret", as: Int.self), error(decoding: "secret", as: Bool.self),
            error(decoding: "secret", as: Double?.self), error(decoding: "secret", as: Data.self),
            error(decoding: "secret", as: Date.self), error(decoding: "secret", as: UUID.self),
            error(decoding: "a secret", as: URL.self), error(decoding: "secret", as: Decimal.self),
            error(decoding: Data("secret".utf8), as: String.self),
            error(decoding: "secret", as: Energy.self), error(decoding: "secret", as: [UInt8].self),
            error(decoding: "secret", as: Motor.self), error(decoding: "secret", as: [Int].self),
            error(decoding: "secret", as: Sizes.self), error(decoding: "secret", as: Motor?.self),
            error(decoding: #"{"cylinders":"secret"}"#, as: Motor.self),
            error(decoding: #"{"secret":6}"#, as: Motor.self),
            error(decoding: #"{"cylinders":1,"parts":{"secret":{}}}"#, as: Motor.self),
            error(decoding: #"{"secret":"x"}"#, as: [String: Int].self),
            error(decoding: #"["secret"]"#, as: [Energy].self),
        ]
        for (number, found) in errors.enumerated() {
            let error = try #require(found, "\(number)")
            #expect(!error.description.contains("secret"), "\(number)")
            #expect(!error.localizedDescription.contains("secret"), "\(number)")
        }
    }

    @Test func anErrorLeavesTheStatementResetAndUsable() throws {
        try connection.execute("CREATE TABLE t(value)")
        try connection.execute("INSERT INTO t VALUES(1), ('x'), (3)")
        let sql = "SELECT value FROM t WHERE value <> ?"
        let statement = try connection.prepare(sql, 0)
        for _ in 0..<2 {
            let cached = extractionError {
                try connection.query(sql, 0) as [Single<Int>]
            }
            let prepared = extractionError { try statement.query() as [Single<Int>] }
            #expect(cached?.row == 2)
            #expect(prepared?.row == 2)
            #expect(!statement.isBusy)
        }
        let good: [Single<Int>] = try connection.query(sql, "x")
        #expect(good.map(\.value) == [1, 3])
        try connection.execute("DROP TABLE t")
    }
}
