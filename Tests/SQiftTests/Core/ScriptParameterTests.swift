import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Scripts with parameters.
struct ScriptParameterTests {
    private let connection: Connection
    private let script = """
        INSERT INTO archive SELECT * FROM orders WHERE day < :day;
        DELETE FROM orders WHERE day < :day
        """

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE orders(day TEXT, amount INTEGER);
            CREATE TABLE archive(day TEXT, amount INTEGER);
            INSERT INTO orders VALUES('2023-12-31', 1), ('2024-01-01', 2), ('2024-02-01', 3)
            """
        )
    }

    private func amounts(_ table: String) throws -> [Int] {
        try connection.query("SELECT amount FROM \(table) ORDER BY rowid")
    }

    /// Expects that the script has changed nothing.
    private func expectNoChange(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let orders = try amounts("orders")
        let archive = try amounts("archive")
        #expect(orders == [1, 2, 3], sourceLocation: sourceLocation)
        #expect(archive.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: Values

    @Test(arguments: ["day", ":day"])
    func severalStatementsShareAValue(name: String) throws {
        try connection.execute(script, parameters: [name: "2024-02-01"])
        #expect(try amounts("archive") == [1, 2])
        #expect(try amounts("orders") == [3])
    }

    @Test func eachStatementTakesItsOwnByAnyPrefix() throws {
        try connection.execute(
            """
            INSERT INTO orders VALUES(:day, @amount);
            INSERT INTO archive VALUES($day, :amount), ($day, $other);
            CREATE TABLE third(x);
            INSERT INTO third VALUES(@other), (@other), (hex(:bytes))
            """,
            parameters: ["day": "x", "amount": 7, "other": 2.5, "bytes": Data([1, 255])]
        )
        #expect(try connection.query("SELECT amount FROM orders WHERE day = 'x'") == 7)
        #expect(try connection.query("SELECT total(amount) FROM archive WHERE day = 'x'") == 9.5)
        #expect(
            try connection.query("SELECT x FROM third") as [BindingValue] == [
                .real(2.5), .real(2.5), .text("01FF"),
            ]
        )
    }

    @Test func nilIsNULL() throws {
        try connection.execute(
            "DELETE FROM orders; INSERT INTO orders VALUES(:day, :amount)",
            parameters: ["day": nil, ":amount": 5]
        )
        let row: Row? = try connection.query("SELECT * FROM orders")
        #expect(row?.description == "[NULL, 5]")
    }

    @Test func aNameThatTwoPrefixesMakeTwoParametersIsGivenByBoth() throws {
        try connection.execute(
            "INSERT INTO archive VALUES(:a, @a)",
            parameters: [":a": "day", "@a": 8]
        )
        let row: Row? = try connection.query("SELECT * FROM archive")
        #expect(row?.description == "['day', 8]")
    }

    @Test func valuesThatAreLeftOverAreIgnored() throws {
        let parameters: [String: (any Bindable)?] = [
            "day": "2024-01-01", "unused": 1, ":other": nil, "?": 3, "": 4,
        ]
        try connection.execute(script, parameters: parameters)
        #expect(try amounts("archive") == [1])
        try connection.execute("DELETE FROM archive", parameters: parameters)
        #expect(try amounts("archive").isEmpty)
    }

    // MARK: No parameters

    @Test func aScriptWithoutParametersNeedsNone() throws {
        try connection.execute("DELETE FROM orders WHERE amount = 1; -- :day\n;")
        try connection.execute("INSERT INTO archive VALUES(':day', 1)", parameters: [:])
        try connection.execute("", parameters: ["day": 1])
        #expect(try amounts("orders") == [2, 3])
        #expect(try connection.query("SELECT day FROM archive") == ":day")
    }

    // MARK: Errors

    @Test func aMissingParameterThrowsBeforeItsStatementRuns() throws {
        let script = """
            INSERT INTO archive VALUES('first', :amount);
            INSERT INTO archive VALUES(:missing, :amount);
            INSERT INTO archive VALUES('third', :amount)
            """
        expectSQLiteError(.misuse, containing: ":missing", sql: script, offset: 46) {
            try connection.execute(script, parameters: ["amount": 4])
        }
        #expect(try connection.query("SELECT day FROM archive") == ["first"])
        #expect(try amounts("archive") == [4])
    }

    @Test func withoutValuesTheFirstParameterThrows() throws {
        for error in [
            sqliteError { try connection.execute(script) },
            sqliteError { try connection.execute(script, parameters: [:]) },
            sqliteError { try connection.execute(script, parameters: ["DAY": "2024-02-01"]) },
        ] {
            expect(error, .misuse, containing: ":day")
        }
        try expectNoChange()
    }

    @Test(arguments: [
        "INSERT INTO archive VALUES(?, :amount)", "INSERT INTO archive VALUES('x', ?)",
        "INSERT INTO archive VALUES(:amount, :amount + ?)",
    ])
    func aParameterWithoutANameThrows(script: SQL) throws {
        for parameters: [String: (any Bindable)?] in [[:], ["amount": 1], ["amount": 1, "?": 2]] {
            expectSQLiteError(.misuse, sql: script) {
                try connection.execute(script, parameters: parameters)
            }
        }
        try expectNoChange()
    }

    @Test func aValueThatCannotBeBoundStopsTheScript() throws {
        let script = "INSERT INTO archive VALUES('first', 1); INSERT INTO archive VALUES('x', :a)"
        expectThrows(SQLiteError.self) {
            try connection.execute(script, parameters: ["a": Double.nan])
        }
        #expect(try connection.query("SELECT day FROM archive") == ["first"])
    }

    @Test func aTransactionAroundItRollsItBack() throws {
        let script = script + "; DELETE FROM orders WHERE amount = :missing"
        expectThrows(SQLiteError.self) {
            try connection.transaction {
                try connection.execute(script, parameters: ["day": "2024-02-01"])
            }
        }
        #expect(!connection.isInsideTransaction)
        try expectNoChange()
    }
}
