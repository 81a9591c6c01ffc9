import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Wordy: LocalizedError {
    var errorDescription: String? { "plus de café ☕️" }
}

private struct Wordless: LocalizedError, CustomStringConvertible {
    var errorDescription: String? { nil }
    var description: String { "speechless" }
}

/// Errors that functions throw.
struct FunctionErrorTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func aThrownErrorBecomesTheMessage() throws {
        try connection.addFunction(named: "f") { () throws -> Int in throw TestError(reason: "nope")
        }
        try connection.addFunction(named: "g") { () throws -> Int in throw Wordy() }
        try connection.addFunction(named: "h") { () throws -> Int in throw Wordless() }
        let error = sqliteError { try connection.run("SELECT f()") }
        #expect(error?.extendedResultCode == .error)
        #expect(error?.message == "\(TestError(reason: "nope"))")
        #expect(error?.sql == "SELECT f()")
        expectSQLiteError(message: "plus de café ☕️") { try connection.run("SELECT g()") }
        expectSQLiteError(message: "speechless") { try connection.run("SELECT h()") }
    }

    @Test func aThrownSchemaErrorDoesNotStartTheStatementAgain() throws {
        var calls = 0
        try connection.addFunction(named: "f") { () throws -> Int in
            calls += 1
            throw SQLiteError(code: .schema, message: "mine")
        }
        expectSQLiteError(.error, message: "mine") { try connection.run("SELECT f()") }
        #expect(calls == 1)
    }

    @Test(arguments: [
        ResultCode.constraintUnique, .interrupt, .busySnapshot, .noMemory, .full, .corrupt,
        .notADatabase,
    ])
    func aThrownSQLiteErrorKeepsItsCodeAndMessage(code: ResultCode) throws {
        try connection.addFunction(named: "f") { (text: String) throws -> Int in
            throw SQLiteError(code: code, message: text)
        }
        for text in ["my words", "50% of %s", String(repeating: "long ", count: 1000)] {
            expectSQLiteError(extended: code, message: text) {
                try connection.run("SELECT f(?)", text)
            }
        }
    }

    @Test(arguments: [0, -1, 100, 101])
    func aThrownSQLiteErrorWhoseCodeIsNoErrorFailsTheStatementToo(code: Int32) throws {
        try connection.addFunction(named: "f") { (_: Int) throws -> Int in
            throw SQLiteError(code: ResultCode(rawValue: code), message: "thrown")
        }
        var rows = 0
        expectSQLiteError(message: "thrown") {
            try connection.forEachRow("SELECT f(1)") { _ in
                rows += 1
                if rows > 3 {
                    throw TestError(reason: "rows without end")
                }
            }
        }
    }

    @Test func anErrorLeavesNothingOfTheStatementAndTheFunctionWorksAgain() throws {
        try connection.execute("CREATE TABLE t(x)")
        try connection.addFunction(named: "f") { (value: Int) throws -> Int in
            if value == 3 {
                throw TestError()
            }
            return value
        }
        let insert = "INSERT INTO t SELECT f(value) FROM json_each(?)"
        expectSQLiteError { try connection.run(insert, "[1,2,3,4]") }
        try expectRows(0, on: connection)
        try connection.run(insert, "[1,2,4]")
        try expectRows(3, on: connection)
    }
}
