import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct InterruptHandleTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.withTable()
        try addInterrupting(to: connection)
    }

    @Test func aRunningStatementIsInterruptedFromAnotherThread() throws {
        let handle = connection.interruptHandle
        try addCallback("meanwhile", to: connection) { argument in
            guard argument == "5" else { return }
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                handle.interrupt()
                done.signal()
            }
            done.wait()
        }
        var seen: [Int] = []
        let error = expectSQLiteError(.interrupt) {
            try connection.forEachRow(numbers(to: 1000, selecting: "meanwhile(n)")) {
                try seen.append($0.get(0))
            }
        }
        #expect(error?.code == SQLITE_INTERRUPT)
        #expect(seen.count < 10)
    }

    @Test func anInterruptedStatementLeavesTheConnectionUsable() throws {
        let statement = try connection.prepare(numbers(to: 100, selecting: "interrupt_at(n, ?)"))
        expectSQLiteError(.interrupt) { try statement.bind(50).query() as [Int] }
        #expect(!statement.isBusy)

        let all: [Int] = try statement.bind(0).query()
        #expect(all.count == 100)
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(try count("t", on: connection) == 1)
    }

    @Test func anInterruptedWriteOutsideATransactionLeavesNothingBehind() throws {
        let sql = "INSERT INTO t " + numbers(to: 100, selecting: "interrupt_at(n, ?)")
        expectSQLiteError(.interrupt) { try connection.run(sql, 50) }
        #expect(!connection.isInsideTransaction)
        #expect(try count("t", on: connection) == 0)
        try connection.run(sql, 0)
        #expect(try count("t", on: connection) == 100)
    }

    @Test func anInterruptAffectsNoStatementThatStartsLater() throws {
        connection.interrupt()
        connection.interruptHandle.interrupt()
        let found: [Int] = try connection.query(numbers(to: 1000))
        #expect(found.count == 1000)
    }

    @Test func anInterruptedScriptStopsThere() throws {
        let script = "INSERT INTO t VALUES(1); SELECT interrupt_at(1, 1); INSERT INTO t VALUES(2)"
        expectSQLiteError(.interrupt) { try connection.execute(script) }
        #expect(try count("t", on: connection) == 1)
    }

    @Test func itDoesNothingAfterTheCloseAndTheEndOfTheConnection() throws {
        let closed = try Connection()
        let handle = closed.interruptHandle
        try closed.close()
        handle.interrupt()

        weak var gone: Connection?
        let orphan: InterruptHandle
        do {
            let connection = try Connection()
            gone = connection
            orphan = connection.interruptHandle
        }
        #expect(gone == nil)
        orphan.interrupt()
    }

    @Test func itWorksAfterARefusedClose() throws {
        let statement = try connection.prepare("SELECT 1")
        expectThrows(SQLiteError.self) { try connection.close() }
        expectSQLiteError(.interrupt) {
            try connection.forEachRow(numbers(to: 100)) { _ in
                connection.interruptHandle.interrupt()
            }
        }
        withExtendedLifetime(statement) {}
    }

    @Test func manyThreadsMayInterruptWhileTheConnectionCloses() throws {
        for _ in 0..<50 {
            let connection = try Connection()
            let handle = connection.interruptHandle
            let group = DispatchGroup()
            for _ in 0..<3 {
                group.enter()
                Thread.detachNewThread {
                    for _ in 0..<20 {
                        handle.interrupt()
                    }
                    group.leave()
                }
            }
            try connection.close()
            group.wait()
            expectThrows(SQLiteError.self) { try connection.execute("SELECT 1") }
        }
    }

    @Test func aHandleMayBeSentToAnotherTask() async throws {
        let handle = connection.interruptHandle
        await Task.detached { handle.interrupt() }.value
        #expect(try connection.query("SELECT 1") == 1)
    }
}
