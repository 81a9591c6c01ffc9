import CSQift
import Foundation
import Testing

@testable import SQift

/// What a failed rollback leaves.
@Suite struct TransactionUndoTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(x)")
    }

    /// Lets SQLite compile no ROLLBACK.
    private func forbidRollback(_ isForbidden: Bool) throws {
        try connection.withUnsafeHandle {
            _ = sqlite3_set_authorizer(
                $0,
                !isForbidden
                    ? nil
                    : { _, action, operation, _, _, _ in
                        guard action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT, let operation else {
                            return SQLITE_OK
                        }
                        return String(cString: operation).hasPrefix("ROLLBACK") ? SQLITE_DENY : SQLITE_OK
                    },
                nil
            )
        }
    }

    @Test func nothingRunsInATransactionThatCannotBeRolledBack() throws {
        try forbidRollback(true)
        expectThrows(Refusal.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                throw Refusal()
            }
        }
        #expect(connection.isInsideTransaction)
        let error = sqliteError { try connection.run("INSERT INTO t VALUES(2)") }
        #expect(error?.extendedResultCode == .abortRollback)

        try forbidRollback(false)
        #expect(try connection.query("SELECT count(*) FROM t") == 0)
        #expect(!connection.isInsideTransaction)
        try connection.run("INSERT INTO t VALUES(3)")
        #expect(try connection.query("SELECT x FROM t") == [3])
    }

    @Test func aSavepointThatCannotBeRolledBackTakesTheTransactionWithIt() throws {
        expectThrows(SQLiteError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                try forbidRollback(true)
                expectThrows(Refusal.self) {
                    try connection.savepoint {
                        try connection.run("INSERT INTO t VALUES(2)")
                        throw Refusal()
                    }
                }
            }
        }
        try forbidRollback(false)
        #expect(try connection.query("SELECT count(*) FROM t") == 0)
        #expect(!connection.isInsideTransaction)
    }

    @Test func aClosureThatEndsTheOuterTransactionDoesNotBlockTheConnection() throws {
        try connection.execute("BEGIN")
        expectThrows(Refusal.self) {
            try connection.savepoint {
                try connection.execute("ROLLBACK")
                throw Refusal()
            }
        }
        try connection.run("INSERT INTO t VALUES(3)")
        #expect(try connection.query("SELECT x FROM t") == [3])
    }

    @Test func aSavepointThatIsNotAllowedLeavesTheConnectionUsable() throws {
        try connection.withUnsafeHandle {
            _ = sqlite3_set_authorizer(
                $0,
                { _, action, _, _, _, _ in action == SQLITE_SAVEPOINT ? SQLITE_DENY : SQLITE_OK },
                nil
            )
        }
        try connection.transaction {
            let error = sqliteError { try connection.savepoint { try connection.run("INSERT INTO t VALUES(1)") } }
            #expect(error?.resultCode == .authorization)
            try connection.run("INSERT INTO t VALUES(2)")
        }
        #expect(try connection.query("SELECT x FROM t") == [2])
        #expect(sqliteError { try connection.savepoint {} }?.resultCode == .authorization)
        try connection.run("INSERT INTO t VALUES(3)")
    }
}
