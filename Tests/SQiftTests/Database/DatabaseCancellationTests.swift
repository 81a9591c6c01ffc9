import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseCancellationTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openWithTable { configuration in
                configuration.maximumReaderCount = 2
                // No wait for a lock ends by itself.
                configuration.busyTimeout = 10 * patience
            }
        }

        /// Expects that nothing was written, that nothing holds a lock, and that reading and
        /// writing still work.
        private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) async throws
        {
            let before = try await database.read { try count("t", on: $0) }
            #expect(before == 0, sourceLocation: sourceLocation)
            try #expect(canWrite(toFileAt: folder.path()), sourceLocation: sourceLocation)
            try await database.add(1)
            try await database.writeWithoutTransaction { try add(2, on: $0) }
            // Each connection that reads.
            let barrier = Barrier(of: 2)
            async let one = database.read { connection in
                barrier.wait()
                return try count("t", on: connection)
            }
            async let other = database.read { connection in
                barrier.wait()
                return try count("t", on: connection)
            }
            let after = try await [one, other]
            #expect(after == [2, 2], sourceLocation: sourceLocation)
        }

        private func expectCancelledAtOnce<Value: Sendable>(
            _ task: Task<Value, any Error>,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async {
            let duration = await ContinuousClock().measure {
                task.cancel()
                await expectCancelled(task, sourceLocation: sourceLocation)
            }
            #expect(duration < .seconds(patience), sourceLocation: sourceLocation)
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
                let mayBegin = Gate()
                let task = Task.detached {
                    await mayBegin.opened()
                    try await form(database)
                }
                task.cancel()
                mayBegin.open()
                await expectCancelled(task)
            }
            #expect(calls.value == 0)
            try await expectUntouched()
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aReadIsCancelledWhileAllReadersAreBusy() async throws {
            let (barrier, mayEnd) = (Barrier(of: 3), Gate())
            let readers = (0..<2).map { _ in
                Worker {
                    try database.read { _ in
                        barrier.wait()
                        mayEnd.wait()
                    }
                }
            }
            try await Worker { barrier.wait() }.finalValue()
            let calls = SharedCount()
            let executor = OneThread()
            let tasks = (0..<5).map { _ in
                executor.start { try await database.read { _ in _ = calls.add(1) } }
            }
            for task in tasks {
                task.cancel()
                await expectCancelled(task)
            }
            #expect(readers.allSatisfy { !$0.isFinished })
            // A task behind them still gets its turn.
            let next = executor.start { try await database.read { try count("t", on: $0) } }
            mayEnd.open()
            #expect(try await next.value == 0)
            try await readers.finalValues()
            #expect(calls.value == 0)
            try await expectUntouched()
        }

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test func aWriteIsCancelledBehindAnother() async throws {
            let (isInside, mayEnd) = (Gate(), Gate())
            let writer = Worker {
                try database.write { _ in
                    isInside.open()
                    mayEnd.wait()
                }
            }
            await isInside.opened()
            let executor = OneThread()
            let tasks = [
                executor.start { try await database.add(1) },
                executor.start {
                    try await database.writeWithoutTransaction { try add(2, on: $0) }
                },
            ]
            for task in tasks {
                task.cancel()
            }
            mayEnd.open()
            try await writer.finalValue()
            for task in tasks {
                await expectCancelled(task)
            }
            try await expectUntouched()
        }

        // MARK: While it waits for a lock

        @Test func aWriteIsCancelledWhileItWaitsForSQLitesLock() async throws {
            let holder = try folder.connection()
            try holder.execute("BEGIN IMMEDIATE")
            let hasBegun = Gate()
            database.prepareConnections { connection in
                connection.trace { sql in
                    if sql.hasPrefix("BEGIN") {
                        hasBegun.open()
                    }
                }
            }
            let write = Task.detached { try await database.add(1) }
            await hasBegun.openerBlocked()
            await expectCancelledAtOnce(write)

            let isAdding = Gate()
            let writeWithoutTransaction = Task.detached {
                try await database.writeWithoutTransaction { connection in
                    isAdding.open()
                    try add(2, on: connection)
                }
            }
            await isAdding.openerBlocked()
            await expectCancelledAtOnce(writeWithoutTransaction)
            try holder.execute("ROLLBACK")
            try await expectUntouched()
        }

        @Test(arguments: [false, true])
        func aReadIsCancelledWhileItWaitsForSQLitesLock(isOpened: Bool) async throws {
            let path = folder.path("journal.sqlite")
            let holder = try Connection.withTable(path: path)
            let other = try Database.open(path) { configuration in
                configuration.journalMode = .delete
                configuration.busyTimeout = 10 * patience
            }
            if isOpened {
                try await other.read { _ in }
            }
            try holder.execute("BEGIN EXCLUSIVE")
            let hasBegun = Gate()
            let task = Task.detached {
                try await other.read { connection in
                    hasBegun.open()
                    return try count("t", on: connection)
                }
            }
            if isOpened {
                await hasBegun.openerBlocked()
            } else {
                // It waits before any closure is called, which can't be seen. If it doesn't wait
                // yet, the test tests less.
                try await Task.sleep(for: .milliseconds(30))
            }
            await expectCancelledAtOnce(task)
            try holder.execute("COMMIT")
            let seen = try await other.read { try count("t", on: $0) }
            #expect(seen == 0)
        }

        // MARK: While it runs

        @Test func aCancelledTaskDoesntDisturbTheOthers() async throws {
            let started = Gate()
            let cancelled = Task.detached {
                try await database.read { try runEndlessQuery(on: $0, opening: started) }
            }
            let (isInside, mayEnd) = (Gate(), Gate())
            let other = Task.detached {
                try await database.read { connection in
                    isInside.open()
                    mayEnd.wait()
                    return try count("t", on: connection)
                }
            }
            await started.opened()
            await expectCancelled(cancelled, once: isInside)
            try await database.add(1)
            mayEnd.open()
            #expect(try await other.value == 1)
        }

        // MARK: When it is too late

        @Test func onceTheCommitHasBegunTheResultIsReturned() async throws {
            let (isCommitting, isCancelled) = (Gate(), Gate())
            let task = Task.detached {
                try await database.write { connection in
                    try add(1, on: connection)
                    connection.commitHook {
                        isCommitting.open()
                        isCancelled.wait()
                        return false
                    }
                    return 42
                }
            }
            await isCommitting.opened()
            task.cancel()
            isCancelled.open()
            #expect(try await task.value == 42)
            try await database.write { $0.commitHook(nil) }
            try expectAnswer([1], to: "SELECT x FROM t", from: database)
        }

        // MARK: Attached databases

        @Test func whatAClosureHasAttachedItDetachesAlthoughItWasCancelled() async throws {
            let path = folder.path("other.sqlite")
            try makeFile(at: path, rows: 1, with: "other").close()
            for isCancelled in [true, false, true] {
                let task = Task.detached { [database] in
                    try await database.writeWithoutTransaction { connection in
                        try connection.attachDatabase(from: .onDisk(path), withName: "the other")
                        defer {
                            #expect(throws: Never.self) {
                                try connection.detachDatabase(named: "the other")
                            }
                        }
                        if isCancelled {
                            withUnsafeCurrentTask { $0?.cancel() }
                        }
                        try connection.run("DELETE FROM t")
                    }
                }
                if isCancelled {
                    await expectCancelled(task)
                } else {
                    try await task.value
                }
            }
            try await expectUntouched()
        }
    }
}
