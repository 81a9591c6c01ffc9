import CSQift
import SQift
import Testing

/// Lets SQLite compile no ROLLBACK, of a transaction or to a savepoint, or every statement again.
package func forbidRollback(_ isForbidden: Bool, on handle: OpaquePointer) {
    guard isForbidden else {
        sqlite3_set_authorizer(handle, nil, nil)
        return
    }
    sqlite3_set_authorizer(
        handle,
        { _, action, operation, _, _, _ in
            guard action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT, let operation else {
                return SQLITE_OK
            }
            return String(cString: operation) == "ROLLBACK" ? SQLITE_DENY : SQLITE_OK
        },
        nil
    )
}

extension ConnectionQueue {
    /// Fails in a write to the table `t` whose transaction then can't be rolled back.
    ///
    /// - Returns: SQLite's connection, for the test to allow ROLLBACK again.
    package func failWithoutRollback() throws -> OpaquePointer {
        nonisolated(unsafe) var lent: OpaquePointer?
        expectThrows(TestError.self) {
            try write { connection in
                try connection.run("INSERT INTO t VALUES(0)")
                try connection.withUnsafeHandle { handle in
                    lent = handle
                    forbidRollback(true, on: handle)
                }
                throw TestError()
            }
        }
        return try #require(lent)
    }
}
