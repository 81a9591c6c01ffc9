import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Binds what it is told, perhaps nothing, perhaps through a detour.
private struct Detour: Bindable {
    var bindingValue: BindingValue { .text("unused") }
    let body: (borrowing ParameterSlot) throws -> Void

    func bind(to slot: borrowing ParameterSlot) throws {
        try body(slot)
    }
}

private struct Lazily: Bindable {
    let value: () -> BindingValue
    var bindingValue: BindingValue { value() }
}

/// Keeps the cached statement that it is collected from, which nobody should.
private struct Keeper: QueryResult {
    let statement: Statement
    static func collect(from statement: Statement) throws -> Keeper {
        Keeper(statement: statement)
    }
}

struct BindingLifetimeTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func aValueThatBindsNothingIsAnErrorAndNotTheEarlierValue() throws {
        try #expect(connection.query("SELECT ?", Detour { try $0.bind("secret") }) == "secret")

        let error = sqliteError {
            try connection.query("SELECT ?", Detour { _ in }) as String?
        }

        #expect(error?.message.contains("has bound nothing") == true)
        try #expect(connection.query("SELECT ?", 5) == 5)
    }

    @Test func aValueThatBindsNothingAfterAFailedBindIsAnErrorToo() throws {
        let statement = try connection.prepare("SELECT ?, ?")
        _ = sqliteError { try statement.bind("a", Double.nan) }
        let error = sqliteError { try statement.bind(Detour { _ in }, "b") }

        #expect(error?.message.contains("has bound nothing") == true)
    }

    @Test func aStatementThatIsBeingBoundCannotBeUsed() throws {
        let statement = try connection.prepare("SELECT ? || ?")
        var errors: [SQLiteError?] = []
        let value = Lazily {
            errors.append(sqliteError { try statement.bind("INNER", "INNER") })
            errors.append(sqliteError { try statement.run() })
            return .text("second")
        }
        #expect(try statement.bind("first-", value).query() == "first-second")
        #expect(errors.map { $0?.resultCode } == [.misuse, .misuse])
    }

    @Test func queryingTheSameSQLWhileItIsBeingBoundWorks() throws {
        let value = Lazily { [connection] in
            (try? connection.query("SELECT ? || 'x'", "inner ")).map(BindingValue.text) ?? .null
        }
        let result: String = try connection.query("SELECT ? || 'x'", value)

        #expect(result == "inner xx")
    }

    @Test func aCachedStatementLetsGoOfALargeValue() throws {
        try connection.run("SELECT length(?)", Data(count: 20_000_000))
        try connection.run("SELECT length(?) + 1", String(repeating: "x", count: 20_000_000))
        let kept = try connection.prepare("SELECT length(?)", Data(count: 30_000_000))

        var used: Int32 = 0
        var highest: Int32 = 0
        try connection.withUnsafeHandle {
            _ = sqlite3_db_status($0, SQLITE_DBSTATUS_STMT_USED, &used, &highest, 0)
        }
        #expect(used > 30_000_000, "what a prepared statement is bound to counts")
        #expect(used < 40_000_000)
        try kept.run()
    }

    @Test func anErrorOfABindHasNoOffset() throws {
        // From the cache: preparing it again would set the offset anew.
        try connection.run("SELECT ?", "short")
        _ = sqliteError { try connection.execute("SELECT 1, nosuchcolumn") }
        try connection.withUnsafeHandle { _ = sqlite3_limit($0, SQLITE_LIMIT_LENGTH, 1000) }
        let error = expectSQLiteError(.tooBig) {
            try connection.run("SELECT ?", String(repeating: "x", count: 2000))
        }
        #expect(error?.offset == nil)
    }

    @Test func aCachedStatementThatWasKeptThrowsWhenTheCacheIsGone() throws {
        let kept: Keeper = try connection.query("SELECT ?", 1)
        connection.releaseMemory()

        for isInside in [false, true] {
            let attempt = { [connection] (body: () throws -> Void) throws in
                if isInside { try connection.transaction(closure: body) } else { try body() }
            }
            expectSQLiteError(.misuse) { try attempt { try kept.statement.run() } }
            expectSQLiteError(.misuse) { try attempt { try kept.statement.bind(1) } }
            expectSQLiteError(.misuse) { try attempt { let _: Int = try kept.statement.query() } }
        }
    }

    @Test func aCachedStatementThatWasKeptThrowsWhenItsConnectionIsGone() throws {
        var kept: Keeper?
        do {
            kept = try Connection().query("SELECT ?", 1) as Keeper
        }
        let statement = try #require(kept).statement

        expectSQLiteError(.misuse) { try statement.run() }
        expectSQLiteError(.misuse) { try statement.bind(1) }
        #expect(statement.expandedSQL == nil)
        #expect(!statement.isBusy)
        #expect(statement.columnNames == [])
    }
}
