import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Transactions that are stopped at each step of SQLite's virtual machine in turn.
struct TransactionInterruptTests {
    enum Way: CaseIterable {
        /// A progress handler's veto: it can stop even a statement that has done its work.
        case progressHandler
        /// `sqlite3_interrupt`, as from another thread.
        case interrupt
    }

    /// Stops the statement that runs when as many operations as it is set to have passed; 0 is
    /// never.
    private final class Countdown {
        private let connection: Connection
        private let way: Way
        var left = 0

        init(on connection: Connection, by way: Way) throws {
            self.connection = connection
            self.way = way
            switch way {
            case .progressHandler:
                connection.progressHandler(every: 1) { [unowned self] in isOver() }
            case .interrupt:
                // SQift's own handler isn't asked during COMMIT, when an interrupt may come too.
                try connection.withUnsafeHandle { database in
                    sqlite3_progress_handler(
                        database,
                        1,
                        { context in
                            guard let context else { return 0 }
                            let countdown = Unmanaged<Countdown>.fromOpaque(context)
                            countdown.takeUnretainedValue().tick()
                            return 0
                        },
                        Unmanaged.passUnretained(self).toOpaque()
                    )
                }
            }
        }

        deinit {
            connection.progressHandler(nil)
        }

        private func tick() {
            if isOver() {
                connection.interrupt()
            }
        }

        private func isOver() -> Bool {
            guard left > 0 else { return false }
            left -= 1
            return left == 0
        }
    }

    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("PRAGMA synchronous = OFF; CREATE TABLE t(x); CREATE TABLE log(x)")
    }

    /// Runs `work`, which inserts 7 into `t`, stopped after 1, 2, 3 … operations until it isn't any
    /// more.
    private func stopEverywhere<T>(by way: Way, _ work: () throws -> T) throws {
        let countdown = try Countdown(on: connection, by: way)
        for steps in 1...1000 {
            countdown.left = steps
            var isDone = false
            do {
                _ = try work()
                isDone = true
            } catch let error as SQLiteError {
                let isExpected = error.resultCode == .interrupt || error.resultCode == .abort
                #expect(isExpected, "stopped after \(steps) operations: \(error)")
            }
            let isFinished = countdown.left > 0
            countdown.left = 0
            let isOpen = connection.isInsideTransaction
            #expect(!isOpen, "stopped after \(steps) operations, a transaction is open")
            if isOpen {
                try connection.execute("ROLLBACK")
            }
            let found: [Int] = try connection.query("SELECT DISTINCT x FROM t")
            #expect(found == (isDone ? [7] : []), "stopped after \(steps) operations")
            try connection.execute("DELETE FROM t; DELETE FROM log")
            if isFinished {
                return
            }
        }
        Issue.record("the work never came to its end")
    }

    @Test(arguments: Way.allCases)
    func aTransactionStoppedAnywhereIsClosedAndWholeOrNothing(way: Way) throws {
        try stopEverywhere(by: way) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(7), (7)")
                try connection.run("UPDATE t SET x = x")
            }
        }
    }

    @Test(arguments: Way.allCases)
    func anImmediateTransactionStoppedAnywhereIsClosedAndWholeOrNothing(way: Way) throws {
        try stopEverywhere(by: way) {
            try connection.transaction(transactionType: .immediate) {
                try connection.run("INSERT INTO t VALUES(7)")
            }
        }
    }

    @Test(arguments: Way.allCases)
    func anOutermostSavepointStoppedAnywhereIsClosedAndWholeOrNothing(way: Way) throws {
        try stopEverywhere(by: way) {
            try connection.savepoint(named: "s") { try connection.run("INSERT INTO t VALUES(7)") }
        }
    }

    @Test(arguments: Way.allCases)
    func nestedSavepointsStoppedAnywhereAreClosedAndWholeOrNothing(way: Way) throws {
        try stopEverywhere(by: way) {
            try connection.transaction {
                try connection.savepoint {
                    try connection.run("INSERT INTO t VALUES(7)")
                    try connection.savepoint { try connection.run("INSERT INTO t VALUES(7)") }
                }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func aSavepointStoppedAnywhereThatIsGivenUpKeepsNothingOfItself(way: Way) throws {
        try stopEverywhere(by: way) {
            try connection.transaction {
                let error: (any Error)?
                do {
                    try connection.savepoint {
                        try connection.run("INSERT INTO log VALUES(7)")
                        try connection.run("INSERT INTO log VALUES(7)")
                    }
                    error = nil
                } catch let failure {
                    error = failure
                }
                #expect(
                    try connection.query("SELECT count(*) FROM log") as Int
                        == (error == nil ? 2 : 0)
                )
                try connection.run("INSERT INTO t VALUES(7)")
            }
        }
    }

    @Test func aStatementByItselfInterruptedAnywhereIsWholeOrNothing() throws {
        try stopEverywhere(by: .interrupt) { try connection.run("INSERT INTO t VALUES(7), (7)") }
    }

    // MARK: Inside other statements

    @Test func aTransactionInsideAWriteThatCallsItIsUndone() throws {
        var error: SQLiteError?
        try addCallback("nested", to: connection) { [unowned connection] _ in
            error = sqliteError {
                try connection.transaction {
                    try connection.run("INSERT INTO log VALUES('nested')")
                }
            }
        }
        // SQLite refuses to commit while a write is running.
        let outer = sqliteError { try connection.run("INSERT INTO t SELECT nested(1)") }
        #expect(error?.message.contains("in progress") == true)
        #expect(outer?.resultCode != .interrupt)
        #expect(!connection.isInsideTransaction)
        try #expect(count("log", on: connection) == 0)
        try connection.transaction { try connection.run("INSERT INTO t VALUES(2)") }
        try #expect(count("log", on: Connection(path: folder.path())) == 0)
    }

    @Test func aTransactionInsideNestedInterruptedQueriesIsUndoneWhenTheOutermostEnds() throws {
        var isDone = false
        let outer = sqliteError {
            try connection.forEachRow(numbers(to: 50)) { _ in
                expectSQLiteError(.interrupt) {
                    try connection.forEachRow(numbers(to: 60)) { _ in
                        try? connection.transaction {
                            try connection.run("INSERT INTO t VALUES(1)")
                            connection.interrupt()
                            throw TestError()
                        }
                    }
                }
                let write = sqliteError { try connection.run("INSERT INTO t VALUES(2)") }
                #expect(write != nil)
                isDone = true
            }
        }
        #expect(isDone)
        expect(outer, .interrupt)
        #expect(!connection.isInsideTransaction)
        try #expect(count("t", on: connection) == 0)
        try connection.transaction { try connection.run("INSERT INTO t VALUES(3)") }
        try #expect(count("t", on: Connection(path: folder.path())) == 1)
    }

    @Test func aRollbackUnderARunningQueryLeavesTheConnectionUsable() throws {
        try connection.execute("INSERT INTO t VALUES(1), (2), (3)")
        try connection.execute("BEGIN; INSERT INTO t VALUES(4)")
        var seen: [Int] = []
        do {
            try connection.forEachRow("SELECT x FROM t ORDER BY rowid") { row in
                try seen.append(row.get(0))
                if seen.count == 2 {
                    try connection.execute("ROLLBACK")
                }
            }
        } catch let error as SQLiteError {
            #expect(error.resultCode == .abort)
        }
        #expect(seen.starts(with: [1, 2]))
        #expect(!seen.contains(4))
        #expect(try connection.query("SELECT x FROM t ORDER BY rowid") == [1, 2, 3])
    }

    @Test(arguments: [false, true])
    func anInterruptOfTheUndoingDoesNotStopIt(isSavepoint: Bool) throws {
        let connection = try Connection.withTable()
        let handle = connection.interruptHandle
        var interrupts = 0
        connection.trace { sql in
            if sql.hasPrefix("ROLLBACK"), interrupts == 0 {
                interrupts += 1
                handle.interrupt()
            }
        }
        func fail() throws {
            try add(1, on: connection)
            throw TestError()
        }
        if isSavepoint {
            try connection.transaction {
                expectThrows(TestError.self) { try connection.savepoint(closure: fail) }
                try add(2, on: connection)
            }
        } else {
            expectThrows(TestError.self) { try connection.transaction(closure: fail) }
            #expect(!connection.isInsideTransaction)
            try add(2, on: connection)
        }
        #expect(interrupts == 1)
        #expect(try values(on: connection) == [2])
    }
}
