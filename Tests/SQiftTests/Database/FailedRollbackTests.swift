import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What becomes of a transaction that can't be rolled back when its access ends.
extension DatabaseSuites {
    struct FailedRollbackTests {
        private let folder = TemporaryFolder.fresh

        @Test func aProgressHandlerCannotKeepAFailedWriteFromBeingRolledBack() throws {
            let database = try folder.openWithTable()
            nonisolated(unsafe) var isOver = false
            expectSQLiteError(.interrupt) {
                try database.write { connection in
                    try connection.run("INSERT INTO t VALUES(0)")
                    connection.progressHandler(every: 1) { isOver }
                    isOver = true
                    _ = try count("t", on: connection)
                }
            }
            try expectUnlocked(folder)

            isOver = false
            try database.add(1)
            try expectRows(1, in: database)
        }

        @Test(arguments: [
            DatabaseAccess.write, .writeWithoutTransaction, .executeWrite, .queueRead,
            .queueExecute,
            .queueTransaction, .queueSavepoint,
        ])
        func theNextAccessUndoesWhatCouldNotBeUndone(access: DatabaseAccess) throws {
            let database = try folder.openWithTable()
            let connection = try database.writerConnectionQueue.failWithoutRollback()
            #expect(try !canWrite(toFileAt: folder.path()))

            forbidRollback(false, on: connection)
            let isOpen = try access.run(on: database) { try count("t", on: $0) == 0 }
            #expect(isOpen)
            try expectUnlocked(folder)
            try database.add(1)
            try expectRows(1, in: database)
        }

        @Test func aConnectionWhoseTransactionCannotBeRolledBackIsReplaced() throws {
            let database = try folder.open { configuration in
                configuration.writerConnectionPreparation = { connection in
                    try connection.addFunction(named: "one") { () -> Int in 1 }
                }
            }
            database.prepareConnections { connection in
                try connection.addFunction(named: "two") { () -> Int in 2 }
            }
            try database.execute("CREATE TABLE t(x)")
            _ = try database.writerConnectionQueue.failWithoutRollback()

            try database.run("INSERT INTO t VALUES(one()), (two())")
            try expectRows(2, in: database)
            let foreignKeys: Bool = try database.executeWrite {
                try $0.query("PRAGMA foreign_keys")
            }
            #expect(foreignKeys)
            try expectUnlocked(folder)
            try database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func oneThatCannotBeReplacedIsReplacedLater() throws {
            let database = try folder.openWithTable()
            _ = try database.writerConnectionQueue.failWithoutRollback()
            let (path, away) = (folder.path(), folder.path("away.sqlite"))
            let manager = FileManager.default
            try manager.moveItem(atPath: path, toPath: away)
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)

            for _ in 0..<2 {
                expectSQLiteError(.cantOpen) { try database.add(1) }
            }
            try manager.removeItem(atPath: path)
            try manager.moveItem(atPath: away, toPath: path)
            try database.add(1)
            try expectRows(1, in: database)
        }

        /// In a rollback journal a reader keeps writers out as long as it reads.
        @Test func aReaderThatCannotEndItsReadIsClosedAtOnce() throws {
            let database = try folder.openWithTable { $0.journalMode = .delete }
            expectSQLiteError(.authorization) {
                try database.read { connection in
                    try expectRows(0, on: connection)
                    try connection.withUnsafeHandle { handle in
                        _ = sqlite3_set_authorizer(
                            handle,
                            { _, action, _, _, _, _ in
                                action == SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK
                            },
                            nil
                        )
                    }
                }
            }
            try expectUnlocked(folder)
            try database.add(1)
            try expectRows(1, in: database)
        }

        /// Leaves a savepoint in an open transaction that couldn't be rolled back.
        private func failInASavepoint(_ connection: Connection) throws {
            try connection.withUnsafeHandle { forbidRollback(true, on: $0) }
            connection.undoingSavepoint {
                _ = try? connection.run("INSERT INTO t VALUES(-1)")
            }
            try connection.withUnsafeHandle { forbidRollback(false, on: $0) }
        }

        @Test func aSavepointThatIsUndoneLaterLeavesTheTransactionAroundIt() throws {
            for queue in [
                try folder.openWithTable().writerConnectionQueue,
                ConnectionQueue(connection: try folder.connection()),
            ] {
                try queue.execute { connection in
                    try connection.execute("DELETE FROM t; BEGIN; INSERT INTO t VALUES(1)")
                    try failInASavepoint(connection)
                }
                try queue.execute { connection in
                    #expect(connection.isInsideTransaction)
                    try connection.run("INSERT INTO t VALUES(2)")
                }
                try queue.execute { try $0.run("COMMIT") }
                #expect(try queue.read { try $0.query("SELECT x FROM t") } == [1, 2])
            }
        }

        @Test func aSavepointThatIsUndoneLaterLeavesASnapshotAsItIs() throws {
            let database = try folder.openWithTable()
            try database.add(1)
            let snapshot = try database.snapshot()
            try snapshot.read(failInASavepoint)
            try database.add(2)
            try expectRows(1, in: snapshot)
        }

        @Test func aReplacementHearsOfCancellations() async throws {
            let database = try folder.openWithTable()
            try await onThread { _ = try database.writerConnectionQueue.failWithoutRollback() }
            let started = Gate()
            let task = Task.detached {
                try await database.write { connection in
                    let _: Int = try connection.query(
                        endlessQuery(on: connection, opening: started)
                    )
                }
            }
            await expectCancelled(task, once: started)
            try await database.add(1)
        }

        /// What is in memory would be gone with the connection, and a queue doesn't know how to
        /// open it.
        @Test(arguments: [true, false])
        func withoutAnotherConnectionEveryAccessSaysWhatIsWrong(isDatabase: Bool) throws {
            let queue =
                try isDatabase
                ? Database.inMemory().writerConnectionQueue
                : ConnectionQueue(connection: Connection())
            try queue.write { try $0.execute("CREATE TABLE t(x)") }
            let connection = try queue.failWithoutRollback()
            for _ in 0..<2 {
                expectSQLiteError(extended: .abortRollback, containing: "can't be rolled back") {
                    try queue.write { try add(1, on: $0) }
                }
            }

            forbidRollback(false, on: connection)
            try queue.write { try add(1, on: $0) }
            try expectRows(1, in: queue)
        }

        @Test func whatFailedWithoutMemoryIsUndoneWhenThereIsMemoryAgain() async throws {
            await #expect(processExitsWith: .success) { try Self.runOutOfMemoryInAWrite() }
        }

        /// In a process of its own, whose SQLite has no memory for a while.
        private static func runOutOfMemoryInAWrite() throws {
            let folder = try TemporaryFolder()
            let database = try folder.open()
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            let error = sqliteError {
                try database.write { connection in
                    try connection.run("INSERT INTO t VALUES(2)")
                    sqlite3_hard_heap_limit64(max(1, sqlite3_memory_used()))
                    try connection.run("UPDATE t SET x = zeroblob(9999999)")
                }
            }
            sqlite3_hard_heap_limit64(0)
            guard error?.resultCode == .noMemory else { exit(1) }

            try database.run("INSERT INTO t VALUES(3)")
            let values: [Int] = try database.read { try $0.query("SELECT x FROM t") }
            guard values == [1, 3], try canWrite(toFileAt: folder.path()) else { exit(2) }
        }
    }
}
