import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct TransactionTests {
    private let folder: TemporaryFolder
    private let connection: Connection
    private let other: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t(x UNIQUE)")
        other = try Connection(path: folder.path())
    }

    /// That no transaction is open, `expected` is stored, and the connection can begin again.
    private func expectClosed(
        _ expected: [Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
        try #expect(values(on: connection).sorted() == expected, sourceLocation: sourceLocation)
        let stored: [Int] = try other.query("SELECT x FROM t ORDER BY x")
        #expect(stored == expected, sourceLocation: sourceLocation)
        try connection.transaction(transactionType: .immediate) {
            try connection.savepoint { try add(-1, on: connection) }
        }
        try connection.run("DELETE FROM t WHERE x = -1")
    }

    // MARK: Committing and rolling back

    @Test func itIsCommittedWhenTheClosureReturns() throws {
        try connection.transaction {
            #expect(connection.isInsideTransaction)
            try add(1, on: connection)
            try add(2, on: connection)
            try #expect(count("t", on: other) == 0)
        }
        try expectClosed([1, 2])
    }

    @Test func itIsRolledBackWhenTheClosureThrows() throws {
        #expect(throws: TestError(reason: "mine")) {
            try connection.transaction {
                try add(1, on: connection)
                throw TestError(reason: "mine")
            }
        }
        try expectClosed([])
    }

    @Test func aFailedStatementsErrorSurvivesTheRollback() throws {
        try add(1, on: connection)
        expectSQLiteError(.constraintUnique, message: "UNIQUE constraint failed: t.x") {
            try connection.transaction {
                try add(2, on: connection)
                try add(1, on: connection)
            }
        }
        try expectClosed([1])
    }

    @Test func anErrorThatIsCaughtInsideDoesNotRollBack() throws {
        try connection.transaction {
            try add(1, on: connection)
            expectThrows(SQLiteError.self) { try add(1, on: connection) }
            try add(2, on: connection)
        }
        try expectClosed([1, 2])
    }

    @Test func itReturnsWhatTheClosureReturns() throws {
        final class NotSendable {}
        let object = NotSendable()
        try #expect(connection.transaction { 42 } == 42)
        try #expect(connection.transaction { object } === object)
        let none: Int? = try connection.transaction { nil }
        #expect(none == nil)
        let nested = try connection.transaction {
            try connection.transaction { try connection.savepoint { "deep" } }
        }
        #expect(nested == "deep")
        let row: Row? = try connection.transaction { try connection.query("SELECT 1, 'a'") }
        #expect(row?.description == "[1, 'a']")
        let (one, two) = try connection.savepoint(named: "s") { (1, "2") }
        #expect(one == 1 && two == "2")
    }

    // MARK: Types

    @Test func aDeferredOneTakesNoLockBeforeItIsNeeded() throws {
        try connection.transaction { try #expect(canWrite(toFileAt: folder.path())) }
        try connection.transaction(transactionType: .deferred) {
            try #expect(canWrite(toFileAt: folder.path()))
        }
    }

    @Test func anImmediateOneKeepsWritersOutFromTheBeginning() throws {
        try connection.transaction(transactionType: .immediate) {
            try #expect(canWrite(toFileAt: folder.path()) == false)
            try #expect(count("t", on: other) == 0)
        }
        try expectClosed([])
    }

    @Test func anExclusiveOneKeepsReadersOutToo() throws {
        try connection.transaction(transactionType: .exclusive) {
            expectSQLiteError(.busy) { try count("t", on: other) }
        }
        try expectClosed([])
    }

    @Test func aBeginThatFailsDoesNotCallTheClosure() throws {
        try other.execute("BEGIN IMMEDIATE")
        expectSQLiteError(.busy) {
            try connection.transaction(transactionType: .immediate) {
                recordCall()
            }
        }
        #expect(!connection.isInsideTransaction)
        try other.execute("COMMIT")
        try expectClosed([])
    }

    @Test func itsTypesHaveSQLitesNames() {
        #expect(Connection.TransactionType.deferred.rawValue == "deferred")
        #expect(Connection.TransactionType(rawValue: "immediate") == .immediate)
        #expect(Connection.TransactionType(rawValue: "exclusive") == .exclusive)
    }

    // MARK: Nesting

    @Test func aNestedOneIsASavepoint() throws {
        try connection.transaction {
            try add(1, on: connection)
            expectThrows(TestError.self) {
                try connection.transaction(transactionType: .exclusive) {
                    try add(2, on: connection)
                    throw TestError()
                }
            }
            #expect(connection.isInsideTransaction)
            try connection.transaction { try add(3, on: connection) }
            try #expect(count("t", on: other) == 0)
        }
        try expectClosed([1, 3])
    }

    @Test func aFailureOutsideUndoesWhatWasNested() throws {
        expectThrows(TestError.self) {
            try connection.transaction {
                try connection.transaction { try add(1, on: connection) }
                try connection.savepoint { try add(2, on: connection) }
                throw TestError()
            }
        }
        try expectClosed([])
    }

    @Test func nestingGoesDeep() throws {
        func nest(_ level: Int) throws {
            try add(level, on: connection)
            if level == 0 {
                return
            }
            try connection.transaction { try nest(level - 1) }
            try? connection.transaction {
                try add(level + 1000, on: connection)
                throw TestError()
            }
        }
        try connection.transaction { try nest(30) }
        try expectClosed(Array(0...30))
    }

    @Test func insideATransactionOfTheCallersOwnItIsASavepoint() throws {
        try connection.execute("BEGIN")
        try connection.transaction { try add(1, on: connection) }
        expectThrows(TestError.self) {
            try connection.transaction {
                try add(2, on: connection)
                throw TestError()
            }
        }
        #expect(connection.isInsideTransaction)
        try #expect(count("t", on: other) == 0)
        try connection.execute("COMMIT")
        try expectClosed([1])
    }

    // MARK: A COMMIT that fails

    @Test func aCommitThatBreaksADeferredForeignKeyIsRolledBack() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = ON; CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
            """
        )
        expectSQLiteError(.constraintForeignKey) {
            try connection.transaction {
                try add(1, on: connection)
                try connection.run("INSERT INTO child VALUES(7)")
            }
        }
        try #expect(count("child", on: connection) == 0)
        try expectClosed([])

        try connection.transaction {
            try connection.run("INSERT INTO child VALUES(7)")
            try connection.run("INSERT INTO parent VALUES(7)")
        }
        try #expect(count("child", on: other) == 1)
    }

    @Test func aCommitThatIsBusyIsRolledBack() throws {
        try other.execute("BEGIN; SELECT x FROM t")
        expectSQLiteError(.busy) { try connection.transaction { try add(1, on: connection) } }
        #expect(!connection.isInsideTransaction)
        try other.execute("COMMIT")
        try expectClosed([])
        try connection.transaction { try add(2, on: connection) }
        try expectClosed([2])
    }

    @Test func aCommitThatAHookRefusesIsRolledBack() throws {
        try connection.withUnsafeHandle { _ = sqlite3_commit_hook($0, { _ in 1 }, nil) }
        expectSQLiteError(.constraintCommitHook) {
            try connection.transaction { try add(1, on: connection) }
        }
        #expect(!connection.isInsideTransaction)
        try connection.withUnsafeHandle { _ = sqlite3_commit_hook($0, nil, nil) }
        try expectClosed([])
    }

    @Test func aReaderThatWritesAfterAnothersCommitIsRolledBack() throws {
        try connection.execute("PRAGMA journal_mode = WAL")
        expectSQLiteError(.busySnapshot) {
            try connection.transaction {
                try #expect(values(on: connection) == [])
                try other.run("INSERT INTO t VALUES(1)")
                try add(2, on: connection)
            }
        }
        try expectClosed([1])
        try connection.transaction { try add(2, on: connection) }
        try expectClosed([1, 2])
    }

    @Test func aReadOnlyConnectionsFailedWriteIsRolledBack() throws {
        let reader = try Connection(storageLocation: .onDisk(folder.path()), readOnly: true)
        expectSQLiteError(.readOnly) {
            try reader.transaction { try reader.run("INSERT INTO t VALUES(1)") }
        }
        #expect(!reader.isInsideTransaction)
        let found = try reader.transaction { try count("t", on: reader) }
        #expect(found == 0)
    }

    // MARK: Queries around and inside

    @Test func itMayBeginAndEndInsideAQuery() throws {
        try connection.execute("INSERT INTO t VALUES(1), (2), (3)")
        var seen: [Int] = []
        try connection.forEachRow("SELECT x FROM t WHERE x < 10 ORDER BY x") { row in
            let value: Int = try row.get(0)
            seen.append(value)
            try connection.transaction { try add(value + 10, on: connection) }
            try? connection.transaction {
                try add(value + 20, on: connection)
                throw TestError()
            }
        }
        #expect(seen == [1, 2, 3])
        try expectClosed([1, 2, 3, 11, 12, 13])
    }

    @Test func aQueryInsideMayEndItWithAnError() throws {
        try connection.execute("INSERT INTO t VALUES(1), (2), (3)")
        expectThrows(TestError.self) {
            try connection.transaction {
                try connection.forEachRow("SELECT x FROM t ORDER BY x") { row in
                    try add(row.get(0) + 10, on: connection)
                    if try row.get(0) == 2 {
                        throw TestError()
                    }
                }
            }
        }
        try expectClosed([1, 2, 3])
    }

    @Test func preparedStatementsTakePart() throws {
        let statement = try connection.prepare("INSERT INTO t VALUES(?)")
        try connection.transaction {
            for value in 1...3 {
                try statement.bind(value).run()
            }
        }
        expectThrows(SQLiteError.self) {
            try connection.transaction {
                try statement.bind(4).run()
                try statement.bind(1).run()
            }
        }
        try expectClosed([1, 2, 3])
        try statement.bind(4).run()
        try expectClosed([1, 2, 3, 4])
    }
}
