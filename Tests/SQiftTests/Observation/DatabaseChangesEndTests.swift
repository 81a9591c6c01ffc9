// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// How listening ends, and what it leaves.
    struct DatabaseChangesEndTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        /// Expects that the writer is no longer observed after its next access.
        private func expectUnobserved(
            _ database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await database.writeWithoutTransaction { _ in }
            let isObserved = try await database.writeWithoutTransaction { $0.isPublishingChanges }
            #expect(!isObserved, sourceLocation: sourceLocation)
        }

        private func isObserved(_ database: Database) async throws -> Bool {
            try await database.writeWithoutTransaction { $0.isPublishingChanges }
        }

        // MARK: What ends it

        @Test(arguments: ListenedDatabase.allCases)
        func theWriterIsObservedWhileSomebodyListens(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
            #expect(try await !isObserved(database))
            var changes: [DatabaseChanges?] = [database.changes(), database.changes(in: ["t"])]
            let listener = database.onChanges { _ in }
            #expect(try await isObserved(database))
            changes[0] = nil
            #expect(try await isObserved(database))
            changes[1] = nil
            _ = try await isObserved(database)
            #expect(try await isObserved(database))
            listener.end()
            try await expectUnobserved(database)

            let again = database.changes()
            try await database.write { try add(1, on: $0) }
            let heard = try await again.next()
            #expect(heard == TableChanges(tables: ["t"]))
        }

        @Test func leavingTheLoopEndsIt() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let mayLeave = Gate()
            let task = Task.detached {
                for await changes in database.changes() where changes.concerns("t") {
                    await mayLeave.opened()
                    break
                }
            }
            try await awaitingPoll("nobody listens") { try await isObserved(database) }
            try await database.write { try add(1, on: $0) }
            #expect(try await isObserved(database))
            mayLeave.open()
            try await withPatience { await task.value }
            try await expectUnobserved(database)
        }

        @Test(arguments: [true, false])
        func cancellingTheTaskEndsIt(isWaiting: Bool) async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let (isInside, mayGoOn) = (Gate(), Gate())
            let follower = Follower(database.changes()) { _ in
                isInside.open()
                // Not a poll, which ends when the task is cancelled.
                try await onThread { mayGoOn.wait() }
            }
            try await database.write { try add(1, on: $0) }
            await isInside.opened()
            if isWaiting {
                mayGoOn.open()
            }
            follower.cancel()
            mayGoOn.open()
            try await follower.end()
            #expect(follower.all == [TableChanges(tables: ["t"])])
        }

        @Test func aTaskThatIsCancelledAlreadyHearsOfNothing() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let changes = database.changes()
            try await database.write { try add(1, on: $0) }
            let mayBegin = Gate()
            let task = Task.detached {
                try? await onThread { mayBegin.wait() }
                var iterator = changes.makeAsyncIterator()
                return await iterator.next()
            }
            task.cancel()
            mayBegin.open()
            let heard = try await withPatience { await task.value }
            #expect(heard == nil)
        }

        @Test(arguments: ListenedDatabase.allCases, [false, true])
        func closingTheDatabaseEndsIt(kind: ListenedDatabase, isInterrupting: Bool) async throws {
            let database = try kind.open(in: folder)
            let (waiting, late) = (Follower(database.changes()), database.changes(in: ["t"]))
            let calls = SharedNotes<TableChanges>()
            let (isBusy, mayGoOn) = (Gate(), Gate())
            database.onChanges { changes in
                calls.note(changes)
                isBusy.open()
                mayGoOn.wait()
            }
            try await database.write { try add(1, on: $0) }
            await isBusy.opened()
            try await database.write { try $0.run("INSERT INTO t SELECT x FROM t") }
            try await database.write { try $0.run("INSERT INTO u VALUES(1)") }
            try await database.close(interrupting: isInterrupting)
            mayGoOn.open()

            // What was committed before is still delivered.
            try await waiting.end()
            #expect(Set(waiting.all.flatMap(\.tables)) == ["t", "u"])
            let heard = try await late.next()
            #expect(heard == TableChanges(tables: ["t"]))
            let end = try await late.next()
            #expect(end == nil)
            await poll("the closure doesn't hear of it: \(calls.all)") {
                Set(calls.all.flatMap(\.tables)) == ["t", "u"]
            }
        }

        @Test func aCommitWhileTheDatabaseIsBeingClosedIsHeardOf() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let changes = database.changes()
            let (isInside, mayGoOn) = (Gate(), Gate())
            let writer = Worker {
                try database.write { connection in
                    isInside.open()
                    mayGoOn.wait()
                    try add(1, on: connection)
                }
            }
            await isInside.opened()
            let closing = Task.detached { try await database.close() }
            await poll("it isn't closed") {
                (try? refusal { try database.executeRead { _ in } }) == .closed
            }
            mayGoOn.open()
            try await writer.finalValue()
            try await closing.value
            let heard = try await changes.next()
            #expect(heard == TableChanges(tables: ["t"]))
            let end = try await changes.next()
            #expect(end == nil)
        }

        @Test(arguments: ListenedDatabase.allCases)
        func releasingTheDatabaseEndsIt(kind: ListenedDatabase) async throws {
            var database: Database? = try kind.open(in: folder)
            weak let reference = database
            let changes = try #require(database).changes(pollingEvery: 0.001)
            let waiting = Follower(try #require(database).changes(in: ["unknown"]))
            let calls = SharedNotes<TableChanges>()
            database?.onChanges { calls.note($0) }
            try await database?.write { try add(1, on: $0) }
            database = nil
            await poll("somebody keeps it") { reference == nil }
            try await waiting.end()
            let heard = try await changes.next()
            #expect(heard == TableChanges(tables: ["t"]))
            let end = try await changes.next()
            #expect(end == nil)
            await poll("the closure doesn't hear of it") { !calls.all.isEmpty }
        }

        @Test func listeningOnAClosedDatabaseEndsAtOnce() async throws {
            final class Kept: Sendable {}
            let database = try ListenedDatabase.wal.open(in: folder)
            try await database.close()
            for interval in [nil, 0.001] {
                let changes = database.changes(pollingEvery: interval)
                let end = try await changes.next()
                #expect(end == nil)
                let again = try await changes.next()
                #expect(again == nil)
                var kept: Kept? = Kept()
                weak let reference = kept
                let listener = database.onChanges(pollingEvery: interval) { [kept] _ in
                    withExtendedLifetime(kept) { recordCall() }
                }
                kept = nil
                await poll("the closure is kept") { reference == nil }
                listener.end()
            }
        }

        // MARK: What it outlives

        @Test func anIteratorListensWithoutItsSequence() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            var iterator = database.changes().makeAsyncIterator()
            try await database.write { try add(1, on: $0) }
            let heard = await iterator.next()
            #expect(heard == TableChanges(tables: ["t"]))
            #expect(try await isObserved(database))
            withExtendedLifetime(iterator) {}
        }

        @Test func aWriterThatWasReplacedIsObservedAgain() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let changes = database.changes()
            try await onThread {
                nonisolated(unsafe) var escaped: Connection?
                try database.executeWrite { connection in
                    escaped = connection
                    try add(1, on: connection)
                }
                try escaped?.close()
            }
            let before = try await changes.next()
            #expect(before == TableChanges(tables: ["t"]))
            try await database.write { try $0.run("INSERT INTO u VALUES(1)") }
            let after = try await changes.next()
            #expect(after == TableChanges(tables: ["u"]))
            #expect(try await isObserved(database))
        }

        @Test func aSuspendedDatabaseIsListenedToAgainWhenItIsResumed() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let (before, follower) = (database.changes(), Follower(database.changes()))
            try await database.write { try add(1, on: $0) }
            try await database.suspend()
            let during = database.changes()
            let reason = try await taskRefusal { try await database.write { try add(2, on: $0) } }
            #expect(reason == .suspended)
            database.resume()
            try await database.write { try $0.run("INSERT INTO u VALUES(1)") }
            let all = try await before.next()
            #expect(all == TableChanges(tables: ["t", "u"]))
            let heard = try await during.next()
            #expect(heard == TableChanges(tables: ["u"]))
            await follower.hears("it ended") { $0.tables.contains("u") }
        }
    }
}
