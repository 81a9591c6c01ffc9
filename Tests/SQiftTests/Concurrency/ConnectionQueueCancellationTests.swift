import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    struct ConnectionQueueCancellationTests {
        private let fixture: QueueFixture
        private let queue: ConnectionQueue

        init() throws {
            fixture = try QueueFixture(busyTimeout: 30)
            queue = fixture.queue
        }

        // MARK: Before the closure

        @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
        @Test(arguments: AsyncQueueAccess.allCases)
        func inLineTheClosureIsNotCalledAndTheTaskEndsAtOnce(form: AsyncQueueAccess) async throws {
            let (queue, executor, notes) = (queue, OneThread(), SharedNotes<Int>())
            let holder = Holder(of: queue)
            let before = executor.start { try await form(queue) { _ in notes.note(1) } }
            let task = executor.start { try await form(queue) { _ in notes.note(2) } }
            let after = executor.start { try await form(queue) { _ in notes.note(3) } }
            task.cancel()
            await expectCancelled(task)
            // Another closure still runs.
            #expect(!holder.isReleased)
            try holder.release()
            try await before.value
            try await after.value
            #expect(notes.all == [1, 3])
            try fixture.expectUsable()
        }

        // MARK: In the closure

        @Test func aLongQueryInASavepointOfASavepointEnds() async throws {
            let (queue, isRunning) = (queue, Gate())
            let task = Task.detached {
                try await queue.write { connection in
                    try connection.savepoint {
                        try connection.run("INSERT INTO t VALUES(1)")
                        try connection.transaction {
                            try connection.run("INSERT INTO t VALUES(2)")
                            try runEndlessQuery(on: connection, opening: isRunning)
                        }
                    }
                }
            }
            await expectCancelled(task, once: isRunning)
            try fixture.expectUsable(holding: [])
        }

        // MARK: Errors that the closure keeps

        @Test(arguments: [false, true])
        func aClosureThatSwallowsTheErrorAndGoesOnWritesNothing(
            isWriteInterrupted: Bool
        ) async throws {
            let (queue, isRunning, hasGoneOn) = (queue, Gate(), Gate())
            let task = Task.detached {
                try await queue.write { connection in
                    try connection.run("INSERT INTO t VALUES(1)")
                    let query = try endlessQuery(on: connection, opening: isRunning)
                    try? connection.execute(isWriteInterrupted ? "INSERT INTO t " + query : query)
                    _ = try? connection.run("INSERT INTO t VALUES(2)")
                    try? connection.execute("INSERT INTO t VALUES(3)")
                    _ = try? connection.transaction {
                        try connection.run("INSERT INTO t VALUES(4)")
                    }
                    _ = try? connection.savepoint { try connection.run("INSERT INTO t VALUES(5)") }
                    try? connection.execute("COMMIT")
                    try? connection.execute("BEGIN; INSERT INTO t VALUES(6); COMMIT")
                    hasGoneOn.open()
                }
            }
            await expectCancelled(task, once: isRunning)
            #expect(hasGoneOn.isOpen)
            try fixture.expectUsable(holding: [])
        }

        @Test func noWayToRunAStatementIsLeftOpen() async throws {
            let (queue, hasBegun, goOn) = (queue, Gate(), Gate())
            let task = Task.detached {
                try await queue.write { connection in
                    let insert = try connection.prepare("INSERT INTO t VALUES(1)")
                    let select = try connection.prepare("SELECT x FROM t")
                    let commit = try connection.prepare("COMMIT")
                    try insert.run()
                    hasBegun.open()
                    goOn.wait()
                    let ways: [(name: String, run: () throws -> Void)] = [
                        ("prepared insert", { try insert.run() }),
                        ("prepared select", { let _: [Int] = try select.query() }),
                        ("prepared commit", { try commit.run() }),
                        ("run", { try connection.run("INSERT INTO t VALUES(2)") }),
                        ("query", { let _: Int = try connection.query("SELECT 1") }),
                        ("rows", { try connection.forEachRow("SELECT x FROM t") { _ in } }),
                        ("execute", { try connection.execute("INSERT INTO t VALUES(3)") }),
                        ("commit", { try connection.execute("COMMIT") }),
                        (
                            "transaction",
                            { try connection.transaction { try connection.execute("SELECT 1") } }
                        ),
                        (
                            "savepoint",
                            {
                                _ = try connection.savepoint {
                                    try connection.run("INSERT INTO t VALUES(5)")
                                }
                            }
                        ),
                    ]
                    for way in ways {
                        do {
                            try way.run()
                            Issue.record("after the cancellation this ran: \(way.name)")
                        } catch {}
                    }
                }
            }
            await expectCancelled(task, once: hasBegun, opening: goOn)
            try fixture.expectUsable(holding: [])
        }

        @Test func anInterruptThatIsNoCancellationLosesTheTransactionToo() async throws {
            let isRunning = Gate()
            await expectTaskSQLiteError {
                try await queue.write { connection in
                    try connection.run("INSERT INTO t VALUES(1)")
                    let handle = connection.interruptHandle
                    try addCallback("report", to: connection) { _ in
                        isRunning.open()
                        handle.interrupt()
                    }
                    let number = "CASE WHEN n = 1000 THEN report(n) ELSE n END"
                    try? connection.execute(
                        "INSERT INTO t " + numbers(to: Int.max, selecting: number)
                    )
                    try? connection.execute("INSERT INTO t VALUES(2)")
                }
            }
            #expect(isRunning.isOpen)
            try fixture.expectUsable(holding: [])
        }

        @Test func aClosureThatLeavesAStatementRunningIsRolledBack() async throws {
            let (queue, hasBegun, goOn) = (queue, Gate(), Gate())
            let task = Task.detached {
                try await queue.write { connection in
                    try connection.execute("INSERT INTO t VALUES(1), (2), (3)")
                    try connection.forEachRow("SELECT x FROM t") { _ in
                        hasBegun.open()
                        goOn.wait()
                        try connection.run("INSERT INTO t VALUES(4)")
                    }
                }
            }
            await expectCancelled(task, once: hasBegun, opening: goOn)
            try fixture.expectUsable(holding: [])
        }

        // MARK: Virtual tables

        @Test(
            .enabled(
                if: Connection.hasCompileOption("ENABLE_FTS5"),
                "SQLite was built without FTS5"
            )
        )
        func aFullTextTableStaysSound() async throws {
            let queue = queue
            try await queue.writeWithoutTransaction {
                try $0.execute("CREATE VIRTUAL TABLE f USING fts5(text)")
            }
            for round in 0..<50 {
                let isRunning = Gate()
                let task = Task.detached {
                    try await queue.write { connection in
                        try addCallback("report", to: connection) { _ in isRunning.open() }
                        // The gate opens at a different row in each round.
                        let row = round * 7 + 1
                        let text = "'word' || CASE WHEN n = \(row) THEN report(n) ELSE n END"
                        try connection.execute(
                            "INSERT INTO f " + numbers(to: Int.max, selecting: text)
                        )
                    }
                }
                await expectCancelled(task, once: isRunning)
                try await queue.write { try $0.run("INSERT INTO f VALUES(?)", "kept\(round)") }
            }
            try await queue.writeWithoutTransaction { connection in
                try connection.execute("INSERT INTO f(f) VALUES('integrity-check')")
                let kept: Int = try connection.query("SELECT count(*) FROM f WHERE f MATCH 'kept*'")
                let all = try count("f", on: connection)
                #expect(kept == 50)
                #expect(all == 50)
                #expect(try connection.query("PRAGMA integrity_check") == "ok")
            }
            try fixture.expectUsable()
        }

        // MARK: At any time

        /// Even if its turn has come, and its closure hasn't begun. A few cancellations of these are
        /// as early as that.
        @Test func atWhateverMomentItIsNoStatementRunsAfterwards() async throws {
            let (queue, runs) = (queue, SharedCount())
            var random = SeededGenerator(state: 13)
            for _ in 0..<3000 {
                let (hasStarted, isCancelled) = (Gate(), Gate())
                let task = Task.detached {
                    hasStarted.open()
                    try await queue.read { connection in
                        isCancelled.wait()
                        try connection.execute("SELECT 1")
                        runs.add(1)
                    }
                }
                while !hasStarted.isOpen {
                    await Task.yield()
                }
                // The turn comes within microseconds, so the moments differ by a few instructions.
                // The question, which is never true, keeps the loop from being optimized away.
                let spins = Int.random(in: 0..<100, using: &random)
                for _ in 0..<spins where Task.isCancelled {
                    return
                }
                task.cancel()
                isCancelled.open()
                await expectCancelled(task)
            }
            #expect(runs.value == 0)
        }

        @Test func atWhateverMomentItIsAllOrNothing() async throws {
            let queue = queue
            var random = SeededGenerator(state: 11)
            var expected = 0
            for round in 0..<400 {
                let hasBegun = Gate()
                let task = Task.detached {
                    try await queue.write { connection in
                        hasBegun.open()
                        for _ in 0..<20 {
                            try connection.run("INSERT INTO t VALUES(?)", round)
                        }
                    }
                }
                if round.isMultiple(of: 2) {
                    await hasBegun.opened()
                }
                let spins = Int.random(in: 0..<20_000, using: &random)
                for _ in 0..<spins where Task.isCancelled {
                    return
                }
                task.cancel()
                switch await task.result {
                case .success: expected += 20
                case .failure(let error): #expect(error is CancellationError)
                }
                let found = try await queue.read { try count("t", on: $0) }
                #expect(found == expected)
                guard found == expected else { return }
            }
            try fixture.expectUsable()
        }
    }
}
