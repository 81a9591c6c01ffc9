import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// What an access that ended badly leaves to the next one.
    struct DatabaseCleanupTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

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
            let database = try Database(
                storageLocation: location,
                configuration: Database.Configuration()
            )
            try await database.write { try $0.execute("CREATE TABLE t(x)") }
            for number in 1...3 {
                try await self.end(end, database) { started in
                    try await database.read { try runEndlessQuery(on: $0, opening: started) }
                }
                try await database.write { try add(number, on: $0) }
                try await database.writeWithoutTransaction { try add(number, on: $0) }
                let seen = try await database.read { try count("t", on: $0) }
                #expect(seen == 2 * number)
            }
        }

        @Test(arguments: End.allCases) func inMemoryAWriteThatWasEndedLeavesNothing(
            end: End
        ) async throws {
            let database = try Database.inMemory()
            try await database.write { try $0.execute("CREATE TABLE t(x)") }
            try await self.end(end, database) { started in
                try await database.write { connection in
                    try add(1, on: connection)
                    try runEndlessQuery(on: connection, opening: started)
                }
            }
            let seen = try await database.read { try count("t", on: $0) }
            #expect(seen == 0)
            try await database.write { try add(1, on: $0) }
        }

        @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5")), arguments: End.allCases)
        func aWriteToAFullTextIndexThatWasEndedLeavesNothing(end: End) async throws {
            let database = try folder.open()
            try await database.write {
                try $0.execute("CREATE TABLE t(x); CREATE VIRTUAL TABLE f USING fts5(x)")
            }
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
                try #expect(canWrite(toFileAt: folder.path()))
                try await database.write { try $0.run("INSERT INTO f VALUES('found words')") }
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
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test func aStatementThatAClosureLeftAtARowHoldsNoLock() throws {
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.busyTimeout = 0.2
            }
            try database.write {
                try $0.execute(
                    "CREATE TABLE t(x); INSERT INTO t VALUES(1); INSERT INTO t VALUES(2)"
                )
            }
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
            try database.write { try add(3, on: $0) }
            try #expect(database.checkpoint(mode: .truncate).isComplete)
            #expect(try rows(database) == 3)
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
            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test func aFullDiskUndoesTheWriteAndTheNextOneWorks() throws {
            let database = try folder.openWithTable()
            let pages: Int = try database.executeWrite { try $0.query("PRAGMA page_count") }
            try database.executeWrite { try $0.execute("PRAGMA max_page_count = \(pages + 5)") }
            let error = sqliteError {
                try database.write { connection in
                    try add(1, on: connection)
                    try connection.run("INSERT INTO t VALUES(zeroblob(1000000))")
                }
            }
            #expect(error?.resultCode == .full)
            #expect(try rows(database) == 0)
            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
        }
    }
}
