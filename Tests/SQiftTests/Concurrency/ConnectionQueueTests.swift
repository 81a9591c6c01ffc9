import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    struct ConnectionQueueTests {
        private let fixture: QueueFixture
        private let queue: ConnectionQueue

        init() throws {
            fixture = try QueueFixture()
            queue = fixture.queue
        }

        // MARK: Values and errors

        @Test(arguments: AsyncQueueAccess.allCases)
        func whatATasksClosureReturnsComesBack(form: AsyncQueueAccess) async throws {
            let sum: Int = try await form(queue) { try $0.query("SELECT 20 + 22") }
            #expect(sum == 42)
            let optional: String? = try await form(queue) { _ in nil }
            #expect(optional == nil)
            try await form(queue) { _ in }
            try fixture.expectUsable()
        }

        @Test func theFormsWithoutAResultNeedNone() async throws {
            try await queue.write { try $0.run("INSERT INTO t VALUES(1)") }
            try await queue.writeWithoutTransaction { try $0.run("INSERT INTO t VALUES(2)") }
            try await queue.read { try $0.execute("SELECT 1") }
            try #expect(fixture.values() == [1, 2])
        }

        @Test(arguments: AsyncQueueAccess.allCases)
        func whatATasksClosureThrowsIsThrown(form: AsyncQueueAccess) async throws {
            await expectTaskThrows(TestError(reason: "mine")) {
                try await form(queue) { _ in throw TestError(reason: "mine") }
            }
            try fixture.expectUsable()
        }

        // MARK: Transactions

        @Test(arguments: QueueAccess.writingInTransactions)
        func whatTheClosureWritesIsCommittedWhenItReturns(form: QueueAccess) throws {
            try form(queue) { connection in
                #expect(connection.isInsideTransaction)
                try connection.run("INSERT INTO t VALUES(1)")
                try #expect(fixture.values() == [])
            }
            try fixture.expectUsable(holding: [1])
        }

        @Test(arguments: QueueAccess.writingInTransactions)
        func whatTheClosureWroteIsRolledBackWhenItThrows(form: QueueAccess) throws {
            expectThrows(TestError.self) {
                try form(queue) { connection in
                    try connection.run("INSERT INTO t VALUES(1)")
                    throw TestError()
                }
            }
            try fixture.expectUsable(holding: [])
        }

        @Test func whatATasksClosureWritesIsCommittedOrRolledBack() async throws {
            try await queue.write { try $0.run("INSERT INTO t VALUES(1)") }
            await expectTaskThrows(TestError()) {
                try await queue.write { connection in
                    try connection.run("INSERT INTO t VALUES(2)")
                    throw TestError()
                }
            }
            try fixture.expectUsable(holding: [1])
        }

        @Test func aTransactionInsideOneIsASavepoint() throws {
            try queue.write { connection in
                try connection.run("INSERT INTO t VALUES(1)")
                connection.undoing {
                    try connection.run("INSERT INTO t VALUES(2)")
                }
                try connection.transaction { try connection.run("INSERT INTO t VALUES(3)") }
            }
            try #expect(fixture.values() == [1, 3])
        }

        @Test func aWriteHasTheWriteLockFromItsBeginning() throws {
            try queue.write { _ in try #expect(!canWrite(toFileAt: fixture.folder.path())) }
            try queue.executeInTransaction(transactionType: .immediate) { _ in
                try #expect(!canWrite(toFileAt: fixture.folder.path()))
            }
            try queue.executeInTransaction { _ in
                try #expect(canWrite(toFileAt: fixture.folder.path()))
            }
            try queue.read { _ in try #expect(canWrite(toFileAt: fixture.folder.path())) }
        }

        @Test func rawAccessMayLeaveATransactionOpenFromClosureToClosure() throws {
            try queue.execute { try $0.execute("BEGIN; INSERT INTO t VALUES(1)") }
            try queue.execute { connection in
                #expect(connection.isInsideTransaction)
                try connection.run("INSERT INTO t VALUES(2)")
            }
            try #expect(fixture.values() == [])
            try queue.execute { try $0.execute("COMMIT") }
            try #expect(fixture.values() == [1, 2])
        }

        @Test(arguments: [QueueAccess.read, .write, .writeWithoutTransaction])
        func whatNeedsItsOwnTransactionReportsOneLeftOpenBefore(form: QueueAccess) throws {
            try queue.execute { try $0.execute("BEGIN") }
            try expectRefusal(.transactionLeftOpen) { try form(queue) { _ in recordCall() } }
            try queue.execute { if $0.isInsideTransaction { try $0.execute("ROLLBACK") } }
            try fixture.expectUsable()
        }

        // MARK: Without a transaction

        @Test func withoutATransactionEachStatementCommits() throws {
            expectThrows(TestError.self) {
                try queue.writeWithoutTransaction { connection in
                    #expect(!connection.isInsideTransaction)
                    try connection.run("INSERT INTO t VALUES(1)")
                    try #expect(fixture.values() == [1])
                    throw TestError()
                }
            }
            try queue.writeWithoutTransaction { try $0.execute("VACUUM") }
            try #expect(fixture.values() == [1])
        }

        @Test(arguments: ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT one", "BEGIN; SAVEPOINT one"])
        func aTransactionLeftOpenIsRolledBackAndReported(begin: String) async throws {
            let queue = queue
            try await onThread {
                try expectRefusal(.transactionLeftOpen) {
                    try queue.writeWithoutTransaction {
                        try $0.execute("\(begin); INSERT INTO t VALUES(1)")
                    }
                }
            }
            try fixture.expectUsable(holding: [])
            try await expectTaskRefusal(.transactionLeftOpen) {
                try await queue.writeWithoutTransaction {
                    try $0.execute("\(begin); INSERT INTO t VALUES(1)")
                }
            }
            try fixture.expectUsable(holding: [])
        }

        @Test func aClosureThatThrowsWithATransactionOpenGetsItsOwnErrorBack() throws {
            expectThrows(TestError.self) {
                try queue.writeWithoutTransaction { connection in
                    try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
                    throw TestError()
                }
            }
            try fixture.expectUsable(holding: [])
        }

        @Test(arguments: ["COMMIT", "ROLLBACK"], [QueueAccess.read, .write])
        func aClosureThatEndsItsTransactionLeavesTheQueueUsable(
            end: String,
            form: QueueAccess
        ) throws {
            try? form(queue) { try $0.execute(end) }
            try fixture.expectUsable()
        }

        // MARK: Reading

        @Test func writingWorksAfterAReadThatThrew() throws {
            expectThrows(TestError.self) { try queue.read { _ in throw TestError() } }
            try fixture.expectUsable()
        }

        @Test func aReadThatSwitchesTheProtectionOffLeavesTheQueueAsItWas() throws {
            try? queue.read { connection in
                try connection.execute("PRAGMA query_only = 0")
                throw TestError()
            }
            try fixture.expectUsable()
            try? queue.read { try $0.execute("PRAGMA query_only = 0") }
            try fixture.expectUsable()
            expectSQLiteError(.readOnly) {
                try queue.read { try $0.run("INSERT INTO t VALUES(1)") }
            }
        }

        @Test func readsAndWritesMayAlternate() throws {
            try queue.read { _ in }
            try queue.write { try $0.run("INSERT INTO t VALUES(1)") }
            let found: [Int] = try queue.read { try $0.query("SELECT x FROM t") }
            #expect(found == [1])
        }

        @Test func aReadSeesOneStateOfTheDatabase() throws {
            let other = try fixture.folder.connection()
            try queue.read { connection in
                let before = try count("t", on: connection)
                try other.run("INSERT INTO t VALUES(1)")
                let after = try count("t", on: connection)
                #expect(before == 0)
                #expect(after == 0)
            }
            try expectRows(1, in: queue)
        }

        @Test(arguments: [QueueAccess.read, .write, .writeWithoutTransaction])
        func aStatementThatWasNotResetIsReset(form: QueueAccess) throws {
            try queue.write { try $0.execute("INSERT INTO t VALUES(1), (2)") }
            var kept: Statement?
            try? form(queue) { connection in
                let statement = try connection.prepare("SELECT * FROM t")
                try statement.withUnsafeHandle { handle in
                    let code = sqlite3_step(handle)
                    #expect(code == SQLITE_ROW)
                }
                kept = statement
            }
            #expect(kept?.isBusy == false)
            kept = nil
            let other = try fixture.folder.connection()
            let busy: [Int] = try other.query("PRAGMA wal_checkpoint(TRUNCATE)") { row in
                try row.get(0)
            }
            #expect(busy == [0])
            try fixture.expectUsable()
        }

        @Test func nothingIntervenesInATransaction() async throws {
            let (queue, inside) = (queue, SharedCount())
            try fixture.queue.execute {
                try $0.execute("CREATE TABLE n(value); INSERT INTO n VALUES(0)")
            }
            let increment: @Sendable (Connection) throws -> Void = { connection in
                #expect(inside.add(1) == 1)
                let value: Int = try connection.query("SELECT value FROM n")
                try connection.run("INSERT INTO t VALUES(?)", value)
                try connection.run("UPDATE n SET value = ?", value + 1)
                inside.add(-1)
            }
            let forms: [QueueAccess] = [
                .write, .executeInTransaction, .executeInSavepoint, .write,
            ]
            let workers = (0..<8).map { number in
                Worker {
                    for _ in 0..<50 {
                        try forms[number % 4](queue, increment)
                        try queue.read { connection in
                            #expect(inside.add(1) == 1)
                            let rows = try count("t", on: connection)
                            let value: Int = try connection.query("SELECT value FROM n")
                            #expect(rows == value)
                            inside.add(-1)
                        }
                    }
                }
            }
            try await inTasks(8) { _ in for _ in 0..<50 { try await queue.write(increment) } }
            try await workers.finalValues()
            #expect(inside.peak == 1)
            try #expect(fixture.values() == Array(0..<800))
        }

        // MARK: Identity

        @Test func aQueueEqualsItselfOnly() throws {
            let other = ConnectionQueue(connection: try Connection())
            let same = queue
            #expect(queue == same)
            #expect(queue != other)
            #expect(queue.hashValue == same.hashValue)
            #expect(Set([queue, other, same]).count == 2)
        }
    }
}
