import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ExtractionErrorTests {
    private let connection: Connection
    private let sql =
        "SELECT 'Audi' AS name, NULL AS price, 300 AS power, 2.5 AS ratio, x'00' AS data"

    init() throws {
        connection = try Connection()
    }

    private func error<T: ColumnDecodable>(
        reading column: String,
        as type: T.Type
    ) -> ExtractionError? {
        extractionError { try connection.forEachRow(sql) { let _: T = try $0.get(column) } }
    }

    @Test func itsTextIsItsDescription() {
        let error = error(reading: "name", as: Int.self)
        #expect(error?.localizedDescription == error?.description)
    }

    @Test func eachReasonIsTold() {
        #expect(error(reading: "price", as: Int.self)?.reason == .null)
        #expect(error(reading: "price", as: String.self)?.storageClass == .null)
        #expect(error(reading: "power", as: UInt8.self)?.reason == .notExact)
        #expect(error(reading: "ratio", as: Int.self)?.reason == .notExact)
        #expect(error(reading: "data", as: String.self)?.reason == .mismatch)
        #expect(error(reading: "data", as: String.self)?.storageClass == .blob)
        #expect(error(reading: "name", as: Int?.self)?.reason == .mismatch)
        let missing = error(reading: "missing", as: String?.self)
        expect(missing, .noColumn, column: "missing")
        #expect(missing?.storageClass == nil)
        #expect(missing?.description.contains("missing") == true)
    }

    @Test func itIsOneLineWhateverTheSQL() {
        let sql = "SELECT\n  'x' AS \"two\nlines\"\n\t-- comment\n"
        let error = expectExtractionError(sql: sql) { try connection.query(sql) as Int }
        #expect(error?.description.contains { $0.isNewline } == false)
    }

    @Test func longSQLIsCut() {
        let sql = "SELECT 'x' AS a /* " + String(repeating: "x", count: 100_000) + " */"
        let error = expectExtractionError(sql: sql) { try connection.query(sql) as Int }
        #expect((error?.description.utf8.count ?? .max) < 500)
    }

    @Test func theLongNameOfAnUnnamedColumnIsCut() {
        let sql = "SELECT '" + String(repeating: "x", count: 100_000) + "'"
        let error = extractionError { try connection.query(sql) as Int }
        #expect((error?.description.utf8.count ?? .max) < 1000)
    }

    @Test func equalErrorsAreEqual() {
        #expect(error(reading: "name", as: Int.self) == error(reading: "name", as: Int.self))
        #expect(error(reading: "name", as: Int.self) != error(reading: "name", as: Double.self))
        #expect(
            Set([error(reading: "name", as: Int.self), error(reading: "name", as: Int.self)]).count
                == 1
        )
    }
}
