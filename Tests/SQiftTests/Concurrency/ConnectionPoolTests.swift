import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    struct ConnectionPoolTests {
        private let fixture: PoolFixture

        init() throws {
            fixture = try PoolFixture()
        }

        // MARK: Access

        @Test func aTasksValueComesBackAndItsErrorIsThrown() async throws {
            let pool = fixture.makePool()
            try expectRows(3, in: pool)
            try await pool.read { connection in try connection.execute("SELECT 1") }
            await expectTaskThrows(TestError()) { try await pool.read { _ in throw TestError() } }
            try await expectAllConnections(pool)
        }

        @Test func transactionsAreForReadOnly() throws {
            let pool = fixture.makePool()
            try pool.execute { #expect(!$0.isInsideTransaction) }
            try pool.read { #expect($0.isInsideTransaction) }
            try pool.execute { #expect(!$0.isInsideTransaction) }
        }

        @Test(arguments: [
            "INSERT INTO t VALUES(4)", "PRAGMA user_version = 7", "CREATE TABLE u(x)",
            "DELETE FROM t",
        ])
        func theConnectionsCannotWrite(sql: String) throws {
            let pool = fixture.makePool()
            for form in PoolAccess.allCases {
                try form(pool) { connection in
                    #expect(connection.readOnly)
                    expectSQLiteError(.readOnly) { try connection.execute(sql) }
                    try connection.execute("PRAGMA query_only = 0")
                    expectSQLiteError(.readOnly) { try connection.execute(sql) }
                }
            }
            try expectRows(3, on: fixture.writer)
        }

        @Test func aWriterWithASharedCacheDoesNotLockTheReadersOut() throws {
            let location = StorageLocation.onDisk(fixture.folder.path())
            let sharing = try Connection(
                storageLocation: location,
                readOnly: false,
                sharedCache: true
            )
            let pool = fixture.makePool()
            try pool.read { _ in }
            try sharing.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(4)")
            for form in PoolAccess.allCases {
                let rows = try form(pool) { try count("t", on: $0) }
                #expect(rows == 3)
            }
            try sharing.execute("COMMIT")
            try expectRows(4, in: pool)
        }

        @Test func aSharedCacheMayBeAskedFor() throws {
            let pool = ConnectionPool(
                storageLocation: .onDisk(fixture.folder.path()),
                sharedCache: true
            )
            try expectRows(3, in: pool)
        }

        @Test func readsWaitForALock() async throws {
            let (pool, writer) = (fixture.makePool(maximum: 1), fixture.writer)
            try writer.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
            let worker = Worker { try pool.read { try count("t", on: $0) } }
            worker.waitUntilBlocked()
            #expect(!worker.isFinished)
            try writer.execute("INSERT INTO t VALUES(4); COMMIT")
            #expect(try await worker.finalValue() == 4)
        }

        @Test func preparationsWaitForALock() async throws {
            let writer = fixture.writer
            let pool = fixture.makePool(maximum: 1) { connection in
                try expectRows(4, on: connection)
            }
            try writer.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
            let worker = Worker { try pool.read { try count("t", on: $0) } }
            worker.waitUntilBlocked()
            #expect(!worker.isFinished)
            try writer.execute("INSERT INTO t VALUES(4); COMMIT")
            #expect(try await worker.finalValue() == 4)
        }

        // MARK: What can't be pooled

        @Test(arguments: [StorageLocation.inMemory, .temporary])
        func aDatabaseOfOneConnectionIsRefusedByEveryAccess(location: StorageLocation) async throws
        {
            let pool = ConnectionPool(storageLocation: location)
            try await onThread {
                for form in PoolAccess.allCases {
                    for _ in 0..<3 {
                        try expectRefusal(.notShareable) { try form(pool) { _ in recordCall() } }
                    }
                }
            }
            try await expectTaskRefusal(.notShareable) { try await pool.read { _ in recordCall() } }
        }

        // MARK: Re-entry

        @Test(arguments: PoolAccess.allCases, PoolAccess.allCases)
        func usingAPoolInsideItselfThrows(
            outer: PoolAccess,
            inner: PoolAccess
        ) async throws {
            let (pool, other) = (fixture.makePool(), fixture.makePool())
            try await onThread {
                try outer(pool) { connection in
                    try expectRefusal(.reentrant) { try inner(pool) { _ in } }
                    try DispatchQueue.global().sync {
                        try expectRefusal(.reentrant) { try inner(pool) { _ in } }
                    }
                    let rows = try inner(other) { connection in
                        try expectRefusal(.reentrant) { try inner(pool) { _ in } }
                        return try count("t", on: connection)
                    }
                    #expect(rows == 3)
                    #expect(try count("t", on: connection) == 3)
                }
                try inner(pool) { _ in }
            }
            try await expectAllConnections(pool)
        }

        @Test(arguments: PoolAccess.allCases)
        func usingAPoolInsideATasksClosureThrows(inner: PoolAccess) async throws {
            let pool = fixture.makePool()
            let reason = try await pool.read { _ in try refusal { try inner(pool) { _ in } } }
            #expect(reason == .reentrant)
            try await expectAllConnections(pool)
        }

        // MARK: What a closure leaves behind

        /// Expects that nothing of what the pool's only connection read is held back.
        private func expectClean(_ pool: ConnectionPool) throws {
            try pool.execute { connection in
                #expect(!connection.isInsideTransaction)
                let state = try connection.withUnsafeHandle { sqlite3_txn_state($0, nil) }
                #expect(state == SQLITE_TXN_NONE)
            }
            try fixture.writer.run("INSERT INTO t VALUES(4)")
            let answers: [Int] = try fixture.writer.query("PRAGMA wal_checkpoint(TRUNCATE)") {
                row in try row.get(0)
            }
            #expect(answers == [0])
            let rows = try pool.read { try count("t", on: $0) }
            try #expect(rows == count("t", on: fixture.writer))
        }

        @Test(arguments: ["BEGIN", "SAVEPOINT one", "BEGIN; SAVEPOINT one"])
        func aTransactionLeftOpenIsRolledBack(begin: String) throws {
            let pool = fixture.makePool(maximum: 1)
            do {
                try pool.execute { try $0.execute("\(begin); SELECT * FROM t") }
            } catch let error as AccessError {
                #expect(error.reason == .transactionLeftOpen)
            }
            try expectClean(pool)
            expectThrows(TestError.self) {
                try pool.execute { connection in
                    try connection.execute("\(begin); SELECT * FROM t")
                    throw TestError()
                }
            }
            try expectClean(pool)
        }

        @Test func aPreparationThatLeavesATransactionOpenIsRefused() throws {
            let pool = fixture.makePool { try $0.execute("BEGIN") }
            let error = #expect(throws: AccessError.self) { try pool.read { _ in } }
            #expect(error?.reason == .transactionLeftOpen)
            #expect(fixture.opened.openCount == 0)
        }

        @Test(arguments: PoolAccess.allCases)
        func aStatementThatWasNotResetIsReset(form: PoolAccess) throws {
            let pool = fixture.makePool(maximum: 1)
            var kept: Statement?
            try? form(pool) { connection in
                let statement = try connection.prepare("SELECT * FROM t")
                try statement.withUnsafeHandle { handle in
                    let code = sqlite3_step(handle)
                    #expect(code == SQLITE_ROW)
                }
                kept = statement
            }
            #expect(kept?.isBusy == false)
            try expectClean(pool)
            kept = nil
        }

        @Test(arguments: ["COMMIT", "ROLLBACK"])
        func aReadThatEndsItsTransactionLeavesThePoolWhole(end: String) async throws {
            let pool = fixture.makePool()
            try? await onThread { try pool.read { try $0.execute(end) } }
            try await expectAllConnections(pool)
        }
    }
}
