import Foundation
import SQiftTestSupport
import Testing

import SQift

struct EscapesTests {
    private let connection: Connection

    static let texts = [
        "", "a", "it's", "'", "''", "'''", "\"", "a\"b", "\\'", "\n'", "--'", "/*'*/",
        "'; DROP TABLE t; --", "日本'😀",
        "'\u{301}", "x'\u{301}; DROP TABLE t; --", "\u{301}'", "'\u{FE0F}", "'\u{200D}'",
        "e\u{301}'\u{E9}", "\r\n'",
        "%_?:@$",
        "\"\u{301}", "x\"\u{20DD}; DROP TABLE t; --", String(repeating: "'", count: 1000),
    ]

    init() throws {
        connection = try Connection.withTable()
    }

    @Test(arguments: texts)
    func anEscapedTextIsTheTextAgain(text: String) throws {
        let found: String = try connection.query("SELECT \(text.sqift.addingSQLEscapes())")
        #expect(Array(found.utf8) == Array(text.utf8))
        try connection.execute("INSERT INTO t VALUES(\(text.sqift.addingSQLEscapes()))")
        try #expect(count("t", on: connection) == 1)
    }

    @Test func quotesAreDoubledAndNothingElseIsChanged() {
        #expect("it's".sqift.addingSQLEscapes() == "'it''s'")
        #expect("".sqift.addingSQLEscapes() == "''")
        #expect("\"\\".sqift.addingSQLEscapes() == "'\"\\'")
    }

    @Test func theyWorkWhereSQLiteTakesNoParameter() throws {
        let text = "o'\u{301}; DROP TABLE t; --"
        try connection.execute(
            "CREATE TABLE u(a, b DEFAULT \(text.sqift.addingSQLEscapes())); INSERT INTO u(a) VALUES(1)"
        )
        let found: String = try connection.query("SELECT b FROM u")
        #expect(Array(found.utf8) == Array(text.utf8))
        try #expect(count("t", on: connection) == 0)
    }

    @Test(arguments: texts)
    func aQuotedIdentifierIsThatName(name: String) throws {
        let row: Row? = try connection.query("SELECT 1 AS \(name.sqift.quotedIdentifier)")
        #expect(row?.columnNames.first.map { Array($0.utf8) } == Array(name.utf8))
        try #expect(count("t", on: connection) == 0)
    }

    @Test func anEscapedPartOfALongerStringIsEscapedAlone() throws {
        let part = "xx'abc'xx".dropFirst(2).dropLast(2)
        #expect(String(part).sqift.addingSQLEscapes() == "'''abc'''")
    }
}
