import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseSuspendTests {
        private let folder = TemporaryFolder.fresh

        /// Whether another connection gets the lock that nobody shares.
        private func isUnlocked() throws -> Bool {
            let other = try folder.connection()
            do {
                try other.execute("BEGIN EXCLUSIVE; ROLLBACK")
                return true
            } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
                return false
            }
        }

        @Test(arguments: DatabaseAccess.own, [Database.Configuration.JournalMode.wal, .delete])
        func aStatementThatRunsIsEndedAndUndone(
            access: DatabaseAccess,
            mode: Database.Configuration.JournalMode
        ) throws {
            let database = try folder.openWithTable { $0.journalMode = mode }
            let started = Gate()
            let thread = Worker {
                try refusal {
                    try access.run(on: database) { connection in
                        if access == .write {
                            try add(1, on: connection)
                        }
                        _ = try count("t", on: connection)
                        try runEndlessQuery(on: connection, opening: started)
                    }
                }
            }
            started.wait()
            try database.suspend()
            try #expect(isUnlocked())
            try #expect(thread.value() == .suspended)
            try expectRows(0, on: folder.connection())
            database.resume()
            try expectRows(0, in: database)
            try database.add(2)
            try expectRows(1, in: database)
        }

        @Test(arguments: [DatabaseAccess.read, .write])
        func aClosureBetweenTwoStatementsIsEndedAtItsNext(access: DatabaseAccess) throws {
            let database = try folder.openWithTable()
            let (isInside, mayGoOn) = (Gate(), Gate())
            let thread = Worker {
                try refusal {
                    try access.run(on: database) { connection in
                        if access == .write {
                            try add(1, on: connection)
                        }
                        isInside.open()
                        mayGoOn.wait()
                        _ = try count("t", on: connection)
                    }
                }
            }
            isInside.wait()
            let suspender = Worker { try database.suspend() }
            // It refuses accesses first, then it interrupts what runs, and then it waits.
            suspender.waitUntilBlocked()
            let other = access == .write ? DatabaseAccess.read : .write
            try expectRefusal(.suspended) { try other.run(on: database) { _ in } }
            #expect(!suspender.isFinished)
            mayGoOn.open()
            try #expect(thread.value() == .suspended)
            try suspender.value()
            try #expect(isUnlocked())
            try expectRows(0, on: folder.connection())
        }

        @Test func aClosureThatSwallowsTheErrorWritesNothing() throws {
            let database = try folder.openWithTable()
            let started = Gate()
            let thread = Worker {
                try refusal {
                    try database.write { connection in
                        try add(1, on: connection)
                        try? runEndlessQuery(on: connection, opening: started)
                        try? add(2, on: connection)
                    }
                }
            }
            started.wait()
            try database.suspend()
            try #expect(thread.value() == .suspended)
            try expectRows(0, on: folder.connection())
        }

        @Test func whatWaitsIsRefused() throws {
            let database = try folder.openWithTable { $0.maximumReaderCount = 1 }
            let events = (0..<2).map { _ in Gate() }
            let running = [
                Worker {
                    try refusal {
                        try database.read { try runEndlessQuery(on: $0, opening: events[0]) }
                    }
                },
                Worker {
                    try refusal {
                        try database.write { try runEndlessQuery(on: $0, opening: events[1]) }
                    }
                },
            ]
            for event in events {
                event.wait()
            }
            let waiting = DatabaseAccess.own.map { access in
                Worker { try refusal { try access.run(on: database) { _ in } } }
            }
            for worker in waiting {
                worker.waitUntilBlocked()
            }
            try database.suspend()
            for thread in running + waiting {
                try #expect(thread.value() == .suspended)
            }
        }

        @Test func untilItIsResumedEverythingIsRefused() throws {
            let database = try folder.openWithTable()
            try expectRows(0, in: database)
            try database.suspend()
            try database.suspend()
            for access in DatabaseAccess.allCases {
                try expectRefusal(.suspended) { try access.run(on: database) { _ in } }
            }
            try expectRefusal(.suspended) { _ = try database.snapshot() }
            try expectRefusal(.suspended) { try database.checkpoint() }
            database.interrupt()
            database.releaseMemory()
            database.resume()
            for access in DatabaseAccess.allCases {
                let answer: Int = try access.run(on: database) { try $0.query("SELECT 42") }
                #expect(answer == 42)
            }
            try #expect(database.checkpoint().isComplete)
            let snapshot = try database.snapshot()
            try expectRows(0, in: snapshot)
        }

        @Test func theAsynchronousFormsDoTheSame() async throws {
            let database = try folder.openWithTable()
            let started = Gate()
            let running = Task.detached {
                try await taskRefusal {
                    try await database.write { connection in
                        try add(1, on: connection)
                        try runEndlessQuery(on: connection, opening: started)
                    }
                }
            }
            await started.opened()
            let waiting = Task.detached {
                try await taskRefusal { try await database.write { _ in } }
            }
            try await database.suspend()
            #expect(try await running.value == .suspended)
            #expect(try await waiting.value == .suspended)
            let reasons = try await [
                taskRefusal { try await database.read { _ in } },
                taskRefusal { try await database.write { _ in } },
                taskRefusal { try await database.writeWithoutTransaction { _ in } },
                taskRefusal { _ = try await database.snapshot() },
                taskRefusal { try await database.checkpoint() },
            ]
            #expect(reasons.allSatisfy { $0 == .suspended }, "\(reasons)")
            try #expect(isUnlocked())
            database.resume()
            try await database.add(2)
            try expectRows(1, in: database)
        }

        @Test func snapshotsAreClosed() throws {
            let database = try folder.openWithTable()
            let snapshot = try database.snapshot()
            try database.add(1)
            let started = Gate()
            let thread = Worker {
                try refusal { try snapshot.read { try runEndlessQuery(on: $0, opening: started) } }
            }
            started.wait()
            try database.suspend()
            try #expect(thread.value() == .suspended)
            // Nothing holds back the WAL.
            let other = try folder.connection()
            try #expect(other.checkpoint(mode: .truncate).isComplete)
            database.resume()
            let reason = try refusal { try snapshot.read { _ in } }
            #expect(reason == .suspended || reason == .closed)
            try snapshot.close()
            let next = try database.snapshot()
            try expectRows(1, in: next)
        }

        @Test(arguments: DatabaseAccess.own) func insideAClosureItThrowsAndSuspendsNothing(
            access: DatabaseAccess
        ) throws {
            let database = try folder.openWithTable()
            let reason = try access.run(on: database) { _ in
                try refusal { try database.suspend() }
            }
            #expect(reason == .reentrant)
            try database.add(1)
            try expectRows(1, in: database)
        }

        @Test func aWriteThatWaitsForSQLitesLockIsEnded() throws {
            let database = try folder.openWithTable { $0.busyTimeout = 10 * patience }
            let holder = try folder.connection()
            try holder.execute("BEGIN IMMEDIATE")
            let thread = Worker {
                try refusal { try database.add(1) }
            }
            thread.waitUntilBlocked()
            let start = ContinuousClock.now
            try database.suspend()
            try #expect(thread.value() == .suspended)
            #expect(ContinuousClock.now - start < .seconds(patience))
            try holder.execute("COMMIT")
            database.resume()
            try expectRows(0, in: database)
        }

        @Test func aSuspendedDatabaseCanBeClosed() throws {
            let database = try folder.openWithTable()
            try expectRows(0, in: database)
            try database.suspend()
            try database.close()
            try folder.expectFiles("test.sqlite")
            database.resume()
            try expectRefusal(.closed) { try database.read { _ in } }
        }

        @Test func aDatabaseInMemoryKeepsWhatItHas() throws {
            let database = try Database.inMemory()
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            try database.suspend()
            try expectRefusal(.suspended) { try database.read { _ in } }
            database.resume()
            try expectRows(1, in: database)
        }

        @Test func itMayHappenAtAnyMoment() throws {
            let database = try folder.openWithTable()
            let stopped = SharedCount()
            let threads = (0..<4).map { index in
                Worker { () -> Int in
                    var written = 0
                    while stopped.value == 0 {
                        let reason = try refusal {
                            if index % 2 == 0 {
                                try database.write { connection in
                                    for _ in 0..<5 {
                                        try add(index, on: connection)
                                    }
                                }
                                written += 5
                            } else {
                                _ = try rows(database)
                            }
                        }
                        if let reason, reason != .suspended {
                            throw TestError(reason: "\(reason)")
                        }
                    }
                    return written
                }
            }
            defer { stopped.add(1) }
            for round in 0..<100 {
                // Another moment each time; no outcome depends on which.
                usleep(UInt32(round * 30))
                try database.suspend()
                try #expect(isUnlocked())
                database.resume()
            }
            stopped.add(1)
            let written = try threads.reduce(0) { try $0 + $1.value() }
            try expectRows(written, in: database)
        }
    }
}
