import Foundation
import SQift
import Testing

extension ConcurrencySuites {
    @Suite struct DatabaseSuspendTests {
        private let folder: DatabaseFolder

        init() throws {
            folder = try DatabaseFolder()
        }

        private func open(
            _ change: (inout Database.Configuration) -> Void = { _ in }
        ) throws -> Database {
            let database = try folder.open(change)
            try database.write { try $0.execute("CREATE TABLE t(x)") }
            return database
        }

        /// Whether another connection gets the lock that nobody shares.
        private func isUnlocked() throws -> Bool {
            let other = try folder.connection()
            return try resultCode { try other.execute("BEGIN EXCLUSIVE; ROLLBACK") } == nil
        }

        @Test(arguments: Access.own, [Database.Configuration.JournalMode.wal, .delete])
        func aStatementThatRunsIsEndedAndUndone(
            access: Access,
            mode: Database.Configuration.JournalMode
        ) throws {
            let database = try open { $0.journalMode = mode }
            let started = Event()
            let thread = SideThread {
                try refusedWith {
                    try access.run(on: database) { connection in
                        if access == .write {
                            try add(1, on: connection)
                        }
                        _ = try count("t", on: connection)
                        try runLong(on: connection, started: started)
                    }
                }
            }
            try started.wait()
            try database.suspend()
            try #expect(isUnlocked())
            try #expect(thread.value() == .suspended)
            try #expect(count("t", on: folder.connection()) == 0)
            database.resume()
            #expect(try rows(database) == 0)
            try database.write { try add(2, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test(arguments: [Access.read, .write])
        func aClosureBetweenTwoStatementsIsEndedAtItsNext(access: Access) throws {
            let database = try open()
            let (isInside, mayGoOn) = (Event(), Event())
            let thread = SideThread {
                try refusedWith {
                    try access.run(on: database) { connection in
                        if access == .write {
                            try add(1, on: connection)
                        }
                        isInside.happen()
                        try mayGoOn.wait()
                        _ = try count("t", on: connection)
                    }
                }
            }
            try isInside.wait()
            let suspender = SideThread { try database.suspend() }
            let other: Access = access == .write ? .read : .write
            let isRefused = try becomesTrue {
                try refusedWith { try other.run(on: database) { _ in } } == .suspended
            }
            #expect(isRefused)
            #expect(!suspender.isDone)
            mayGoOn.happen()
            try #expect(thread.value() == .suspended)
            try suspender.value()
            try #expect(isUnlocked())
            try #expect(count("t", on: folder.connection()) == 0)
        }

        @Test func aClosureThatSwallowsTheErrorWritesNothing() throws {
            let database = try open()
            let started = Event()
            let thread = SideThread {
                try refusedWith {
                    try database.write { connection in
                        try add(1, on: connection)
                        try? runLong(on: connection, started: started)
                        try? add(2, on: connection)
                    }
                }
            }
            try started.wait()
            try database.suspend()
            try #expect(thread.value() == .suspended)
            try #expect(count("t", on: folder.connection()) == 0)
        }

        @Test func whatWaitsIsRefused() throws {
            let database = try open { $0.maximumReaderCount = 1 }
            let events = (0..<2).map { _ in Event() }
            let running = [
                SideThread {
                    try refusedWith {
                        try database.read { try runLong(on: $0, started: events[0]) }
                    }
                },
                SideThread {
                    try refusedWith {
                        try database.write { try runLong(on: $0, started: events[1]) }
                    }
                },
            ]
            for event in events {
                try event.wait()
            }
            let waiting = Access.own.map { access in
                SideThread { try refusedWith { try access.run(on: database) { _ in } } }
            }
            // Most probably they wait by then; who comes later is refused as well.
            usleep(50_000)
            try database.suspend()
            for thread in running + waiting {
                try #expect(thread.value() == .suspended)
            }
        }

        @Test func untilItIsResumedEverythingIsRefused() throws {
            let database = try open()
            #expect(try rows(database) == 0)
            try database.suspend()
            try database.suspend()
            for access in Access.allCases {
                try expectRefusal(.suspended) { try access.run(on: database) { _ in } }
            }
            try expectRefusal(.suspended) { _ = try database.snapshot() }
            try expectRefusal(.suspended) { try database.checkpoint() }
            database.interrupt()
            database.releaseMemory()
            database.resume()
            for access in Access.allCases {
                let answer: Int = try access.run(on: database) { try $0.query("SELECT 42") }
                #expect(answer == 42)
            }
            try #expect(database.checkpoint().isComplete)
            let snapshot = try database.snapshot()
            let seen = try snapshot.read { try count("t", on: $0) }
            #expect(seen == 0)
        }

        @Test func theAsynchronousFormsDoTheSame() async throws {
            let database = try open()
            let started = Event()
            let running = Task.detached {
                try await refusedAsyncWith {
                    try await database.write { connection in
                        try add(1, on: connection)
                        try runLong(on: connection, started: started)
                    }
                }
            }
            try await started.happened()
            let waiting = Task.detached {
                try await refusedAsyncWith { try await database.write { _ in } }
            }
            try await database.suspend()
            #expect(try await running.value == .suspended)
            #expect(try await waiting.value == .suspended)
            let reasons = try await [
                refusedAsyncWith { try await database.read { _ in } },
                refusedAsyncWith { try await database.write { _ in } },
                refusedAsyncWith { try await database.writeWithoutTransaction { _ in } },
                refusedAsyncWith { _ = try await database.snapshot() },
                refusedAsyncWith { try await database.checkpoint() },
            ]
            #expect(reasons.allSatisfy { $0 == .suspended }, "\(reasons)")
            try #expect(isUnlocked())
            database.resume()
            try await database.write { try add(2, on: $0) }
            let seen = try await database.read { try count("t", on: $0) }
            #expect(seen == 1)
        }

        @Test func snapshotsAreClosed() throws {
            let database = try open()
            let snapshot = try database.snapshot()
            try database.write { try add(1, on: $0) }
            let started = Event()
            let thread = SideThread {
                try refusedWith { try snapshot.read { try runLong(on: $0, started: started) } }
            }
            try started.wait()
            try database.suspend()
            try #expect(thread.value() == .suspended)
            // Nothing holds back the WAL.
            let other = try folder.connection()
            try #expect(other.checkpoint(mode: .truncate).isComplete)
            database.resume()
            let reason = try refusedWith { try snapshot.read { _ in } }
            #expect(reason == .suspended || reason == .closed)
            try snapshot.close()
            let next = try database.snapshot()
            let seen = try next.read { try count("t", on: $0) }
            #expect(seen == 1)
        }

        @Test(arguments: Access.own) func insideAClosureItThrowsAndSuspendsNothing(
            access: Access
        ) throws {
            let database = try open()
            let reason = try access.run(on: database) { _ in
                try refusedWith { try database.suspend() }
            }
            #expect(reason == .reentrant)
            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test func aWriteThatWaitsForSQLitesLockIsEnded() throws {
            let database = try open()
            let holder = try folder.connection()
            try holder.execute("BEGIN IMMEDIATE")
            let thread = SideThread {
                try refusedWith { try database.write { try add(1, on: $0) } }
            }
            // So that it most probably waits by then; if it doesn't yet, the test tests less and
            // passes all the same.
            usleep(50_000)
            let start = ContinuousClock.now
            try database.suspend()
            try #expect(thread.value() == .suspended)
            #expect(ContinuousClock.now - start < .seconds(3))
            try holder.execute("COMMIT")
            database.resume()
            #expect(try rows(database) == 0)
        }

        @Test func aSuspendedDatabaseCanBeClosed() throws {
            let database = try open()
            #expect(try rows(database) == 0)
            try database.suspend()
            try database.close()
            try #expect(folder.files() == ["test.sqlite"])
            database.resume()
            try expectRefusal(.closed) { try database.read { _ in } }
        }

        @Test func aDatabaseInMemoryKeepsWhatItHas() throws {
            let database = try Database.inMemory()
            try database.write { try $0.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
            try database.suspend()
            try expectRefusal(.suspended) { try database.read { _ in } }
            database.resume()
            #expect(try rows(database) == 1)
        }

        @Test func itMayHappenAtAnyMoment() throws {
            let database = try open()
            let stopped = SharedCount()
            let threads = (0..<4).map { index in
                SideThread { () -> Int in
                    var written = 0
                    while stopped.value == 0 {
                        let reason = try refusedWith {
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
                            throw Refusal(reason: "\(reason)")
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
            #expect(try rows(database) == written)
        }
    }
}
