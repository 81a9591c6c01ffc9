import Foundation
import SQift
import Testing

extension ConcurrencySuites {
    @Suite struct DatabaseCancellationTests {
        private let folder: DatabaseFolder
        private let database: Database

        init() throws {
            folder = try DatabaseFolder()
            database = try folder.open { $0.maximumReaderCount = 2 }
            try database.write { try $0.execute("CREATE TABLE t(x)") }
        }

        /// Expects that nothing was written, that nothing holds a lock, and that reading and
        /// writing still work.
        private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) async throws
        {
            let before = try await database.read { try count("t", on: $0) }
            #expect(before == 0, sourceLocation: sourceLocation)
            try #expect(canWrite(toFileAt: folder.path()), sourceLocation: sourceLocation)
            try await database.write { try add(1, on: $0) }
            try await database.writeWithoutTransaction { try add(2, on: $0) }
            // Each connection that reads.
            let meeting = Meeting(of: 2)
            async let one = database.read { connection in
                try meeting.join()
                return try count("t", on: connection)
            }
            async let other = database.read { connection in
                try meeting.join()
                return try count("t", on: connection)
            }
            let after = try await [one, other]
            #expect(after == [2, 2], sourceLocation: sourceLocation)
        }

        /// Waits until the task, which was started before, most probably waits in line. If it
        /// doesn't yet, the test tests less.
        private func letItWait() async throws {
            try await Task.sleep(for: .milliseconds(30))
        }

        // MARK: Before the closure

        @Test func aCancelledTaskNeverBegins() async throws {
            let calls = SharedCount()
            let forms: [@Sendable (Database) async throws -> Void] = [
                { try await $0.read { _ in _ = calls.add(1) } },
                { try await $0.write { _ in _ = calls.add(1) } },
                { try await $0.writeWithoutTransaction { _ in _ = calls.add(1) } },
                { database in _ = try await database.read { _ in calls.add(1) } },
                { database in _ = try await database.write { _ in calls.add(1) } },
                { database in _ = try await database.writeWithoutTransaction { _ in calls.add(1) }
                },
            ]
            for form in forms {
                let mayBegin = Event()
                let task = Task.detached {
                    try? await mayBegin.happened()
                    try await form(database)
                }
                task.cancel()
                mayBegin.happen()
                let isCancelled = try await isCancelled(task)
                #expect(isCancelled)
            }
            #expect(calls.value == 0)
            try await expectUntouched()
        }

        @Test func aReadIsCancelledWhileAllReadersAreBusy() async throws {
            let (meeting, mayEnd) = (Meeting(of: 3), Event())
            let readers = (0..<2).map { _ in
                SideThread {
                    try database.read { _ in
                        try meeting.join()
                        try mayEnd.wait()
                    }
                }
            }
            try await SideThread { try meeting.join() }.result()
            let calls = SharedCount()
            let tasks = (0..<5).map { _ in
                Task.detached { try await database.read { _ in _ = calls.add(1) } }
            }
            try await letItWait()
            for task in tasks {
                task.cancel()
                let isCancelled = try await isCancelled(task)
                #expect(isCancelled)
            }
            #expect(readers.allSatisfy { !$0.isDone })
            // Who waits behind them still gets its turn.
            let next = Task.detached { try await database.read { try count("t", on: $0) } }
            try await letItWait()
            mayEnd.happen()
            #expect(try await next.value == 0)
            for reader in readers {
                try await reader.result()
            }
            #expect(calls.value == 0)
            try await expectUntouched()
        }

        @Test func aWriteIsCancelledBehindAnother() async throws {
            let (isInside, mayEnd) = (Event(), Event())
            let writer = SideThread {
                try database.write { _ in
                    isInside.happen()
                    try mayEnd.wait()
                }
            }
            try await isInside.happened()
            let tasks = [
                Task.detached { try await database.write { try add(1, on: $0) } },
                Task.detached { try await database.writeWithoutTransaction { try add(2, on: $0) } },
            ]
            try await letItWait()
            for task in tasks {
                task.cancel()
            }
            mayEnd.happen()
            try await writer.result()
            for task in tasks {
                let isCancelled = try await isCancelled(task)
                #expect(isCancelled)
            }
            try await expectUntouched()
        }

        // MARK: While it waits for a lock

        @Test func aWriteIsCancelledWhileItWaitsForSQLitesLock() async throws {
            let holder = try folder.connection()
            try holder.execute("BEGIN IMMEDIATE")
            let tasks = [
                Task.detached { try await database.write { try add(1, on: $0) } },
                Task.detached { try await database.writeWithoutTransaction { try add(2, on: $0) } },
            ]
            for task in tasks {
                try await letItWait()
                let start = ContinuousClock.now
                task.cancel()
                let isCancelled = try await isCancelled(task)
                #expect(isCancelled)
                #expect(ContinuousClock.now - start < .seconds(2))
            }
            try holder.execute("ROLLBACK")
            try await expectUntouched()
        }

        @Test func aReadIsCancelledWhileItWaitsForSQLitesLock() async throws {
            let path = folder.path("journal.sqlite")
            let holder = try Connection(path: path)
            try holder.execute("CREATE TABLE t(x)")
            var configuration = Database.Configuration()
            configuration.journalMode = .delete
            let other = try Database(path: path, configuration: configuration)
            try holder.execute("BEGIN EXCLUSIVE")
            let task = Task.detached { try await other.read { try count("t", on: $0) } }
            try await letItWait()
            let start = ContinuousClock.now
            task.cancel()
            let isCancelled = try await isCancelled(task)
            #expect(isCancelled)
            #expect(ContinuousClock.now - start < .seconds(2))
            try holder.execute("COMMIT")
            let seen = try await other.read { try count("t", on: $0) }
            #expect(seen == 0)
        }

        // MARK: While it runs

        @Test func aWriteIsCancelledBetweenTwoStatements() async throws {
            let (isInside, isCancelled) = (Event(), Event())
            let calls = SharedCount()
            let task = Task.detached {
                try await database.write { connection in
                    try add(1, on: connection)
                    isInside.happen()
                    try isCancelled.wait()
                    calls.add(1)
                    try add(2, on: connection)
                    calls.add(1)
                }
            }
            try await isInside.happened()
            task.cancel()
            isCancelled.happen()
            let wasCancelled = try await SQiftTests.isCancelled(task)
            #expect(wasCancelled)
            #expect(calls.value == 1)
            try await expectUntouched()
        }

        @Test func aReadIsCancelledBetweenTwoStatements() async throws {
            let (isInside, isCancelled) = (Event(), Event())
            let task = Task.detached {
                try await database.read { connection in
                    isInside.happen()
                    try isCancelled.wait()
                    return try count("t", on: connection)
                }
            }
            try await isInside.happened()
            task.cancel()
            isCancelled.happen()
            let wasCancelled = try await SQiftTests.isCancelled(task)
            #expect(wasCancelled)
            try await expectUntouched()
        }

        @Test(arguments: ["read", "write", "writeWithoutTransaction"])
        func aStatementIsInterrupted(form: String) async throws {
            let started = Event()
            let task = Task.detached {
                switch form {
                case "read": try await database.read { try runLong(on: $0, started: started) }
                case "write":
                    try await database.write { connection in
                        try add(1, on: connection)
                        try runLong(on: connection, started: started)
                    }
                default:
                    try await database.writeWithoutTransaction {
                        try runLong(on: $0, started: started)
                    }
                }
            }
            try await started.happened()
            let start = ContinuousClock.now
            task.cancel()
            let isCancelled = try await isCancelled(task)
            #expect(isCancelled)
            #expect(ContinuousClock.now - start < .seconds(5))
            try await expectUntouched()
        }

        @Test func aWritingStatementIsInterruptedAndUndone() async throws {
            let started = Event()
            let task = Task.detached {
                try await database.write { connection in
                    try add(1, on: connection)
                    try connection.addFunction(named: "tell_started") { (number: Int) -> Int in
                        if number == 100 {
                            started.happen()
                        }
                        return number
                    }
                    try connection.run(
                        "INSERT INTO t " + numbers(to: 5_000_000, selecting: "tell_started(n)")
                    )
                }
            }
            try await started.happened()
            task.cancel()
            let isCancelled = try await isCancelled(task)
            #expect(isCancelled)
            try await expectUntouched()
        }

        @Test func aClosureThatSwallowsTheCancellationWritesNothing() async throws {
            let (isInside, isCancelled) = (Event(), Event())
            let task = Task.detached {
                try await database.write { connection in
                    try add(1, on: connection)
                    isInside.happen()
                    try isCancelled.wait()
                    for number in 2..<10 {
                        try? add(number, on: connection)
                    }
                    return 42
                }
            }
            try await isInside.happened()
            task.cancel()
            isCancelled.happen()
            let wasCancelled = try await SQiftTests.isCancelled(task)
            #expect(wasCancelled)
            try await expectUntouched()
        }

        @Test func withoutATransactionWhatWasCommittedStays() async throws {
            let (isInside, isCancelled) = (Event(), Event())
            let task = Task.detached {
                try await database.writeWithoutTransaction { connection in
                    try add(1, on: connection)
                    isInside.happen()
                    try isCancelled.wait()
                    try add(2, on: connection)
                }
            }
            try await isInside.happened()
            task.cancel()
            isCancelled.happen()
            let wasCancelled = try await SQiftTests.isCancelled(task)
            #expect(wasCancelled)
            let values: [Int] = try await database.read { try $0.query("SELECT x FROM t") }
            #expect(values == [1])
        }

        @Test func aCancelledTaskDoesntDisturbTheOthers() async throws {
            let started = Event()
            let cancelled = Task.detached {
                try await database.read { try runLong(on: $0, started: started) }
            }
            let (isInside, mayEnd) = (Event(), Event())
            let other = Task.detached {
                try await database.read { connection in
                    isInside.happen()
                    try mayEnd.wait()
                    return try count("t", on: connection)
                }
            }
            try await started.happened()
            try await isInside.happened()
            cancelled.cancel()
            let isCancelled = try await isCancelled(cancelled)
            #expect(isCancelled)
            try await database.write { try add(1, on: $0) }
            mayEnd.happen()
            #expect(try await other.value == 1)
        }

        // MARK: When it is too late

        @Test func onceTheCommitHasBegunTheResultIsReturned() async throws {
            let (isCommitting, isCancelled) = (Event(), Event())
            let task = Task.detached {
                try await database.write { connection in
                    try add(1, on: connection)
                    connection.commitHook {
                        isCommitting.happen()
                        try? isCancelled.wait()
                        return false
                    }
                    return 42
                }
            }
            try await isCommitting.happened()
            task.cancel()
            isCancelled.happen()
            #expect(try await task.value == 42)
            try await database.write { $0.commitHook(nil) }
            let values: [Int] = try await database.read { try $0.query("SELECT x FROM t") }
            #expect(values == [1])
        }

        @Test func aThousandWritesCancelledAtAnyMomentAreWrittenWholeOrNotAtAll() async throws {
            var random = SystemRandomNumberGenerator()
            var returned: [Int] = []
            for round in 0..<250 {
                // Four at a time: one runs, the others wait.
                let tasks = (0..<4).map { index in
                    let id = round * 4 + index
                    return Task.detached { () -> Int in
                        try await database.write { connection in
                            for _ in 0..<200 {
                                try add(id, on: connection)
                            }
                            return id
                        }
                    }
                }
                for task in tasks {
                    let delay = UInt64.random(in: 0...600, using: &random)
                    // Another moment each time; no outcome depends on which.
                    if delay > 0 {
                        try await Task.sleep(for: .microseconds(delay))
                    }
                    task.cancel()
                }
                for task in tasks {
                    do {
                        returned.append(try await task.value)
                    } catch is CancellationError {}
                }
            }
            let written: [Int: Int] = try await database.read {
                try $0.query("SELECT x, count(*) FROM t GROUP BY x")
            }
            #expect(written.keys.sorted() == returned)
            #expect(written.values.allSatisfy { $0 == 200 })
            // Both came about.
            #expect((1..<1000).contains(returned.count))
            try #expect(canWrite(toFileAt: folder.path()))
        }

        @Test func readsCancelledAtAnyMomentLeaveThePoolWhole() async throws {
            for round in 0..<300 {
                let tasks = (0..<4).map { _ in
                    Task.detached { () -> Int in
                        try await database.read {
                            try $0.query(numbers(to: 2000, selecting: "count(*)"))
                        }
                    }
                }
                // Another moment each time; no outcome depends on which.
                try await Task.sleep(for: .microseconds(round))
                for task in tasks {
                    task.cancel()
                }
                for task in tasks {
                    do {
                        let number = try await task.value
                        #expect(number == 2000)
                    } catch is CancellationError {}
                }
            }
            try await expectUntouched()
        }
    }
}
