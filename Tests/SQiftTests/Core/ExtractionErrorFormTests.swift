import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What an error says of a value that a type can't be made of, without the value.
struct ExtractionErrorFormTests {
    enum Fuel: String, Binding, CaseIterable { case petrol, diesel }

    enum Gear: Int, Binding { case first = 1 }

    enum Month: Int, Binding, CaseIterable {
        case january = 1
        case february, march, april, may, june, july, august, september, october, november, december
    }

    struct Engine: CodableBinding {
        struct Part: Codable { var name: String }

        var cylinders: Int
        var parts: [String: [Part]]?
    }

    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func error<T: ColumnDecodable>(
        reading value: any Bindable,
        as type: T.Type
    ) -> ExtractionError? {
        extractionError {
            try connection.forEachRow("SELECT ? AS a", [value]) { let _: T = try $0.get("a") }
        }
    }

    @Test func theFormOfADateIsTold() {
        let error = error(reading: "31.1.2026", as: Date.self)
        let description = error?.description ?? ""
        expect(error, .mismatch)
        #expect(description.contains("TEXT can't be read as Date; expected: "))
        #expect(description.contains("yyyy-MM-dd, perhaps with HH:mm, HH:mm:ss or HH:mm:ss.SSS"))
        #expect(description.contains("Unix seconds"))
        #expect(!description.contains("2026"))
    }

    @Test(arguments: [1_700_000_000_000, 1.7e15, -Double.infinity])
    func aNumberThatIsNoDateMayBeMilliseconds(number: Double) {
        let error = error(reading: number, as: Date.self)
        let form =
            "Unix seconds in the years 0 to 9999; if it is milliseconds, read a UnixMilliseconds"
        #expect(
            error?.description == "row 1, column 0 (a): REAL can't be read as Date; "
                + "expected: \(form), in: SELECT ? AS a"
        )
    }

    @Test func theFormsOfOtherTypesAreTold() {
        #expect(error(reading: "x", as: UUID.self)?.expectedForm?.contains("16 bytes") == true)
        #expect(error(reading: "12,50", as: Decimal.self)?.expectedForm?.contains("38") == true)
        #expect(error(reading: "", as: URL.self)?.expectedForm?.contains("a URL") == true)
        #expect(error(reading: "x", as: UUID?.self)?.expectedForm?.contains("16 bytes") == true)
        #expect(error(reading: "x", as: Int.self)?.expectedForm == nil)
    }

    @Test func theCasesOfAnEnumerationAreListed() {
        let error = error(reading: "steam", as: Fuel.self)
        let list = "TEXT can't be read as Fuel; expected: 'petrol', 'diesel', in: SELECT ? AS a"
        #expect(error?.description.hasSuffix(list) == true)
        #expect(error?.expectedForm == "'petrol', 'diesel'")
    }

    @Test func theListOfCasesIsCut() {
        let form = error(reading: 13, as: Month.self)?.expectedForm
        #expect(form == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …")
    }

    @Test func theRawTypeOfOtherEnumerationsIsTold() {
        let form = error(reading: "first", as: Gear.self)?.expectedForm
        #expect(form == "a case's raw value, of type Int")
    }

    @Test func aFormIsOnlyToldOfWhatHasAValue() {
        let null = error(reading: BindingValue.null, as: Fuel.self)
        expect(null, .null)
        #expect(null?.expectedForm == nil)
    }

    @Test func theDecodersErrorIsKept() throws {
        let error = error(reading: #"{"cylinders": "six"}"#, as: Engine.self)
        let cause = try #require(error?.underlyingError as? DecodingError)
        guard case .typeMismatch(_, let context) = cause else {
            Issue.record("\(cause)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["cylinders"])
        #expect(error?.description.contains("can't be read as Engine: cylinders isn't Int") == true)
        #expect(error?.description.contains("six") == false)
    }

    @Test(arguments: [
        (#"{"parts": null}"#, "cylinders is missing, in: "),
        (#"{"cylinders": null}"#, "cylinders is null"),
        (#"{"cylinders": 1, "parts": {"secret": [{"name": 1}]}}"#, "parts.….0.name isn't String"),
        (#"secret"#, "it isn't JSON of this type, in: "),
    ])
    func whatIsWrongWithAJSONIsTold(json: String, problem: String) {
        let description = error(reading: json, as: Engine.self)?.description ?? ""
        #expect(description.contains("TEXT can't be read as Engine: \(problem)"), "\(description)")
        #expect(!description.contains("secret"))
    }

    @Test func aValueThatATypeRefusesIsNotOfThisType() {
        struct Positive: CodableBinding {
            let number: Int

            init(from decoder: any Decoder) throws {
                number = try decoder.singleValueContainer().decode(Int.self)
                guard number > 0 else {
                    let context = DecodingError.Context(codingPath: [], debugDescription: "")
                    throw DecodingError.dataCorrupted(context)
                }
            }
        }

        let description = error(reading: "-5", as: Positive.self)?.description ?? ""
        #expect(description.contains("can't be read as Positive: it isn't JSON of this type"))
    }

    @Test func aNumberForAJSONHasNoDecodersError() {
        let error = error(reading: 1, as: Engine.self)
        expect(error, .mismatch)
        #expect(error?.underlyingError == nil)
        #expect(error?.expectedForm == "JSON")
    }

    @Test func errorsAreComparedWithoutTheirCauses() {
        let one = error(reading: "{}", as: Engine.self)
        let other = error(reading: "[]", as: Engine.self)
        #expect(one == other)
        #expect(one?.hashValue == other?.hashValue)
        #expect(one != error(reading: 1, as: Engine.self))
        #expect("\(one?.underlyingError as Any)" != "\(other?.underlyingError as Any)")
    }

    // MARK: Columns

    @Test func aMissingColumnIsAnsweredWithThoseThatThereAre() throws {
        let sql = "SELECT 'a' AS nme, 1 AS price"
        let live = extractionError {
            try connection.forEachRow(sql) { let _: String = try $0.get("name") }
        }
        let row: Row = try connection.query(sql)
        let detached = extractionError { try row.get("name") as String }
        let index = extractionError { try row.get(2) as String }

        #expect(live?.availableColumns == ["nme", "price"])
        let description = "no column is named \"name\"; there are: nme, price, in: \(sql)"
        #expect(live?.description == "row 1, " + description)
        #expect(detached?.description == description)
        #expect(
            index?.description
                == "column 2: the row has no such column; it has 2 columns: nme, price, in: \(sql)"
        )
    }

    @Test func manyColumnsAreCut() throws {
        let sql = "SELECT " + (0..<1000).map { "\($0) AS column\($0)" }.joined(separator: ", ")
        let row: Row = try connection.query(sql)
        let error = extractionError { try row.get("name") as Int }
        #expect(error?.availableColumns.count == 1000)
        #expect((error?.description.utf8.count ?? .max) < 1000)
    }

    @Test func anErrorAboutAPresentColumnListsNone() {
        #expect(error(reading: "x", as: Int.self)?.availableColumns == [])
    }
}
