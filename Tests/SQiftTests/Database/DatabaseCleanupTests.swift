import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// What an access that ended badly leaves to the next one.
    struct DatabaseCleanupTests {
        private let folder = TemporaryFolder.fresh

        /// The ways in which an access is ended from outside.
        enum End: CaseIterable, Sendable {
            case cancel, interrupt, suspend
        }

        /// Runs the access in a task and ends it once it says that it has started.
        private func end(
            _ end: End,
            _ database: Database,
            _ access: @escaping @Sendable (Gate) async throws -> Void
        ) async throws {
            let started = Gate()
            let task = Task.detached { try await access(started) }
            await started.opened()
            switch end {
            case .cancel: task.cancel()
            case .interrupt: database.interrupt()
            case .suspend:
                try await database.suspend()
                database.resume()
            }
            do {
                try await task.value
                Issue.record("it wasn't ended")
            } catch let error as SQLiteError {
                #expect(end == .interrupt)
                #expect(error.resultCode == .interrupt)
            } catch let error as AccessError {
                #expect(end == .suspend)
                #expect(error.reason == .suspended)
            } catch is CancellationError {
                #expect(end == .cancel)
            }
        }

        @Test(arguments: End.allCases, [StorageLocation.inMemory, .temporary])
        func inMemoryAReadThatWasEndedLeavesTheNextAccessFreeToWrite(
            end: End,
            location: StorageLocation
        ) async throws {
            let database = try Database.open(location)
            try await database.execute("CREATE TABLE t(x)")
            for number in 1...3 {
                try await self.end(end, database) { started in
                    try await database.read { try runEndlessQuery(on: $0, opening: started) }
                }
                try await database.add(number)
                try await database.writeWithoutTransaction { try add(number, on: $0) }
                let seen = try await database.read { try count("t", on: $0) }
                #expect(seen == 2 * number)
            }
        }

        @Test(arguments: End.allCases) func inMemoryAWriteThatWasEndedLeavesNothing(
            end: End
        ) async throws {
            let database = try Database.inMemory()
            try await database.execute("CREATE TABLE t(x)")
            try await self.end(end, database) { started in
                try await database.write { connection in
                    try add(1, on: connection)
                    try runEndlessQuery(on: connection, opening: started)
                }
            }
            try expectRows(0, in: database)
            try await database.add(1)
        }

        @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5")), arguments: End.allCases)
        func aWriteToAFullTextIndexThatWasEndedLeavesNothing(end: End) async throws {
            let database = try folder.open()
            try await database.execute("CREATE TABLE t(x); CREATE VIRTUAL TABLE f USING fts5(x)")
            for number in 1...3 {
                try await self.end(end, database) { started in
                    try await database.write { connection in
                        // Before the index counts as a statement that runs, while which no function
                        // can be replaced.
                        let query = try endlessQuery(on: connection, opening: started)
                        try add(1, on: connection)
                        try connection.run("INSERT INTO f VALUES('lost words')")
                        try connection.execute(query)
                    }
                }
                try expectUnlocked(folder)
                try await database.run("INSERT INTO f VALUES('found words')")
                let lost: Int = try await database.read {
                    try $0.query("SELECT count(*) FROM f('lost')")
                }
                let found: Int = try await database.read {
                    try $0.query("SELECT count(*) FROM f('found')")
                }
                let seen = try await database.read { try count("t", on: $0) }
                #expect(lost == 0)
                #expect(found == number)
                #expect(seen == 0)
            }
            try await database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func aStatementThatAClosureLeftAtARowHoldsNoLock() throws {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.busyTimeout = 0.2
            }
            try database.execute(
                "CREATE TABLE t(x); INSERT INTO t VALUES(1); INSERT INTO t VALUES(2)"
            )
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            _ = try? database.executeRead { connection in
                try connection.withUnsafeHandle { handle in
                    let prepared = sqlite3_prepare_v2(
                        handle,
                        "SELECT x FROM t",
                        -1,
                        &statement,
                        nil
                    )
                    #expect(prepared == SQLITE_OK)
                    let stepped = sqlite3_step(statement)
                    #expect(stepped == SQLITE_ROW)
                }
            }
            try database.add(3)
            try #expect(database.checkpoint(mode: .truncate).isComplete)
            try expectRows(3, in: database)
        }

        @Test func whatAClosureLeftIsNotTheNextOnesTrouble() throws {
            let database = try folder.openWithTable { $0.maximumReaderCount = 1 }
            for access in [
                DatabaseAccess.executeRead, .poolExecute, .writeWithoutTransaction, .executeWrite,
            ] {
                for sql in [
                    "BEGIN", "SAVEPOINT s",
                    "BEGIN; SELECT count(*) FROM t; SAVEPOINT s; SAVEPOINT u",
                ] {
                    try expectRefusal(.transactionLeftOpen) {
                        try access.run(on: database) { try $0.execute(sql) }
                    }
                    let isInside = try access.run(on: database) { $0.isInsideTransaction }
                    #expect(!isInside)
                }
            }
            try database.add(1)
            try expectRows(1, in: database)
        }

        @Test func aFullDiskUndoesTheWriteAndTheNextOneWorks() throws {
            let database = try folder.openWithTable()
            let pages: Int = try database.executeWrite { try $0.query("PRAGMA page_count") }
            try database.executeWrite { try $0.execute("PRAGMA max_page_count = \(pages + 5)") }
            expectSQLiteError(.full) {
                try database.write { connection in
                    try add(1, on: connection)
                    try connection.run("INSERT INTO t VALUES(zeroblob(1000000))")
                }
            }
            try expectRows(0, in: database)
            try database.add(1)
            try expectRows(1, in: database)
        }
    }
}
