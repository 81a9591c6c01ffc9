// Only the library makes the error of a code that SQLite has just returned.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

struct SQLiteErrorTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    // MARK: Made by a caller

    @Test func itsInitialiserFillsInSQLitesWords() {
        let error = SQLiteError(code: .constraintUnique)
        #expect(error.message == String(cString: sqlite3_errstr(SQLITE_CONSTRAINT | 8 << 8)))
        #expect(error.sql == nil)
        #expect(error.offset == nil)
        #expect(error.extendedResultCode == .constraintUnique)
        #expect(error.resultCode == .constraint)
        #expect(error.code == SQLITE_CONSTRAINT)
        #expect(error.codeDescription == "SQLITE_CONSTRAINT")
    }

    @Test func aCallerMayThrowOneThroughAQuery() throws {
        let thrown = SQLiteError(code: .full, message: "mine", sql: "SELECT 1", offset: 3)
        let error = sqliteError { try Connection().forEachRow("SELECT 2") { _ in throw thrown } }
        #expect(error == thrown)
        let again = sqliteError { try Connection().transaction { throw thrown } as Void }
        #expect(again == thrown)
    }

    @Test func errorsAreComparedByAllTheySay() {
        let error = SQLiteError(code: .busy, message: "a", sql: "b", offset: 1)
        #expect(error == SQLiteError(code: .busy, message: "a", sql: "b", offset: 1))
        #expect(error != SQLiteError(code: .busySnapshot, message: "a", sql: "b", offset: 1))
        #expect(error != SQLiteError(code: .busy, message: "x", sql: "b", offset: 1))
        #expect(error != SQLiteError(code: .busy, message: "a", sql: nil, offset: 1))
        #expect(error != SQLiteError(code: .busy, message: "a", sql: "b"))
        #expect(Set([error, error, SQLiteError(code: .full)]).count == 2)
    }

    // MARK: As text

    @Test func itPrintsAsOneReadableLine() throws {
        let sql = "SELECT 1\n  FROM\tmissing\r\nWHERE x = '\n'"
        let error = try #require(sqliteError { try Connection().run(sql) })
        for text in [
            "\(error)", error.localizedDescription, String(describing: error),
            error.errorDescription ?? "",
        ] {
            #expect(text.contains("SQLITE_ERROR"))
            #expect(text.contains("no such table: missing"))
            #expect(text.contains("FROM missing WHERE"))
            #expect(!text.contains { $0.isNewline })
        }
        #expect(error.sql == sql)
    }

    @Test func aMessageOfSeveralLinesPrintsAsOneToo() {
        let error = SQLiteError(code: .error, message: "first\nsecond")
        #expect(!error.description.contains { $0.isNewline })
    }

    @Test func controlCharactersAreNotPrinted() throws {
        let error = try #require(sqliteError { try Connection().run("SELECT 1\0, \u{1B}[31m 2") })
        #expect(!error.description.unicodeScalars.contains { $0.value < 32 })
    }

    @Test func longSQLIsCutAroundTheOffendingToken() throws {
        let sql =
            "SELECT " + String(repeating: "'ü', ", count: 5000) + "nonsense"
            + String(repeating: ", 'ü'", count: 5000)
        let error = try #require(sqliteError { try Connection().run(sql) })
        #expect(error.sql == sql)
        #expect(error.description.utf8.count < 500)
        if error.offset != nil {
            #expect(error.description.dropFirst(60).contains("nonsense"))
        }
    }

    @Test func boundValuesAreNeverPartOfIt() throws {
        try connection.execute(
            "CREATE TABLE t(x UNIQUE CHECK(length(x) < 20)); INSERT INTO t VALUES('secret')"
        )
        let errors = [
            sqliteError { try connection.run("INSERT INTO t VALUES(?)", "secret") },
            sqliteError {
                try connection.run("INSERT INTO t VALUES(:x)", ["x": "secret secret secret secret"])
            },
            sqliteError {
                try connection.prepare("INSERT INTO t VALUES(?)").bind(["secret"]).run()
            },
            sqliteError {
                try connection.prepare("INSERT INTO t VALUES(?)").bind("secret", "secret")
            },
        ]
        for error in errors {
            #expect(error?.description.contains("secret") == false)
            #expect(error?.sql?.contains("secret") == false)
        }
    }

    // MARK: From SQLite

    @Test func itCarriesTheSQLWithItsPlaceholders() throws {
        try connection.execute("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES(1)")
        let error = expectSQLiteError(
            message: "UNIQUE constraint failed: t.x",
            sql: "INSERT INTO t VALUES(?)"
        ) { try connection.run("INSERT INTO t VALUES(?)", 1) }
        #expect(error?.code == SQLITE_CONSTRAINT)
        #expect(error?.offset == nil)
    }

    @Test(.enabled(if: Capability.errorOffset, "this SQLite doesn't know it"))
    func itKnowsTheByteOfTheBadToken() throws {
        expectSQLiteError(offset: 13) { try connection.run("SELECT 1 FRM x") }
        expectSQLiteError(offset: 17) { try connection.run("SELECT '日本', nope") }
        expectSQLiteError(offset: 30) {
            try connection.execute("SELECT 1; SELECT 'ü'; SELECT nope")
        }
    }

    /// SQLite can mean a byte of a text that it has compiled for the statement, such as one of a
    /// damaged schema.
    @Test(.enabled(if: Capability.errorOffset, "this SQLite doesn't know it"))
    func aByteOfAnotherTextIsNone() throws {
        expectSQLiteError(offset: 24) { try connection.run("SELECT 'a longer text', nope") }
        let error = connection.error(SQLITE_ERROR, sql: "SELECT 1", compiledFrom: 0)
        #expect(error.offset == nil)
        #expect(error.description.hasSuffix("in: SELECT 1"))
    }

    @Test func aCatchMayBeAsWideAsItNeedsToBe() throws {
        try connection.execute("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES(1)")
        var caught: [String] = []
        for _ in 0..<2 {
            do {
                try connection.run("INSERT INTO t VALUES(1)")
            } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
                caught.append("busy")
            } catch let error as SQLiteError where .constraintNotNull ~= error.extendedResultCode {
                caught.append("not null")
            } catch let error as SQLiteError
                where caught.isEmpty && .constraintUnique ~= error.extendedResultCode
            {
                caught.append("unique")
            } catch let error as SQLiteError where .constraint ~= error.extendedResultCode {
                caught.append("constraint")
            }
        }
        #expect(caught == ["unique", "constraint"])
    }
}
