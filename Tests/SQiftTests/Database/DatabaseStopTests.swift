// `Locked` is the library's own.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Closing and suspending in the middle of something.
extension DatabaseSuites {
    struct DatabaseStopTests {
        private let folder = TemporaryFolder.fresh

        @Test func awaitedReadsGoOnWhileTheGlobalThreadsAllBlockForAConnection() async throws {
            let database = try Database.open(folder.path()) { $0.maximumReaderCount = 2 }
            let done = SharedCount()
            for _ in 0..<10 {
                DispatchQueue.global().async {
                    for _ in 0..<50 {
                        do {
                            try database.read { _ in }
                        } catch {
                            Issue.record(error)
                        }
                    }
                    done.add(1)
                }
            }
            try await inTasks(8) { _ in for _ in 0..<50 { try await database.read { _ in } } }
            await poll("the blocking reads went on") { done.value == 10 }
        }

        @Test func nothingIsLeftBesideTheFileHoweverCloseMeetsADrain() async throws {
            var configuration = Database.Configuration()
            configuration.synchronous = .off
            configuration.readerDrainDelay = 0
            for _ in 0..<150 {
                let database = try Database(path: folder.path(), configuration: configuration)
                try await database.execute(
                    "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)"
                )
                try await inTasks(3) { _ in
                    try await database.read { try $0.execute("SELECT * FROM t") }
                }
                try await database.close()
                let left = try folder.files()
                #expect(left == ["test.sqlite"])
                if left.count > 1 {
                    return
                }
            }
        }

        @Test func aStatementKeptFromASnapshotKeepsNothingElseOpen() async throws {
            let database = try Database(path: folder.path())
            try await database.execute("CREATE TABLE t(a)")
            let snapshot = try await database.snapshot()
            let statement = Locked(UncheckedSendable<Statement?>(value: nil))
            try await snapshot.read { connection in
                let prepared = UncheckedSendable<Statement?>(
                    value: try connection.prepare("SELECT * FROM t")
                )
                statement.withLock { $0 = prepared }
            }

            try await database.suspend()
            try await onThread { [path = folder.path()] in
                try Connection(path: path).checkpoint(mode: .truncate)
            }
            database.resume()
            try await database.run("INSERT INTO t VALUES(1)")
            do {
                try await database.close()
                Issue.record("the statement is alive")
            } catch let error as SQLiteError {
                #expect(error.resultCode == .busy)
            }
            try await expectTaskRefusal(.closed) { try await database.read { _ in } }
            statement.withLock { $0.value = nil }
            try await database.close()
        }

        @Test func aTransactionThatExecuteLeftOpenHoldsNoLockWhileSuspended() async throws {
            let database = try Database(path: folder.path())
            try await database.execute("CREATE TABLE t(a)")
            try await onThread { [path = folder.path()] in
                try database.writerConnectionQueue.execute {
                    try $0.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
                }
                try database.suspend()
                try Connection(path: path).transaction(transactionType: .immediate) {}
                database.resume()
            }
            try expectAnswer(0, to: "SELECT count(*) FROM t", from: database)
        }

        @Test(arguments: [true, false])
        func aSnapshotInTheMakingIsWaitedFor(isSuspended: Bool) async throws {
            let database = try Database(path: folder.path())
            try await database.execute("CREATE TABLE t(a)")
            let (isOpening, mayGoOn) = (Gate(), Gate())
            database.prepareConnections { connection in
                guard connection.readOnly else { return }
                isOpening.open()
                mayGoOn.wait()
            }
            let snapshot = Worker { try database.snapshot() }
            await isOpening.opened()
            let stop = Worker { isSuspended ? try database.suspend() : try database.close() }
            stop.waitUntilBlocked()
            #expect(!stop.isFinished)
            mayGoOn.open()

            try await stop.finalValue()
            let reason = try await taskRefusal { _ = try await snapshot.finalValue() }
            #expect(reason == (isSuspended ? .suspended : .closed))
            if isSuspended {
                try await onThread { [path = folder.path()] in
                    try Connection(path: path).checkpoint(mode: .truncate)
                }
            } else {
                #expect(try folder.files() == ["test.sqlite"])
            }
        }

        @Test func aConnectionThatIsBeingOpenedDoesNotKeepTheDatabaseFromBeingSuspended()
            async throws
        {
            let database = try Database.open(folder.path()) { configuration in
                configuration.journalMode = .delete
                configuration.busyTimeout = 10 * patience
            }
            try await database.execute("CREATE TABLE t(a)")
            let (isLocked, mayEnd) = (Gate(), Gate())
            let other = Worker { [path = folder.path()] in
                let connection = try Connection(path: path)
                try connection.transaction(transactionType: .exclusive) {
                    isLocked.open()
                    mayEnd.wait()
                }
            }
            await isLocked.opened()
            let reader = Worker { try database.read { try $0.execute("SELECT * FROM t") } }
            reader.waitUntilBlocked()

            let start = ContinuousClock.now
            try await database.suspend()
            #expect(ContinuousClock.now - start < .seconds(patience))
            try await expectTaskRefusal(.suspended) { try await reader.finalValue() }
            mayEnd.open()
            try await other.finalValue()
            database.resume()
            try await database.read { try $0.execute("SELECT * FROM t") }
        }

        @Test func aPoolIsGoneWhenItsLastAccessHasEndedThoughSomebodyCouldHaveWaitedLonger()
            async throws
        {
            try folder.connection().execute("CREATE TABLE t(a)")
            var pool: ConnectionPool? = ConnectionPool(
                storageLocation: .onDisk(folder.path()),
                availableConnectionDrainDelay: 0.01,
                maximumConnectionCount: 1,
                acquisitionTimeout: 1000
            )
            weak let released = pool
            let (isHeld, mayEnd) = (Gate(), Gate())
            let holder = Worker { [pool] in
                try pool?.execute { _ in
                    isHeld.open()
                    mayEnd.wait()
                }
            }
            await isHeld.opened()
            let waiter = Task.detached { [pool] in try await pool?.read { _ in } }
            mayEnd.open()
            try await holder.finalValue()
            try await waiter.value
            pool = nil
            await poll("the pool is kept") { released == nil }
        }
    }
}
