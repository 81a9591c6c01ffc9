import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseCloseTests {
        private let folder = TemporaryFolder.fresh

        @Test func onlyTheDatabaseFileIsLeft() throws {
            let database = try folder.openWithTable()
            _ = try onEveryConnection(of: database) { try count("t", on: $0) }
            try database.add(1)
            let snapshot = try database.snapshot()
            try #expect(folder.files().count > 1)
            try database.close()
            try folder.expectFiles("test.sqlite")
            if let count = folder.descriptorCount() {
                #expect(count == 0)
            }
            withExtendedLifetime(snapshot) {}
            #expect(try rows(folder.open()) == 1)
        }

        @Test func everySnapshotIsClosed() throws {
            let database = try folder.openWithTable()
            let snapshots = try (0..<3).map { _ in try database.snapshot() }
            try database.close()
            try folder.expectFiles("test.sqlite")
            withExtendedLifetime(snapshots) {}
        }

        /// With a limit, the database looks at the WAL's mode once more.
        @Test(arguments: [64 << 20, nil])
        func onlyTheDatabaseFileIsLeftOfOneThatWasSwitchedToAWALAndRead(limit: Int?) throws {
            let before = try folder.connection()
            try before.execute("PRAGMA journal_mode = DELETE; CREATE TABLE t(x)")
            try before.close()

            let database = try folder.open { $0.journalSizeLimit = limit }
            try expectRows(0, in: database)
            try database.close()
            try folder.expectFiles("test.sqlite")
        }

        /// A process that may not write into the folder needs it.
        @Test func aPreparationMayKeepTheWAL() throws {
            let database = try folder.openWithTable {
                $0.writerConnectionPreparation = { try $0.setPersistentWAL(true) }
            }
            try expectRows(0, in: database)
            try database.close()
            try folder.expectFiles("test.sqlite", "test.sqlite-shm", "test.sqlite-wal")
        }

        @Test func theSettingsOfSQift5LeaveTheWALAsSQLiteDoes() throws {
            try folder.openWithTable().close()
            let database = try Database(path: folder.path(), configuration: .sqift5)
            try database.add(1)
            try database.close()
            let isGone = try folder.files() == ["test.sqlite"]
            #expect(isGone == Capability.removesWAL)
        }

        @Test func afterwardsEveryCallThrows() throws {
            let database = try folder.openWithTable()
            for interrupting in [false, true, false] {
                try database.close(interrupting: interrupting)
            }
            for access in DatabaseAccess.allCases {
                let calls = Notes<Int>()
                let reason = try refusal { try access.run(on: database) { _ in calls.note(1) } }
                #expect(reason == .closed, "\(access)")
                #expect(calls.all.isEmpty)
            }
            try expectRefusal(.closed) { _ = try database.snapshot() }
            try expectRefusal(.closed) { try database.checkpoint() }
            database.interrupt()
            database.releaseMemory()
            database.resume()
            database.prepareConnections { _ in }
            try expectRefusal(.closed) { try database.read { _ in } }
            try folder.expectFiles("test.sqlite")
        }

        @Test func afterwardsEveryAsynchronousCallThrows() async throws {
            let database = try folder.openWithTable()
            try await database.close()
            try await database.close()
            let reasons = try await [
                taskRefusal { try await database.read { _ in } },
                taskRefusal { try await database.write { _ in } },
                taskRefusal { try await database.writeWithoutTransaction { _ in } },
                taskRefusal { _ = try await database.snapshot() },
                taskRefusal { try await database.checkpoint() },
                taskRefusal { try await database.writerConnectionQueue.read { _ in } },
                taskRefusal { try await database.readerConnectionPool.read { _ in } },
            ]
            #expect(reasons.allSatisfy { $0 == .closed }, "\(reasons)")
            try folder.expectFiles("test.sqlite")
        }

        @Test func aDatabaseInMemoryClosesToo() throws {
            let database = try Database.inMemory()
            try database.execute("CREATE TABLE t(x)")
            try database.close()
            for access in DatabaseAccess.own {
                try expectRefusal(.closed) { try access.run(on: database) { _ in } }
            }
            try database.close()
        }

        @Test(arguments: DatabaseAccess.own) func whatRunsIsWaitedFor(access: DatabaseAccess) throws
        {
            let database = try folder.openWithTable()
            let (isInside, mayEnd) = (Gate(), Gate())
            let thread = Worker {
                try access.run(on: database) { connection in
                    isInside.open()
                    mayEnd.wait()
                    if !connection.readOnly {
                        try add(1, on: connection)
                    }
                    return try count("t", on: connection)
                }
            }
            isInside.wait()
            let closers = (0..<2).map { _ in Worker { try database.close() } }
            // It is closing when it refuses: what comes later doesn't get in.
            let isReading = access == .read || access == .executeRead
            let other = isReading ? DatabaseAccess.write : .read
            try blockingPoll("it lets accesses in") {
                try refusal { try other.run(on: database) { _ in } } == .closed
            }
            #expect(closers.allSatisfy { !$0.isFinished })
            mayEnd.open()
            let isWrite = access != .read && access != .executeRead
            try #expect(thread.value() == (isWrite ? 1 : 0))
            try closers.values()
            try folder.expectFiles("test.sqlite")
            try expectRows(isWrite ? 1 : 0, on: folder.connection())
        }

        @Test(arguments: DatabaseAccess.own) func whatRunsIsInterruptedIfAsked(
            access: DatabaseAccess
        ) throws {
            let database = try folder.openWithTable()
            let started = Gate()
            let thread = Worker {
                try refusal {
                    try access.run(on: database) { connection in
                        if access == .write {
                            try add(1, on: connection)
                        }
                        try runEndlessQuery(on: connection, opening: started)
                    }
                }
            }
            started.wait()
            try database.close(interrupting: true)
            try #expect(thread.value() == .closed)
            try folder.expectFiles("test.sqlite")
            try expectRows(0, on: folder.connection())
        }

        @Test func aSnapshotsReadIsInterruptedIfAsked() throws {
            let database = try folder.openWithTable()
            let snapshot = try database.snapshot()
            let started = Gate()
            let thread = Worker {
                try refusal { try snapshot.read { try runEndlessQuery(on: $0, opening: started) } }
            }
            started.wait()
            try database.close(interrupting: true)
            try #expect(thread.value() == .closed)
            try folder.expectFiles("test.sqlite")
        }

        @Test func whatWaitsIsRefused() throws {
            let database = try folder.openWithTable { $0.maximumReaderCount = 1 }
            let barrier = Barrier(of: 3)
            let mayEnd = Gate()
            let running = [DatabaseAccess.read, .write].map { access in
                Worker {
                    try access.run(on: database) { _ in
                        barrier.wait()
                        mayEnd.wait()
                    }
                }
            }
            barrier.wait()
            let waiting = DatabaseAccess.own.map { access in
                Worker { try refusal { try access.run(on: database) { _ in } } }
            }
            for worker in waiting {
                worker.waitUntilBlocked()
            }
            let closer = Worker { try database.close() }
            for thread in waiting.prefix(1) {
                try #expect(thread.value() == .closed)
            }
            #expect(!closer.isFinished)
            mayEnd.open()
            try running.values()
            for value in try waiting.values() {
                #expect(value == .closed)
            }
            try closer.value()
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func whatAwaitsIsRefused() async throws {
            let database = try folder.openWithTable { $0.maximumReaderCount = 1 }
            let barrier = Barrier(of: 3)
            let mayEnd = Gate()
            let running = [DatabaseAccess.read, .write].map { access in
                Worker {
                    try access.run(on: database) { _ in
                        barrier.wait()
                        mayEnd.wait()
                    }
                }
            }
            try await Worker { barrier.wait() }.finalValue()
            let executor = OneThread()
            let waiting = [
                executor.start { try await taskRefusal { try await database.read { _ in } } },
                executor.start { try await taskRefusal { try await database.write { _ in } } },
            ]
            let closing = Task.detached { try await database.close() }
            #expect(try await waiting[0].value == .closed)
            // What comes now isn't put in line.
            #expect(try await taskRefusal { try await database.read { _ in } } == .closed)
            #expect(!mayEnd.isOpen)
            mayEnd.open()
            try await running.finalValues()
            #expect(try await waiting[1].value == .closed)
            try await closing.value
            try folder.expectFiles("test.sqlite")
        }

        @Test(arguments: DatabaseAccess.own) func insideAClosureItThrowsAndClosesNothing(
            access: DatabaseAccess
        ) throws {
            let database = try folder.openWithTable()
            let reasons = try access.run(on: database) { _ in
                try [false, true].map { interrupting in
                    try refusal { try database.close(interrupting: interrupting) }
                }
            }
            #expect(reasons == [.reentrant, .reentrant])
            try database.add(1)
            try expectRows(1, in: database)
        }

        @Test func aStatementThatIsAliveKeepsTheWriterOpen() throws {
            let database = try folder.openWithTable()
            try expectRows(0, in: database)
            var statement: Statement? = try database.executeWrite {
                try $0.prepare("SELECT x FROM t")
            }
            expectSQLiteError(.busy, containing: "SELECT x FROM t") { try database.close() }
            try expectRefusal(.closed) { try database.read { _ in } }
            withExtendedLifetime(statement) {}
            statement = nil
            try database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func aWriterThatStaysOpenHoldsNoLock() throws {
            let database = try folder.openWithTable()
            var statement: Statement?
            try database.writerConnectionQueue.execute { connection in
                try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
                statement = try connection.prepare("SELECT x FROM t")
            }
            expectSQLiteError(.busy) { try database.close() }
            try expectUnlocked(folder)
            withExtendedLifetime(statement) {}
        }

        @Test func withoutClosingOnlyTheDatabaseFileIsLeftToo() throws {
            for round in 0..<10 {
                try {
                    let database = try folder.open()
                    try database.execute("CREATE TABLE IF NOT EXISTS t(x)")
                    try database.add(round)
                    _ = try onEveryConnection(of: database) { try count("t", on: $0) }
                }()
                try blockingPoll("files are left") { try folder.files() == ["test.sqlite"] }
            }
            if folder.descriptorCount() != nil {
                blockingPoll("descriptors are left") { folder.descriptorCount() == 0 }
            }
            try expectRows(10, on: folder.connection())
        }

        @Test(arguments: DatabaseAccess.own) func theLastReferenceMayGoInsideAClosure(
            access: DatabaseAccess
        ) throws {
            var database: Database? = try folder.openWithTable()
            try access.run(on: #require(database)) { connection in
                database = nil
                _ = try count("t", on: connection)
            }
            try blockingPoll("files are left") { try folder.files() == ["test.sqlite"] }
        }

        @Test func anAsynchronousAccessKeepsTheDatabaseUntilItHasEnded() async throws {
            var task: Task<Int, any Error>?
            let (isInside, mayEnd) = (Gate(), Gate())
            do {
                let database = try folder.openWithTable()
                task = Task.detached {
                    try await database.write { connection in
                        isInside.open()
                        mayEnd.wait()
                        try add(1, on: connection)
                        return try count("t", on: connection)
                    }
                }
            }
            await isInside.opened()
            mayEnd.open()
            #expect(try await task?.value == 1)
            task = nil
            try await poll("files are left") { try folder.files() == ["test.sqlite"] }
        }

        @Test func openingAndClosingLeavesNoDescriptors() throws {
            guard folder.descriptorCount() != nil else { return }
            for _ in 0..<30 {
                let database = try folder.open()
                _ = try onEveryConnection(of: database) { $0.readOnly }
                try database.close()
                #expect(folder.descriptorCount() == 0)
            }
        }

        @Test func closingRacesWithAccessesWithoutHarm() throws {
            for round in 0..<40 {
                let database = try folder.open()
                try database.execute("CREATE TABLE IF NOT EXISTS t(x)")
                let threads = (0..<4).map { index in
                    Worker { () -> Int in
                        var written = 0
                        while true {
                            let reason = try refusal {
                                if index % 2 == 0 {
                                    try database.add(round)
                                    written += 1
                                } else {
                                    _ = try rows(database)
                                }
                            }
                            if reason == .closed {
                                return written
                            }
                            if reason != nil {
                                throw TestError(reason: "\(String(describing: reason))")
                            }
                        }
                    }
                }
                // Another moment each time; no outcome depends on which.
                usleep(UInt32(round * 100))
                try database.close(interrupting: round % 2 == 0)
                let written = try threads.reduce(0) { try $0 + $1.value() }
                try folder.expectFiles("test.sqlite")
                let found: Int = try folder.connection().query(
                    "SELECT count(*) FROM t WHERE x = ?",
                    round
                )
                #expect(found == written)
            }
        }
    }
}
