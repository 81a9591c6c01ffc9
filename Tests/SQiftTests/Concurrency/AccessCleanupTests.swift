// `Locked` is the library's own, and so is the error of a closed connection.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// What an access leaves behind, whatever happened in it.
extension ConcurrencySuites {
    struct AccessCleanupTests {
        private let folder = TemporaryFolder.fresh

        @Test func aClosureThatWasNotCalledHasNoResult() {
            expectSQLiteError(.internalError) { _ = try returned(nil as Int?) }
        }

        /// A task that can be cancelled from inside its own access.
        private final class Cancellable: Sendable {
            private let task = Locked<Task<Void, any Error>?>(nil)
            private let isKnown = Gate()

            func start(
                _ body: @escaping @Sendable (Cancellable) async throws -> Void
            ) -> Task<
                Void, any Error
            > {
                let task = Task.detached { try await body(self) }
                self.task.withLock { $0 = task }
                isKnown.open()
                return task
            }

            func cancel() {
                isKnown.wait()
                task.withLock { $0 }?.cancel()
            }
        }

        @Test func aBlobThatLeftItsAccessHasExpired() async throws {
            let queue = ConnectionQueue(connection: try Connection())
            let code = try await onThread {
                try queue.execute {
                    try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000))")
                }
                let blob = try queue.execute { try $0.openBlob(table: "t", column: "a", rowID: 1) }
                try queue.writeWithoutTransaction { _ in }
                return try queue.execute { _ in
                    let error = sqliteError { _ = try blob.read(at: 50_000, count: 100) }
                    #expect(blob.count == 0)
                    expectSQLiteError(.abort) { try blob.reopen(rowID: 1) }
                    try blob.close()
                    return error?.resultCode
                }
            }
            #expect(code == .abort)
        }

        @Test func anInterruptWhileABlobIsOpenLeavesADatabaseInMemoryWritable() async throws {
            let database = try Database.inMemory()
            try await database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(10))")
            try await onThread {
                let blob = try database.executeRead { connection in
                    let blob = try connection.openBlob(
                        table: "t",
                        column: "a",
                        rowID: 1,
                        readOnly: true
                    )
                    database.interrupt()
                    return blob
                }
                try database.run("INSERT INTO t VALUES(1)")
                try database.executeWrite { _ in try blob.close() }
                expectSQLiteError(.readOnly) {
                    try database.executeRead { try $0.run("DELETE FROM t") }
                }
            }
        }

        @Test func aQueueOfAClosedConnectionThrows() async throws {
            let connection = try Connection()
            try connection.close()
            let queue = ConnectionQueue(connection: connection)
            await #expect(throws: SQLiteError.connectionIsClosed) { try await queue.read { _ in } }
            await expectTaskSQLiteError { try await queue.write { _ in } }
        }

        @Test func aClosureThatTriesToCloseItsConnectionHarmsNothing() async throws {
            let queue = ConnectionQueue(connection: try Connection())
            await expectTaskSQLiteError {
                try await queue.read { connection in
                    try connection.close()
                    try connection.execute("SELECT 1")
                }
            }
            try await queue.write { try $0.execute("SELECT 1") }
        }

        @Test func aPreparationThatFailsInItsTransactionHoldsNoLock() async throws {
            let database = try Database(path: folder.path())
            try await database.execute("CREATE TABLE t(a)")
            let failures = SharedCount()
            database.prepareConnections { connection in
                guard !connection.readOnly, failures.value == 0 else { return }
                try connection.execute("BEGIN IMMEDIATE")
                failures.add(1)
                throw SQLiteError(code: .error, message: "not yet")
            }
            await expectTaskSQLiteError { try await database.write { _ in } }

            try await onThread { [path = folder.path()] in
                let other = try Connection(path: path)
                try other.transaction(transactionType: .immediate) {}
            }
            try await database.run("INSERT INTO t VALUES(1)")
            try expectAnswer(1, to: "SELECT count(*) FROM t", from: database)
        }

        @Test func aPreparationThatLeavesATransactionOpenIsReportedAndUndone() async throws {
            let database = try Database(path: folder.path())
            let isFirst = SharedCount()
            database.prepareConnections { connection in
                if !connection.readOnly, isFirst.add(1) == 1 {
                    try connection.execute("BEGIN IMMEDIATE")
                }
            }
            try await expectTaskRefusal(.transactionLeftOpen) {
                try await database.writeWithoutTransaction { _ in }
            }
            try await database.execute("CREATE TABLE t(a)")
        }

        @Test func aTransactionThatExecuteLeftOpenSurvivesAReadOfSomebodyElse() async throws {
            let queue = ConnectionQueue(connection: try Connection())
            let count = try await onThread {
                try queue.execute {
                    try $0.execute("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES(1)")
                }
                try expectRefusal(.transactionLeftOpen) { try queue.read { _ in } }
                try expectRefusal(.transactionLeftOpen) { try queue.write { _ in } }
                try queue.execute { try $0.execute("COMMIT") }
                return try queue.read { try $0.query("SELECT count(*) FROM t") as Int }
            }
            #expect(count == 1)
        }

        @Test func aStatementThatIsCompiledAgainHearsOfACancellationMeanwhile() async throws {
            let database = try Database(path: folder.path())
            try await database.execute("CREATE TABLE t(a)")
            let hasEnded = SharedCount()
            let task = Cancellable().start { cancellable in
                try await database.writeWithoutTransaction { connection in
                    let long = try connection.prepare(
                        numbers(to: 3_000_000, selecting: "count(*), (SELECT a FROM t)")
                    )
                    try connection.authorizer { action, name, _, _, _ in
                        if action == .read, name == "t" {
                            cancellable.cancel()
                        }
                        return .ok
                    }
                    // With a new authorizer SQLite compiles the statement again, in its first step,
                    // where it forgets an interrupt.
                    try long.run()
                    hasEnded.add(1)
                }
            }
            await expectCancelled(task)
            #expect(hasEnded.value == 0)
            try await database.writeWithoutTransaction { try $0.authorizer(nil) }
            try await database.run("INSERT INTO t VALUES(1)")
        }

        @Test(arguments: ["PRAGMA busy_timeout = 0", "PRAGMA busy_timeout = 20000"])
        func aUsersProgressHandlerAndACancellationAreBothHeard(pragma: String) async throws {
            let (connection, asked) = (try Connection(), SharedCount())
            connection.progressHandler(every: 100) {
                asked.add(1)
                return false
            }
            let queue = ConnectionQueue(connection: connection)
            try await queue.writeWithoutTransaction { try $0.execute(pragma) }
            let task = Cancellable().start { cancellable in
                try await queue.write { connection in
                    let gate = Gate()
                    let sql = try endlessQuery(on: connection, opening: gate)
                    Thread.detachNewThread {
                        gate.wait()
                        cancellable.cancel()
                    }
                    let _: [Int] = try connection.query(sql)
                }
            }
            await expectCancelled(task)
            #expect(asked.value > 0)
            try expectAnswer(1, to: "SELECT 1", from: queue)
        }
    }
}
