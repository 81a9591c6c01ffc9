import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

extension ConcurrencySuites {
    struct ConnectionQueueTests {
        private let fixture: QueueFixture
        private let queue: ConnectionQueue

        init() throws {
            fixture = try QueueFixture()
            queue = fixture.queue
        }

        // MARK: Values and errors

        @Test(arguments: QueueAccess.allCases)
        func whatTheClosureReturnsComesBack(form: QueueAccess) throws {
            let thread = ObjectIdentifier(Thread.current)
            let sum: Int = try form(queue) { connection in
                #expect(ObjectIdentifier(Thread.current) == thread)
                return try connection.query("SELECT 20 + 22")
            }
            #expect(sum == 42)
            let optional: String? = try form(queue) { _ in nil }
            #expect(optional == nil)
            try form(queue) { _ in }
            try fixture.expectUsable()
        }

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

        @Test(arguments: QueueAccess.allCases)
        func whatTheClosureThrowsIsThrown(form: QueueAccess) throws {
            let refusal = expectThrows(TestError.self) {
                try form(queue) { _ in throw TestError(reason: "mine") }
            }
            #expect(refusal == TestError(reason: "mine"))
            let error = sqliteError { try form(queue) { try $0.execute("SELECT nothing") } }
            #expect(error?.sql == "SELECT nothing")
            try fixture.expectUsable()
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
            try #expect(fixture.values() == [1])
            try fixture.expectUsable()
        }

        @Test(arguments: QueueAccess.writingInTransactions)
        func whatTheClosureWroteIsRolledBackWhenItThrows(form: QueueAccess) throws {
            expectThrows(TestError.self) {
                try form(queue) { connection in
                    try connection.run("INSERT INTO t VALUES(1)")
                    throw TestError()
                }
            }
            try #expect(fixture.values() == [])
            try fixture.expectUsable()
        }

        @Test func whatATasksClosureWritesIsCommittedOrRolledBack() async throws {
            try await queue.write { try $0.run("INSERT INTO t VALUES(1)") }
            await expectTaskThrows(TestError()) {
                try await queue.write { connection in
                    try connection.run("INSERT INTO t VALUES(2)")
                    throw TestError()
                }
            }
            try #expect(fixture.values() == [1])
            try fixture.expectUsable()
        }

        @Test func aTransactionInsideOneIsASavepoint() throws {
            try queue.write { connection in
                try connection.run("INSERT INTO t VALUES(1)")
                expectThrows(TestError.self) {
                    try connection.transaction {
                        try connection.run("INSERT INTO t VALUES(2)")
                        throw TestError()
                    }
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
                let reason = try refusal {
                    try queue.writeWithoutTransaction {
                        try $0.execute("\(begin); INSERT INTO t VALUES(1)")
                    }
                }
                #expect(reason == .transactionLeftOpen)
            }
            try #expect(fixture.values() == [])
            try fixture.expectUsable()
            let reason = try await taskRefusal {
                try await queue.writeWithoutTransaction {
                    try $0.execute("\(begin); INSERT INTO t VALUES(1)")
                }
            }
            #expect(reason == .transactionLeftOpen)
            try #expect(fixture.values() == [])
            try fixture.expectUsable()
        }

        @Test func aClosureThatThrowsWithATransactionOpenGetsItsOwnErrorBack() throws {
            expectThrows(TestError.self) {
                try queue.writeWithoutTransaction { connection in
                    try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
                    throw TestError()
                }
            }
            try #expect(fixture.values() == [])
            try fixture.expectUsable()
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

        private static let writes = [
            "INSERT INTO t VALUES(1)", "CREATE TEMP TABLE other(x)", "CREATE TABLE other(x)",
            "PRAGMA user_version = 7", "DELETE FROM t", "DROP TABLE t",
        ]

        @Test(arguments: writes)
        func aReadCannotWrite(sql: String) async throws {
            let queue = queue
            try await onThread {
                let error = sqliteError { try queue.read { try $0.execute(sql) } }
                #expect(error?.resultCode == .readOnly)
                let swallowed: Int = try queue.read { connection in
                    try? connection.execute(sql)
                    return try connection.query("SELECT 1")
                }
                #expect(swallowed == 1)
            }
            await expectTaskThrows(SQLiteError.self) {
                try await queue.read { try $0.execute(sql) }
            }
            try onQueue("PRAGMA user_version", is: 0)
            try onQueue("SELECT count(*) FROM t", is: 0)
            try fixture.expectUsable()
        }

        private func onQueue(_ sql: String, is expected: Int) throws {
            let found: Int = try queue.execute { try $0.query(sql) }
            #expect(found == expected)
        }

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
            let error = sqliteError { try queue.read { try $0.run("INSERT INTO t VALUES(1)") } }
            #expect(error?.resultCode == .readOnly)
        }

        @Test func readsAndWritesMayAlternate() throws {
            try queue.read { _ in }
            try queue.write { try $0.run("INSERT INTO t VALUES(1)") }
            try queue.read { connection in
                let found: [Int] = try connection.query("SELECT x FROM t")
                #expect(found == [1])
            }
        }

        @Test func aReadSeesOneStateOfTheDatabase() throws {
            let other = try Connection(path: fixture.folder.path())
            try queue.read { connection in
                let before = try count("t", on: connection)
                try other.run("INSERT INTO t VALUES(1)")
                let after = try count("t", on: connection)
                #expect(before == 0)
                #expect(after == 0)
            }
            let later = try queue.read { try count("t", on: $0) }
            #expect(later == 1)
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
            let other = try Connection(path: fixture.folder.path())
            let busy: [Int] = try other.query("PRAGMA wal_checkpoint(TRUNCATE)") { row in
                try row.get(0)
            }
            #expect(busy == [0])
            try fixture.expectUsable()
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
