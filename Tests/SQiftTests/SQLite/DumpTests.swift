import Foundation
import SQift
import SQiftTestSupport
import Testing

struct DumpTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private func dump(_ sql: String, _ parameters: (any Bindable)?...) throws -> String {
        var text = ""
        switch parameters.count {
        case 0: try connection.dump(sql, to: &text)
        default: try connection.dump(sql, parameters[0], to: &text)
        }
        return text
    }

    @Test func columnsAreAlignedAndEachLineEndsWithItsLastCharacter() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, price);
            INSERT INTO cars VALUES('Audi', 52642), ('Lada', 1500.0), ('a long name', NULL)
            """
        )
        #expect(
            try dump("SELECT * FROM cars WHERE price NOTNULL AND price < ?", 1e6) == """
                name    price
                'Audi'  52642
                'Lada'  1500.0

                """
        )
        #expect(
            try dump("SELECT price, name AS n FROM cars ORDER BY rowid DESC") == """
                price   n
                NULL    'a long name'
                1500.0  'Lada'
                52642   'Audi'

                """
        )
    }

    @Test func aValueShowsHowItIsStored() throws {
        let text = try dump(
            "SELECT 1 AS a UNION ALL VALUES(1.0), ('1'), (x'31'), (NULL), ('it''s'), (9e999), ('')"
        )
        #expect(text == "a\n1\n1.0\n'1'\nx'31'\nNULL\n'it''s'\n9e999\n''\n")
    }

    @Test func aNULLIsBoundLikeAnyValue() throws {
        #expect(try dump("SELECT ? IS NULL AS n", nil) == "n\n1\n")
        expectSQLiteError(.misuse) { _ = try dump("SELECT ?") }
    }

    @Test func characterAndNotByteIsWhatIsAligned() throws {
        #expect(
            try dump("SELECT 'Škoda 🚗' AS name, 1 AS n UNION ALL VALUES('VW', 2)")
                == "name       n\n'Škoda 🚗'  1\n'VW'       2\n"
        )
    }

    @Test func aResultWithoutRowsHasItsNamesAndAStatementWithoutAResultAnEmptyLine() throws {
        #expect(try dump("SELECT 1 AS a, 2 AS b WHERE 0") == "a  b\n")
        #expect(try dump("CREATE TABLE t(x)") == "\n")
    }

    @Test func anErrorWritesNothing() throws {
        var text = "before"
        expectSQLiteError { try connection.dump("SELECT nothing", to: &text) }
        let overflow = "SELECT abs(-9223372036854775808)"
        expectSQLiteError { try connection.dump(overflow, to: &text) }
        #expect(text == "before")
    }

    @Test func anyStreamTakesIt() throws {
        struct Lines: TextOutputStream {
            var lines: [String] = []

            mutating func write(_ string: String) {
                lines.append(string)
            }
        }

        var lines = Lines()
        try connection.dump("VALUES(1), (2)", to: &lines)
        #expect(lines.lines == ["column1\n", "1\n", "2\n"])
    }
}
