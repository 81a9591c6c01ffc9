import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct RowTests {
    private let connection: Connection
    private let sql =
        "SELECT 1 AS id, 2.5 AS price, 'tëxt' AS name, x'00ff' AS data, NULL AS absence, 9 AS ID"

    init() throws {
        connection = try Connection()
    }

    /// Calls `body` with a live row and with its detached copy.
    private func withRow(of sql: String, _ body: (Row) throws -> Void) throws {
        var calls = 0
        try connection.forEachRow(sql) { row in
            try body(row)
            try body(row.detached())
            calls += 1
        }
        let row: Row? = try connection.query(sql)
        try body(#require(row))
        let rows: [Row] = try connection.query(sql)
        try body(#require(rows.first))
        #expect(calls > 0)
    }

    // MARK: Columns

    @Test func itKnowsItsColumns() throws {
        try withRow(of: sql) { row in
            #expect(row.columnCount == 6)
            #expect(row.columnNames == ["id", "price", "name", "data", "absence", "ID"])
            #expect(row.columns.map(\.index) == [0, 1, 2, 3, 4, 5])
            #expect(row.columns.map(\.name) == row.columnNames)
            #expect(
                row.columns.map(\.dataType) == [.integer, .float, .text, .blob, .null, .integer]
            )
            let values: [BindingValue] = [
                .integer(1), .real(2.5), .text("tëxt"), .blob(Data([0, 255])), .null, .integer(9),
            ]
            #expect(row.columns.map(\.bindingValue) == values)
            for index in 0..<6 {
                try #expect(row.bindingValue(at: index) == values[index])
            }
        }
    }

    @Test func itIsASequenceOfItsValues() throws {
        try withRow(of: sql) { row in
            #expect(row.values.count == 6)
            #expect(row.values[0] as? Int64 == 1)
            #expect(row.values[1] as? Double == 2.5)
            #expect(row.values[2] as? String == "tëxt")
            #expect(row.values[3] as? Data == Data([0, 255]))
            #expect(row.values[4] == nil)
            var count = 0
            for value in row {
                if count == 2 {
                    #expect(value as? String == "tëxt")
                }
                count += 1
            }
            #expect(count == 6)
            #expect(row.map { $0 == nil } == [false, false, false, false, true, false])
        }
    }

    @Test func itDescribesItself() throws {
        try withRow(of: "SELECT 1, 'text', NULL, -2.5, 'it''s', x'0a'") { row in
            #expect(row.description == "[1, 'text', NULL, -2.5, 'it''s', x'0a']")
            #expect("\(row)" == row.description)
        }
        try withRow(of: sql) { row in
            #expect(
                row.columns[0].description
                    == "{ index: 0 name: \"id\", type: \"integer\", value: 1 }"
            )
        }
    }

    @Test func aColumnsValueIsAPlainSwiftValue() throws {
        try withRow(of: sql) { row in
            #expect(row.columns[0].value as? Int64 == 1)
            #expect(row.columns[2].value as? String == "tëxt")
            #expect(row.columns[4].value == nil)
            #expect(row.value(at: 1) as? Double == 2.5)
            let absent: Any? = row.value(at: 4)
            #expect(absent == nil)
            let beyond: Any? = row.value(at: 6)
            #expect(beyond == nil)
            let typed: Int? = row.value(at: 0)
            #expect(typed == 1)
            let named: String? = row.value(forColumnName: "NAME")
            #expect(named == "tëxt")
            let mismatch: Int? = row.value(forColumnName: "data")
            #expect(mismatch == nil)
        }
    }

    @Test func namesMatchInEitherCaseAndTheLeftmostWins() throws {
        try withRow(
            of: "SELECT 1 AS Id, 2 AS id, 3 AS ID, 4 AS \"größe\", 5 AS \"GRÖSSE\", 6 AS \"a b\""
        ) { row in
            for name in ["id", "ID", "Id", "iD"] {
                try #expect(row.get(name) == 1)
                #expect(row[name] as Int == 1)
                #expect(row[name] as Int? == 1)
            }
            try #expect(row.get("GRößE") == 4)
            try #expect(row.get("A B") == 6)
            #expect(row.columnNames == ["Id", "id", "ID", "größe", "GRÖSSE", "a b"])
            try #expect([row.get(0), row.get(1), row.get(2)] == [1, 2, 3])
            #expect(row.hasColumn("iD"))
            #expect(row.hasColumn("GRößE"))
            #expect(!row.hasColumn("GRÖßE"))
            #expect(!row.hasColumn("i"))
            #expect(!row.hasColumn("id "))
            #expect(!row.hasColumn(""))
        }
    }

    @Test func canonicallyEquivalentNamesAreDifferent() throws {
        try withRow(of: "SELECT 1 AS \"e\u{301}\", 2 AS \"\u{E9}\"") { row in
            for _ in 0..<2 {
                try #expect(row.get("\u{E9}") == 2)
                try #expect(row.get("e\u{301}") == 1)
            }
        }
    }

    @Test func namesAreFoundInAnyOrderInEveryRow() throws {
        var names = ["a", "b", "c", "d"]
        try connection.forEachRow(
            "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d" + " UNION ALL SELECT 1, 2, 3, 4"
        ) { row in
            for _ in 0..<4 {
                for name in names {
                    let expected = Int(Array(name.utf8)[0]) - 96
                    try #expect(row.get(name) == expected)
                    try #expect(row.get(name.uppercased()) == expected)
                }
                expectThrows(ExtractionError.self) { try row.get("e") as Int }
                names.append(names.removeFirst())
            }
        }
    }

    /// Such names have other bits in each row, though the text is the same.
    @Test func longNamesMadeAtRunTimeAreFoundInEveryRow() throws {
        let base = "a_name_that_is_kept_on_the_heap"
        var sum = 0
        try connection.forEachRow(
            numbers(to: 3, selecting: "n AS \(base)_1, n * 10 AS \(base)_2")
        ) { row in
            for index in 1...2 {
                sum += try row.get("\(base)_\(index)")
                sum += try row.get("\(base)_\(index)".uppercased())
            }
            expectThrows(ExtractionError.self) { try row.get("\(base)_3") as Int }
        }
        #expect(sum == 2 * (6 + 60))
    }

    @Test func aRowMayHaveManyColumns() throws {
        let count = 2000
        let columns = (0..<count).map { "\($0) AS c\($0)" }.joined(separator: ", ")
        try withRow(of: "SELECT \(columns)") { row in
            #expect(row.columnCount == count)
            try #expect(row.get(count - 1) == count - 1)
            try #expect(row.get("C1999") == 1999)
            try #expect(row.get("c7") == 7)
        }
    }

    @Test func manyNamesAreReadInEveryRow() throws {
        let count = 150
        let columns = (0..<count).map { "n + \($0) AS c\($0)" }.joined(separator: ", ")
        var sum = 0
        try connection.forEachRow(numbers(to: 4, selecting: columns)) { row in
            let first: Int = try row.get("c0")
            for index in (0..<count).reversed() {
                try #expect(row.get("C\(index)") == first + index)
            }
            sum += first
        }
        #expect(sum == 10)
    }

    @Test func emptyColumnNamesAreNames() throws {
        try withRow(of: "SELECT 1 AS \"\", 2 AS \"\"") { row in
            #expect(row.columnNames == ["", ""])
            try #expect(row.get("") == 1)
        }
    }

    // MARK: Reading

    @Test func getAnswersValuesAndThrowsOtherwise() throws {
        try withRow(of: sql) { row in
            try #expect(row.get(0) == 1)
            try #expect(row.get("price") == 2.5)
            try #expect(row.get("absence") as Int? == nil)
            try #expect(row.get(0) as Int? == 1)
            try #expect(row.get("name") as String? == "tëxt")

            expectExtractionError(
                column: "absence",
                index: 4,
                storageClass: .null,
                expectedType: "Int",
                sql: sql
            ) { try row.get("absence") as Int }
            expectExtractionError(column: "name", index: 2, storageClass: .text) {
                try row.get(2) as Int
            }
            expectExtractionError(storageClass: .float) { try row.get(1) as UInt8 }
            let missing = extractionError { try row.get("missing") as Int }
            #expect(missing?.column == "missing")
            #expect(missing?.sql == sql)
            for index in [-1, 6, Int.max, Int.min, Int(Int32.max) + 1] {
                expectExtractionError(index: index) { try row.get(index) as Int }
                expectExtractionError(index: index) { try row.bindingValue(at: index) }
                expectExtractionError(index: index) { try row.withUnsafeBytes(at: index) { _ in } }
            }
        }
    }

    @Test func anOptionalIsNilForNULLOnlyInGet() throws {
        try withRow(of: sql) { row in
            expectThrows(ExtractionError.self) { try row.get("name") as Int? }
            expectThrows(ExtractionError.self) { try row.get("missing") as Int? }
            expectThrows(ExtractionError.self) { try row.get(6) as Int? }
            expectThrows(ExtractionError.self) { try row.get("price") as Data? }
            expectThrows(ExtractionError.self) { try row.get("price") as Int? }
        }
    }

    @Test func optionalSubscriptsAnswerNilForWhatDoesNotFit() throws {
        try withRow(of: sql) { row in
            #expect(row[0] as Int? == 1)
            #expect(row["price"] as Double? == 2.5)
            #expect(row["absence"] as Int? == nil)
            #expect(row["name"] as Int? == nil)
            #expect(row[3] as String? == nil)
            #expect(row["missing"] as Int? == nil)
            #expect(row[6] as Int? == nil)
            #expect(row[-1] as Int? == nil)
            #expect(row[1] as Int? == nil)
        }
    }

    @Test func plainSubscriptsAnswerValues() throws {
        try withRow(of: sql) { row in
            #expect(row[0] as Int == 1)
            #expect(row["NAME"] as String == "tëxt")
            #expect(row[3] as Data == Data([0, 255]))
            let inferred: Double = row["price"]
            #expect(inferred == 2.5)
        }
    }

    @Test func bytesAreReadWithoutConversion() throws {
        let bytes: [UInt8] = [0x61, 0, 0xff, 0xfe, 0x62]
        try withRow(
            of: "SELECT x'6100fffe62', char(0xfc, 0), x'', '', 1, NULL, CAST(x'6100fffe62' AS TEXT)"
        ) { row in
            try #expect(row.withUnsafeBytes(at: 0) { Array($0) } == bytes)
            try #expect(row.withUnsafeBytes(at: 2) { $0.count } == 0)
            try #expect(row.withUnsafeBytes(at: 3) { $0.count } == 0)
            expectExtractionError(storageClass: .integer) {
                try row.withUnsafeBytes(at: 4) { _ in }
            }
            expectExtractionError(storageClass: .null) { try row.withUnsafeBytes(at: 5) { _ in } }
            expectThrows(TestError.self) {
                try row.withUnsafeBytes(at: 0) { _ in throw TestError() }
            }
        }
    }

    /// Of these, `f09f98` and `efbfbd` are the same `String`, of three bytes.
    @Test(arguments: [
        "", "61", "61ff00", "c3bc00f09f9880", "f09f98", "efbfbd", "eda080", "c080",
        "6120746578742074686174206973206b657074206f6e207468652068656170ff",
    ])
    func theBytesOfATextAreThoseThatAreStored(bytes: String) throws {
        try withRow(of: "SELECT 1, CAST(x'\(bytes)' AS TEXT), x'ff'") { row in
            let read = try row.withUnsafeBytes(at: 1) { Array($0) }
            #expect(read.map { String(format: "%02x", $0) }.joined() == bytes)
            try #expect(row.withUnsafeBytes(at: 2) { Array($0) } == [0xff])
        }
    }

    @Test func aTextThatIsNotUTF8IsRepairedInAString() throws {
        try withRow(of: "SELECT CAST(x'61ff62' AS TEXT) AS name") { row in
            try #expect(row.get(0) == "a\u{FFFD}b")
            try #expect(row.bindingValue(at: 0) == .text("a\u{FFFD}b"))
            #expect(row.columns.map(\.bindingValue) == [.text("a\u{FFFD}b")])
            #expect(row.description == "['a\u{FFFD}b']")
        }
    }

    @Test func readingAColumnInOneTypeLeavesItReadableInAnother() throws {
        try withRow(of: "SELECT 5, '5', x'35'") { row in
            for _ in 0..<2 {
                #expect(row[0] as String? == nil)
                try #expect(row.get(0) == 5)
                #expect(row[1] as Int? == nil)
                try #expect(row.get(1) == "5")
                try #expect(row.withUnsafeBytes(at: 1) { $0.count } == 1)
                try #expect(row.get(2) == Data([0x35]))
                #expect(row.columns.map(\.dataType) == [.integer, .text, .blob])
            }
        }
    }

    // MARK: Detaching

    @Test func detachedRowsOutliveEverything() throws {
        var kept: [Row] = []
        do {
            let connection = try Connection()
            try connection.execute("CREATE TABLE t(x, y); INSERT INTO t VALUES(1, 'a'), (2, x'00')")
            try connection.forEachRow("SELECT * FROM t") { kept.append($0.detached()) }
            kept += try connection.query("SELECT * FROM t")
            kept += try connection.query("SELECT * FROM t", body: { $0.detached() })
            if let row: Row = try connection.prepare("SELECT * FROM t").query() {
                kept.append(row)
            }
            try connection.execute("DROP TABLE t")
            try connection.close()
        }
        let texts = ["[1, 'a']", "[2, x'00']"]
        #expect(kept.map(\.description) == texts + texts + texts + [texts[0]])
        #expect(kept.allSatisfy { $0.columnNames == ["x", "y"] && $0.hasColumn("Y") })
        try #expect(kept[0].detached().get("y") == "a")
        expectExtractionError(sql: "SELECT * FROM t") { try kept[0].get("y") as Int }
    }

    @Test func aUTF16DatabaseIsReadByLength() throws {
        try connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(x)")
        let text = "añ\0日😀"
        try connection.run("INSERT INTO t VALUES(?)", text)
        try withRow(of: "SELECT x FROM t") { row in
            try #expect(row.get(0) == text)
            try #expect(row.withUnsafeBytes(at: 0) { Array($0) } == Array(text.utf8))
            #expect(row.values[0] as? String == text)
        }
    }
}
