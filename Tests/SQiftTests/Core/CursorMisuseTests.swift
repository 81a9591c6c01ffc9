import SQift
import SQiftTestSupport
import Testing

/// What a cursor does when something happens between its rows, or while SQLite computes one.
struct CursorMisuseTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(x PRIMARY KEY); INSERT INTO t VALUES(1), (2), (3)")
    }

    @Test func aFunctionCannotCloseTheCursorThatCallsIt() throws {
        nonisolated(unsafe) var cursor: Cursor?
        // The connection keeps the function, which keeps the cursor.
        defer { cursor = nil }
        try connection.addFunction(named: "closing") { (x: Int) -> Int in
            cursor?.close()
            return x
        }
        cursor = try connection.cursor("SELECT closing(x) FROM t ORDER BY x")
        for expected in 1...3 {
            #expect(try cursor?.next()?.get(0) == expected)
        }
        #expect(try cursor?.next() == nil)
    }

    /// The rows that follow would be read outside of the transaction.
    @Test func aCursorGivesNoRowAfterItsTransactionWasLost() throws {
        let error = sqliteError {
            try connection.transaction {
                let cursor = try connection.cursor("SELECT x FROM t ORDER BY x")
                #expect(try cursor.next()?.get(0) == 1)
                _ = sqliteError { try connection.run("INSERT OR ROLLBACK INTO t VALUES(1)") }
                expectSQLiteError(.abortRollback) { try cursor.next() }
            }
        }
        #expect(error != nil)
    }
}
