import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The form that returns when all is copied.
extension CopySuites {
    struct ConnectionBackupTests {
        private let folder = TemporaryFolder.fresh
        private let source: Connection
        private let destination: Connection

        init() throws {
            source = try makeFile(at: folder.path())
            destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        }

        @Test func theCopyIsTheSameAndTheConnectionsAreFree() throws {
            try source.backup(to: destination)
            try expectSame(destination, source)
            try source.close()
            try destination.close()
        }

        @Test func theProgressCountsUpToTheTotal() throws {
            let notes = Notes<Backup.Progress>()
            try source.backup(to: destination, pagesPerStep: 10) { notes.note($0) }
            let pages: Int = try source.query("PRAGMA page_count")
            #expect(notes.all.count >= pages / 10)
            #expect(notes.all.allSatisfy { $0.pageCount == pages })
            #expect(
                zip(notes.all, notes.all.dropFirst()).allSatisfy {
                    $0.completedPageCount < $1.completedPageCount
                }
            )
            #expect(notes.all.last?.remainingPageCount == 0)
            #expect(notes.all.last?.fractionCompleted == 1)
        }

        @Test func allAtOnceTellsOfOneStep() throws {
            let notes = Notes<Backup.Progress>()
            try source.backup(to: destination, pagesPerStep: -1) { notes.note($0) }
            #expect(notes.all.map(\.fractionCompleted) == [1])
            try expectSame(destination, source)
        }

        @Test func stepsOfNoPagesThrow() throws {
            expectSQLiteError(.misuse) { try source.backup(to: destination, pagesPerStep: 0) }
            try expectRows(7, on: destination)
        }

        @Test(arguments: ["DELETE", "WAL"])
        func whatTheProgressThrowsEndsItAndLeavesTheDestinationAsItWas(mode: String) throws {
            try source.execute("PRAGMA journal_mode = \(mode)")
            let calls = Notes<Int>()
            expectThrows(TestError.self) {
                try source.backup(to: destination, pagesPerStep: 5) { progress in
                    calls.note(progress.completedPageCount)
                    if calls.all.count == 3 {
                        throw TestError()
                    }
                }
            }
            #expect(calls.all.count == 3)
            try expectRows(7, on: destination)
            try expectSound(destination)
            #expect(!source.isInsideTransaction)
            try expectUnlocked(folder)
            try source.backup(to: destination)
            try expectSame(destination, source)
        }

        @Test func theSourceMayBeReadInTheProgress() throws {
            for mode in ["DELETE", "WAL"] {
                try source.execute("PRAGMA journal_mode = \(mode)")
                try source.backup(to: destination, pagesPerStep: 10) { _ in
                    try expectRows(100, on: source)
                    expectSQLiteError(.misuse) { _ = try count("t", on: destination) }
                }
                try expectSame(destination, source)
            }
        }

        @Test func closingTheSourceInTheProgressIsRefused() throws {
            try source.backup(to: destination, pagesPerStep: 10) { _ in
                expectSQLiteError(.busy) { try source.close() }
            }
            try expectSame(destination, source)
            try source.close()
        }

        @Test func theSourceIsInNoTransactionAfterwards() throws {
            try source.execute("PRAGMA journal_mode = WAL")
            try source.backup(to: destination)
            #expect(!source.isInsideTransaction)
            try source.execute("BEGIN")
            try source.backup(to: destination)
            #expect(source.isInsideTransaction)
            try source.execute("COMMIT")
        }

        /// A thread that moves amounts between rows, one transaction after the other, until it is
        /// told to stop.
        private func mover(_ stop: Gate, _ begun: Gate) -> Worker<Int> {
            Worker { [folder] in
                let connection = try Connection.open(folder.path()) { $0.busyTimeout = patience }
                try connection.execute("PRAGMA synchronous = OFF")
                var count = 0
                while !stop.isOpen {
                    count += 1
                    try connection.transaction(transactionType: .immediate) {
                        try connection.run(
                            "UPDATE account SET amount = amount - 1 WHERE id = ?",
                            count % 500 + 1
                        )
                        try connection.run(
                            "UPDATE account SET amount = amount + 1 WHERE id = ?",
                            500 - count % 500
                        )
                    }
                    if count == 10 {
                        begun.open()
                    }
                }
                return count
            }
        }

        private func addAccounts() throws {
            try source.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, amount, padding)")
            try source.run(
                "INSERT INTO account " + numbers(to: 500, selecting: "n, 100, hex(zeroblob(500))")
            )
        }

        private func expectConsistent(sourceLocation: SourceLocation = #_sourceLocation) throws {
            try expectSound(destination, sourceLocation: sourceLocation)
            #expect(
                try destination.query("SELECT sum(amount) FROM account") == 50000,
                sourceLocation: sourceLocation
            )
        }

        @Test func aWALIsCopiedAsOneStateWhileAThreadWrites() async throws {
            try source.execute("PRAGMA journal_mode = WAL")
            try addAccounts()
            let (stop, begun) = (Gate(), Gate())
            let worker = mover(stop, begun)
            await begun.opened()
            for pages in [1, 10, 100, -1] {
                let notes = Notes<Int>()
                try source.backup(to: destination, pagesPerStep: pages) {
                    notes.note($0.remainingPageCount)
                }
                // It never starts over.
                #expect(zip(notes.all, notes.all.dropFirst()).allSatisfy { $0 > $1 })
                try expectConsistent()
            }
            stop.open()
            try await worker.finalValue()
        }

        @Test func aRollbackJournalIsCopiedWhileAThreadWrites() async throws {
            try addAccounts()
            let (stop, begun) = (Gate(), Gate())
            let worker = mover(stop, begun)
            await begun.opened()
            for pages in [1, 10, -1] {
                try source.backup(to: destination, pagesPerStep: pages)
                try expectConsistent()
            }
            stop.open()
            try await worker.finalValue()
        }

        @Test func writesOfAnotherConnectionInTheProgressDoNotKeepItFromEnding() throws {
            let other = try folder.connection()
            var calls = 0
            try source.backup(to: destination, pagesPerStep: 1) { progress in
                calls += 1
                if progress.remainingPageCount > 0 {
                    try other.run("UPDATE t SET x = x || 'changed' WHERE id = 1")
                }
            }
            #expect(calls < 1000)
            try expectSame(destination, source)
        }

        @Test func afterAFewRestartsTheRestIsCopiedInOneStep() throws {
            let other = try folder.connection()
            var calls = 0
            try source.backup(to: destination, pagesPerStep: 1) { progress in
                calls += 1
                guard calls < 20 else { throw TestError() }
                if progress.remainingPageCount > 0 {
                    // The count of the pages, and so of those that remain, stays the same.
                    try other.run(
                        "UPDATE t SET x = substr(x, 2) || substr(x, 1, 1) WHERE id = 1"
                    )
                }
            }
            try expectSame(destination, source)
        }

        @Test func aListenerOfTheDestinationHearsOfAllTables() throws {
            let heard = destination.hearChanges()
            let unfinished = try Backup(from: source, to: destination)
            _ = try unfinished.step(pages: 1)
            try unfinished.finish()
            #expect(heard.all == [])
            try source.backup(to: destination)
            #expect(heard.all.count == 1)
            #expect(heard.all.first?.includesAllTables == true)
            #expect(heard.all.first?.schemaChanged == true)
        }

        @Test func aCancelledAccessStopsABackupIntoItsConnection() async throws {
            let path = folder.path()
            let queue = try ConnectionQueue(connection: Connection(path: folder.path("other")))
            let task = Task.detached {
                try await queue.writeWithoutTransaction { destination in
                    let backup = try Backup(from: Connection(path: path), to: destination)
                    #expect(try backup.step(pages: 1))
                    withUnsafeCurrentTask { $0?.cancel() }
                    expectSQLiteError(.interrupt) { _ = try backup.step(pages: 1) }
                }
            }
            await expectCancelled(task)
        }

        @Test func aTrailingClosureOfOneResultChoosesTheFormOfSQift5() async throws {
            let done = Gate()
            let progress = try source.backup(to: destination, completionQueue: .global()) {
                result in
                #expect(result.isSuccess)
                done.open()
            }
            await done.opened()
            #expect(progress.isFinished)
            try expectSame(destination, source)
        }
    }
}
