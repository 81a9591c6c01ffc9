import Foundation
import SQift
import Testing

extension ConcurrencySuites {
    @Suite struct DatabaseCloseTests {
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

        @Test func onlyTheDatabaseFileIsLeft() throws {
            let database = try open()
            _ = try onEveryConnection(of: database) { try count("t", on: $0) }
            try database.write { try add(1, on: $0) }
            let snapshot = try database.snapshot()
            try #expect(folder.files().count > 1)
            try database.close()
            try #expect(folder.files() == ["test.sqlite"])
            if let count = folder.descriptorCount() {
                #expect(count == 0)
            }
            withExtendedLifetime(snapshot) {}
            #expect(try rows(folder.open()) == 1)
        }

        @Test func onlyTheDatabaseFileIsLeftOfOneThatWasSwitchedToAWALAndRead() throws {
            let before = try folder.connection()
            try before.execute("PRAGMA journal_mode = DELETE; CREATE TABLE t(x)")
            try before.close()

            let database = try folder.open()
            #expect(try rows(database) == 0)
            try database.close()
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test func afterwardsEveryCallThrows() throws {
            let database = try open()
            for interrupting in [false, true, false] {
                try database.close(interrupting: interrupting)
            }
            for access in Access.allCases {
                let calls = Notes<Int>()
                let reason = try refusedWith { try access.run(on: database) { _ in calls.note(1) } }
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
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test func afterwardsEveryAsynchronousCallThrows() async throws {
            let database = try open()
            try await database.close()
            try await database.close()
            let reasons = try await [
                refusedAsyncWith { try await database.read { _ in } },
                refusedAsyncWith { try await database.write { _ in } },
                refusedAsyncWith { try await database.writeWithoutTransaction { _ in } },
                refusedAsyncWith { _ = try await database.snapshot() },
                refusedAsyncWith { try await database.checkpoint() },
                refusedAsyncWith { try await database.writerConnectionQueue.read { _ in } },
                refusedAsyncWith { try await database.readerConnectionPool.read { _ in } },
            ]
            #expect(reasons.allSatisfy { $0 == .closed }, "\(reasons)")
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test func aDatabaseInMemoryClosesToo() throws {
            let database = try Database.inMemory()
            try database.write { try $0.execute("CREATE TABLE t(x)") }
            try database.close()
            for access in Access.own {
                try expectRefusal(.closed) { try access.run(on: database) { _ in } }
            }
            try database.close()
        }

        @Test(arguments: Access.own) func whatRunsIsWaitedFor(access: Access) throws {
            let database = try open()
            let (isInside, mayEnd) = (Event(), Event())
            let thread = SideThread {
                try access.run(on: database) { connection in
                    isInside.happen()
                    try mayEnd.wait()
                    if !connection.readOnly {
                        try add(1, on: connection)
                    }
                    return try count("t", on: connection)
                }
            }
            try isInside.wait()
            let closers = (0..<2).map { _ in SideThread { try database.close() } }
            // It is closing when it refuses: what comes later doesn't get in.
            let isRefused = try becomesTrue {
                let other: Access = access == .read || access == .executeRead ? .write : .read
                return try refusedWith { try other.run(on: database) { _ in } } == .closed
            }
            #expect(isRefused)
            #expect(closers.allSatisfy { !$0.isDone })
            mayEnd.happen()
            let isWrite = access != .read && access != .executeRead
            try #expect(thread.value() == (isWrite ? 1 : 0))
            for closer in closers {
                try closer.value()
            }
            try #expect(folder.files() == ["test.sqlite"])
            try #expect(count("t", on: folder.connection()) == (isWrite ? 1 : 0))
        }

        @Test(arguments: Access.own) func whatRunsIsInterruptedIfAsked(access: Access) throws {
            let database = try open()
            let started = Event()
            let thread = SideThread {
                try refusedWith {
                    try access.run(on: database) { connection in
                        if access == .write {
                            try add(1, on: connection)
                        }
                        try runLong(on: connection, started: started)
                    }
                }
            }
            try started.wait()
            try database.close(interrupting: true)
            try #expect(thread.value() == .closed)
            try #expect(folder.files() == ["test.sqlite"])
            try #expect(count("t", on: folder.connection()) == 0)
        }

        @Test func aSnapshotsReadIsInterruptedIfAsked() throws {
            let database = try open()
            let snapshot = try database.snapshot()
            let started = Event()
            let thread = SideThread {
                try refusedWith { try snapshot.read { try runLong(on: $0, started: started) } }
            }
            try started.wait()
            try database.close(interrupting: true)
            try #expect(thread.value() == .closed)
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test func whatWaitsIsRefused() throws {
            let database = try open { $0.maximumReaderCount = 1 }
            let meeting = Meeting(of: 3)
            let mayEnd = Event()
            let running = [Access.read, .write].map { access in
                SideThread {
                    try access.run(on: database) { _ in
                        try meeting.join()
                        try mayEnd.wait()
                    }
                }
            }
            try meeting.join()
            let waiting = Access.own.map { access in
                SideThread { try refusedWith { try access.run(on: database) { _ in } } }
            }
            // Most probably they wait by then; who comes later is refused as well.
            usleep(50_000)
            let closer = SideThread { try database.close() }
            for thread in waiting.prefix(1) {
                try #expect(thread.value() == .closed)
            }
            #expect(!closer.isDone)
            mayEnd.happen()
            for thread in running {
                try thread.value()
            }
            for thread in waiting {
                try #expect(thread.value() == .closed)
            }
            try closer.value()
        }

        @Test func whatAwaitsIsRefused() async throws {
            let database = try open { $0.maximumReaderCount = 1 }
            let meeting = Meeting(of: 3)
            let mayEnd = Event()
            let running = [Access.read, .write].map { access in
                SideThread {
                    try access.run(on: database) { _ in
                        try meeting.join()
                        try mayEnd.wait()
                    }
                }
            }
            try await SideThread { try meeting.join() }.result()
            let waiting = [
                Task.detached { try await refusedAsyncWith { try await database.read { _ in } } },
                Task.detached { try await refusedAsyncWith { try await database.write { _ in } } },
            ]
            // So that it most probably waits by then; if it doesn't yet, the test tests less and
            // passes all the same.
            try await Task.sleep(for: .milliseconds(50))
            let closing = Task.detached { try await database.close() }
            #expect(try await waiting[0].value == .closed)
            mayEnd.happen()
            for thread in running {
                try await thread.result()
            }
            #expect(try await waiting[1].value == .closed)
            try await closing.value
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test(arguments: Access.own) func insideAClosureItThrowsAndClosesNothing(
            access: Access
        ) throws {
            let database = try open()
            let reasons = try access.run(on: database) { _ in
                try [false, true].map { interrupting in
                    try refusedWith { try database.close(interrupting: interrupting) }
                }
            }
            #expect(reasons == [.reentrant, .reentrant])
            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test func aStatementThatIsAliveKeepsTheWriterOpen() throws {
            let database = try open()
            #expect(try rows(database) == 0)
            var statement: Statement? = try database.executeWrite {
                try $0.prepare("SELECT x FROM t")
            }
            let error = sqliteError { try database.close() }
            #expect(error?.resultCode == .busy)
            #expect(error?.message.contains("SELECT x FROM t") ?? false)
            try expectRefusal(.closed) { try database.read { _ in } }
            withExtendedLifetime(statement) {}
            statement = nil
            try database.close()
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test func withoutClosingOnlyTheDatabaseFileIsLeftToo() throws {
            for round in 0..<10 {
                try {
                    let database = try folder.open()
                    try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS t(x)") }
                    try database.write { try add(round, on: $0) }
                    _ = try onEveryConnection(of: database) { try count("t", on: $0) }
                }()
                let isAlone = try becomesTrue { try folder.files() == ["test.sqlite"] }
                #expect(isAlone)
            }
            if folder.descriptorCount() != nil {
                let isClosed = becomesTrue { folder.descriptorCount() == 0 }
                #expect(isClosed)
            }
            try #expect(count("t", on: folder.connection()) == 10)
        }

        @Test(arguments: Access.own) func theLastReferenceMayGoInsideAClosure(access: Access) throws
        {
            var database: Database? = try open()
            try access.run(on: #require(database)) { connection in
                database = nil
                _ = try count("t", on: connection)
            }
            let isAlone = try becomesTrue { try folder.files() == ["test.sqlite"] }
            #expect(isAlone)
        }

        @Test func anAsynchronousAccessKeepsTheDatabaseUntilItHasEnded() async throws {
            var task: Task<Int, any Error>?
            let (isInside, mayEnd) = (Event(), Event())
            do {
                let database = try folder.open()
                try await database.write { try $0.execute("CREATE TABLE t(x)") }
                task = Task.detached {
                    try await database.write { connection in
                        isInside.happen()
                        try mayEnd.wait()
                        try add(1, on: connection)
                        return try count("t", on: connection)
                    }
                }
            }
            try await isInside.happened()
            mayEnd.happen()
            #expect(try await task?.value == 1)
            task = nil
            let isAlone = try Self.becomesAlone(folder)
            #expect(isAlone)
        }

        private static func becomesAlone(_ folder: DatabaseFolder) throws -> Bool {
            try becomesTrue { try folder.files() == ["test.sqlite"] }
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
                try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS t(x)") }
                let threads = (0..<4).map { index in
                    SideThread { () -> Int in
                        var written = 0
                        while true {
                            let reason = try refusedWith {
                                if index % 2 == 0 {
                                    try database.write { try add(round, on: $0) }
                                    written += 1
                                } else {
                                    _ = try rows(database)
                                }
                            }
                            if reason == .closed {
                                return written
                            }
                            if reason != nil {
                                throw Refusal(reason: "\(String(describing: reason))")
                            }
                        }
                    }
                }
                // Another moment each time; no outcome depends on which.
                usleep(UInt32(round * 100))
                try database.close(interrupting: round % 2 == 0)
                let written = try threads.reduce(0) { try $0 + $1.value() }
                try #expect(folder.files() == ["test.sqlite"])
                let found: Int = try folder.connection().query(
                    "SELECT count(*) FROM t WHERE x = ?",
                    round
                )
                #expect(found == written)
            }
        }
    }
}
