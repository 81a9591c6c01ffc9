// How often a refused lock is tried again can be counted only inside.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

struct TableLockPolicyTests {
    private let folder: TemporaryFolder
    private let holder: Connection

    init() throws {
        folder = try TemporaryFolder()
        holder = try Connection(storageLocation: .onDisk(folder.path()), sharedCache: true)
        try holder.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES(1)")
    }

    private func other(_ policy: TableLockPolicy) throws -> Connection {
        try Connection(
            storageLocation: .onDisk(folder.path()),
            tableLockPolicy: policy,
            sharedCache: true
        )
    }

    private final class Starts {
        var count = 0
        let secondOne = DispatchSemaphore(value: 0)
        let committed = DispatchSemaphore(value: 0)
    }

    /// Commits the holder's transaction on another thread as soon as `connection` has started its
    /// statement twice.
    private func commitAfterASecondStart(of connection: Connection) throws -> Starts {
        let starts = Starts()
        let context = Unmanaged.passUnretained(starts).toOpaque()
        try connection.withUnsafeHandle { database in
            _ = sqlite3_trace_v2(
                database,
                UInt32(SQLITE_TRACE_STMT),
                { _, context, _, _ in
                    guard let context else { return 0 }
                    let starts = Unmanaged<Starts>.fromOpaque(context).takeUnretainedValue()
                    starts.count += 1
                    if starts.count == 2 {
                        starts.secondOne.signal()
                    }
                    return 0
                },
                context
            )
        }
        nonisolated(unsafe) let holder = holder
        let (secondOne, committed) = (starts.secondOne, starts.committed)
        Thread.detachNewThread {
            secondOne.wait()
            do {
                try holder.execute("COMMIT")
            } catch {
                Issue.record("COMMIT: \(error)")
            }
            committed.signal()
        }
        return starts
    }

    @Test(arguments: ["execute", "run", "value", "rows", "closure", "transaction", "prepared"])
    func pollingTriesTheFirstStepAgainUntilTheLockIsReleased(kind: String) throws {
        let reader = try other(.poll(0.001))
        let statement = try reader.prepare("SELECT x FROM t")
        try holder.execute("BEGIN; UPDATE t SET x = 2")
        let starts = try commitAfterASecondStart(of: reader)
        switch kind {
        case "execute": try reader.execute("SELECT x FROM t")
        case "run": try reader.run("INSERT INTO t VALUES(3)")
        case "value":
            #expect(try reader.query("SELECT x FROM t") == 2)
        case "rows":
            let rows: [Row] = try reader.query("SELECT x FROM t")
            #expect(rows.map(\.description) == ["[2]"])
        case "closure":
            let values: [Int] = try reader.query("SELECT x FROM t", body: { try $0.get("x") })
            #expect(values == [2])
        case "transaction":
            try reader.transaction(transactionType: .immediate) {
                try reader.run("INSERT INTO t VALUES(3)")
            }
            #expect(!reader.isInsideTransaction)
        default:
            #expect(try statement.query() == 2)
        }
        starts.committed.wait()
        #expect(starts.count >= 2)
        #expect(!statement.isBusy)
    }

    @Test func pollingTriesToPrepareAgainUntilTheLockIsReleased() throws {
        let reader = try other(.poll(0.001))
        try holder.execute("BEGIN; CREATE TABLE u(x)")
        nonisolated(unsafe) let holder = holder
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            do {
                try holder.execute("COMMIT")
            } catch {
                Issue.record("COMMIT: \(error)")
            }
            group.leave()
        }
        // It succeeds whichever thread comes first; without polling it fails whenever this one
        // does.
        #expect(try count("u", on: reader) == 0)
        group.wait()
    }

    @Test func failingFastThrowsAtOnce() throws {
        let reader = try other(.fastFail)
        let statement = try reader.prepare("SELECT x FROM t")
        try holder.execute("BEGIN; UPDATE t SET x = 2")
        for error in [
            sqliteError { try reader.execute("SELECT x FROM t") },
            sqliteError { try reader.run("INSERT INTO t VALUES(1)") },
            sqliteError { try reader.query("SELECT x FROM t") as Int },
            sqliteError { try statement.query() as Int },
        ] {
            expect(error, .lockedSharedCache)
            expect(error, .locked)
        }
        try holder.execute("COMMIT")
        #expect(try statement.query() == 2)
    }

    @Test func preparingFailsFastWhileTheSchemaIsLocked() throws {
        let reader = try other(.fastFail)
        try holder.execute("BEGIN; CREATE TABLE u(x)")
        expectSQLiteError(.locked) { try reader.prepare("SELECT x FROM t") }
        try holder.execute("ROLLBACK")
        #expect(try count("t", on: reader) == 1)
    }

    @Test func thePolicyMayBeChangedLater() throws {
        let reader = try other(.poll(60))
        try holder.execute("BEGIN; UPDATE t SET x = 2")
        reader.tableLockPolicy = .fastFail
        expectSQLiteError(.locked) { try reader.query("SELECT x FROM t") as Int }
    }

    /// Adds `locked()`, which throws twice that a table is locked, and then returns 7.
    private func addLockedFunction(to connection: Connection) throws {
        var callCount = 0
        try connection.addFunction(named: "locked") { () throws -> Int in
            callCount += 1
            guard callCount > 2 else { throw SQLiteError(code: .lockedSharedCache) }
            return 7
        }
    }

    @Test func aFunctionThatSaysThatATableIsLockedIsWaitedForLikeSQLite() throws {
        let polling = try other(.poll(0.001))
        try addLockedFunction(to: polling)
        #expect(try polling.query("SELECT locked()") == 7)

        let impatient = try other(.fastFail)
        try addLockedFunction(to: impatient)
        expectSQLiteError(.lockedSharedCache) { try impatient.run("SELECT locked()") }
    }

    // MARK: The loop

    @Test func itTriesAgainOnlyWhileTheTableIsLocked() {
        func calls(_ policy: TableLockPolicy, _ codes: [Int32]) -> (Int, Int32) {
            holder.tableLockPolicy = policy
            var left = codes
            var count = 0
            let last = holder.retryingRefusals {
                count += 1
                return left.removeFirst()
            }
            return (count, last)
        }
        let locked = ResultCode.lockedSharedCache.rawValue
        #expect(calls(.poll(0), [locked, locked, SQLITE_ROW]) == (3, SQLITE_ROW))
        #expect(calls(.poll(-1), [locked, SQLITE_DONE]) == (2, SQLITE_DONE))
        #expect(calls(.poll(0.001), [SQLITE_OK]) == (1, SQLITE_OK))
        #expect(calls(.poll(0.001), [SQLITE_BUSY]) == (1, SQLITE_BUSY))
        #expect(calls(.poll(0.001), [SQLITE_LOCKED]) == (1, SQLITE_LOCKED))
        #expect(calls(.fastFail, [locked]) == (1, locked))
    }
}
